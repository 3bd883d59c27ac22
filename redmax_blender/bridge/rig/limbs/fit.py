"""A capsule around the skin of a bone, whatever the bone's own direction and length are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .capsule import BoneCapsule, unit_vector

Floats = NDArray[np.float64]

ENOUGH = 8
"""Fewer vertices than this say nothing about a limb's shape."""
REACH = 0.8
"""The part of the skin that the capsule's radius covers: some flesh gives way before bone touches the ground."""
TRIM = 0.02
"""Part of the skin at either end that a capsule may leave out: spikes and seams."""
JOINTED = 0.8
"""How much a line from joint to joint is preferred to an axis that fits the skin a little better."""


def percentile(values: Floats, weights: Floats, q: float) -> float:
    """The value below which a part q of the weight is."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    at = np.searchsorted(total, q * total[-1])
    return float(values[order][min(int(at), len(values) - 1)])


def fit_capsule(
    points: Floats, weights: Floats, head: Floats, ends: Iterable[Floats], own: Floats
) -> BoneCapsule | None:
    """The capsule that lies nearest to points, shape (n, 3); None where there are too few of them.

    weights: area that each stands for, shape (n,). head: where the bone's joint is; ends: where the joints are that it
    carries; own: direction of the bone itself. The axis is tried from joint to joint, along the bone, and along the
    principal axes of the points.
    """
    if len(points) < ENOUGH or not float(weights.sum()) > 0.0:
        return None
    middle = np.average(points, axis=0, weights=weights)
    spread = points - middle
    size = float(np.sqrt(np.average(np.sum(spread**2, axis=1), weights=weights)))
    if not size > 0.0:
        return None
    _, principal = np.linalg.eigh((spread * weights[:, None]).T @ spread)
    nothing: list[Floats] = []
    tried = [(axis, 1.0, nothing) for axis in principal.T]
    tried.append((unit_vector(own, principal[:, 2]), 1.0, nothing))
    arms = [end - head for end in ends]
    if arms:
        arm = max(arms, key=lambda a: float(a @ a)) if len(arms) == 1 else np.mean(arms, axis=0)
        if np.linalg.norm(arm) > 0.3 * size:
            limb = [head, head + arm] if len(arms) == 1 else nothing
            tried.append((unit_vector(arm, principal[:, 2]), JOINTED, limb))
    found = [
        (factor * _residual(c, points, weights), c)
        for axis, factor, limb in tried
        if (c := _around(points, weights, axis, limb))
    ]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _around(points: Floats, weights: Floats, axis: Floats, limb: Sequence[Floats]) -> BoneCapsule | None:
    """The capsule along an axis, as long as the skin is, and as the limb is from joint to joint."""
    t = points @ axis
    low, high = percentile(t, weights, TRIM), percentile(t, weights, 1.0 - TRIM)
    reach = 0.5 * (high - low)
    for joint in limb:
        at = float(joint @ axis)
        low, high = min(low, max(at, low - reach)), max(high, min(at, high + reach))
    across = points - np.outer(t, axis)
    centre = np.average(across, axis=0, weights=weights)
    radius = percentile(np.linalg.norm(across - centre, axis=1), weights, REACH)
    if not radius > 0.0:
        return None
    return BoneCapsule(radius, max(high - low, 2.0 * radius), centre + 0.5 * (low + high) * axis, axis)


def _residual(capsule: BoneCapsule, points: Floats, weights: Floats) -> float:
    """Mean distance of points from the capsule's surface."""
    a, b = capsule.ends
    return float(np.average(np.abs(distance_to_line(points, a, b) - capsule.radius), weights=weights))


def distance_to_line(points: Floats, a: Floats, b: Floats) -> Floats:
    """Distance of points (n, 3) from the line between two points, shape (n,)."""
    arm = b - a
    square = float(arm @ arm)
    t = np.clip((points - a) @ arm / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    return np.asarray(np.linalg.norm(points - a - t[:, None] * arm, axis=1))


def enclosed_volume(triangles: Floats, capsule: BoneCapsule) -> float:
    """Volume of a piece of skin that is open towards its neighbours, triangles of shape (m, 3, 3).

    V = ½ ∮ ρ·n dA with ρ the distance vector from the capsule's axis: exact for closed skins, and for those that are
    cut square to the axis, whose missing ends would add nothing.
    """
    normals = 0.5 * np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    middle = triangles.mean(axis=1) - capsule.centre
    across = middle - np.outer(middle @ capsule.axis, capsule.axis)
    return 0.5 * float(np.einsum("ij,ij->", across, normals))
