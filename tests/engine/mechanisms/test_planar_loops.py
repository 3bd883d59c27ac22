"""Loops that stay in a plane are closed by two rows, and all others by five."""

from __future__ import annotations

import numpy as np
import pytest
from test_mechanism import HINGE_ABOUT_Y, _at, _bar, four_bar

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.mechanisms.mechanism import assemble
from redmax_blender.engine.mechanisms.parts import Body, Connection
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import ConstraintSpec, LoopHinge, LoopPoint, SceneSpec


def closing(bodies: list[Body], connections: list[Connection]) -> ConstraintSpec:
    (loop,) = assemble(bodies, connections).constraints
    return loop


def test_a_four_bar_keeps_to_its_plane() -> None:
    loop = closing(*four_bar())
    assert isinstance(loop, LoopPoint)
    # in the frame of the body's own hinge, whose axis is z
    assert np.abs(loop.perpendicular_to) == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)


@pytest.mark.parametrize("which", range(4))
def test_one_axis_askew_takes_all_rows(which: int) -> None:
    bodies, hinges = four_bar()
    hinges[which].pose = hinges[which].pose @ _at(0.0, 0.0, 0.0, (0.01, 0.0, 0.0))
    assert isinstance(closing(bodies, hinges), LoopHinge)


@pytest.mark.parametrize(
    ("turn", "planar"), [((0.0, 0.3, 0.0), True), ((0.0, 0.0, np.pi / 2), False)], ids=["across", "along"]
)
def test_a_slider_keeps_to_the_plane_when_it_runs_across_the_axis(
    turn: tuple[float, float, float], planar: bool
) -> None:
    """Crank, rod and a block on a rail, whose direction is the rail's x."""
    bodies = [
        _bar("crank", 0.0, 0.5, 1.0, upright=True),
        _bar("rod", 1.0, 1.0, 2.0),
        _bar("block", 2.0, 1.0, 0.2),
    ]
    connections = [
        Connection("axle", "hinge", None, "crank", _at(0.0, 0.0, 0.0, HINGE_ABOUT_Y)),
        Connection("pin", "hinge", "crank", "rod", _at(0.0, 0.0, 1.0, HINGE_ABOUT_Y)),
        Connection("wrist", "hinge", "rod", "block", _at(2.0, 0.0, 1.0, HINGE_ABOUT_Y), cut="always"),
        Connection("rail", "slider", None, "block", _at(2.0, 0.0, 1.0, turn)),
    ]
    assert isinstance(closing(bodies, connections), LoopPoint if planar else LoopHinge)


def test_two_rows_and_five_give_the_same_motion() -> None:
    bodies, hinges = four_bar()
    bodies[0].damping = 2.0
    made = assemble(bodies, hinges)
    (loop,) = made.constraints
    assert isinstance(loop, LoopPoint) and loop.perpendicular_to is not None
    ends = []
    for rows in (loop, LoopHinge(a=loop.a, b=loop.b, axis=loop.perpendicular_to, name=loop.name)):
        model = compile_scene(SceneSpec(bodies=made.bodies, constraints=[rows], gravity=(2.0, 0.0, -9.81)))
        states = euler(model, model.initial_state(), Options(h=0.005))
        for _ in range(100):
            state = next(states)
        ends.append(state.q)
    assert np.abs(ends[0]).max() > 0.2
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)
