"""Speed of a body with many muscles, against OpenSim on the same model and MuJoCo on an equivalent one.

    python benchmarks/muscle_speed.py MODEL.osim [--opensim PYTHON] [--end 0.2]

Prints processor time for a second of simulated time: ours with massless muscles and with half of the bodies' mass in
them; OpenSim's Manager at two accuracies, when an interpreter that has the package `opensim` is named; MuJoCo with a
spatial tendon and a muscle actuator for each muscle. MuJoCo's muscles have no elastic tendons, and joints that slide as
they turn stand still there. The last lines are tendons over cylinders alone: smooth paths here, exact ones there.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from msgspec.structs import replace

from redmax_blender.engine import compile_scene, simulate
from redmax_blender.engine.algebra.se3 import inverse, pose_matrix, quaternion
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.muscles import functions as fn
from redmax_blender.engine.muscles.measure import measure_all
from redmax_blender.engine.muscles.motion import follow_muscles
from redmax_blender.engine.muscles.moving_mass import share_masses
from redmax_blender.engine.muscles.opensim.model import OpenSimModel, read_model
from redmax_blender.engine.muscles.opensim.to_scene import to_scene
from redmax_blender.engine.muscles.records import WORLD
from redmax_blender.engine.shots.inertia import pendulums
from redmax_blender.engine.tree.kinematics import forward_kinematics

STEP = 2e-3
"""[s]"""
POINTS = 10
"""Mass points along a muscle."""
REPEATS = 3

_OPENSIM = """
import sys, time, opensim
opensim.Logger.setLevelString("Off")
model = opensim.Model(sys.argv[1])
model.setGravity(opensim.Vec3(0, 0, 0))
state = model.initSystem()
model.equilibrateMuscles(state)
for accuracy in (1e-2, 1e-3):
    best = 1e9
    for _ in range(3):
        manager = opensim.Manager(model)
        manager.setIntegratorAccuracy(accuracy)
        manager.initialize(state)
        begin = time.process_time()
        manager.integrate(float(sys.argv[2]))
        best = min(best, time.process_time() - begin)
    print(accuracy, best / float(sys.argv[2]))
"""


def ours(model: OpenSimModel, fraction: float, end: float) -> float:
    """Processor time for a second [s]."""
    if fraction > 0.0:
        skeleton, masses = share_masses(model.skeleton, model.muscles, fraction, POINTS)
        scene = to_scene(model, skeleton, masses).scene
    else:
        scene = to_scene(model).scene
    compiled = compile_scene(replace(scene, gravity=(0.0, 0.0, 0.0)))
    options = Options(h=STEP, integrator="euler-midway")
    list(simulate(compiled, options, end=5 * STEP))
    best = np.inf
    for _ in range(REPEATS):
        begin = time.process_time()
        frames = list(simulate(compiled, options, end=end, record=round(end / STEP)))
        best = min(best, time.process_time() - begin)
        assert np.isfinite(frames[-1].state.q).all()
    return float(best) / end


def equivalent(model: OpenSimModel) -> mujoco.MjModel:
    """The model in MuJoCo: hinges and slides for linear functions, sites for points, a muscle for each muscle."""
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = STEP, (0.0, 0.0, 0.0)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.compiler.degree, spec.compiler.balanceinertia = False, True
    skeleton = model.skeleton
    bodies, frames = {WORLD: spec.worldbody}, {WORLD: np.eye(4)}
    for joint in skeleton.joints:
        body = skeleton.bodies[joint.child]
        E = inverse(frames[joint.parent]) @ pose_matrix(joint.in_parent)
        made = bodies[joint.parent].add_body(name=body.name, pos=E[:3, 3], quat=quaternion(E[:3, :3]))
        for axes, kind in (
            (joint.slides, mujoco.mjtJoint.mjJNT_SLIDE),
            (joint.turns, mujoco.mjtJoint.mjJNT_HINGE),
        ):
            for axis in axes:
                for k, curve in axis.terms:
                    if isinstance(fn.plain(curve), fn.Linear):
                        name = f"{skeleton.coordinates[k].name}.{len(spec.joints)}"
                        made.add_joint(name=name, type=kind, axis=axis.direction)
        frames[joint.child], bodies[joint.child] = pose_matrix(joint.in_child), made
        to = inverse(frames[joint.child])
        made.mass, made.explicitinertial = max(body.mass, 1e-4), True
        made.ipos = to[:3, :3] @ np.array(body.centre) + to[:3, 3]
        moments, turn = np.linalg.eigh(to[:3, :3] @ body.inertia @ to[:3, :3].T)
        turn[:, 0] *= np.linalg.det(turn)
        made.inertia, made.iquat = np.maximum(moments, 1e-6), quaternion(turn)
    found = measure_all(skeleton, [muscle.path for muscle in model.muscles], skeleton.default())
    muscle_length = {name: measured.length for name, measured in found.items()}
    spec.compiler.LRopt.mode = (
        mujoco.mjtLRMode.mjLRMODE_NONE
    )  # else it looks for lengths by simulations, for minutes
    for muscle in model.muscles:
        tendon = spec.add_tendon(name=muscle.name)
        for i, point in enumerate(muscle.path.points):
            to = inverse(frames[point.frame])
            x = to[:3, :3] @ np.array(point.location) + to[:3, 3]
            site = bodies[point.frame].add_site(name=f"{muscle.name}.{i}", pos=x)
            tendon.wrap_site(site.name)
        actuator = spec.add_actuator(name=muscle.name, target=muscle.name, trntype=mujoco.mjtTrn.mjTRN_TENDON)
        actuator.lengthrange = np.array([0.5, 1.2]) * muscle_length[muscle.name]
        actuator.set_to_muscle(timeconst=[0.01, 0.04], tausmooth=0.0, range=[0.75, 1.05],
                               force=muscle.max_isometric_force, scale=200.0, lmin=0.5, lmax=1.6, vmax=1.5,
                               fpmax=1.3, fvmax=1.2)  # fmt: skip
    return spec.compile()


def mujocos(model: OpenSimModel, end: float) -> float:
    made = equivalent(model)
    data = mujoco.MjData(made)
    data.ctrl[:] = 0.05
    count = max(200, round(end / STEP))
    best = np.inf
    for _ in range(REPEATS):
        mujoco.mj_resetData(made, data)
        begin = time.process_time()
        mujoco.mj_step(made, data, count)
        best = min(best, time.process_time() - begin)
    return float(best) / (count * STEP)


def opensims(python: Path, path: Path, end: float) -> list[str]:
    done = subprocess.run(
        [python, "-c", _OPENSIM, str(path), str(end)], capture_output=True, text=True, timeout=600, check=True
    )
    return done.stdout.splitlines()


def wrapping(count: int = 40) -> tuple[float, float]:
    """Tendons over cylinders at the elbows of double pendulums: ours and MuJoCo's time for all [s]."""
    scene = pendulums.spec(count)
    for muscle in scene.muscles:
        muscle.mass, muscle.rounding = 0.0, None
    compiled = compile_scene(scene)
    state = compiled.initial_state()
    turning = 0.02

    def follow(k: int) -> None:
        state.q[1::2] = pendulums.START[1] + turning * np.sin(0.1 * k)
        follow_muscles(compiled, state, forward_kinematics(compiled, state))

    xml = ['<mujoco><option gravity="0 0 -9.81"/><worldbody>']
    tendons = []
    L = pendulums.LENGTH
    for k in range(count):
        radius = 0.025 + 0.025 * k / max(count - 1, 1)
        a, b = (p.position for p in scene.muscles[k].points)
        xml.append(
            f'<body pos="0 {k} 0"><joint axis="0 -1 0"/><geom size=".01" fromto="0 0 0 {L} 0 0" type="capsule"/>'
            f'<geom name="w{k}" type="cylinder" size="{radius} .1" pos="{L} 0 0" zaxis="0 -1 0"/>'
            f'<site name="a{k}" pos="{a[2] + 0.5 * L} {a[1]} {-a[0]}"/><site name="s{k}" pos="{L} 0 {2 * radius}"/>'
            f'<body pos="{L} 0 0"><joint name="e{k}" axis="0 -1 0"/><geom size=".01" fromto="0 0 0 {L} 0 0" '
            f'type="capsule"/><site name="b{k}" pos="{b[2] + 0.5 * L} {b[1]} {-b[0]}"/></body></body>'
        )
        tendons.append(
            f'<spatial><site site="a{k}"/><geom geom="w{k}" sidesite="s{k}"/><site site="b{k}"/></spatial>'
        )
    xml += ["</worldbody><tendon>", *tendons, "</tendon></mujoco>"]
    other = mujoco.MjModel.from_xml_string("".join(xml))
    data = mujoco.MjData(other)

    def theirs(k: int) -> None:
        data.qpos[1::2] = pendulums.START[1] + turning * np.sin(0.1 * k)
        mujoco.mj_kinematics(other, data)
        mujoco.mj_comPos(other, data)
        mujoco.mj_tendon(other, data)

    return _best(follow), _best(theirs)


def _best(call: Any, calls: int = 300) -> float:
    call(0)
    best = np.inf
    for _ in range(REPEATS):
        begin = time.process_time()
        for k in range(calls):
            call(k)
        best = min(best, time.process_time() - begin)
    return float(best) / calls


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--opensim", type=Path, help="an interpreter that has the package opensim")
    parser.add_argument("--end", type=float, default=0.2, help="how much is simulated [s]")
    args = parser.parse_args()
    model = read_model(args.model)
    print(f"{model.name}: {len(model.muscles)} muscles, {len(model.skeleton.coordinates)} coordinates")
    bare = ours(model, 0.0, args.end)
    print(
        f"ours, massless            {bare:8.3f} s a second, {bare * STEP * 1e3:.3f} ms a step of {STEP * 1e3:g} ms"
    )
    heavy = ours(model, 0.5, args.end)
    print(f"ours, mass in muscles     {heavy:8.3f} s a second, {heavy / bare:.2f} of that")
    if args.opensim is not None:
        for line in opensims(args.opensim, args.model, args.end):
            accuracy, seconds = line.split()
            print(
                f"OpenSim, accuracy {accuracy:7} {float(seconds):8.3f} s a second, {float(seconds) / bare:.1f} of ours"
            )
    theirs = mujocos(model, args.end)
    print(f"MuJoCo, rigid tendons     {theirs:8.3f} s a second, {theirs / bare:.3f} of ours")
    mine, exact = wrapping()
    print(
        f"40 tendons over cylinders: ours {mine * 1e6:.0f} us, MuJoCo {exact * 1e6:.0f} us, {mine / exact:.1f} times"
    )


if __name__ == "__main__":
    main()
