"""Joints and masses of an OpenSim model as settings of the bones that stand for its bodies.

A bone has one of our joints: a hinge, a universal or ball joint, a slider, free, or fixed. What a joint of the model
does beyond that, such as a knee that slides as it bends, is said in the notes; as a scene file the model has all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.muscles import functions as fn
from ...engine.muscles.skeleton import Body, Coordinate, Joint, Skeleton, move
from .bone_frames import directions

Floats = NDArray[np.float64]

AS_GOOD_AS = 2e-3
"""How far directions may be off each other [rad] to count as one."""
LIGHTEST = 1e-6
"""Of a body [kg]."""
THINNEST, SHORTEST = 0.004, 0.01
"""Of a capsule [m]."""


@dataclass(frozen=True)
class Way:
    """How a bone moves against its parent with one coordinate, seen from the bone at the model's default pose."""

    coordinate: Coordinate
    number: int
    turn: Floats
    """[rad per unit], along the bone's axes, shape (3,)."""
    slide: Floats
    """Of the bone's head [m per unit], shape (3,)."""

    @property
    def turns(self) -> bool:
        return float(np.linalg.norm(self.turn)) > 1e-6


@dataclass(frozen=True)
class Choice:
    """A joint of ours that does most of what the model's does."""

    kind: str
    ways: tuple[Way, ...] = ()
    axes: tuple[int, ...] = ()
    """Of a universal joint: the bone's own axes, in order."""
    lost: str = ""
    """What it does not do."""


def give_joints(
    armature: bpy.types.Object, skeleton: Skeleton, q: Floats, scale: float, notes: list[str]
) -> None:
    """Joints, their limits and couplings, and masses; q: the pose that the bones rest in."""
    axes, _ = directions(skeleton)
    m = move(skeleton, q)
    chosen: dict[int, tuple[str, Way]] = {}
    for joint in skeleton.joints:
        c = joint.child
        frame = (m.R[c] @ axes[c]).T
        ways = [
            Way(skeleton.coordinates[k], k, frame @ m.Jw[c][:, k], frame @ m.Jv[c][:, k])
            for k in _coordinates(joint)
            if not skeleton.coordinates[k].locked
        ]
        choice = choose(joint, ways)
        name = skeleton.bodies[c].name
        settings = armature.pose.bones[name].redmax
        _apply(settings, choice, q, scale)
        _weigh(settings, skeleton.bodies[c], axes[c], scale, notes)
        held = [skeleton.coordinates[k].name for k in _coordinates(joint) if skeleton.coordinates[k].locked]
        if held:
            notes.append(f"joint '{joint.name}': locked, and held where it is: {', '.join(held)}")
        if choice.lost:
            notes.append(f"joint '{joint.name}' is {choice.kind.lower()} here: {choice.lost}")
        if choice.kind == "REVOLUTE":
            chosen[choice.ways[0].number] = (name, choice.ways[0])
    _couple(armature, skeleton, chosen, notes)


def _coordinates(joint: Joint) -> list[int]:
    """Each once, in the order in which they move the child."""
    found = [
        k
        for axis in (*joint.turns, *joint.slides)
        for k, curve in axis.terms
        if not isinstance(curve, fn.Constant)
    ]
    return list(dict.fromkeys(found))


def choose(joint: Joint, ways: list[Way]) -> Choice:
    turning = tuple(way for way in ways if way.turns)
    sliding = tuple(way for way in ways if not way.turns and np.linalg.norm(way.slide) > 1e-9)
    if not turning and not sliding:
        return Choice("FIXED")
    if sliding:
        if not turning and len(sliding) == 1:
            return Choice("PRISMATIC", sliding)
        lost = "" if len(turning) == 3 and len(sliding) == 3 else "it moves in fewer ways in the file"
        return Choice("FREE", turning + sliding, lost=lost)
    away = max(float(np.linalg.norm(way.slide) / np.linalg.norm(way.turn)) for way in turning)
    curved = any(
        not isinstance(curve, fn.Linear | fn.Constant) for axis in joint.slides for _, curve in axis.terms
    )
    lost = "it slides as it turns in the file, and keeps its place here" if curved or away > 1e-4 else ""
    if len(turning) == 1:
        return Choice("REVOLUTE", turning, lost=lost)
    own = [_own_axis(way.turn) for way in turning]
    if len(turning) == 2 and None not in own and own[0] != own[1]:
        return Choice("UNIVERSAL", turning, tuple(k for k in own if k is not None), lost)
    if len(turning) == 3:
        return Choice("SPHERICAL", turning, lost=lost)
    return Choice(
        "SPHERICAL", turning, lost="; ".join(filter(None, ["it turns about two axes in the file", lost]))
    )


def _own_axis(turn: Floats) -> int | None:
    """Which of the bone's own axes it is, either way; null for none."""
    k = int(np.argmax(np.abs(turn)))
    off = float(np.linalg.norm(np.delete(turn, k))) / abs(float(turn[k]))
    return k if off < AS_GOOD_AS else None


def _apply(settings: Any, choice: Choice, q: Floats, scale: float) -> None:
    settings.physical = True
    settings.joint = choice.kind
    if choice.kind in ("REVOLUTE", "PRISMATIC"):
        way = choice.ways[0]
        direction = way.turn if choice.kind == "REVOLUTE" else way.slide
        settings.axis = "CUSTOM"
        settings.axis_vector = (direction / np.linalg.norm(direction)).tolist()
    if choice.kind == "UNIVERSAL":
        settings.axis, settings.second_axis = ("XYZ"[k] for k in choice.axes)
    if choice.kind not in ("REVOLUTE", "UNIVERSAL", "SPHERICAL"):
        return
    for way in choice.ways:
        k = int(np.argmax(np.abs(way.turn)))
        coordinate = way.coordinate
        whole = coordinate.high - coordinate.low
        if not 0.0 < whole < 2.0 * np.pi or settings.use_limits[k]:
            continue
        if choice.kind == "SPHERICAL" and _own_axis(way.turn) is None:
            continue
        gain = float(np.sign(way.turn[k]) * np.linalg.norm(way.turn))
        ends = sorted((gain * (coordinate.low - q[way.number]), gain * (coordinate.high - q[way.number])))
        settings.use_limits[k] = True
        settings.limits_min[k], settings.limits_max[k] = min(ends[0], 0.0), max(ends[1], 0.0)


def capsule_of(body: Body) -> tuple[Floats, float, float]:
    """Direction in the body, length from end to end and radius [m] of a capsule with about its inertia."""
    moments, principal = np.linalg.eigh(body.inertia)
    axial, across = max(float(moments[0]), 0.0), 0.5 * float(moments[1] + moments[2])
    mass = max(body.mass, LIGHTEST)
    radius = max(THINNEST, float(np.sqrt(2.0 * axial / mass)))
    # a cylinder of that inertia across, and half a radius more at either end for what the caps lack
    length = np.sqrt(max(12.0 * (across / mass - 0.25 * radius**2), 0.0)) + 0.5 * radius
    return principal[:, 0], max(float(length), 2.0 * radius, SHORTEST), radius


def _weigh(settings: Any, body: Body, axes: Floats, scale: float, notes: list[str]) -> None:
    settings.mass_from = "MASS"
    settings.mass = max(body.mass, LIGHTEST)
    if not body.mass > 0.0:
        notes.append(f"body '{body.name}': it has no mass, and gets {LIGHTEST:g} kg")
    direction, length, radius = capsule_of(body)
    local = axes.T @ direction
    centre = axes.T @ np.array(body.centre)
    settings.use_bone_length = False
    settings.length, settings.radius = scale * length, scale * radius
    settings.direction = local.tolist()
    settings.start = (scale * (centre - 0.5 * length * local)).tolist()


def _couple(
    armature: bpy.types.Object, skeleton: Skeleton, chosen: dict[int, tuple[str, Way]], notes: list[str]
) -> None:
    for coupler in skeleton.couplers:
        name = skeleton.coordinates[coupler.dependent].name
        lines = [(k, fn.plain(curve)) for k, curve in coupler.terms]
        if (
            coupler.dependent in chosen
            and len(lines) == 1
            and lines[0][0] in chosen
            and isinstance(lines[0][1], fn.Linear)
        ):
            bone, way = chosen[coupler.dependent]
            other, led = chosen[lines[0][0]]
            settings = armature.pose.bones[bone].redmax.coupling
            settings.bone = other
            settings.ratio = float(lines[0][1].slope * np.linalg.norm(way.turn) / np.linalg.norm(led.turn))
        else:
            notes.append(f"coordinate '{name}': it follows others in the file, and is free here")
