"""Forward dynamics of chains and binary trees, against Pinocchio's `aba` and MuJoCo's `mj_forward`.

Every rival gets the same mechanism at the same state, and its inverse dynamics have to agree with our accelerations
before it is timed. The times are of one call from Python, coordinates in and accelerations out.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator

import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.tree import hybrid
from redmax_blender.engine.tree.articulated import forward_dynamics
from tests.engine.random_trees import ALL, random_scene, random_state

from .timing import Row, race, row

BENCH = "forward-dynamics"
SIZES = (10, 100, 1000, 10_000)
SHAPES = ("chain", "binary")

REVOLUTE = ("revolute",)
PINOCCHIO = ("revolute", "prismatic", "planar", "translational", "universal", "spherical", "free-planar")
MUJOCO = ("revolute", "prismatic", "spherical")

MEMORY = 8 * 2**30
if hasattr(os, "sysconf"):
    MEMORY = min(MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
"""A rival that needs more memory [bytes] than this is left out."""
PINOCCHIO_REVOLUTE, PINOCCHIO_MIXED = 500, 250
"""About the most joints for which Pinocchio's Data stays below that."""
MUJOCO_DEPTH = 1023
"""MuJoCo refuses deeper trees."""
SECONDS = 0.5
"""Time for each contender of a case."""


def rows() -> Iterator[Row]:
    for shape in SHAPES:
        for n in (*SIZES[:2], PINOCCHIO_REVOLUTE, *SIZES[2:]):
            yield from _revolute(shape, n)
    for shape in SHAPES:
        yield _flatness(shape)
    for shape in SHAPES:
        for n in (*SIZES[:2], PINOCCHIO_MIXED, *SIZES[2:]):
            yield from _mixed(shape, n)
    for shape in SHAPES:
        for n in SIZES:
            yield _every_kind(shape, n)


def _revolute(shape: str, n: int) -> Iterator[Row]:
    case = _mechanism(n, REVOLUTE, shape)
    rivals = {**_pinocchio(*case), **_mujoco(*case)}
    times = race({"ours": _ours(*case), **rivals}, SECONDS)
    for name, reason in (
        ("Pinocchio aba", _pinocchio_reason(case[0])),
        ("MuJoCo mj_forward", _mujoco_reason(case[0])),
    ):
        yield row(BENCH, f"revolute {shape}", n, times["ours"], name, times.get(name), reason)


def _flatness(shape: str) -> Row:
    """What a joint costs in a mechanism of 10,000 and in one of 100, side by side."""
    few, many = 100, 10_000
    times = race({str(n): _ours(*_mechanism(n, REVOLUTE, shape)) for n in (few, many)}, 4 * SECONDS)
    cost = {n: times[str(n)] / n for n in (few, many)}
    note = "one joint of 10,000; flat if near 1"
    return row(BENCH, f"revolute {shape}, a joint", many, cost[many], "ours, one of 100", cost[few], note)


def _mixed(shape: str, n: int) -> Iterator[Row]:
    """The joints that a rival has, with a free root."""
    case = _mechanism(n, PINOCCHIO, shape, root="free")
    times = race({"ours": _ours(*case), **_pinocchio(*case)}, SECONDS)
    name = "Pinocchio aba"
    yield row(
        BENCH,
        f"Pinocchio's joints, {shape}",
        n,
        times["ours"],
        name,
        times.get(name),
        _pinocchio_reason(case[0]),
    )
    if n not in (10, 100, 1000):
        return  # the joints make no difference to MuJoCo, which takes half a minute to build so large a model
    case = _mechanism(n, MUJOCO, shape, root="free")
    times = race({"ours": _ours(*case), **_mujoco(*case)}, SECONDS)
    name = "MuJoCo mj_forward"
    yield row(
        BENCH, f"MuJoCo's joints, {shape}", n, times["ours"], name, times.get(name), _mujoco_reason(case[0])
    )


def _every_kind(shape: str, n: int) -> Row:
    """Splines, Euler angles and composites as well, which no rival has: against our own general kernel."""
    model, state, tau = _mechanism(n, ALL, shape)
    t, none, out = model.tree, np.zeros((0, 6)), np.empty(model.nr)

    def column_by_column() -> None:
        hybrid._hybrid_dynamics(
            t.links, t.constants, t.params, model.gravity, state.chart, state.q, state.qdot, t.all_free, none, tau, out
        )  # fmt: skip

    times = race({"ours": _ours(model, state, tau), "general": column_by_column}, SECONDS)
    return row(BENCH, f"every kind, {shape}", n, times["ours"], "ours, hybrid kernel", times["general"])


def _mechanism(
    n: int, kinds: tuple[str, ...], shape: str, root: str | None = None
) -> tuple[Model, State, np.ndarray]:
    rng = np.random.default_rng([n, len(kinds)])
    model = compile_scene(random_scene(rng, n, kinds, shape, root, spacing=0.1))
    return model, random_state(rng, model, speed=0.1), rng.normal(size=model.nr)


def _ours(model: Model, state: State, tau: np.ndarray) -> Callable[[], object]:
    out = np.empty(model.nr)
    return lambda: forward_dynamics(model, state, tau, out=out)


def _pinocchio_reason(model: Model) -> str:
    """Why Pinocchio is left out, or nothing."""
    from .pinocchio_tree import data_bytes

    if data_bytes(model.nr) <= MEMORY:
        return ""
    return f"its Data would take {data_bytes(model.nr) / 2**30:,.0f} GB for {model.nr} coordinates"


def _pinocchio(model: Model, state: State, tau: np.ndarray) -> dict[str, Callable[[], object]]:
    if _pinocchio_reason(model):
        return {}
    import pinocchio as pin

    from .pinocchio_tree import PinocchioTree

    gc.collect()  # the Data of the case before may be large
    twin = PinocchioTree(model)
    data = twin.model.createData()
    q, v = twin.configuration(state)
    qddot = forward_dynamics(model, state, twin.forces(state, tau))
    _agree("Pinocchio", pin.rnea(twin.model, data, q, v, twin.accelerations(state, qddot)), tau)
    return {"Pinocchio aba": lambda: pin.aba(twin.model, data, q, v, tau)}


def _mujoco_reason(model: Model) -> str:
    """Why MuJoCo is left out, or nothing."""
    depth, carrier = np.zeros(model.nl, int), np.isin(np.arange(model.nl), model.bodies.link)
    for j, p in enumerate(model.tree.parent):
        depth[j] = (depth[p] if p >= 0 else 0) + carrier[j]
    return "" if depth.max() <= MUJOCO_DEPTH else f"it takes chains of up to {MUJOCO_DEPTH} bodies"


def _mujoco(model: Model, state: State, tau: np.ndarray) -> dict[str, Callable[[], object]]:
    if _mujoco_reason(model):
        return {}
    import mujoco

    from .mujoco_tree import MujocoTree

    twin = MujocoTree.of(model)
    data = twin.data(state)
    qddot = forward_dynamics(model, state, twin.forces(state, tau))
    data.qacc[:] = twin.accelerations(state, qddot)
    mujoco.mj_inverse(twin.model, data)
    _agree("MuJoCo", data.qfrc_inverse, tau)
    data.qfrc_applied[:] = tau
    return {"MuJoCo mj_forward": lambda: mujoco.mj_forward(twin.model, data)}


def _agree(rival: str, forces: np.ndarray, tau: np.ndarray) -> None:
    """That a rival's inverse dynamics of our accelerations are the forces that we started from.

    Not its forward dynamics: Pinocchio's, in chains of some hundred different joints, are no longer the inverse of its
    inverse dynamics, while ours still are.
    """
    error = float(np.abs(forces - tau).max() / np.abs(tau).max())
    if not error < 1e-6:
        raise RuntimeError(f"{rival} and RedMax differ by {error:.1e}: not the same mechanism")
