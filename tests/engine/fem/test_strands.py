"""Strands in a scene: strings of point masses between bodies and the world, coupled both ways with both."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    JointSpec,
    Point,
    Pose,
    Revolute,
    SceneSpec,
    Sphere,
    StrandSpec,
    Translational,
)
from redmax_blender.engine.scene.file import decode_scene, encode_scene


def last(spec: SceneSpec, h: float, end: float, solver: str = "auto") -> State:
    model = compile_scene(spec)
    *_, frame = simulate(model, Options(h=h, solver=solver), end=end, record=round(end / h))
    return frame.state


def two_bars_with_strings() -> SceneSpec:
    """A published scene, in cm, g and s: two bars on hinges, strings from the world to the second and between them."""

    def bar(name: str, parent: str | None) -> BodySpec:
        at = (10.0, 0.0, 0.0) if parent else (0.0, 0.0, 0.0)
        return BodySpec(
            name=name,
            parent=parent,
            shape=Cuboid(sides=(10.0, 1.0, 1.0)),
            density=1.0,
            pose=Pose(position=(5.0, 0.0, 0.0)),
            joint=JointSpec(type=Revolute(axis=(0.0, 1.0, 0.0)), frame=Pose(position=at)),
        )

    return SceneSpec(
        gravity=(0.0, 0.0, -980.0),
        bodies=[bar("first", None), bar("second", "first")],
        strands=[
            StrandSpec(
                "to the world", Point((30.0, 0.0, 10.0)), Point((5.0, 0.0, 0.0), "second"), 1e5, 1.0, 3
            ),
            StrandSpec("between", Point(body="first"), Point(body="second"), 1e5, 1.0, 2),
        ],
    )


def test_strings_on_a_chain_move_as_an_accurate_solution_of_the_equations_does():
    """Its figures are of an eighth-order Runge-Kutta method at a tolerance of 1e-13, found independently."""
    ends = [last(two_bars_with_strings(), 1.0 / n, 1.0) for n in (2000, 4000, 8000)]
    q, x = (
        (a - 6.0 * b + 8.0 * c) / 3.0
        for a, b, c in (np.array([s.q for s in ends]), np.array([s.x for s in ends]))
    )
    wanted = np.array([0.20896961089, -0.29229392844])
    gaps = [np.abs(s.q - wanted).max() for s in ends]
    assert np.all(np.abs(np.log2(np.array(gaps[:-1]) / gaps[1:]) - 1.0) < 0.2), (
        "Euler's method is of first order"
    )
    assert np.abs(q - wanted).max() < 5e-4, "what is left goes with the third power of the step"
    assert np.allclose(x[0], [30.0, 0.0, 10.0])


def test_both_solvers_move_strands_alike():
    direct, iterative = (last(two_bars_with_strings(), 0.005, 0.2, solver) for solver in ("direct", "pcg"))
    assert np.abs(direct.q - iterative.q).max() < 1e-5 and np.abs(direct.x - iterative.x).max() < 1e-4


def test_a_ball_on_a_strand_hangs_where_its_weight_stretches_it():
    ball = BodySpec(
        name="ball",
        shape=Sphere(0.05),
        mass=2.0,
        damping=4.0,
        joint=JointSpec(type=Translational(), frame=Pose(position=(0.0, 0.0, -1.0))),
    )
    strand = StrandSpec(
        "cord", Point((0.0, 0.0, 0.0)), Point(body="ball"), stiffness=400.0, mass=0.004, nodes=5
    )
    end = last(SceneSpec(bodies=[ball], strands=[strand]), 0.02, 20.0)
    # four segments of 0.25 m: tension K ε / L; the strand's own weight is a thousandth
    strain = 0.25 * 9.81 * 2.0 / 400.0
    assert np.abs(end.v).max() < 1e-4
    assert end.q[2] == pytest.approx(-strain, rel=5e-3)


def test_a_strand_that_is_not_held_falls_with_its_loose_end():
    strand = StrandSpec(
        "rope", Point((0.0, 0.0, 1.0)), Point((1.0, 0.0, 1.0)), stiffness=50.0, mass=0.1, hold_end=False
    )
    post = BodySpec(name="post", shape=Sphere(0.1))
    end = last(SceneSpec(bodies=[post], strands=[strand]), 0.005, 0.3)
    assert np.array_equal(end.x[0], [0.0, 0.0, 1.0])
    assert end.x[-1, 2] < 0.7


def test_a_scene_with_strands_survives_its_file():
    spec = two_bars_with_strings()
    assert decode_scene(encode_scene(spec)) == spec


@pytest.mark.parametrize(
    "change, place",
    [
        (dict(stiffness=0.0), "stiffness"),
        (dict(mass=-1.0), "mass"),
        (dict(end=Point((30.0, 0.0, 10.0))), "to the world"),
        (dict(end=Point(body="third")), "end.body"),
        (dict(name="between"), "name"),
    ],
)
def test_a_strand_that_cannot_be_is_named(change, place):
    spec = two_bars_with_strings()
    for name, value in change.items():
        setattr(spec.strands[0], name, value)
    with pytest.raises(ValueError, match="strands") as error:
        compile_scene(spec)
    assert place in str(error.value)
    assert isinstance(error.value, SceneError) or place in ("stiffness", "mass", "to the world")
