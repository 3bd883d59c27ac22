"""The Klann walker as objects: links are flat bars, hinges are empties, two keyed motors turn its cranks."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import bpy
import numpy as np
from numpy.typing import NDArray

from ...bridge.bake.actions import assign, ensure_bag, new_curve, slot_of
from ...bridge.bake.keys import Keys
from ...bridge.mechanism.add_ground import add_ground
from ...bridge.mechanism.build_mechanism import Mechanism, build_mechanism
from ...bridge.mechanism.import_scene import add_contact
from ...bridge.mechanism.primitives import Surface as Outside
from ...bridge.mechanism.primitives import merge
from ...engine.compile.scene import compile_scene
from ...engine.run.result import Result
from ...engine.scene import BodySpec, Fixed, JointSpec, Pose, SceneSpec, Sphere, Surface
from ...engine.shots.klann import LEGS, Klann, Leg, check_walk, spec
from .plates import pin, plate
from .studio import EMBERS, Colour, material

Floats = NDArray[np.float64]

STEEL: Colour = (0.36, 0.4, 0.43)
RUBBER: Colour = (0.025, 0.025, 0.03)
CRANKS: Colour = (0.08, 0.085, 0.095)
FEET = "feet"
"""Collision group of the feet: they do not collide with one another."""
SIDES = ("L", "R")


def machine(klann: Klann) -> SceneSpec:
    """The engine's machine with feet that are bodies of their own, and all masses given."""
    made = spec(klann)
    weights = compile_scene(made).bodies.inertia[:, 5]
    for body, mass in zip(made.bodies, weights):
        body.mass, body.density, body.surface = float(mass), None, None
        body.joint.motion = []
    made.bodies += [_foot(klann, leg) for leg in LEGS]
    made.colliders = []
    return made


def _foot(klann: Klann, leg: Leg) -> BodySpec:
    at = klann.linkage(leg.facing, klann.pin_angle(leg))
    way = at.foot - at.knee
    return BodySpec(
        name=f"foot.{leg.name}",
        parent=f"leg.{leg.name}",
        shape=Sphere(klann.foot),
        mass=klann.density * 4.0 / 3.0 * pi * klann.foot**3,
        joint=JointSpec(type=Fixed(), frame=Pose((way.real, 0.0, way.imag))),
        surface=Surface(friction=klann.floor, groups=[FEET]),
    )


def outlines(klann: Klann) -> dict[str, Outside]:
    """The links of all legs as flat bars with pins, each in the frame of its first pin [m]."""
    return {name: outside for leg in LEGS for name, outside in _outlines(klann, leg).items()}


def _outlines(klann: Klann, leg: Leg) -> dict[str, Outside]:
    """Of one leg: the rod on one side of it, the rockers on the other."""
    wide, layer, thick = 0.04 * klann.stride, 0.028 * klann.stride, 0.022 * klann.stride
    at = klann.linkage(leg.facing, klann.pin_angle(leg))
    out = layer if leg.side == "L" else -layer
    reach = layer + 0.5 * thick

    def bar(a: complex, b: complex, y: float, tip: float = 1.0) -> Outside:
        return plate([a, b], [wide, tip * wide], thick, y)

    def bolt(p: complex) -> Outside:
        return pin(p, klann.pin, -reach, reach)

    elbow, knee, hip = at.elbow - at.pin, at.knee - at.pin, at.hip - at.knee
    rod = [bar(0j, elbow, out), bar(elbow, knee, out), bolt(0j), bolt(elbow)]
    shank = [bar(0j, at.foot - at.knee, 0.0, 0.5), bar(0j, hip, 0.0), bolt(0j), bolt(hip)]
    return {
        f"rod.{leg.name}": merge(rod),
        f"leg.{leg.name}": merge(shank),
        f"lower.{leg.name}": merge([bar(0j, at.elbow - at.lower, -out), bolt(0j)]),
        f"upper.{leg.name}": merge([bar(0j, at.hip - at.upper, -out), bolt(0j)]),
    }


def build_klann(scene: bpy.types.Scene, klann: Klann | None = None) -> Mechanism:
    """Add the machine, standing on a ground. Its cranks are driven by keys on the angles of their motors."""
    klann = klann or Klann()
    made = machine(klann)
    built = build_mechanism(scene, made, name="Klann", surfaces=outlines(klann), size=0.03)
    add_contact(scene, made, built)
    for constraint in made.constraints:
        built.joints[constraint.name].redmax.joint.cut = "AUTO"
    for side in SIDES:
        _key_crank(scene, crank_joint(built, klann, side), klann)
    ground = add_ground(scene, built.collection)
    ground.redmax.surface.friction = klann.floor
    _paint(built)
    scene.frame_set(scene.frame_current)
    return built


def ground_of(built: Mechanism) -> bpy.types.Object:
    """The plane that the machine stands on."""
    return next(obj for obj in built.collection.objects if obj.redmax.collider.role == "GROUND")


def crank_joint(built: Mechanism, klann: Klann, side: str) -> bpy.types.Object:
    """The empty whose motor turns the crank of a side."""
    return built.joints[f"{klann.crank(side)} joint"]


def _key_crank(scene: bpy.types.Scene, joint: bpy.types.Object, klann: Klann) -> None:
    """Two keys: an even start, and from there on a constant speed without end."""
    settings = joint.redmax.joint
    settings.use_motor, settings.motor_kind = True, "KEYED"
    rate = scene.render.fps / scene.render.fps_base
    first = scene.redmax.frame_start
    frames = np.array([first, first + klann.start * rate])
    action = bpy.data.actions.new(joint.name)
    joint.animation_data_create()
    slot = ""
    if hasattr(action, "slots"):
        slot = action.slots.new(id_type="OBJECT", name=joint.name).identifier
    assign(joint, action, slot)
    curve = new_curve(ensure_bag(action, slot_of(joint)), "redmax.joint.motor_angle", 0, "Motor")
    angles = np.array([0.0, 0.5 * klann.start * klann.speed])
    Keys.cubic(frames, angles, np.array([0.0, klann.speed / rate])).write(curve)
    curve.extrapolation = "LINEAR"
    curve.keyframe_points[-1].interpolation = "BEZIER"  # its handle is what a straight line goes on from


def _paint(built: Mechanism) -> None:
    shades = {
        "hull": material("Klann Hull", STEEL, roughness=0.35, metallic=0.6),
        "crank": material("Klann Cranks", CRANKS, roughness=0.3, metallic=0.7),
        "foot": material("Klann Feet", RUBBER, roughness=0.8),
        "lower": material("Klann Rockers", EMBERS[0], roughness=0.35),
        "upper": material("Klann Rockers", EMBERS[0], roughness=0.35),
        "rod": material("Klann Rods", EMBERS[2], roughness=0.35),
        "leg": material("Klann Legs", EMBERS[3], roughness=0.35),
    }
    for name, obj in built.bodies.items():
        obj.data.materials.append(shades[name.split(".")[0]])


def check_klann(result: Result, klann: Klann | None = None, *, gap: float = 1e-4) -> None:
    """Raise AssertionError when a run of the machine of objects is not physical.

    gap: how far a pin may be out of its hole, or a foot off the path of its linkage, as a fraction of a stride. Which
    joints make the tree does not matter: only where the bodies are.
    """
    klann = klann or Klann()
    if not np.isfinite(result.q).all():
        raise AssertionError("klann: a coordinate is not a number")
    moves = {name: _moves(result.joint_pose[:, k]) for k, name in enumerate(result.bodies)}
    begin = np.array([0.0, 0.0, klann.height])
    for leg in LEGS:
        at, y = klann.linkage(leg.facing, klann.pin_angle(leg)), klann.lane(leg)
        rod, shank, crank = f"rod.{leg.name}", f"leg.{leg.name}", klann.crank(leg.side)
        pins = (
            ("pin", at.pin, crank, rod), ("elbow", at.elbow, rod, f"lower.{leg.name}"),
            ("knee", at.knee, rod, shank), ("hip", at.hip, shank, f"upper.{leg.name}"),
            ("lower axle", at.lower, f"lower.{leg.name}", "hull"),
            ("upper axle", at.upper, f"upper.{leg.name}", "hull"),
        )  # fmt: skip
        for name, place, a, b in pins:
            where = begin + np.array([place.real, y, place.imag])
            apart = np.linalg.norm(_carry(moves[a], where) - _carry(moves[b], where), axis=1).max()
            if apart > gap * klann.stride:
                raise AssertionError(
                    f"klann: the {name} of '{leg.name}' opens by {apart / klann.stride:.2g} of a stride"
                )
        foot = _carry(moves[f"foot.{leg.name}"], begin + np.array([at.foot.real, y, at.foot.imag]))
        below = klann.foot - float(foot[:, 2].min())
        if below > 0.01 * klann.height:
            raise AssertionError(f"klann: the foot of '{leg.name}' is {below:.2g} m below the floor")
        hull = moves["hull"]
        R = hull[:, :3, :3]
        seen = np.einsum("fji,fj->fi", R, foot - _carry(hull, begin))
        path = [klann.linkage(leg.facing, klann.pin_angle(leg) + a).foot for a in _angle(hull, moves[crank])]
        off = float(np.abs(seen[:, 0] + 1j * seen[:, 2] - np.array(path)).max()) / klann.stride
        if off > gap:
            raise AssertionError(f"klann: the foot of '{leg.name}' leaves its path by {off:.2g} of a stride")
    rows = np.concatenate([R.reshape(-1, 9), _carry(hull, begin)], axis=1)
    check_walk(result.t, rows, klann)


def _moves(poses: Floats) -> Floats:
    """Motion of a body since its first frame, from rows of twelve, shape (nf, 4, 4)."""
    frames = np.tile(np.eye(4), (len(poses), 1, 1))
    frames[:, :3, :3], frames[:, :3, 3] = poses[:, :9].reshape(-1, 3, 3), poses[:, 9:]
    return np.asarray(frames @ np.linalg.inv(frames[0]))


def _carry(moves: Floats, x: Floats) -> Floats:
    """Where a point of a body that was at x first goes [m], shape (nf, 3)."""
    return np.asarray(moves[:, :3, :3] @ x + moves[:, :3, 3])


def _angle(hull: Floats, crank: Floats) -> Floats:
    """How far a crank has turned against the hull, from x towards z [rad], shape (nf,)."""
    R = np.einsum("fji,fjk->fik", hull[:, :3, :3], crank[:, :3, :3])
    return np.unwrap(np.arctan2(R[:, 2, 0], R[:, 0, 0]))


def with_friction(friction: float | None) -> Klann:
    """The machine with another coefficient inside its joints; the usual one when null."""
    return Klann() if friction is None else replace(Klann(), friction=friction)
