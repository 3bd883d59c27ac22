"""The tensegrity snaps together into the structure that its strings allow, and stands."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.run.simulate import scene_options, simulate
from redmax_blender.engine.shots.tensegrity import COUNT, REST, lengths, tensegrity


@pytest.mark.parametrize("stiffness", [20.0, 40.0])
def test_it_comes_to_rest_in_a_shape_that_is_the_same_from_every_stick(stiffness: float) -> None:
    spec = tensegrity(stiffness, step=0.02)
    model = compile_scene(spec)
    *_, last = simulate(model, scene_options(spec), end=60.0, record=10**9)
    found = lengths(spec, last.state)
    assert np.ptp(found, axis=1).max() < 1e-6 * REST  # a thousandth is wanted
    assert np.abs(last.state.qdot).max() < 1e-6
    assert found[0, 0] == pytest.approx(found[2, 0], rel=1e-6)
    assert (found > REST).all()  # every string pulls


def test_the_shape_does_not_depend_on_the_stiffness_where_nothing_lies_on_it() -> None:
    shapes = []
    for stiffness in (20.0, 40.0):
        spec = tensegrity(stiffness, step=0.02)
        *_, last = simulate(compile_scene(spec), scene_options(spec), end=60.0, record=10**9)
        shapes.append(lengths(spec, last.state))
    np.testing.assert_allclose(shapes[0], shapes[1], rtol=1e-6)
    assert shapes[0].shape == (3, COUNT)


def test_after_eight_seconds_it_is_nearly_there() -> None:
    """As far as the thesis simulates it: within a hundredth of its shape."""
    spec = tensegrity()
    *_, last = simulate(compile_scene(spec), scene_options(spec), end=8.0, record=10**9)
    found = lengths(spec, last.state)
    assert np.ptp(found, axis=1).max() < 0.01 * found.mean()
