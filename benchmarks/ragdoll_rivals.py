"""A figure of thirty capsules falls onto a plane: the same bodies, joints, limits, damping and friction in MuJoCo.

The figure of the shot `ragdoll`, let go tilted in several ways, a metre above the ground; steps of 1/240 s, friction
0.6, self-collision as the shot has it. Falls are chaotic, and one takes several times as long to compute as another:
what is reported is the mean over all of them, the same ones for both. MuJoCo: Newton's solver, elliptic cones, implicit
damping (its `implicitfast` integrator), its default softness of contacts and limits; bodies next to each other do not
collide, and neither do those that overlap at the start. Ours is kept awake. Reported are the processor's time for a
second of the scene, on average and for the cheapest and the dearest fall, the deepest overlap, and how far a joint went
beyond its limits; and of ours how many Newton steps a step took, and how many steps were divided or took the general
route. Steps are taken in frames of ten, one call each.

The same falls with friction inside the joints: ours is that of the shot, a pin of half the segment's radius with a
coefficient of 0.2, which follows the load of the joint. MuJoCo's `frictionloss` knows no load. It is set to what the
joint has when it carries everything beyond it at rest, (4/π) μ r m g.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import pi, radians

import mujoco
import numpy as np

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import ColliderSpec, Plane, SceneSpec, SelfCollision
from redmax_blender.engine.shots.figure import AXES, GRAVITY, MASS, SEGMENTS, Segment, Skin, figure
from redmax_blender.engine.step.taken import Taken

from .timing import Row, row, take

BENCH = "ragdoll"
H = 1.0 / 240.0
MU = 0.6
SKIN = Skin(friction=MU, joint_friction=0.0)
RUBBING = Skin(friction=MU)
Start = list[float]
"""Place of the pelvis [m] and rotation vector [rad]."""
PLACE = [0.0, 0.0, 1.92]
STARTS: list[Start] = [
    [*PLACE, 0.5, 0.2, 0.0],
    *([*PLACE, *turn] for turn in np.random.default_rng(1).uniform(-1.0, 1.0, (5, 3)).tolist()),
]
SECONDS, FRAME = 3.0, 10
"""Of a fall [s], and steps of a frame."""


def compiled(start: Start, skin: Skin = SKIN) -> Model:
    bodies = figure(skin, start)
    ground = ColliderSpec(name="ground", shape=Plane(), friction=MU)
    return compile_scene(SceneSpec(bodies=bodies, colliders=[ground], self_collision=SelfCollision()))


@dataclass
class Runner:
    advance: Callable[[int], None]
    overlap: Callable[[], float]
    beyond: Callable[[], float]
    """Farthest that a joint is beyond its limits [°]."""
    work: Callable[[], tuple[int, int, int]] = lambda: (0, 0, 0)
    """Newton steps of the last step, whether it was divided, and whether it took the general route."""


def ours(start: Start, skin: Skin = SKIN) -> Runner:
    model = compiled(start, skin)
    steps = euler(model, model.initial_state(), Options(h=H, sleep=False))
    limits = model.constraints.limits

    def overlap() -> float:
        dry = steps.memory.report.dry
        if dry is None or dry.contacts is None:
            return 0.0
        return max(0.0, -float(dry.contacts.gap.min(initial=0.0)))

    def beyond() -> float:
        gap = limits.side * (steps.state.q[limits.dof] - limits.bound)
        return float(np.degrees(max(0.0, -gap.min())))

    def work() -> tuple[int, int, int]:
        latest = steps.memory.latest
        if isinstance(latest, Taken):
            return latest.newton_steps, 0, 0
        return 0 if latest.dry is None else latest.dry.passes, int(latest.parts > 1), int(latest.parts == 1)

    return Runner(partial(take, steps), overlap, beyond, work)


def carried(name: str) -> float:
    """Mass of a segment and all that hangs on it [kg]."""
    names, mass, total = {name}, 0.0, sum(part.mass for part in SEGMENTS)
    for part in SEGMENTS:  # parents come first
        if part.name in names or part.parent in names:
            names.add(part.name)
            mass += MASS * part.mass / total
    return mass


def loss(part: Segment, skin: Skin) -> float:
    """Friction in a joint that carries all beyond it at rest [N·m]."""
    return 4.0 / pi * skin.joint_friction * 0.5 * part.radius * carried(part.name) * GRAVITY


def in_mujoco(start: Start, skin: Skin = SKIN) -> Runner:
    surfaces = compiled(start).contact
    assert surfaces is not None
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = H
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    rubs = {"friction": [MU, 0, 0], "condim": 3}
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[10, 10, 1], **rubs)
    made, at = {}, {part.name: np.array(part.joint) for part in SEGMENTS}
    for part, body in zip(SEGMENTS, figure(skin, start), strict=True):
        if part.parent is None:
            made[part.name] = spec.worldbody.add_body(name=part.name, pos=start[:3])
            made[part.name].quat = se3.quaternion(se3.exp_so3(np.array(start[3:])))
            made[part.name].add_freejoint()
        else:
            made[part.name] = made[part.parent].add_body(name=part.name, pos=at[part.name] - at[part.parent])
        for turn in part.turns:
            made[part.name].add_joint(
                type=mujoco.mjtJoint.mjJNT_HINGE,
                axis=AXES[turn.axis],
                limited=True,
                range=[radians(turn.low), radians(turn.high)],
                damping=body.joint.damping,
                frictionloss=loss(part, skin),
            )
        ends = [*(np.array(part.begin) - part.joint), *(np.array(part.end) - part.joint)]
        made[part.name].add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=ends, size=[part.radius, 0, 0], mass=body.mass, **rubs
        )
    for code in surfaces.apart.tolist():
        one, other = (surfaces.names[i] for i in divmod(code, len(surfaces.names)))
        if one in made and other in made:
            spec.add_exclude(bodyname1=one, bodyname2=other)
    model = spec.compile()
    data = mujoco.MjData(model)
    hinges = model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE

    def beyond() -> float:
        angle, low, high = data.qpos[model.jnt_qposadr[hinges]], *model.jnt_range[hinges].T
        return float(np.degrees(max(0.0, (low - angle).max(), (angle - high).max())))

    return Runner(
        lambda count: mujoco.mj_step(model, data, count),
        lambda: max(0.0, -float(data.contact.dist.min())) if data.ncon else 0.0,
        beyond,
    )


@dataclass
class Measured:
    """Of all falls."""

    spent: list[float]
    """Time for a second of each [s]."""
    overlap: float = 0.0
    """The deepest [m]."""
    beyond: float = 0.0
    """The farthest beyond a limit [°]."""
    newton: int = 0
    divided: int = 0
    general: int = 0
    steps: int = 0


def measure(make: Callable[[Start], Runner]) -> Measured:
    """Every fall twice: first to ask about each step, which may also have kernels compiled and loaded, then without a
    question in between, as they are used, to be timed."""
    out = Measured([])
    steps = round(SECONDS / H)
    for start in STARTS:
        runner = make(start)
        for _ in range(steps):
            runner.advance(1)
            newton, divided, general = runner.work()
            out.newton, out.divided, out.general = (
                out.newton + newton,
                out.divided + divided,
                out.general + general,
            )
            out.steps += 1
            out.overlap, out.beyond = max(out.overlap, runner.overlap()), max(out.beyond, runner.beyond())
    for start in STARTS:
        runner = make(start)
        begin = time.process_time()
        for _ in range(steps // FRAME):
            runner.advance(FRAME)
        out.spent.append((time.process_time() - begin) / SECONDS)
    return out


def compared(name: str, skin: Skin, remark: str) -> Row:
    mine, theirs = measure(partial(ours, skin=skin)), measure(partial(in_mujoco, skin=skin))
    note = (
        f"{remark}{len(STARTS)} falls, from {1e3 * min(mine.spent):.0f} to {1e3 * max(mine.spent):.0f} ms / "
        f"{1e3 * min(theirs.spent):.0f} to {1e3 * max(theirs.spent):.0f} ms; "
        f"overlap {mine.overlap:.1e} / {theirs.overlap:.1e} m, "
        f"beyond limits {mine.beyond:.2f} / {theirs.beyond:.2f}°; {mine.newton / mine.steps:.1f} Newton steps a step, "
        f"of {mine.steps} steps {mine.divided} divided and {mine.general} by the general route"
    )
    return row(
        BENCH,
        name,
        len(SEGMENTS),
        float(np.mean(mine.spent)),
        "MuJoCo",
        float(np.mean(theirs.spent)),
        note,
    )


def rows() -> Iterator[Row]:
    yield compared("falls, 1 s", SKIN, "")
    yield compared(
        "falls, joints rub, 1 s", RUBBING, "μ 0.2 in the joints / frictionloss (4/π) μ r m g, no load; "
    )


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
