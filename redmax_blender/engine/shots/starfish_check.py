"""What must be true of a run of the Starfish, in the engine's scene and in Blender."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .starfish_figure import (
    FPS,
    FRAMES,
    JOINTS,
    LED,
    PRESCRIBED,
    TAKES_HOLD,
    Starfish,
    keyed_angles,
    keyed_path,
)
from .starfish_skin import ARMS

if TYPE_CHECKING:
    from ..run.result import Result

Floats = NDArray[np.float64]


def check(result: Result, starfish: Starfish | None = None, *, gap: float = 1e-5) -> None:
    """Raise AssertionError when a run of the starfish is not physical.

    gap: how far bones may come apart, and leave what is prescribed [m, rad]; a rig in Blender has its keys and sizes in
    single precision.
    """
    starfish = starfish or Starfish()
    if not (np.isfinite(result.q).all() and np.isfinite(result.x).all()):
        raise AssertionError("starfish: something is not a number")
    pose = {name.split("/")[-1]: result.joint_pose[:, k] for k, name in enumerate(result.joints)}
    R = {name: rows[:, :9].reshape(-1, 3, 3) for name, rows in pose.items()}
    for arm in range(ARMS):
        chain = ["disc"] + [starfish.name(arm, joint) for joint in range(JOINTS)]
        for parent, child in pairwise(chain):
            held = np.einsum("fji,fj->fi", R[parent], pose[child][:, 9:] - pose[parent][:, 9:])
            _demand(np.abs(held - held[0]).max(), gap, f"{child} came off its joint", "m")
        _check_keys(result.t, starfish, arm, pose, R, gap)
        if arm in LED:
            _check_lead(result.t, starfish, arm, pose, R, 10.0 * gap)
    height = pose["disc"][:, 11] - pose["disc"][0, 11]
    lowest = min(float(rows[:, 11].min()) for rows in pose.values())
    _demand(-lowest, 0.5 * starfish.thickness, "a bone is below the floor", "m")
    if result.t[-1] >= 1.5:
        risen = float(height[np.searchsorted(result.t, 1.5)])
        _demand(0.5 * starfish.thickness - risen, 0.0, "it does not stand up, short", "m")
        bent = [
            _bend(pose, starfish, arm, joint) for arm in range(ARMS) for joint in range(PRESCRIBED, JOINTS)
        ]
        _demand(
            0.05 - min(float(np.ptp(b)) for b in bent), 0.0, "a passive joint does not move, short", "rad"
        )
    if result.t[-1] >= (FRAMES - 1) / FPS - 1e-6:
        _demand(float(result.energy[-1, 0]), 0.05, "it does not come to rest, it has", "J")


def _demand(value: float, bound: float, what: str, unit: str) -> None:
    if value > bound:
        raise AssertionError(f"starfish: {what} by {value:.3g} {unit} (at most {bound:g})")


def _check_keys(
    t: Floats, starfish: Starfish, arm: int, pose: dict[str, Floats], R: dict[str, Floats], gap: float
) -> None:
    """Prescribed joints are bent as their keys say, at the times of the keys."""
    names = [starfish.name(arm, joint) for joint in range(PRESCRIBED + 1)]
    before = np.einsum("fij,kj,k->fi", R["disc"], R["disc"][0], starfish.along(arm))
    for joint in range(PRESCRIBED):
        times, bend, sway = keyed_angles(arm, joint)
        bone = pose[names[joint + 1]][:, 9:] - pose[names[joint]][:, 9:]
        after = bone / np.linalg.norm(bone, axis=1, keepdims=True)
        at, key = _moments(t, times)
        turned = np.linalg.norm(np.cross(before[at], after[at]), axis=1)
        error = (
            np.arctan2(turned, np.sum(before[at] * after[at], axis=1))
            - np.arccos(np.cos(bend) * np.cos(sway))[key]
        )
        _demand(np.abs(error).max(initial=0.0), gap, f"{names[joint]} leaves its keys", "rad")
        before = after


def _check_lead(
    t: Floats, starfish: Starfish, arm: int, pose: dict[str, Floats], R: dict[str, Floats], gap: float
) -> None:
    """The tip is where it is led, at the times of the keys."""
    last, (begin, end) = starfish.name(arm, JOINTS - 1), LED[arm]
    times, path = keyed_path(starfish, arm)
    at, key = _moments(t, times)
    within = (t[at] > begin + TAKES_HOLD + 1e-6) & (t[at] < end - 1e-6)
    tail = R[last][0].T @ (starfish.head(arm, JOINTS) - pose[last][0, 9:])
    tip = pose[last][at, 9:] + R[last][at] @ tail
    _demand(np.abs(tip - path[key])[within].max(initial=0.0), gap, f"the tip of {last} leaves its path", "m")


def _bend(pose: dict[str, Floats], starfish: Starfish, arm: int, joint: int) -> Floats:
    """Angle between a bone and the one before it, over time [rad]; of the last one's joint, between their frames."""
    a, b = (pose[starfish.name(arm, j)][:, :9].reshape(-1, 3, 3) for j in (joint - 1, joint))
    turn = np.einsum("fji,fjk->fik", a, b)
    start = turn[0].T
    cosine = 0.5 * (np.einsum("fij,ji->f", turn, start) - 1.0)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _moments(t: Floats, times: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Frames that are at the time of a key, and which key that is."""
    near = np.abs(t[:, None] - times).argmin(axis=1)
    at = np.flatnonzero(np.abs(t - times[near]) < 1e-6)
    return at, near[at]
