"""Joints of a model as those of a scene: chains of turns and slides, splines where several follow one coordinate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ...algebra.se3 import exp, inverse, log, pose_matrix, quaternion
from ...scene import CompositeJoint, Fixed, JointKind, Pose, Prismatic, Revolute, SplineCurve
from .. import functions as fn
from ..records import Curve, Floats
from ..skeleton import Axis, Coordinate, Joint

_SEGMENTS = 48
"""Of a spline over a coordinate's range: positions of real knees are then within a micrometre."""
_BEYOND = 3
"""Segments by which it goes on at either end."""
_WIDEST = 4.0 * math.pi
"""Range [rad, m] beyond which a coordinate counts as one without."""


class Place(NamedTuple):
    """Which coordinate of a scene's joint a coordinate of the model is: its value is gain · value + shift."""

    joint: str
    number: int
    gain: float = 1.0
    shift: float = 0.0

    def __call__(self, value: float) -> float:
        return self.gain * value + self.shift


@dataclass
class SceneJoint:
    kind: JointKind
    before: Floats
    """From the file's frame in the parent body to where the joint begins, shape (4, 4)."""
    body: Floats
    """From where it ends to the child body, along whose axes it is, shape (4, 4)."""
    coordinates: list[int]
    """Of the model, in the order of the joint's own."""
    places: dict[int, Place] = field(default_factory=dict)


class _Motion(NamedTuple):
    """One turn or slide that follows one coordinate."""

    turns: bool
    direction: Floats
    coordinate: int
    curve: Curve


def scene_joint(joint: Joint, coordinates: Sequence[Coordinate], notes: list[str]) -> SceneJoint:
    """`notes` gets what cannot be said with the scene's joints."""
    moves, before, body = _motions(joint, coordinates, notes)
    made = SceneJoint(Fixed(), before, body, [])
    parts: list[JointKind] = []
    for _, group in groupby(moves, key=lambda m: m.coordinate):
        run = list(group)
        c = run[0].coordinate
        kind, made.places[c] = _run(run, coordinates[c], joint.name, len(parts))
        parts.append(kind)
        made.coordinates.append(c)
    if len(parts) == 1:
        made.kind = parts[0]
    elif parts:
        made.kind = CompositeJoint(parts)
    return made


def _motions(
    joint: Joint, coordinates: Sequence[Coordinate], notes: list[str]
) -> tuple[list[_Motion], Floats, Floats]:
    """Slides and then turns, with what is constant taken out to both sides."""
    before, after = np.eye(4), np.eye(4)
    slides: list[_Motion] = []
    for axis in joint.slides:
        direction = np.array(axis.direction, float)
        constant, terms = _terms(axis)
        before[:3, 3] += constant * direction
        slides += [_Motion(False, direction, c, curve) for c, curve in terms]
    first = next((c for axis in joint.turns for c, _ in _terms(axis)[1]), -1)
    # Slides can be exchanged: those with one coordinate side by side, and next to the first turn with it.
    moves = sorted(slides, key=lambda m: (m.coordinate == first, m.coordinate))
    R = np.eye(3)  # constant turns so far, moved to the end
    for axis in joint.turns:
        constant, terms = _terms(axis)
        kept = []
        for c, curve in terms:
            if moves and moves[-1].coordinate != c and any(m.coordinate == c for m in moves):
                constant += curve(coordinates[c].default)
                notes.append(
                    f"joint '{joint.name}': it turns with '{coordinates[c].name}' in two places, between which "
                    "it moves with another coordinate; the second is held where it is by default"
                )
            else:
                kept.append((c, curve))
        direction = R @ np.array(axis.direction, float)
        moves += [_Motion(True, direction, c, curve) for c, curve in kept]
        R = exp(np.array([*(constant * direction), 0.0, 0.0, 0.0]))[:3, :3] @ R
    after[:3, :3] = R
    # All of it along the axes of the child body.
    body = after @ inverse(pose_matrix(joint.in_child))
    turn = body[:3, :3].copy()
    before[:3, :3] = turn
    body[:3, :3], body[:3, 3] = np.eye(3), turn.T @ body[:3, 3]
    return [m._replace(direction=turn.T @ m.direction) for m in moves], before, body


def _terms(axis: Axis) -> tuple[float, list[tuple[int, Curve]]]:
    constant = axis.offset
    terms: list[tuple[int, Curve]] = []
    for c, curve in axis.terms:
        if isinstance(curve, fn.Constant):
            constant += curve.value
        elif isinstance(curve, fn.Linear):
            constant += curve.intercept
            if curve.slope != 0.0:
                terms.append((c, fn.Linear(curve.slope)))
        else:
            terms.append((c, curve))
    return constant, terms


def _run(run: Sequence[_Motion], c: Coordinate, name: str, index: int) -> tuple[JointKind, Place]:
    """What follows one coordinate: a simple joint, or a spline."""
    first = run[0]
    if len(run) == 1 and isinstance(first.curve, fn.Linear):
        size = float(np.linalg.norm(first.direction))
        slope = first.curve.slope * (1.0 if first.turns else size)
        x, y, z = (math.copysign(1.0, slope) * first.direction / size).tolist()
        kind: JointKind = Revolute((x, y, z)) if first.turns else Prismatic((x, y, z))
        return kind, Place(name, index, abs(slope))
    low, high = _range(c)
    width = (high - low) / _SEGMENTS
    knots = low + width * np.arange(-_BEYOND, _SEGMENTS + _BEYOND + 1)
    poses = []
    for q in knots:
        E = np.eye(4)
        for move in run:
            E = E @ _moved(move, float(q))
        poses.append(E)
    place = Place(name, index, 1.0 / width, _BEYOND - low / width)
    return SplineCurve([pose(E) for E in spline_through(poses)], cyclic=False), place


def _range(c: Coordinate) -> tuple[float, float]:
    if c.high > c.low and c.high - c.low < _WIDEST:
        return c.low, c.high
    return c.default - math.pi, c.default + math.pi


def _moved(move: _Motion, q: float) -> Floats:
    by = move.curve(q) * move.direction
    if move.turns:
        return np.asarray(exp(np.array([*by, 0.0, 0.0, 0.0])))
    E = np.eye(4)
    E[:3, 3] = by
    return E


def spline_through(poses: Sequence[Floats]) -> list[Floats]:
    """Control frames of the cubic B-spline of frames that is at `poses` at 0, 1, 2, ...; two more than poses."""
    n = len(poses)
    C = [poses[0], *poses, poses[-1]]
    C[0] = C[0] @ inverse(inverse(poses[0]) @ poses[1])
    C[-1] = C[-1] @ inverse(poses[-2]) @ poses[-1]
    for _ in range(60):
        worst = 0.0
        steps = []
        for k in range(n):
            off = log(inverse(_at_knot(C[k : k + 3])) @ poses[k])
            worst = max(worst, float(np.abs(off).max()))
            steps.append(exp(1.4 * off))
        for k in range(n):
            C[k + 1] = C[k + 1] @ steps[k]
        # The ends go on as the frames beside them do.
        C[0] = C[1] @ inverse(inverse(C[1]) @ C[2])
        C[-1] = C[-2] @ inverse(C[-3]) @ C[-2]
        if worst < 1e-13:
            break
    return C


def _at_knot(C: Sequence[Floats]) -> Floats:
    """The spline at the knot in the middle of three control frames."""
    return np.asarray(
        C[0] @ exp(5.0 / 6.0 * log(inverse(C[0]) @ C[1])) @ exp(1.0 / 6.0 * log(inverse(C[1]) @ C[2]))
    )


def pose(E: Floats) -> Pose:
    x, y, z = E[:3, 3].tolist()
    return Pose((x, y, z), quaternion(E[:3, :3]).tolist())
