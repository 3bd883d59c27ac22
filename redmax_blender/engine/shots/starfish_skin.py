"""The skin of the Starfish: a closed mesh of quads, ten mirrored halves of an arm sewn together."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ARMS = 5
_WAIST = 0.3
"""Distance of the notch between two arms from the centre, as a fraction of the radius."""
_POINTED = 2.1
"""The larger, the slimmer are the arms."""
_BELLY = 0.3
"""Height of the underside's bulge, as a fraction of the back's."""
_RIDGE = 0.9
"""Where the ridge of an arm ends, as a fraction of the radius: from there the sheet falls to the tip."""


def outline(angle: Floats, radius: float) -> Floats:
    """Distance of the rim from the centre [m] in directions [rad] from an arm's axis."""
    wave = 0.5 + 0.5 * np.cos(ARMS * angle)
    return np.asarray(radius * (_WAIST + (1.0 - _WAIST) * wave**_POINTED))


def starfish_skin(
    radius: float, thickness: float, along: int = 24, across: int = 16, warts: float = 0.05
) -> tuple[Floats, Ints]:
    """Vertices (nv, 3) [m] and quads (nf, 4) of a star that lies on z = 0, its first arm along x.

    `radius` and `thickness` [m] are those of the star, `along` and `across` the cells of half an arm between its axis
    and its rim, `warts` the height of its bumps as a fraction of the thickness. The closed mesh has 20 · along · across
    + 2 vertices.
    """
    if along < 3 or across < 2:
        raise InputError("starfish skin", f"half an arm has {along} x {across} cells", "Give 3 x 2 or more.")
    half_back, half_belly = _half(radius, thickness, along, across)
    points, faces = [], []
    offset = 0
    for arm in range(ARMS):
        for mirrored in (False, True):
            for sheet, upside in ((half_back, False), (half_belly, True)):
                p = sheet.reshape(-1, 3) * [1.0, -1.0 if mirrored else 1.0, 1.0]
                points.append(_turned(p, 2.0 * pi * arm / ARMS))
                quads = offset + _grid(along, across)
                faces.append(quads[:, ::-1] if mirrored != upside else quads)
                offset += len(p)
    vertices, quads = _sewn(np.concatenate(points), np.concatenate(faces), 1e-6 * radius)
    if warts:
        vertices = _warted(vertices, radius, thickness, warts)
    vertices[:, 2] -= vertices[:, 2].min()
    return vertices, quads


def _half(radius: float, thickness: float, along: int, across: int) -> tuple[Floats, Floats]:
    """Back and underside of the half of arm 0 with y >= 0, each of shape (along + 1, across + 1, 3)."""
    fine = np.linspace(pi / ARMS, 0.0, 2001)
    rim = outline(fine, radius)[:, None] * np.stack([np.cos(fine), np.sin(fine)], axis=1)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rim, axis=0), axis=1))])
    at = np.linspace(0.0, length[-1], along + 1)
    edge = np.stack([np.interp(at, length, rim[:, c]) for c in (0, 1)], axis=1)
    reach = (edge[:, 0] - edge[0, 0]) / (edge[-1, 0] - edge[0, 0])
    axis = np.stack([_RIDGE * radius * reach, 0.0 * reach], axis=1)
    t = np.sin(
        0.5 * pi * np.linspace(0.0, 1.0, across + 1)
    )  # from the axis to the rim, finer towards the rim
    flat = axis[:, None] + t[None, :, None] * (edge - axis)[:, None]
    out = np.linalg.norm(flat, axis=2) / radius
    height = thickness * (1.0 - 0.72 * out**1.1) * np.sqrt(np.maximum(1.0 - t**2, 0.0))[None]
    back = np.concatenate([flat, height[:, :, None]], axis=2)
    belly = np.concatenate([flat, -_BELLY * height[:, :, None]], axis=2)
    return back, belly


def _grid(along: int, across: int) -> Ints:
    """Quads of a grid of (along + 1, across + 1) vertices, turned upwards for the half with y >= 0."""
    n = np.arange((along + 1) * (across + 1)).reshape(along + 1, across + 1)
    quads: Ints = np.stack([n[:-1, :-1], n[1:, :-1], n[1:, 1:], n[:-1, 1:]], axis=2).reshape(-1, 4)
    return quads


def _turned(p: Floats, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(p @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]))


def _sewn(points: Floats, quads: Ints, tolerance: float) -> tuple[Floats, Ints]:
    """One vertex where several are."""
    key = np.round(points / tolerance).astype(np.int64)
    _, first, number = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return points[first], number.reshape(-1)[quads]


def _warted(p: Floats, radius: float, thickness: float, height: float) -> Floats:
    """Rows of bumps on the back, along and beside the arms."""
    angle = np.arctan2(p[:, 1], p[:, 0])
    within = np.abs((angle + pi / ARMS) % (2.0 * pi / ARMS) - pi / ARMS)
    far = np.hypot(p[:, 0], p[:, 1])
    side = far * np.sin(within) / radius
    row = np.cos(2.0 * pi * side / 0.11)
    bead = np.cos(2.0 * pi * far / (0.1 * radius))
    bump = np.maximum(row * bead, 0.0) ** 2
    on_back = np.clip(p[:, 2] / (0.3 * thickness), 0.0, 1.0) * np.clip(1.0 - far / radius, 0.0, 1.0)
    raised = p.copy()
    raised[:, 2] += height * thickness * bump * on_back
    return raised
