"""What each feature costs beside a falling figure, and plain chains against MuJoCo.

The figure of thirty capsules that falls onto a plane (`ragdoll_rivals.py`), kept awake, with one thing added, and with
one thing and friction inside its joints; the price is the processor's time over that of the bare fall in the same run.
Falls are chaotic, so that one with a feature is another fall: what is reported is the mean over several starts. Plain
chains are hinges with and without springs, without friction and contact, against MuJoCo's `mj_step` with
`implicitfast`. Steps are taken in frames of ten, one call each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import mujoco
import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Constant,
    Cuboid,
    Field,
    Guide,
    JointSpec,
    LoopDistance,
    Motor,
    Plane,
    Point,
    PointForce,
    Pose,
    PrescribedPoint,
    Revolute,
    SceneSpec,
    SelfCollision,
    Sine,
    Spring,
    Switch,
    TimeSpec,
    Wind,
)
from redmax_blender.engine.shots.figure import figure

from .mujoco_tree import mujoco_spec
from .ragdoll_rivals import MU, RUBBING, SKIN, STARTS
from .timing import Row, row, take

BENCH = "features"
H = 1.0 / 240.0
SECONDS, FRAME = 1.0, 10
"""Of a fall [s], and steps of a frame."""
HANDS = Point((0.0, 0.0, 0.0), "hand.L"), Point((0.0, 0.0, 0.0), "hand.R")
Change = Callable[[SceneSpec], None]


def scene(start: list[float], rubs: bool) -> SceneSpec:
    bodies = figure(RUBBING if rubs else SKIN, start)
    ground = ColliderSpec(name="ground", shape=Plane(), friction=MU)
    return SceneSpec(bodies=bodies, colliders=[ground], self_collision=SelfCollision())


def _each_hinge(spec: SceneSpec, change: Callable[[JointSpec, int], JointSpec]) -> None:
    for body in spec.bodies[1:]:
        joint = body.joint
        n = len(joint.type.joints) if hasattr(joint.type, "joints") else 1
        body.joint = change(joint, n)


def guided(spec: SceneSpec) -> None:
    """Joints guided towards the pose in which the figure starts."""
    _each_hinge(
        spec,
        lambda j, n: replace_spec(
            j, motion=[Constant(0.0)] * n, modes=[Switch(-1.0, "guided")], guide=Guide(response=0.2)
        ),
    )


def released(spec: SceneSpec) -> None:
    """Joints keyed, and released at 0.3 s."""
    _each_hinge(spec, lambda j, n: replace_spec(j, motion=[Constant(0.0)] * n, modes=[Switch(0.3, "free")]))


def wakes(spec: SceneSpec) -> None:
    """Joints keyed, and released by the impact."""
    _each_hinge(spec, lambda j, n: replace_spec(j, motion=[Constant(0.0)] * n, wake=1.0))


def platform(spec: SceneSpec) -> None:
    """The ground moves to and fro."""
    still = Constant(0.0)
    spec.colliders = [
        replace_spec(spec.colliders[0], motion=[Sine(0.05, 1.0), still, still, still, still, still])
    ]


def led(spec: SceneSpec) -> None:
    """A point of the head guided by an empty."""
    spec.constraints.append(
        PrescribedPoint(
            Point((0.0, 0.0, 0.0), "head"), [Sine(0.2, 0.5), Constant(0.0), Constant(1.5)],
            modes=[Switch(-1.0, "guided")], guide=Guide(response=0.3),
        )
    )  # fmt: skip


def pull(spec: SceneSpec) -> None:
    """A pull on the pelvis."""
    spec.forces.append(PointForce("pelvis", force=[Constant(50.0), None, None]))


def motor(spec: SceneSpec) -> None:
    """A motor in one joint."""
    body = next(b for b in spec.bodies if b.name == "forearm.L")
    body.joint = replace_spec(body.joint, motors=[Motor(Constant(1.0), 5.0)])


def rod(spec: SceneSpec) -> None:
    """A rod between the hands."""
    spec.constraints.append(LoopDistance(*HANDS))


def rope(spec: SceneSpec) -> None:
    """A rope between the hands, longer than their distance at first."""
    spec.constraints.append(LoopDistance(*HANDS, length=1.6, sense="at-most"))


def wind(spec: SceneSpec) -> None:
    spec.forces.append(Wind([Constant(3.0), None, None], linear=0.5, quadratic=0.2))


def fields(spec: SceneSpec) -> None:
    """A vortex that draws in, and gusts, on every body."""
    at = Pose((0.5, 0.2, 0.3))
    spec.forces.append(Field("vortex", at, strength=3.0, power=1.0))
    spec.forces.append(Field("force", at, strength=-3.0, power=1.0))
    spec.forces.append(Field("turbulence", at, strength=5.0, size=0.5))


def spring(spec: SceneSpec) -> None:
    """One spring between the hands."""
    spec.forces.append(Spring(list(HANDS), stiffness=200.0, damping=2.0))


def replace_spec(joint, **changes):
    import msgspec

    return msgspec.structs.replace(joint, **changes)


FEATURES: dict[str, Change] = {
    "nothing": lambda spec: None,
    "joints guided": guided,
    "keyed, released at 0.3 s": released,
    "wake on impact": wakes,
    "a moving platform": platform,
    "a point guided": led,
    "a pull on the pelvis": pull,
    "a motor in a joint": motor,
    "a rod between two hands": rod,
    "a rope between two hands": rope,
    "wind": wind,
    "three force fields": fields,
    "a spring between bodies": spring,
}


def seconds_of(model: Model) -> float:
    """Processor time of a second of a fall [s], in frames; kernels are compiled already."""
    steps = euler(model, model.initial_state(), Options(h=H, sleep=False))
    begin = time.process_time()
    for _ in range(round(SECONDS / (FRAME * H))):
        take(steps, FRAME)
    return (time.process_time() - begin) / SECONDS


def falls(change: Change, rubs: bool, starts: int) -> float:
    """Mean over several starts."""
    models = []
    for start in STARTS[:starts]:
        spec = scene(start, rubs)
        change(spec)
        models.append(compile_scene(spec))
    for model in models:  # a fall of its own may be the first to need a kernel
        seconds_of(model)
    return sum(map(seconds_of, models)) / len(models)


def chain(links: int, stiffness: float) -> Model:
    """A strand of hinges whose axes cross one another, let go from the horizontal."""
    bodies = []
    for i in range(links):
        axis = (0.0, 1.0, 0.0) if i % 2 == 0 else (0.0, 0.0, 1.0)
        at = (0.0, 0.0, 0.0) if i == 0 else (0.1, 0.0, 0.0)
        bodies.append(
            BodySpec(
                name=f"link.{i}",
                parent=f"link.{i - 1}" if i else None,
                shape=Cuboid((0.1, 0.02, 0.02)),
                pose=Pose((0.05, 0.0, 0.0)),
                joint=JointSpec(
                    type=Revolute(axis), frame=Pose(at), stiffness=stiffness, rest=0.0, damping=1e-4
                ),
            )
        )
    return compile_scene(SceneSpec(bodies=bodies, time=TimeSpec(end=1.0, step=H)))


def chain_rival(model: Model) -> Callable[[], None]:
    spec = mujoco_spec(model)
    spec.option.timestep = H
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for k, joint in enumerate(spec.joints):
        joint.stiffness = [float(model.joints.stiffness[k]), 0.0, 0.0]
        joint.damping = [float(model.joints.damping[k]), 0.0, 0.0]
    rival = spec.compile()
    data = mujoco.MjData(rival)
    return partial(mujoco.mj_step, rival, data, FRAME)


def chains() -> Iterator[Row]:
    for links in (5, 10, 30, 100, 300):
        for stiffness in (0.0, 0.05):
            model = chain(links, stiffness)
            steps = euler(model, model.initial_state(), Options(h=H))
            rival = chain_rival(model)
            best = [np.inf, np.inf]
            for turn in range(7):
                for which, call in enumerate((partial(take, steps, FRAME), rival)):
                    if turn == 0:
                        call()
                    frames = max(2, 200 // links)
                    begin = time.process_time()
                    for _ in range(frames):
                        call()
                    best[which] = min(best[which], (time.process_time() - begin) / (frames * FRAME))
            case = "plain chain" + (", joint springs" if stiffness else "")
            yield row(BENCH, case, links, best[0], "MuJoCo mj_step", best[1])


def rows(starts: int = 3) -> Iterator[Row]:
    yield from chains()
    bare = falls(FEATURES["nothing"], False, starts)
    for rubs in (False, True):
        for name, change in FEATURES.items():
            took = bare if name == "nothing" and not rubs else falls(change, rubs, starts)
            case = name + (", joint friction" if rubs else "")
            yield row(BENCH, case, 30, took, "bare fall", bare, note=f"{took / bare:.2f} times the bare fall")
