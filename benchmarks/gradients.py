"""What gradients of whole runs cost: against the run itself, against central differences, and against MuJoCo.

    python benchmarks/gradients.py [--steps N] [--parameters N]

MuJoCo (a development dependency) does the same task by finite differences of its transitions (`mjd_transitionFD`) along
the run, chained by the adjoint; it is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from redmax_blender.engine.gradients.problem import Problem
from redmax_blender.engine.gradients.run import run
from redmax_blender.engine.scene import spec as sc
from redmax_blender.engine.scene import task as st


def arm(joints: int, steps: int, parameters: int, integrator: str) -> sc.SceneSpec:
    """A chain of capsules with torques as curves in its joints, whose end is to be at a point at the end."""
    bodies = [
        sc.BodySpec(
            name=f"b{i}",
            parent=f"b{i - 1}" if i else None,
            shape=sc.Capsule(radius=0.04, height=0.22),
            pose=sc.Pose(position=(0.0, 0.0, -0.15)),
            joint=sc.JointSpec(
                type=sc.Universal() if i % 2 else sc.Revolute((0.0, 1.0, 0.0)),
                frame=sc.Pose(position=(0.0, 0.0, -0.3 if i else 0.0)),
                damping=0.05,
                stiffness=0.5,
            ),
        )
        for i in range(joints)
    ]
    each = max(parameters // joints, 2)
    end = 0.005 * steps
    knots = [end * k / (each - 1) for k in range(each)]
    return sc.SceneSpec(
        bodies=bodies,
        integrator=integrator,
        time=sc.TimeSpec(end=end, step=0.005),
        task=st.TaskSpec(
            parameters=[
                st.TorqueParameter(joint=body.name, coordinates=[0], times=knots, scale=1.0)
                for body in bodies
            ],
            objectives=[
                st.PointGoal(body=bodies[-1].name, target=[0.5, 0.2, -0.5]),
                st.EffortGoal(weight=1e-3),
            ],
        ),
    )


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    work()
    best = np.inf
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def row(joints: int, steps: int, parameters: int, integrator: str) -> None:
    problem = Problem(arm(joints, steps, parameters, integrator))
    x = problem.parameters.initial
    objective = problem._objective(x)
    forward = seconds(lambda: run(objective.model, problem.options, problem.steps, keep_starts=False))
    gradient = seconds(lambda: problem.evaluate(x))
    differences = 2 * len(x) * seconds(lambda: problem.objective(x), 1)
    error = ""
    if len(x) <= 20 and steps <= 200:
        exact = problem.evaluate(x).gradient
        error = f"{np.abs(exact - problem.differences(x)).max() / np.abs(exact).max():.1e}"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    print(
        f"{integrator:8} {joints:3} joints {steps:6} steps {len(x):4} parameters: run {1e3 * forward:8.1f} ms, "
        f"gradient {1e3 * gradient:8.1f} ms ({gradient / forward:5.2f} runs), "
        f"differences {differences / gradient:6.1f} times as long, off {error or '-':8} {memory:5.0f} MB",
        flush=True,
    )


def mujoco_row(joints: int, steps: int, parameters: int) -> None:
    """The same chain in MuJoCo: the run, and its gradient through `mjd_transitionFD` at every step."""
    try:
        import mujoco
    except ImportError:
        print("MuJoCo is not installed")
        return
    inner = "<site name='hand' pos='0 0 -0.3'/>"
    for i in reversed(range(joints)):
        hinges = "<joint axis='1 0 0' damping='0.05' stiffness='0.5'/>" if i % 2 else ""
        inner = (
            f"<body pos='0 0 {-0.3 if i else 0.0}'>{hinges}<joint name='j{i}' axis='0 1 0' damping='0.05' "
            f"stiffness='0.5'/><geom type='capsule' size='0.04 0.11' pos='0 0 -0.15' contype='0' conaffinity='0'/>"
            f"{inner}</body>"
        )
    motors = "".join(f"<motor joint='j{i}'/>" for i in range(joints))
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option timestep='0.005' integrator='implicit'/><worldbody>{inner}</worldbody>"
        f"<actuator>{motors}</actuator></mujoco>"
    )
    n = 2 * model.nv + model.na

    def forward() -> None:
        data = mujoco.MjData(model)
        for _ in range(steps):
            mujoco.mj_step(model, data)

    def gradient() -> None:
        data = mujoco.MjData(model)
        A, B = np.zeros((n, n)), np.zeros((n, model.nu))
        stored = []
        for _ in range(steps):
            mujoco.mjd_transitionFD(model, data, 1e-6, True, A, B, None, None)
            stored.append((A.copy(), B.copy()))
            mujoco.mj_step(model, data)
        bar, out = np.ones(n), np.zeros(model.nu)
        for a, b in reversed(stored):
            out += b.T @ bar
            bar = a.T @ bar

    one, all_ = seconds(forward), seconds(gradient)
    print(
        f"MuJoCo   {joints:3} joints {steps:6} steps {parameters:4} parameters: run {1e3 * one:8.1f} ms, gradient "
        f"{1e3 * all_:8.1f} ms ({all_ / one:5.2f} runs), by finite differences of the transitions"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--long", action="store_true", help="ten thousand steps as well")
    arguments = parser.parse_args()
    for integrator in ("bdf1", "bdf2", "sdirk2", "euler"):
        for joints, parameters in ((2, 20), (10, 20), (20, 100)):
            row(joints, arguments.steps, parameters, integrator)
    for joints, parameters in ((2, 20), (10, 20), (20, 100)):
        mujoco_row(joints, arguments.steps, parameters)
    if arguments.long:
        row(20, 10_000, 100, "bdf2")


if __name__ == "__main__":
    main()
