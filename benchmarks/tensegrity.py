"""Five sticks and fifteen rubber strings that snap together, and the same in MuJoCo with spatial tendons.

MuJoCo takes the longest step, ours the loosest tolerance of the adaptive integrator, with which the sticks are nowhere
farther than a centimetre, a thousandth of a stick, from where the adaptive integrator at 1e-10 has them at any tenth of
the first second. Both then simulate 8 s.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import mujoco
import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.simulate import scene_options, simulate
from redmax_blender.engine.scene import SceneSpec, Spring
from redmax_blender.engine.shots.tensegrity import REST, tensegrity

from .table2 import in_one_thread, print_rows
from .timing import Row, race, row

BENCH = "tensegrity"
STEPS = (0.02, 0.01, 0.005, 0.0025, 0.001, 0.0005, 0.0002, 0.0001)
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
NEAR = 0.01
"""[m]"""
END = 8.0
"""[s]"""
SIDES = (10.0, 1.0, 0.5)
"""Of a stick of 1 kg [m]."""
THESIS = ((20.0, 10.0, 156.0), (20.0, 1.0, 125.0), (40.0, 10.0, 361.0), (40.0, 1.0, 285.0))
"""Stiffness, damping, and the time that it took in 1991 [s], the best of two accuracies."""
LOOKED_AT = 10
"""Tenths of a second at which they are compared."""


def adaptive(spec: SceneSpec, tolerance: float) -> Options:
    return replace(
        scene_options(spec), integrator="rk-recursive", h=0.1, rtol=tolerance, atol=0.01 * tolerance
    )


def ours(spec: SceneSpec, tolerance: float) -> list[Floats]:
    """Places of the sticks at tenths of a second [m], shape (5, 3) each."""
    frames = simulate(compile_scene(spec), adaptive(spec, tolerance), end=0.1 * LOOKED_AT)
    return [frame.joint_pose[:, 9:] for frame in frames]


def rival(spec: SceneSpec, step: float) -> mujoco.MjModel:
    """The same for MuJoCo, its tendons slack below their length."""
    moments = [(np.dot(SIDES, SIDES) - side * side) / 12.0 for side in SIDES]
    sites: dict[str, list[str]] = {body.name: [] for body in spec.bodies}
    tendons = []
    for i, string in enumerate(s for s in spec.forces if isinstance(s, Spring)):
        for k, point in enumerate(string.points):
            x = " ".join(map(str, point.position))
            sites[str(point.body)].append(f'<site name="s{i}{k}" pos="{x}"/>')
        tendons.append(
            f'<spatial springlength="0 {REST}" stiffness="{string.stiffness}">'
            f'<site site="s{i}0"/><site site="s{i}1"/></spatial>'
        )
    bodies = "".join(
        f'<body pos="{" ".join(map(str, b.joint.frame.position))}" '
        f'quat="{" ".join(map(str, b.joint.frame.rotation))}"><joint type="free" damping="{b.damping}"/>'
        f'<inertial pos="0 0 0" mass="1" diaginertia="{" ".join(map(str, moments))}"/>'
        f"{''.join(sites[b.name])}</body>"
        for b in spec.bodies
    )
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" gravity="0 0 0" integrator="implicitfast"/>'
        f"<worldbody>{bodies}</worldbody><tendon>{''.join(tendons)}</tendon></mujoco>"
    )


def rivals_places(spec: SceneSpec, step: float) -> list[Floats]:
    model = rival(spec, step)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found = [data.xpos[1:].copy()]
    for _ in range(LOOKED_AT):
        mujoco.mj_step(model, data, round(0.1 / step))
        mujoco.mj_kinematics(model, data)
        found.append(data.xpos[1:].copy())
    return found


def off(found: list[Floats], wanted: list[Floats]) -> float:
    """[m]"""
    return max(float(np.abs(a - b).max()) for a, b in zip(found, wanted, strict=True))


def rows() -> Iterator[Row]:
    yield from in_one_thread(f"{__package__}.tensegrity")


def first_near(
    find: Callable[[float], list[Floats]], choices: tuple[float, ...], wanted: list[Floats]
) -> tuple[float, float]:
    """The first choice that is near enough, and how far it is off [m]; the last one where none is."""
    for choice in choices:
        error = off(find(choice), wanted)
        if error < NEAR:
            break
    return choice, error


def _rows() -> Iterator[Row]:
    for stiffness, damping, thesis in THESIS:
        spec = tensegrity(stiffness, damping)
        wanted = ours(spec, 1e-10)
        tolerance, error = first_near(partial(ours, spec), TOLERANCES, wanted)
        h, error_rival = first_near(partial(rivals_places, spec), STEPS, wanted)
        model, options, other = compile_scene(spec), adaptive(spec, tolerance), rival(spec, h)
        calls = {"ours": partial(_run, model, options), "rival": partial(_run_rival, other, h)}
        times = race(calls, 0.3, clock=time.process_time)
        note = (
            f"tolerance {tolerance:g}, step {h:g} s, off by {1e3 * error:.2g} and {1e3 * error_rival:.2g} mm"
        )
        case = f"8 s, k {stiffness:g}, d {damping:g}"
        yield row(BENCH, case, 5, times["ours"], "MuJoCo", times["rival"], note)
        yield row(BENCH, case, 5, times["ours"], "the thesis", thesis)


def _run(model: Model, options: Options) -> None:
    for _ in simulate(model, options, end=END, record=10**9):
        pass


def _run_rival(model: mujoco.MjModel, step: float) -> None:
    mujoco.mj_step(model, mujoco.MjData(model), round(END / step))


if __name__ == "__main__":
    print_rows(_rows)
