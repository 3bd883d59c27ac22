"""Random parts and connections with an arrangement in which all hold, thrown apart."""

from __future__ import annotations

import numpy as np

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.mechanisms.coordinates import coordinates_at
from redmax_blender.engine.mechanisms.parts import BALL, Axis, Body, Connection, Kind, free_axes
from redmax_blender.engine.model.records import Floats
from redmax_blender.engine.scene import Cuboid

KINDS: tuple[Kind, ...] = (
    "fixed", "point", "hinge", "slider", "piston", "universal", "planar", "free-planar", "translational", "generic",
)  # fmt: skip


def moved_by(values: dict[str, float]) -> Floats:
    """The pose of the second part against the first one at these coordinates."""
    X = np.eye(4)
    for name, value in values.items():
        if name not in BALL:
            X["xyz".index(name), 3] = value
    angles = [name for name in BALL if name in values]
    if len(angles) == 3:
        X[:3, :3] = se3.exp_so3([values[name] for name in BALL])
        return X
    for name in angles:
        turn = np.zeros(3)
        turn[BALL.index(name)] = values[name]
        X[:3, :3] = X[:3, :3] @ se3.exp_so3(turn)
    return X


def turned(rng: np.random.Generator, at: Floats, most: float = 2.0) -> Floats:
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = se3.exp_so3(rng.normal(size=3) * most), at
    return E


def _connection(rng: np.random.Generator, name: str, a: str, b: str) -> tuple[Connection, Floats]:
    """Of a random kind, with limits or not, and the pose of its parts in the arrangement that holds."""
    c = Connection(name, KINDS[rng.integers(len(KINDS))], a, b, np.eye(4))
    if c.kind == "generic":
        c.axes = {axis: Axis(free=bool(rng.integers(2))) for axis in ("x", "y", "z", *BALL)}
    values = {n: rng.uniform(-1.0, 1.0) * (1.0 if n in BALL else 0.5) for n in free_axes(c)}
    if rng.random() < 0.4:
        for n, value in values.items():
            width = rng.uniform(0.05, 0.5)
            middle = value + rng.uniform(-0.8, 0.8) * width
            c.axes[n] = Axis(free=True, lower=middle - width, upper=middle + width)
    return c, moved_by(values)


def random_assembly(seed: int, apart: float = 10.0) -> tuple[list[Body], list[Connection], float]:
    """Parts where they lie, connections, and the size of the arrangement that holds [m]."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 31))
    sides = rng.uniform(0.1, 1.0, (n, 3))
    names = [f"part {i}" for i in range(n)]
    E, connections = [turned(rng, rng.normal(size=3) * 0.3)], []

    def spot(i: int) -> Floats:
        return turned(rng, rng.uniform(-0.5, 0.5, 3) * sides[i])

    for j in range(1, n):
        i = int(rng.integers(0, j))
        c, X = _connection(rng, f"joint {j}", names[i], names[j])
        c.pose, c.pose_b = spot(i), spot(j)
        E.append(E[i] @ c.pose @ X @ se3.inverse(c.pose_b))
        connections.append(c)
    for k in range(int(rng.integers(0, max(1, n // 3) + 1))):
        i, j = rng.choice(n, 2, replace=False).tolist()
        c, X = _connection(rng, f"loop {k}", names[i], names[j])
        c.pose = spot(i)
        c.pose_b = se3.inverse(E[j]) @ E[i] @ c.pose @ X
        connections.append(c)
    size = float(np.ptp([e[:3, 3] for e in E], axis=0).max()) + 1.0
    anchored = rng.random(n) < 0.1
    far = 10.0 ** rng.uniform(-1.0, np.log10(apart))
    bodies = []
    for i in range(n):
        pose = E[i].copy()
        if not anchored[i]:
            pose[:3, 3] += rng.uniform(-1.0, 1.0, 3) * far * size
            pose[:3, :3] = se3.exp_so3(rng.normal(size=3) * rng.uniform(0.0, 2.0)) @ pose[:3, :3]
        bodies.append(Body(names[i], Cuboid(tuple(sides[i])), pose, anchored=bool(anchored[i])))
    at = {body.name: body.pose for body in bodies}
    for c in connections:
        assert c.a is not None and c.b is not None and c.pose_b is not None
        c.pose, c.pose_b = at[c.a] @ c.pose, at[c.b] @ c.pose_b
    return bodies, connections, size


def open_by(c: Connection, before: dict[str, Floats], after: dict[str, Floats]) -> float:
    """How far a connection is from holding, limits and all, by composing its joint [m, rad]."""

    def carried(end: str | None, pose: Floats) -> Floats:
        return pose if end is None else after[end] @ se3.inverse(before[end]) @ pose

    first, second = carried(c.a, c.pose), carried(c.b, c.pose if c.pose_b is None else c.pose_b)
    X = se3.inverse(first) @ second
    values = coordinates_at(c, X)
    gap = float(np.abs(moved_by(values) - X).max())
    for name, value in values.items():
        limits = c.axes.get(name, Axis())
        turns = (0.0,) if name not in BALL else (-2.0 * np.pi, 0.0, 2.0 * np.pi)
        low = -np.inf if limits.lower is None else limits.lower
        high = np.inf if limits.upper is None else limits.upper
        gap = max(gap, min(max(low - value - turn, value + turn - high, 0.0) for turn in turns))
    return gap
