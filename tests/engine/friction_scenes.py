"""Small scenes with friction inside joints, for the tests of it."""

from __future__ import annotations

from math import pi

from redmax_blender.engine import compile_scene
from redmax_blender.engine.integrators.euler import EulerSteps, euler
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import BodySpec, Cuboid, JointFriction, JointSpec, Pose, Revolute, SceneSpec
from redmax_blender.engine.tree.kinematics import forward_kinematics

G = 9.81
TURN = [0.0, 0.0, 0.0]


def bar(
    name: str, kind, parent: str | None = None, length: float = 1.0, at: float | None = None, **joint
) -> BodySpec:
    """A bar along x that begins at its joint."""
    along = 0.0 if parent is None else (length if at is None else at)
    frame = joint.pop("frame", Pose((along, 0.0, 0.0)))
    return BodySpec(
        name=name,
        parent=parent,
        shape=Cuboid((length, 0.1 * length, 0.1 * length)),
        pose=Pose((0.5 * length, 0.0, 0.0)),
        joint=JointSpec(type=kind, frame=frame, **joint),
    )


def rub(coefficient: float = 0.3, radius: float = 0.02, height: float = 0.05, **more) -> JointFriction:
    return JointFriction(coefficient=coefficient, radius=radius, height=height, **more)


def chain(links: int, friction: JointFriction | None, tilt: float = pi / 4) -> SceneSpec:
    """Hinges about one axis, which is tilted against gravity; let go from the horizontal."""
    bodies = [bar("0", Revolute((0, 0, 1)), frame=Pose(rotation=[tilt, 0, 0]), friction=friction, length=0.2)]
    for i in range(1, links):
        bodies.append(bar(str(i), Revolute((0, 0, 1)), parent=str(i - 1), friction=friction, length=0.2))
    return SceneSpec(bodies=bodies)


def steps_of(scene: SceneSpec | Model, h: float = 0.005, **options) -> EulerSteps:
    model = scene if isinstance(scene, Model) else compile_scene(scene)
    return euler(model, model.initial_state(), Options(h=h, **options))


def total_energy(model: Model, state: State) -> float:
    return float(energies(model, state, forward_kinematics(model, state)).sum())
