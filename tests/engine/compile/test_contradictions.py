"""What cannot hold ends in an error that names it, with the residual, and never in NaN."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from mechanisms import TIP, Y, arm, end_of, line, rod, where

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import ConstraintError
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import BodySpec, Constant, Cuboid, Free, JointSpec, Limits, SceneSpec
from redmax_blender.engine.scene.constraints import (
    Gear,
    LoopDistance,
    LoopHinge,
    LoopPoint,
    PrescribedPoint,
    PrescribedPose,
    Term,
)
from redmax_blender.engine.scene.forces import Point

SOLVERS = ["direct", "pcg"]


def two_paths() -> SceneSpec:
    spec = arm()
    x = where(spec, TIP)[0]
    spec.constraints = [
        PrescribedPoint(point=TIP, path=[line(x, 1.0), None, None], name="to the right"),
        PrescribedPoint(point=TIP, path=[line(x, -1.0), None, None], name="to the left"),
    ]
    return spec


def out_of_reach() -> SceneSpec:
    spec = arm()
    x, _, z = where(spec, TIP)
    spec.constraints = [PrescribedPoint(point=TIP, path=[line(x, 1.0), None, line(z, 0.0)], name="reach")]
    return spec


def locking() -> SceneSpec:
    """Three rods that cannot let the driven one turn all the way."""
    spec = arm()
    spec.bodies[0].joint.motion = [line(0.0, 2.0)]
    spec.bodies.append(rod("third", 0.4, "lower", (0.5, 0.0, 0.0), -1.0))
    foot = end_of(0.4, "third")
    spec.constraints = [LoopPoint(a=foot, b=Point(position=tuple(where(spec, foot))), name="foot")]
    return spec


def gear_against_limit() -> SceneSpec:
    spec = arm()
    spec.bodies[1].joint.motion = [line(0.0, 1.0)]
    spec.bodies[0].joint.limits = Limits(upper=0.5)
    spec.constraints = [
        Gear(terms=[Term(joint="upper", factor=1.0), Term(joint="lower", factor=-1.0)], name="mesh")
    ]
    return spec


def coupled_limits() -> SceneSpec:
    """A gear turns two joints against each other, and both have a stop where they would have to part."""
    spec = arm()
    spec.bodies[0].joint.limits = Limits(lower=0.1)
    spec.bodies[1].joint.limits = Limits(lower=0.1)
    spec.bodies[0].joint.q = spec.bodies[1].joint.q = 0.05
    terms = [Term(joint="upper", factor=1.0), Term(joint="lower", factor=1.0)]
    spec.constraints = [Gear(terms=terms, offset=0.1, name="mesh")]
    return spec


def nothing_left_to_move() -> SceneSpec:
    spec = arm()
    for body in spec.bodies:
        body.joint.motion = [line(0.0, 1.0)]
    x = where(spec, TIP)[0]
    spec.constraints = [PrescribedPoint(point=TIP, path=[line(x, 0.0), None, None], name="held")]
    return spec


def too_short_a_rod() -> SceneSpec:
    spec = arm()
    spec.constraints = [LoopDistance(a=TIP, b=Point(position=(0.0, 0.0, 2.0)), length=0.2, name="strut")]
    return spec


def far_apart() -> SceneSpec:
    spec = arm()
    spec.constraints = [LoopHinge(a=TIP, b=Point(position=(0.2, 0.0, 0.3)), axis=Y, name="hook")]
    return spec


def facing_away() -> SceneSpec:
    """Half a turn from where the curve begins: every row of the orientation is zero, and still it is wrong."""
    flyer = BodySpec(name="flyer", shape=Cuboid(sides=(0.1, 0.2, 0.3)), joint=JointSpec(type=Free()))
    still = [Constant(value=0.0)] * 3
    about = [Constant(value=float(np.pi)), Constant(value=0.0), Constant(value=0.0)]
    return SceneSpec(
        bodies=[flyer],
        constraints=[PrescribedPose(body="flyer", position=still, rotation=about, name="pose")],
    )


CONTRADICTIONS: dict[str, tuple[Callable[[], SceneSpec], set[str], bool]] = {
    "two prescriptions of one point": (two_paths, {"to the right", "to the left"}, True),
    "a point beyond reach": (out_of_reach, {"reach"}, False),
    "a crank that locks": (locking, {"foot", "motion of upper"}, False),
    "a gear into a limit": (gear_against_limit, {"mesh", "motion of lower", "limit of upper"}, False),
    "limits against each other": (coupled_limits, {"mesh", "limit of upper", "limit of lower"}, True),
    "a prescribed point on prescribed joints": (
        nothing_left_to_move,
        {"held", "motion of upper", "motion of lower"},
        True,
    ),
    "a rod that is too short": (too_short_a_rod, {"strut"}, True),
    "a loop that is far open": (far_apart, {"hook"}, True),
    "an orientation half a turn away": (facing_away, {"pose"}, True),
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_end_in_an_error_that_names_them(name: str, solver: str) -> None:
    make, names, at_once = CONTRADICTIONS[name]
    model = compile_scene(make())
    count, fastest = 0, 0.0
    with pytest.raises(ConstraintError) as caught:
        steps = EulerSteps(model, model.initial_state(), Options(h=1.0 / 120.0, solver=solver))
        for count in range(360):  # noqa: B007
            state = next(steps)
            assert np.isfinite(state.q).all()
            fastest = max(fastest, float(np.abs(state.qdot).max()))
    assert set(caught.value.names) == names
    assert caught.value.residual > 1e-4
    assert re.search(r"residual [\d.e-]+ (m|rad|m/s)", str(caught.value))
    assert (count == 0) == at_once
    assert fastest < 30.0, "the frames before the error are good"


@pytest.mark.parametrize("solver", SOLVERS)
def test_contradictions_are_seen_with_rows_that_repeat_each_other_as_well(solver: str) -> None:
    """A thrice repeated row is no contradiction; the same row with another goal is."""
    spec = two_paths()
    spec.constraints = [spec.constraints[0]] * 3
    model = compile_scene(spec)
    state = next(EulerSteps(model, model.initial_state(), Options(h=0.01, solver=solver)))
    assert np.isfinite(state.q).all()
    spec.constraints = [*spec.constraints, two_paths().constraints[1]]
    with pytest.raises(ConstraintError):
        next(EulerSteps(compile_scene(spec), model.initial_state(), Options(h=0.01, solver=solver)))
