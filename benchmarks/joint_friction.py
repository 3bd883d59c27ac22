"""Dry friction in a chain of hinges: against Staggered Projections in maximal coordinates, MuJoCo and PyBullet.

Both of the first start each step from one state and have to find the same velocities. The time of the rival is that of
its solver alone: its rows are given. MuJoCo's `frictionloss` and PyBullet's motors are a given torque and not one that
follows the load; they are here for their speed. The rivals' settings are those of `linkages.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.shots.chains import Chains, spec
from redmax_blender.engine.tree.jacobian import dense_jacobian
from redmax_blender.engine.tree.kinematics import forward_kinematics

from .linkages import in_mujoco, in_pybullet, ours
from .loops import measure
from .staggered_maximal import POINTS, prepare, solve_maximal
from .timing import Row, row

BENCH = "joint friction"
H = 1.0 / 240.0
TOLERANCE = 1e-5


def one_chain(links: int) -> Model:
    scene = spec(Chains(links=links))
    scene.bodies = scene.bodies[:links]
    return compile_scene(scene)


def with_points(model: Model) -> Model:
    """The same with the load of each pin on the rival's points, and not spread evenly."""
    return replace(model, friction=replace(model.friction, rubs=replace(model.friction.rubs, points=POINTS)))


def compare(links: int, steps: int) -> Row:
    model = with_points(one_chain(links))
    run = euler(model, model.initial_state(), Options(h=H, friction_tolerance=TOLERANCE))
    next(run)
    mine = theirs = worst = 0.0
    rounds, iterations, lost = [], [], 0
    for _ in range(steps):
        state = run.state
        begin = time.process_time()
        end = next(run)
        mine += time.process_time() - begin
        rounds.append(run.memory.report.dry.rounds)
        given = prepare(model, state, H)
        begin = time.process_time()
        found = solve_maximal(given, TOLERANCE)
        theirs += time.process_time() - begin
        iterations.append(found.iterations)
        lost += not found.settled
        J = dense_jacobian(model, forward_kinematics(model, state))
        v = J @ end.qdot
        if found.settled:
            worst = max(worst, float(np.abs(found.v - v).max() / max(np.abs(v).max(), 0.1)))
    note = (
        f"{np.mean(rounds):.1f} rounds against {np.mean(iterations):.0f}; velocities within {worst:.1e}; "
        f"{lost} of {steps} steps of the rival do not settle"
    )
    return row(BENCH, "a step", links, mine / steps, "SP, maximal", theirs / steps, note)


def against_rivals(links: int, seconds: float) -> Iterator[Row]:
    """Whole frames of ten steps each, in turns."""
    makers = {"ours": ours, "MuJoCo": in_mujoco, "PyBullet": in_pybullet}
    found = measure(makers, one_chain(links), seconds)
    mine = found.pop("ours")[0]
    for name, (theirs, _) in found.items():
        yield row(BENCH, "a step", links, mine * H, f"{name}, constant loss", theirs * H)


def rows() -> Iterator[Row]:
    for links, steps in ((10, 60), (20, 10)):
        yield compare(links, steps)
    for links in (10, 30, 100):
        yield from against_rivals(links, 2.0)


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
