"""However a loop is closed, by rows that are needed or by some that repeat others, the machine moves alike.

`REDMAX_LINKAGES` sets how many random linkages are tried: 300 for the whole of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest
from linkages import CLOSURES, linkage

from redmax_blender.engine import compile_scene, simulate
from redmax_blender.engine.model.state import Options, State

LINKAGES = int(os.environ.get("REDMAX_LINKAGES", "8"))
H, STEPS, EVERY = 1.0 / 240.0, 60, 6
USUAL = Options(h=H, integrator="euler-midway", sleep=False)
TIGHT = USUAL.with_(
    contact_tolerance=1e-10, contact_enough=0.0, friction_tolerance=1e-10, friction_enough=1e-10,
    position_tolerance=1e-10,
)  # fmt: skip


def states(seed: int) -> Iterator[State]:
    """Some of those that a linkage closed by as few rows as can be goes through."""
    model = compile_scene(linkage(seed, "planar"))
    for k, frame in enumerate(simulate(model, USUAL, end=STEPS * H)):
        if k % EVERY == 0:
            yield frame.state


def stepped(seed: int, closure: str, before: State, options: Options) -> State:
    *_, frame = simulate(compile_scene(linkage(seed, closure)), options, end=before.t + H, state=before)
    return frame.state


def apart(seed: int, closure: str, options: Options) -> float:
    """How far velocities of the same step are apart [rad/s, m/s]."""
    most = 0.0
    for before in states(seed):
        one, other = (stepped(seed, each, before, options) for each in ("planar", closure))
        most = max(most, float(np.abs(one.qdot - other.qdot).max()))
    return most


@pytest.mark.timeout(max(600, 4 * LINKAGES))
@pytest.mark.parametrize("closure", [each for each in CLOSURES[1:] if each != "weld"])
def test_a_step_is_the_same_however_its_loop_is_closed(closure: str) -> None:
    """From the same states, at tight tolerances; linkages of three to five bars, some that stand on balls, with contact
    and friction."""
    off = [apart(seed, closure, TIGHT) for seed in range(LINKAGES)]
    bad = sum(each > 1e-5 for each in off)
    assert not bad, f"{bad} of {LINKAGES} differ, by up to {max(off):.2g} rad/s"


@pytest.mark.parametrize("closure", ["point", "hinge", "hinge twice"])
def test_a_step_is_the_same_at_default_options(closure: str) -> None:
    off = [apart(seed, closure, USUAL) for seed in range(LINKAGES)]
    bad = sum(each > 1e-3 for each in off)
    assert not bad, f"{bad} of {LINKAGES} differ, by up to {max(off):.2g} rad/s"


@pytest.mark.timeout(max(600, 4 * LINKAGES))
def test_a_bar_that_is_cut_and_welded_is_a_bar() -> None:
    """In the first eighth of a second, before contacts make little differences large."""
    off = []
    for seed in range(LINKAGES):
        ends = []
        for closure in ("planar", "weld"):
            model = compile_scene(linkage(seed, closure))
            *_, last = simulate(model, USUAL, end=30 * H)
            at = {name: pose for name, pose in zip(model.bodies.names, last.joint_pose)}
            ends.append(at)
        shared = [name for name in ends[0] if name in ends[1]]
        off.append(max(float(np.abs(ends[0][name][9:] - ends[1][name][9:]).max()) for name in shared))
    bad = sum(each > 1e-4 for each in off)
    assert not bad, f"{bad} of {LINKAGES} differ, by up to {max(off):.2g} m"
