"""A hand whose fingertips are led while its elbow is keyframed (paper §6, "Hand").

The elbow is prescribed in reduced coordinates, the five fingertips in maximal ones. In four fingers the last two joints
are one hyper-reduced coordinate: the middle one bends twice as far as the last. Wrist, knuckles and thumb are passive,
and rub. The tips' paths come from a pose that is never imposed: where the tips go with it, the hand finds a pose of its
own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..algebra import se3
from ..model.curves import evaluate, pack
from ..scene import (
    BodySpec,
    Capsule,
    CouplingSpec,
    Cuboid,
    JointFriction,
    JointSpec,
    Point,
    Pose,
    PrescribedPoint,
    Revolute,
    Sampled,
    SceneSpec,
    Term,
    TimeSpec,
    Universal,
    Vec3,
)

if TYPE_CHECKING:
    from ..run.result import Result

Floats = NDArray[np.float64]

FPS = 24
FRAMES = 96
STEPS = 5
"""Steps a frame."""
KEYED = 4
"""Frames from key to key."""
FINGERS = ("index", "middle", "ring", "little")
"""The four with a coupling."""
FAN = 0.12
"""Angle between neighbouring fingers at rest [rad]."""
RATIO = 2.0
"""How far the middle joint of a finger bends for each angle of the last one."""
FRICTIONS = (0.0, 0.1, 0.3)
"""Coefficients that are compared: none, a smooth joint, and a rough one."""
WRIST = 20.0
"""How much stiffer the wrist is than a finger's joint."""

STRAIGHT: Vec3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Bone:
    """A bone and its joint: z runs along it, it bends about x, and y points out of the palm."""

    name: str
    parent: str | None
    place: Vec3
    """Of its joint in the joint frame of its parent, or in the world [m]."""
    turn: Vec3
    """Rotation vector of its joint frame there [rad]."""
    length: float
    """[m]"""
    radius: float
    """[m]"""
    hinges: int
    """1: bends about x. 2: spreads about y as well."""


@dataclass(frozen=True)
class Hand:
    """A left hand, raised, its palm towards -y; sizes of an adult's."""

    forearm: float = 0.22
    palm: float = 0.1
    density: float = 1100.0
    """[kg/m³]"""
    friction: float = 0.3
    """Coefficient in every passive joint."""
    pin: float = 1.0
    """Radius of a joint's pin, as a part of that of its bone."""
    stiffness: float = 0.03
    """Of passive joints [N·m/rad]; the wrist has WRIST times that."""
    damping: float = 0.002
    """Of passive joints [N·m·s/rad]; the wrist has WRIST times that."""

    def bones(self) -> list[Bone]:
        """All of them, parents first."""
        found = [
            Bone("forearm", None, (0.0, 0.0, 0.1), (0.0, 0.0, pi), self.forearm, 0.03, 1),
            Bone("palm", "forearm", (0.0, 0.0, self.forearm), STRAIGHT, self.palm, 0.02, 2),
        ]
        for k, (name, scale) in enumerate(zip(FINGERS, (0.95, 1.0, 0.93, 0.75), strict=True)):
            parent, place = "palm", (0.033 - 0.022 * k, 0.0, self.palm - 0.006 * abs(k - 1))
            turn: Vec3 = (0.0, FAN * (1.5 - k), 0.0)
            for i, length in enumerate((0.048, 0.03, 0.024)):
                bone = f"{name}.{i + 1}"
                found.append(Bone(bone, parent, place, turn, scale * length, 0.008, 1 if i else 2))
                parent, place, turn = bone, (0.0, 0.0, scale * length), STRAIGHT
        parent, place, turn = "palm", (0.035, 0.005, 0.02), (0.2, 0.8, 0.7)
        for i, length in enumerate((0.045, 0.032, 0.027)):
            found.append(Bone(f"thumb.{i + 1}", parent, place, turn, length, 0.01, 1 if i else 2))
            parent, place, turn = f"thumb.{i + 1}", (0.0, 0.0, length), STRAIGHT
        return found


TIPS = tuple(f"{name}.3" for name in (*FINGERS, "thumb"))
"""The bones whose ends are led."""


def pose(t: Floats) -> dict[str, Floats]:
    """Angles [rad] that the tips' paths are made with, by bone, shape (nt, hinges).

    The arm waves to and fro; the hand opens and closes, one finger after the other.
    """
    s = 2.0 * pi * t / (FRAMES / FPS)
    still = np.zeros_like(t)
    found = {
        "forearm": np.stack([-0.3 * np.cos(s)], axis=1),
        "palm": np.stack([0.15 * np.sin(s), still], axis=1),
    }
    for k, name in enumerate(FINGERS):
        bend = 0.55 - 0.35 * np.cos(2.0 * s - 0.5 * k)
        spread = 0.06 * (1.5 - k) * (1.0 + 0.5 * np.cos(2.0 * s))
        found[f"{name}.1"] = np.stack([-0.7 * bend, -spread], axis=1)
        found[f"{name}.2"] = -np.stack([bend], axis=1)
        found[f"{name}.3"] = -np.stack([bend / RATIO], axis=1)
    curl = 0.35 + 0.15 * np.sin(2.0 * s)
    found["thumb.1"] = np.stack([-0.2 - 0.1 * np.sin(2.0 * s), 0.1 + still], axis=1)
    found["thumb.2"] = -np.stack([curl], axis=1)
    found["thumb.3"] = -np.stack([0.8 * curl], axis=1)
    return found


def keyed_times() -> Floats:
    """[s]"""
    return np.arange(0, FRAMES + 1, KEYED) / FPS


def rest_frames(hand: Hand) -> dict[str, Floats]:
    """Joint frames in the world with all angles zero, by bone, shape (4, 4)."""
    frames: dict[str, Floats] = {}
    for bone in hand.bones():
        local = np.eye(4)
        local[:3, :3], local[:3, 3] = se3.exp_so3(np.array(bone.turn)), bone.place
        frames[bone.name] = frames[bone.parent] @ local if bone.parent else local
    return frames


def tips(hand: Hand, t: Floats) -> dict[str, Floats]:
    """Where the ends of the last bones are with `pose` [m], by bone, shape (nt, 3)."""
    angles = pose(t)
    frames: dict[str, Floats] = {}
    found = {}
    for bone in hand.bones():
        above = frames[bone.parent] if bone.parent else np.eye(4)
        local = np.tile(np.eye(4), (len(t), 1, 1))
        local[:, :3, :3] = se3.exp_so3(np.array(bone.turn)) @ _turned(angles[bone.name])
        local[:, :3, 3] = bone.place
        frames[bone.name] = above @ local
        if bone.name in TIPS:
            found[bone.name] = frames[bone.name][:, :3, 3] + bone.length * frames[bone.name][:, :3, 2]
    return found


def _turned(angles: Floats) -> Floats:
    """Rotations about x and, where there is a second angle, about the turned y, shape (nt, 3, 3)."""
    R = np.array([se3.exp_so3(np.array([a, 0.0, 0.0])) for a in angles[:, 0]])
    if angles.shape[1] == 2:
        R = R @ np.array([se3.exp_so3(np.array([0.0, b, 0.0])) for b in angles[:, 1]])
    return R


def spec(
    hand: Hand | None = None, *, end: float = FRAMES / FPS, step: float = 1.0 / (FPS * STEPS)
) -> SceneSpec:
    """The hand as a scene."""
    hand = hand or Hand()
    t = keyed_times()
    start, keyed, paths = pose(t[:1]), pose(t), tips(hand, t)
    return SceneSpec(
        name="hand",
        bodies=[_body(hand, bone, start[bone.name][0], keyed[bone.name]) for bone in hand.bones()],
        constraints=[
            PrescribedPoint(
                point=Point(body=bone.name, position=(0.0, 0.0, 0.5 * bone.length)),
                path=[Sampled(t.tolist(), paths[bone.name][:, c].tolist()) for c in range(3)],
                name=f"{bone.name} tip",
            )
            for bone in hand.bones()
            if bone.name in TIPS
        ],
        couplings=[
            CouplingSpec(terms=[Term(f"{name}.2", RATIO), Term(f"{name}.3", 1.0)], name=name)
            for name in FINGERS
        ],
        time=TimeSpec(end=end, step=step, record=STEPS),
        integrator="euler",
    )


def _body(hand: Hand, bone: Bone, start: Floats, keyed: Floats) -> BodySpec:
    joint = JointSpec(
        type=Revolute(axis=(1.0, 0.0, 0.0)) if bone.hinges == 1 else Universal(),
        name=bone.name,
        frame=Pose(position=bone.place, rotation=list(bone.turn)),
    )
    if bone.parent is None:
        joint.motion = [Sampled(keyed_times().tolist(), keyed[:, 0].tolist())]
    else:
        strong = WRIST if bone.name == "palm" else 1.0
        joint.q = [float(q) for q in start]
        joint.stiffness, joint.damping = strong * hand.stiffness, strong * hand.damping
        if hand.friction > 0.0:
            joint.friction = JointFriction(
                hand.friction, radius=hand.pin * bone.radius, height=2.0 * bone.radius
            )
    flat = bone.name == "palm"
    return BodySpec(
        name=bone.name,
        parent=bone.parent,
        shape=Cuboid(sides=(0.08, 0.025, bone.length))
        if flat
        else Capsule(radius=bone.radius, height=bone.length - 2.0 * bone.radius),
        pose=Pose(position=(0.0, 0.0, 0.5 * bone.length)),
        joint=joint,
        density=hand.density,
    )


def _coordinates(result: Result) -> dict[str, int]:
    """First coordinate of each joint, by name."""
    return {name: int(first) for name, (first, _) in zip(result.joints, result.dof, strict=True)}


def coupling_error(result: Result) -> float:
    """How far the coupled joints of the fingers are from their ratio, relative to where they began [rad]."""
    q = result.q - result.q[0]
    at = _coordinates(result)
    return max(float(np.abs(q[:, at[f"{name}.2"]] - RATIO * q[:, at[f"{name}.3"]]).max()) for name in FINGERS)


def tip_error(result: Result, hand: Hand) -> float:
    """How far the fingertips are from their paths [m], at worst."""
    worst, t = 0.0, keyed_times()
    paths = tips(hand, t)
    for bone in hand.bones():
        if bone.name in TIPS:
            row = result.joint_pose[:, result.bodies.index(bone.name)]
            end = row[:, 9:] + bone.length * row[:, [2, 5, 8]]
            wanted = np.stack([sampled(t, paths[bone.name][:, c], result.t) for c in range(3)], axis=1)
            worst = max(worst, float(np.linalg.norm(end - wanted, axis=1).max()))
    return worst


def sampled(times: Floats, values: Floats, at: Floats) -> Floats:
    """A sampled curve as the engine reads it, at other times [s]."""
    curve = pack([(0, Sampled(times.tolist(), values.tolist()), "path")])
    return np.array([evaluate(curve, float(t))[0, 0] for t in at])


def elbow_torque(result: Result) -> Floats:
    """Torque that the keyframed elbow needs [N·m], shape (nf,); the first frame has none."""
    return np.asarray(result.torque[:, _coordinates(result)["forearm"]])


def check(result: Result, hand: Hand | None = None) -> None:
    """Raise AssertionError when a run of the hand is not what was asked for."""
    hand = hand or Hand()
    gap, uncoupled = tip_error(result, hand), coupling_error(result)
    if gap > 1e-4:
        raise AssertionError(f"hand: a fingertip is {gap:.2g} m off its path (at most 1e-4)")
    if uncoupled > 1e-9:
        raise AssertionError(f"hand: coupled finger joints are off by {uncoupled:.2g} rad (at most 1e-9)")
    elbow = result.q[:, _coordinates(result)["forearm"]]
    wanted = sampled(keyed_times(), pose(keyed_times())["forearm"][:, 0], result.t)
    if not np.abs(elbow - wanted).max() < 1e-9:
        raise AssertionError("hand: the elbow does not follow its keys")
