"""Animation of a bone as motion of its joint: coordinates over time, and what the joint itself cannot do.

Relative to the bone that carries it, an animated bone is at E_0 · B(t) · Q(q(t)): its joint makes Q, and B is the rest,
a motion of the joint's frame. B is what helper bones and the armature object do, keyed locations of bones that only
turn, rotations about axes that a hinge does not have. The simulation follows it whoever controls the joint.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...engine.scene import spec
from .joint_coordinates import Coordinates
from .rotations import quaternions, rotation_vectors, turn
from .sample_bones import MODES
from .sample_motion import continuous, curve

Floats = NDArray[np.float64]

STILL = 1e-6
"""A frame that moves by less than this [rad, and m for each metre of the scene] stands still."""
ENGINE_MODES: dict[str, spec.Mode] = {"FREE": "free", "GUIDED": "guided", "KEYFRAMED": "prescribed"}


@dataclass
class BoneMotion:
    """What the engine is told about a bone's animation."""

    motion: list[spec.Curve | None] = field(default_factory=list)
    modes: list[spec.Switch] = field(default_factory=list)
    guide: spec.Guide | None = None
    base: list[spec.Curve | None] = field(default_factory=list)
    wake: float | None = None
    """Impulse at which it leaves its motion [N·s]."""
    qdot: list[float] | None = None
    """Velocity at the first frame; None to leave it to `motion`, or to rest."""


def bone_motion(
    joint: Coordinates,
    D: Floats,
    lead: int,
    fps: float,
    modes: NDArray[np.int8],
    ease: int,
    guide: spec.Guide,
    in_motion: bool,
    hold: bool = False,
) -> BoneMotion:
    """Motion of one joint.

    D: the joint's frame after its motion, seen from where it is at q = 0 at the first frame [m], shape (nf, 4, 4);
    `lead` frames come before the first. modes: who controls it at each of them. ease: frames of a return. hold:
    whether what the joint itself cannot do stands still while it is free.
    """
    found = BoneMotion()
    controlled = bool((modes[lead:] > 0).any()) and bool(joint.q)
    if len(D) == 1 or not moves(D, D[lead]):
        if controlled:
            found.motion = [spec.Constant(q) for q in joint.q]
            found.modes, found.guide = switches(modes[lead:], fps, ease), guide
        return found
    q, B = decompose(joint, D, lead)
    if hold:
        B[lead:] = held(B[lead:], modes[lead:], ease)
    if moves(B, np.eye(4)):
        vectors = continuous(rotation_vectors(B[lead:, :3, :3]))
        ends = releases(modes[lead:]) if hold else []
        found.base = [curve(row, fps, ends) for row in (*B[lead:, :3, 3].T, *vectors.T)]
    if controlled:
        found.motion = [curve(row, fps, releases(modes[lead:])) for row in q[lead:].T]
        found.modes, found.guide = switches(modes[lead:], fps, ease), guide
    if not controlled or MODES[modes[lead : lead + 2][-1]] != "KEYFRAMED":
        speed = incoming(q, lead, fps) if in_motion else np.zeros(len(joint.q))
        found.qdot = [float(v) for v in speed] if controlled or speed.any() else None
    return found


def held(B: Floats, modes: NDArray[np.int8], ease: int) -> Floats:
    """Motion of a joint's frame, shape (nf, 4, 4), that stands still while the joint is free.

    The bone was let go: keys that move its joint (a foot that IK leads, a squashed spine) hold no longer. Led again, it
    goes back to them within the frames of the return.
    """
    found = B.copy()
    free = modes == MODES.index("FREE")
    led = ease  # frames since it was led again
    for f in range(1, len(B)):
        if free[f]:
            found[f], led = found[f - 1], 0
        elif led < ease:
            led += 1
            part = led / ease
            way = np.linalg.inv(found[f - led]) @ B[f]
            vector = part * rotation_vectors(way[None, :3, :3])[0]
            angle = float(np.linalg.norm(vector))
            step = np.eye(4)
            step[:3, :3] = turn(vector / angle, angle) if angle > 0.0 else np.eye(3)
            step[:3, 3] = part * way[:3, 3]
            found[f] = found[f - led] @ step
    return found


def moves(frames: Floats, still: Floats) -> bool:
    """Whether frames, shape (nf, 4, 4), ever differ from one that stands still."""
    size = 1.0 + float(np.abs(still[:3, 3]).max())
    return bool(
        (np.abs(frames[:, :3, :3] - still[:3, :3]).max() > STILL)
        or (np.abs(frames[:, :3, 3] - still[:3, 3]).max() > STILL * size)
    )


def incoming(q: Floats, lead: int, fps: float) -> Floats:
    """Velocity with which coordinates (nf, n) reach the first frame, from the two before it, to second order."""
    if lead < 2:
        return np.zeros(q.shape[1])
    return np.asarray((1.5 * q[lead] - 2.0 * q[lead - 1] + 0.5 * q[lead - 2]) * fps)


def decompose(joint: Coordinates, D: Floats, lead: int) -> tuple[Floats, Floats]:
    """Coordinates without jumps, shape (nf, n), that begin where the joint does, and the rest, shape (nf, 4, 4)."""
    R, B = D[:, :3, :3], D.copy()
    kind = joint.type
    if isinstance(kind, spec.Free):
        q = np.hstack([D[:, :3, 3], _vectors(R, lead)])
        B[:] = np.eye(4)
        return q, B
    if isinstance(kind, spec.Spherical):
        B[:, :3, :3] = np.eye(3)
        return _vectors(R, lead, np.array(joint.q)), B
    if isinstance(kind, spec.Revolute):
        axis = np.array(kind.axis)
        w = quaternions(R)
        angles = _unwrapped(2.0 * np.arctan2(w[:, 1:] @ axis, w[:, 0]), lead, joint.q[0])
        B[:, :3, :3] = R @ np.array([turn(axis, -angle) for angle in angles])
        return angles[:, None], B
    if isinstance(kind, spec.Universal):
        a = np.arctan2(R[:, 2, 1], np.hypot(R[:, 2, 0], R[:, 2, 2]))
        b = np.arctan2(-R[:, 2, 0], R[:, 2, 2])
        q = np.column_stack([_unwrapped(a, lead, joint.q[0]), _unwrapped(b, lead, joint.q[1])])
        x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
        B[:, :3, :3] = R @ np.array([turn(y, -second) @ turn(x, -first) for first, second in q])
        return q, B
    if isinstance(kind, spec.Prismatic):
        axis = np.array(kind.axis)
        length = np.einsum("nji,nj,i->n", R, D[:, :3, 3], axis)
        B[:, :3, 3] -= R @ axis * length[:, None]
        return length[:, None], B
    return np.zeros((len(D), 0)), B


def _unwrapped(angles: Floats, lead: int, start: float) -> Floats:
    """Angles [rad] without jumps by whole turns, the one at the first frame at `start` but for whole turns."""
    smooth = np.unwrap(angles)
    return np.asarray(smooth + 2.0 * np.pi * round((start - smooth[lead]) / (2.0 * np.pi)))


def _vectors(R: Floats, lead: int, start: Floats | None = None) -> Floats:
    """Rotation vectors [rad] without jumps, from the first frame's in both directions."""
    vectors = rotation_vectors(R)
    if start is not None:
        vectors[lead] = start
    back = continuous(vectors[lead::-1])[::-1]
    return np.vstack([back[:-1], continuous(vectors[lead:])])


def releases(modes: NDArray[np.int8]) -> list[int]:
    """The last frames, counted from the first, at which a joint is on its motion before it is let go."""
    held = modes == MODES.index("KEYFRAMED")
    return [int(frame) for frame in np.flatnonzero(held[:-1] & ~held[1:])]


def switches(modes: NDArray[np.int8], fps: float, ease: int) -> list[spec.Switch]:
    """Who controls a joint, from the first frame on. The mode of a frame holds on the way to it."""
    found = []
    if MODES[modes[0]] != "KEYFRAMED":
        found.append(spec.Switch(time=-1.0, mode=ENGINE_MODES[MODES[modes[0]]]))
    for frame in np.flatnonzero(np.diff(modes)):
        mode = ENGINE_MODES[MODES[modes[frame + 1]]]
        over = ease / fps if mode == "prescribed" else 0.0
        found.append(spec.Switch(time=float(frame) / fps, mode=mode, over=over))
    return found
