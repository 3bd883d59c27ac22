"""Flesh, loops, limits, hyper-reduced coordinates and prescribed points in one scene, whatever its numbers are."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from test_coupled import Y_AXIS, bone

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.fem.flesh import held_places
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.result import Result
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    Attachment,
    CouplingSpec,
    FleshSpec,
    Limits,
    LoopDistance,
    MaterialSpec,
    Point,
    PrescribedPoint,
    Revolute,
    SceneSpec,
    Sine,
    SpringFloor,
    Term,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics

LENGTH, APART = 0.4, 0.3
"""Of a bone, and between the two chains [m]."""


def ladder(
    amplitude: float, frequency: float, limit: float, factor: float, young: float, soft: bool, tilt: float
):
    """Two chains of three hinges above each other, a rod between their ends, and flesh around both.

    The lower chain's first bone is led up and down, the last two joints of the upper chain move as one, and the joints
    of the lower chain have limits.
    """
    bodies = []
    for name, height in (("up", APART), ("low", 0.0)):
        for n in range(3):
            parent = f"{name}.{n}" if n else None
            at = (LENGTH, 0.0, 0.0) if n else (0.0, 0.0, height)
            limits = Limits(lower=-limit, upper=limit) if name == "low" and n else None
            bodies.append(
                bone(
                    f"{name}.{n + 1}",
                    parent,
                    Revolute(axis=Y_AXIS),
                    at,
                    limits=limits,
                    damping=0.05,
                    mass=0.5,
                )
            )
    X, corner = bar((12, 1, 4), (3 * LENGTH, 0.1, APART + 0.1))
    X = X - [0.0, 0.05, 0.05]
    attachments = []
    for name, height in (("up", APART), ("low", 0.0)):
        near = np.abs(X[:, 2] - height) < 0.06
        for n in range(3):
            along = (X[:, 0] > n * LENGTH + 0.05) & (X[:, 0] < (n + 1) * LENGTH - 0.05)
            stiffness = 2e3 if soft and n == 1 else None
            attachments.append(
                Attachment(f"{name}.{n + 1}", np.flatnonzero(near & along).tolist(), stiffness)
            )
    half = (0.5 * LENGTH, 0.0, 0.0)
    return SceneSpec(
        gravity=(9.81 * float(np.sin(tilt)), 0.0, -9.81 * float(np.cos(tilt))),
        bodies=bodies,
        constraints=[
            LoopDistance(a=Point(body="up.3", position=half), b=Point(body="low.3", position=half), name="rod"),
            PrescribedPoint(
                point=Point(body="low.1", position=half),
                path=[None, None, Sine(amplitude, frequency)],
                name="led",
            ),
        ],
        couplings=[CouplingSpec([Term("up.2", 1.0), Term("up.3", factor)])],
        flesh=[
            FleshSpec(
                "web", [tuple(x) for x in X.tolist()], corner.tolist(),
                MaterialSpec(young, stiffness_damping=0.01), attachments=attachments,
                floor=SpringFloor(stiffness=50.0, damping=2.0, height=-0.4),
            )
        ],
    )  # fmt: skip


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
@given(
    amplitude=st.floats(0.01, 0.1),
    frequency=st.floats(0.2, 1.5),
    limit=st.floats(0.2, 0.8),
    factor=st.floats(-1.5, 1.5).filter(lambda f: abs(f) > 0.05),
    young=st.floats(1e4, 3e5),
    soft=st.booleans(),
    tilt=st.floats(-0.5, 0.5),
)
def test_everything_holds_at_once(amplitude, frequency, limit, factor, young, soft, tilt):
    model = compile_scene(ladder(amplitude, frequency, limit, factor, young, soft, tilt))
    flesh = model.flesh
    assert flesh is not None and model.reduction is not None
    result = Result.from_frames(model, simulate(model, Options(h=0.01), end=0.4))
    assert np.isfinite(result.x).all()
    q = {name: result.q[:, result.coordinates(name)][:, 0] for name in result.joints}
    assert np.abs(q["up.3"] - factor * q["up.2"]).max() < 1e-9, "the coupled joints move as one"
    for name in ("low.2", "low.3"):
        # in the step that meets a stop, bringing the rod back moves the joint by the order of the step's square
        assert np.abs(q[name]).max() < limit + 2e-4, "no joint passes its limit"
    ends = [_tip(result, name) for name in ("up.3", "low.3")]
    lengths = np.linalg.norm(ends[0] - ends[1], axis=1)
    assert np.abs(lengths - APART).max() < 1e-5, "the rod keeps its length"
    path = amplitude * np.sin(2.0 * np.pi * frequency * result.t)
    assert np.abs(_tip(result, "low.1")[1:, 2] - path[1:]).max() < 1e-5, "the led point is on its path"
    for f in (20, 40):
        held = held_places(flesh, forward_kinematics(model, result.state(f)))
        assert np.abs(result.x[f, flesh.pattern.held] - held).max() < 1e-12, "attached vertices do not drift"


def _tip(result: Result, name: str) -> np.ndarray:
    """The end of a bone [m], shape (nf, 3)."""
    pose = result.joint_pose[:, result.joints.index(name)]
    return pose[:, 9:] + LENGTH * pose[:, 0:9:3]
