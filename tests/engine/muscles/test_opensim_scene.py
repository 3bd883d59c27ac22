"""An OpenSim model as a scene: the same poses, masses and moment arms, and moving points that differentiate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
import small_model as small
from muscle_scenes import THROUGH, arm

from redmax_blender.cli import main
from redmax_blender.engine.algebra.se3 import pose_matrix
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.muscles.measure import measure_all
from redmax_blender.engine.muscles.motion import follow_muscles
from redmax_blender.engine.muscles.moving_mass import inverse_with_muscles, share_masses
from redmax_blender.engine.muscles.opensim.model import OpenSimModel, model_of
from redmax_blender.engine.muscles.opensim.to_scene import ToScene, to_scene
from redmax_blender.engine.muscles.opensim.xml_tree import parse_xml
from redmax_blender.engine.muscles.skeleton import follow_couplers, inverse_dynamics, mass_matrix, move
from redmax_blender.engine.scene import (
    Composite,
    CompositeJoint,
    MovingAxis,
    MusclePoint,
    Revolute,
    SplineCurve,
)
from redmax_blender.engine.scene.file import load_scene
from redmax_blender.engine.scene.muscles import MuscleSpec
from redmax_blender.engine.tree.kinematics import forward_kinematics
from redmax_blender.engine.tree.recursive import hybrid_dynamics, mass_times

POSES = [[0.3, 0.1, 0.2, -0.8], [-0.4, -0.2, -0.3, -0.1], [0.0, 0.1, 0.0, 0.7]]
"""swing, spread, toe, bend."""


@pytest.fixture(scope="module")
def leg() -> OpenSimModel:
    return model_of(parse_xml(small.leg().encode(), "leg.osim"), "leg.osim")


def there(model: Model, made: ToScene, file: OpenSimModel, q: Floats) -> tuple[State, Floats]:
    """The scene at coordinates of the file, and d scene / d file."""
    out, G = np.zeros(model.nr), np.zeros((model.nr, len(q)))
    for i, c in enumerate(file.skeleton.coordinates):
        place = made.places[c.name]
        k = model.joints.dof[model.joints.names.index(place.joint), 0] + place.number
        out[k], G[k, i] = place(q[i]), place.gain
    return replace(model.initial_state(), q=out), G


def test_poses_masses_and_moment_arms_are_those_of_the_file(leg: OpenSimModel) -> None:
    made = to_scene(leg)
    model = compile_scene(made.scene)
    kinds = {body.name: body.joint.type for body in made.scene.bodies}
    assert isinstance(kinds["thigh"], CompositeJoint) and isinstance(kinds["shank"], SplineCurve)
    assert isinstance(kinds["foot"], Revolute)
    for pose in POSES:
        q = np.array(pose)
        state, G = there(model, made, leg, q)
        kin = forward_kinematics(model, state)
        m = move(leg.skeleton, q)
        for b, body in enumerate(leg.skeleton.bodies):
            k = model.bodies.names.index(body.name)
            E = pose_matrix(kin.E_wj[model.bodies.link[k]]) @ pose_matrix(model.bodies.E_js[k])
            assert np.abs(E[:3, 3] - m.p[b]).max() < 2e-6
            assert np.abs(E[:3, :3] - m.R[b]).max() < 1e-9
        M = np.array([mass_times(model, kin, e) for e in np.eye(model.nr)])
        own = mass_matrix(leg.skeleton, q)
        assert np.abs(G.T @ M @ G - own).max() < 1e-4 * np.abs(own).max()
        found = measure_all(leg.skeleton, [record.path for record in leg.muscles], q)
        follow = follow_muscles(model, state, kin)
        for i, record in enumerate(leg.muscles):
            near = 2e-3 if record.path.wraps else 5e-6
            assert follow.length[i] == pytest.approx(found[record.name].length, abs=near)
            assert follow.gradient[i] @ G == pytest.approx(found[record.name].gradient, abs=near)


def test_motion_gives_the_forces_of_inverse_dynamics(leg: OpenSimModel) -> None:
    """The prescribed scene needs the forces that the file's own inverse dynamics finds."""
    t = np.linspace(0.0, 1.0, 201)
    phase = np.array([0.0, 1.0, 2.0, 0.5])
    q = 0.3 * np.sin(2.0 * t[:, None] + phase)
    made = to_scene(leg, motion=(t, q))
    model = compile_scene(made.scene)
    qdot, qddot = 0.6 * np.cos(2.0 * 0.5 + phase), -1.2 * np.sin(2.0 * 0.5 + phase)
    state, G = there(model, made, leg, 0.3 * np.sin(2.0 * 0.5 + phase))
    state = replace(state, qdot=G @ qdot)
    nothing = np.zeros(model.nr, bool)
    _, tau = hybrid_dynamics(model, state, np.zeros(model.nr), G @ qddot, nothing, np.zeros((model.nl, 6)))
    wanted = inverse_dynamics(leg.skeleton, 0.3 * np.sin(1.0 + phase), qdot, qddot)
    assert G.T @ tau == pytest.approx(wanted, rel=2e-3, abs=2e-3 * np.abs(wanted).max())


def test_muscle_mass_is_taken_from_the_bodies(leg: OpenSimModel) -> None:
    skeleton, masses = share_masses(leg.skeleton, leg.muscles, 0.4, 8)
    scene = to_scene(leg, skeleton, masses).scene
    bodies = sum(body.mass for body in leg.skeleton.bodies)
    muscles = sum(m.mass for m in scene.muscles)
    left = sum(
        part.shape.mass for b in scene.bodies if isinstance(b.shape, Composite) for part in b.shape.parts
    )  # type: ignore[union-attr]
    assert muscles > 0.5 and left + muscles == pytest.approx(bodies)
    assert inverse_with_muscles(skeleton, masses, POSES[0], np.zeros(4), np.zeros(4)).shape == (4,)


def test_couplers_become_gears() -> None:
    file = model_of(parse_xml(small.leg(constraints=small.COUPLER).encode(), "leg.osim"), "leg.osim")
    made = to_scene(file)
    model = compile_scene(made.scene)
    q = follow_couplers(file.skeleton, np.array([0.0, 0.0, 0.0, -0.7]))
    state, _ = there(model, made, file, q)
    (gear,) = made.scene.constraints
    value = sum(
        term.factor * state.q[model.joints.dof[model.joints.names.index(term.joint), 0]]
        for term in gear.terms  # type: ignore[union-attr]
    )
    begin = sum(
        term.factor * model.q0[model.joints.dof[model.joints.names.index(term.joint), 0]]
        for term in gear.terms  # type: ignore[union-attr]
    )
    assert value == pytest.approx(begin, abs=1e-9)


def test_convert_writes_a_scene_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "leg.osim").write_text(small.leg())
    assert (
        main(["convert", str(tmp_path / "leg.osim"), str(tmp_path / "leg.json"), "--muscle-mass", "0.3"]) == 0
    )
    said = capsys.readouterr()
    assert "3 bodies, 4 coordinates, 3 muscles" in said.out
    assert "'bend' is number 0 of the joint 'knee'" in said.err
    scene = load_scene(tmp_path / "leg.json")
    assert scene.muscles[1].points[2].moves[0].interpolation == "cubic"
    assert main(["convert", str(tmp_path / "leg.osim"), str(tmp_path / "no" / "leg.json")]) == 2
    assert main(["convert", str(tmp_path / "leg.osim"), str(tmp_path / "x.json"), "--muscle-mass", "1"]) == 2


def moving(**change: object) -> MuscleSpec:
    """Through a point of the upper bone that moves with the elbow, along two axes."""
    x = MovingAxis("x", "lower", [-2.0, -1.0, 0.0, 0.5, 1.0], [0.05, 0.06, 0.07, 0.075, 0.072])
    y = MovingAxis("y", "lower", [-2.0, 2.0], [0.07, 0.03], interpolation="linear")
    if change:
        x = msgspec.structs.replace(x, **change)
    point = MusclePoint((0.0, 0.0, 0.01), "upper", moves=[x, y])
    return MuscleSpec("moving", [THROUGH[0], point, THROUGH[2]], mass=0.4, mass_points=6)


@pytest.mark.parametrize("rounding", [None, 0.0], ids=["smooth", "exact"])
def test_moving_points_differentiate(rounding: float | None) -> None:
    model = compile_scene(arm([msgspec.structs.replace(moving(), rounding=rounding)], q=(-0.7, -0.6)))
    start = replace(model.initial_state(), qdot=np.array([1.3, -2.1]))

    def at(t: float, second: bool = False):  # type: ignore[no-untyped-def]
        state = replace(start, q=start.q + t * start.qdot)
        return follow_muscles(model, state, forward_kinematics(model, state), second=second)

    h = 1e-4
    now, before, after = at(0.0, True), at(-h), at(h)
    assert now.gradient[0] @ start.qdot == pytest.approx(
        (after.length[0] - before.length[0]) / (2 * h), abs=1e-7
    )
    rate = (after.points - before.points) / (2.0 * h)
    assert now.jacobian @ start.qdot == pytest.approx(rate, abs=1e-7)
    bend = (after.points - 2.0 * now.points + before.points) / h**2
    assert now.bias == pytest.approx(bend, abs=1e-5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"values": [0.1, 0.2]}, "'at' has 5 numbers and 'values' has 2"),
        ({"at": [0.0, 0.0, 1.0, 2.0, 3.0]}, "do not increase"),
        ({"joint": "nowhere"}, "there is no joint 'nowhere'"),
        ({"coordinate": 4}, "has 1 coordinates"),
    ],
)
def test_bad_moving_points_are_named(change: dict[str, object], said: str) -> None:
    with pytest.raises(SceneError, match="moves"):
        try:
            compile_scene(arm([moving(**change)]))
        except SceneError as error:
            assert said in str(error)
            raise
