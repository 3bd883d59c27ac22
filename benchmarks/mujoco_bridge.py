"""The bridge of `shots/bridge.py` in MuJoCo: hinges, tendons as springs and dampers, the loop as an equality.

MuJoCo integrates dampers implicitly and springs explicitly, so that its step has to be short where springs are stiff:
`largest_step` finds how long it may be. The drag on bodies, which MuJoCo does not have, is left out; it is a thousandth
of what the cables damp.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import mujoco
import numpy as np

from redmax_blender.engine.shots.bridge import (
    ANCHOR_HEIGHT,
    DENSITY,
    GRAVITY,
    HALF_SPAN,
    TOWER_AT,
    TOWER_HEIGHT,
    Bridge,
    cable_ends,
)

DEEPEST = 1000
"""MuJoCo refuses chains of more than 1023 bodies: longer decks are built from both ends and meet in the middle."""
STEPS = tuple(a * 10.0**-b for b in (2, 3, 4, 5) for a in (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.13))
"""Steps to try [s]."""
SPAN = 0.05
"""How long a step has to stay stable [s], and for 200 steps at least."""
CALM = 100.0
"""Angular velocity [rad/s] above which the bridge has blown up; ours stays below 30."""


def mujoco_bridge(bridge: Bridge, step: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The bridge at its start, for steps of `step` [s]."""
    spec = mujoco.MjSpec()
    spec.option.gravity = (0.0, -GRAVITY, 0.0)
    spec.option.timestep = step
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.solver = mujoco.mjtSolver.mjSOL_PGS  # the fastest of the three here
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    start = _add_deck(spec, bridge) | _add_towers(spec, bridge)
    _add_cables(spec, bridge)
    # the stiffest that MuJoCo holds safely: a time constant of two steps
    spec.add_equality(
        type=mujoco.mjtEq.mjEQ_CONNECT,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        name1="loop.1",
        name2="loop.2",
        solref=(2.0 * step, 1.0),
        solimp=(0.99, 0.9999, 0.001, 0.5, 2.0),
    )
    model = spec.compile()
    data = mujoco.MjData(model)
    for name, angle in start.items():
        data.qpos[model.joint(name).qposadr[0]] = angle
    return model, data


def _add_block(
    parent: mujoco.MjsBody,
    name: str,
    at: tuple[float, float],
    sides: tuple[float, float, float],
    centre: tuple[float, float],
    rest: float,
    stiffness: float,
    damping: float,
) -> mujoco.MjsBody:
    mass = DENSITY * float(np.prod(sides))
    x, y, z = (s * s for s in sides)
    body = parent.add_body(
        name=name,
        pos=(*at, 0.0),
        ipos=(*centre, 0.0),
        mass=mass,
        inertia=tuple(mass / 12.0 * s for s in (y + z, z + x, x + y)),
        explicitinertial=True,
    )
    body.add_joint(
        name=name, axis=(0, 0, 1), stiffness=stiffness, damping=damping, springref=np.degrees(rest)
    )
    return body


def _add_deck(spec: mujoco.MjSpec, bridge: Bridge) -> dict[str, float]:
    """Returns the initial angles [rad]."""
    p, n, length = bridge.numbers, bridge.n_deck, bridge.deck_length()
    angles = bridge.deck_angles()
    sides = (length, p.deck_thickness, p.deck_width)
    middle = n if n <= DEEPEST else n // 2
    start = {}
    body = spec.worldbody
    for i in range(middle):
        at = (length, 0.0) if i else (-HALF_SPAN, ANCHOR_HEIGHT)
        spring = (p.deck_stiffness, p.deck_damping) if i else (0.0, 0.0)
        start[bridge.deck(i)] = angles[i]
        body = _add_block(body, bridge.deck(i), at, sides, (0.5 * length, 0.0), angles[i], *spring)
    body.add_site(name="loop.1", pos=(length, 0.0, 0.0))
    body = spec.worldbody
    for i in range(n - 1, middle - 1, -1):  # blocks that extend to the left of their hinge
        at = (-length, 0.0) if i < n - 1 else (HALF_SPAN, ANCHOR_HEIGHT)
        spring = (p.deck_stiffness, p.deck_damping) if i < n - 1 else (0.0, 0.0)
        angle = -angles[i + 1] if i < n - 1 else float(np.sum(angles))
        start[bridge.deck(i)] = angle
        body = _add_block(body, bridge.deck(i), at, sides, (-0.5 * length, 0.0), angle, *spring)
    if middle < n:
        body.add_site(name="loop.2", pos=(-length, 0.0, 0.0))
    else:
        body.add_site(name="loop.2", pos=(HALF_SPAN, ANCHOR_HEIGHT, 0.0))
    return start


def _add_towers(spec: mujoco.MjSpec, bridge: Bridge) -> dict[str, float]:
    p = bridge.numbers
    height = TOWER_HEIGHT / bridge.blocks
    start = {}
    for side, x in (("L", -TOWER_AT), ("R", TOWER_AT)):
        body, top = spec.worldbody, (x, TOWER_HEIGHT, 0.0)
        for i in range(bridge.blocks if bridge.towers == "flexible" else 0):
            name = bridge.tower(side, i)
            start[name] = 0.0
            sides = (p.tower_width, height, p.tower_depth)
            at = (0.0, height) if i else (x, 0.0)
            body = _add_block(
                body, name, at, sides, (0.0, 0.5 * height), 0.0, p.tower_stiffness, p.tower_damping
            )
            top = (0.0, height, 0.0)
        body.add_site(name=f"top.{side}", pos=top)
    return start


def _add_cables(spec: mujoco.MjSpec, bridge: Bridge) -> None:
    p, length, points = bridge.numbers, bridge.deck_length(), bridge.deck_points()
    for k, (block, along, side) in enumerate(cable_ends(bridge)):
        on_deck = points[block] + along / length * (points[block + 1] - points[block])
        top = np.array([-TOWER_AT if side == "L" else TOWER_AT, TOWER_HEIGHT])
        rest = float(np.linalg.norm(top - on_deck))
        mirrored = bridge.n_deck > DEEPEST and block >= bridge.n_deck // 2
        name = f"end.{k}"
        spec.body(bridge.deck(block)).add_site(
            name=name, pos=(along - length if mirrored else along, 0.0, 0.0)
        )
        cable = spec.add_tendon(
            stiffness=p.cable_stiffness / rest, damping=p.cable_damping / rest, springlength=(rest, rest)
        )
        cable.wrap_site(name)
        cable.wrap_site(f"top.{side}")


@dataclass(frozen=True)
class Rival:
    step: float
    """Largest stable step [s]."""
    per_second: float
    """Wall time of a simulated second [s]."""
    gap: float
    """How far the loop opened [m]."""


def _run(bridge: Bridge, step: float) -> Rival | None:
    """Null where this step is not stable."""
    model, data = mujoco_bridge(bridge, step)
    ends = [model.site("loop.1").id, model.site("loop.2").id]
    count = max(200, round(SPAN / step))
    gap, best, done = 0.0, np.inf, 0
    while done < count:
        chunk = min(10, count - done)
        begin = time.perf_counter()
        mujoco.mj_step(model, data, chunk)
        best = min(best, (time.perf_counter() - begin) / chunk)
        done += chunk
        # a warning means that MuJoCo has met something that is not finite and begun anew
        if data.warning.number.any() or not np.abs(data.qvel).max() < CALM:
            return None
        if done > count // 2:
            gap = max(gap, float(np.linalg.norm(data.site_xpos[ends[0]] - data.site_xpos[ends[1]])))
    return Rival(step, best / step, gap)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without a log file of the steps that are too long."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def fastest(bridge: Bridge, first: float = STEPS[0]) -> Rival:
    """MuJoCo with the largest of `STEPS` that is stable, from `first` on."""
    with _quiet():
        for step in STEPS:
            found = _run(bridge, step) if step <= first else None
            if found is not None:
                return found
    raise RuntimeError(f"MuJoCo is not stable at {STEPS[-1]} s")
