"""What hybrid control of characters needs: moving bases, guides by response times, joints that tumble while let go,
and runs that are taken up again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mechanisms import end_of, rod
from small_scenes import pendulum

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.integrators import INTEGRATORS
from redmax_blender.engine.model.records import Floats
from redmax_blender.engine.run.checkpoint import Checkpoint
from redmax_blender.engine.run.simulate import Frame, scene_options, simulate
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    CompositeJoint,
    Constant,
    Cuboid,
    Curve,
    Free,
    Guide,
    JointFriction,
    JointSpec,
    Limits,
    Plane,
    Polynomial,
    Pose,
    PrescribedPoint,
    Revolute,
    SceneSpec,
    Sine,
    Sphere,
    Spherical,
    Surface,
    Switch,
    TimeSpec,
)
from redmax_blender.engine.scene.file import decode_scene, encode_scene

SWAY: list[Any] = [
    Sine(amplitude=0.2, frequency=0.7),
    None,
    Polynomial([0.0, 0.1, 0.3]),
    Sine(amplitude=0.4, frequency=0.5),
    None,
    Polynomial([0.0, 0.5]),
]


def run(spec: SceneSpec) -> list[Frame]:
    model = compile_scene(spec)
    return list(simulate(model, scene_options(spec), end=spec.time.end, record=spec.time.record))


def arm(joint: JointSpec, **time: Any) -> SceneSpec:
    lower = rod("lower", 0.4, "upper", (0.5, 0.0, 0.0), 0.3, damping=0.1)
    upper = BodySpec(
        name="upper", shape=Cuboid(sides=(0.5, 0.1, 0.1)), pose=Pose(position=(0.25, 0.0, 0.0)), joint=joint
    )
    return SceneSpec(
        bodies=[upper, lower], time=TimeSpec(**({"end": 1.0, "step": 1 / 480, "record": 10} | time))
    )


# A joint on a moving base ------------------------------------------------------------------------------------------


def test_a_joint_on_a_moving_base_is_a_composite_that_follows_it() -> None:
    """Two routes: `base`, and a composite of a free joint with six motions and the joint itself."""
    frame = Pose(position=(0.1, 0.2, 0.3), rotation=[0.3, -0.2, 0.5])
    hinge = Revolute(axis=(0.0, 1.0, 0.0))
    moved = [curve or Constant(0.0) for curve in SWAY]
    a = arm(JointSpec(type=hinge, frame=frame, base=SWAY, q=0.4, damping=0.2, stiffness=1.0, rest=0.0))
    b = arm(
        JointSpec(
            type=CompositeJoint(joints=[Free(), hinge]),
            frame=frame,
            motion=[*moved, None],
            q=[0.0] * 6 + [0.4],
            damping=[0.0] * 6 + [0.2],
            stiffness=[0.0] * 6 + [1.0],
            rest=[0.0] * 7,
        )
    )
    for mine, other in zip(run(a), run(b), strict=True):
        np.testing.assert_allclose(mine.joint_pose, other.joint_pose, atol=1e-12)


def test_a_base_is_followed_to_the_last_digit_in_every_mode() -> None:
    """A ball on a moving base that is prescribed, guided and free in turn sits where the base is."""
    frame = Pose(position=(0.1, 0.2, 0.3), rotation=[0.3, -0.2, 0.5])
    modes = [Switch(time=0.3, mode="guided"), Switch(time=0.6, mode="free")]
    motion: list[Any] = [Sine(amplitude=0.3, frequency=1.0), Constant(0.1), Constant(0.0)]
    spec = arm(
        JointSpec(
            type=Spherical(), frame=frame, base=SWAY, motion=motion, modes=modes, guide=Guide(response=0.05)
        )
    )
    R = se3.exp_so3(np.array([0.3, -0.2, 0.5]))
    for f in run(spec):
        t = f.state.t
        away = np.array([0.2 * np.sin(2.0 * np.pi * 0.7 * t), 0.0, 0.1 * t + 0.3 * t * t])
        np.testing.assert_allclose(f.joint_pose[0, 9:], np.array([0.1, 0.2, 0.3]) + R @ away, atol=1e-12)


def test_limits_and_friction_belong_to_the_joint_and_not_to_its_base() -> None:
    joint = JointSpec(type=Revolute(axis=(0.0, 1.0, 0.0)), base=SWAY, limits=Limits(lower=-0.2, upper=0.2))
    spec = arm(joint)
    spec.bodies[0].joint.friction = JointFriction(coefficient=0.3, radius=0.02, height=0.05)
    model = compile_scene(spec)
    (begin, end), _ = model.joints.dof.tolist()
    assert (begin, end) == (6, 7)
    assert set(model.constraints.limits.dof.tolist()) == {6}
    assert [model.joint_of(i) for i in range(8)] == ["upper"] * 7 + ["lower"]
    assert max(abs(f.state.q[6]) for f in run(spec)) < 0.2 + 1e-9


def test_a_base_needs_six_curves() -> None:
    with pytest.raises(SceneError, match=r"base.*4 curves"):
        compile_scene(arm(JointSpec(base=SWAY[:4])))
    spec = arm(JointSpec(type=Revolute(), base=SWAY))
    assert decode_scene(encode_scene(spec)) == spec


# Guides by response times ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("response", [0.02, 0.1])
def test_a_guide_closes_a_gap_in_its_time_whatever_it_moves(response: float) -> None:
    """Ten kilograms or ten grams, straight or folded: after five response times a tenth of the gap is left at most."""
    left = []
    for density in (10.0, 1e4):
        for fold in (0.0, 2.5):
            joint = JointSpec(
                type=Revolute(axis=(0.0, 1.0, 0.0)),
                q=0.5,
                motion=[Constant(0.0)],
                modes=[Switch(time=-1.0, mode="guided")],
                guide=Guide(response=response),
            )
            spec = arm(joint, end=5.0 * response, step=response / 100.0, record=500)
            spec.gravity = (0.0, 0.0, 0.0)
            for body in spec.bodies:
                body.density, body.mass = density, None
            spec.bodies[1].joint = JointSpec(frame=Pose(position=(0.5, 0.0, 0.0), rotation=[0.0, fold, 0.0]))
            left.append(abs(run(spec)[-1].state.q[0]) / 0.5)
    assert max(left) < 0.1
    assert left[0] == pytest.approx(left[2], rel=1e-6)  # mass does not matter
    assert left[1] == pytest.approx(left[3], rel=1e-6)


def test_a_guided_point_closes_its_gap_too() -> None:
    for density in (10.0, 1e4):
        spec = arm(JointSpec(type=Spherical()), end=0.5, step=1 / 480, record=240)
        spec.gravity = (0.0, 0.0, 0.0)
        for body in spec.bodies:
            body.density, body.mass = density, None
        goal = np.array([0.6, 0.2, 0.3])
        spec.constraints = [
            PrescribedPoint(
                point=end_of(0.4, "lower"),
                path=[Constant(float(x)) for x in goal],
                modes=[Switch(time=-1.0, mode="guided")],
                guide=Guide(response=0.05),
            )
        ]
        pose = run(spec)[-1].joint_pose[1]
        tip = pose[9:] + pose[:9].reshape(3, 3) @ np.array([0.4, 0.0, 0.0])
        assert np.linalg.norm(tip - goal) < 0.02


@pytest.mark.parametrize(
    "guide",
    [
        {"response": 0.0},
        {"response": -1.0},
        {"response": 0.1, "ratio": -1.0},
        {"response": 0.1, "damping": 1.0},
    ],
)
def test_a_guide_has_a_response_or_gains(guide: dict[str, float]) -> None:
    spec = pendulum(motion=[Constant(0.0)], modes=[Switch(time=0.0, mode="guided")], guide=Guide(**guide))
    with pytest.raises(SceneError, match="guide"):
        compile_scene(spec)


# Tumbling while let go ---------------------------------------------------------------------------------------------

SPIN: list[Any] = [Constant(0.0)] * 3 + [
    Polynomial([0.0, 9.0]),
    Polynomial([0.0, 0.3]),
    Polynomial([0.0, 0.2]),
]


def thrown(modes: list[Switch], motion: bool = True) -> SceneSpec:
    """A block that spins about its middle axis and tumbles."""
    joint = JointSpec(type=Free(), qdot=[0.0, 0.0, 0.0, 9.0, 0.3, 0.2])
    if motion:
        joint.motion, joint.modes = SPIN, modes
    block = BodySpec(name="block", shape=Cuboid(sides=(0.1, 0.3, 0.5)), joint=joint)
    return SceneSpec(
        bodies=[block],
        gravity=(0.0, 0.0, 0.0),
        time=TimeSpec(end=4.0, step=1 / 960, record=40),
        integrator="euler-midway",
    )


def test_a_joint_that_was_let_go_tumbles_as_one_without_motion() -> None:
    """Through any number of turns: rotation vectors stay away from 2π, and energy is kept."""
    alone = run(thrown([], motion=False))
    let_go = run(thrown([Switch(time=-1.0, mode="free")]))
    for a, b in zip(alone, let_go, strict=True):
        np.testing.assert_allclose(a.body_pose, b.body_pose, atol=1e-9)
    energy = np.array([f.energy.sum() for f in let_go])
    np.testing.assert_allclose(energy, energy[0], rtol=1e-3)
    assert max(np.linalg.norm(f.state.q[3:]) for f in let_go) < 1.6 * np.pi


def test_a_joint_that_has_turned_comes_back_the_short_way() -> None:
    """After several turns it is taken back onto its curve, which by then is at many turns: without a jump, without
    unwinding, and on the curve in the end."""
    back = Switch(time=3.0, mode="prescribed", over=0.5)
    frames = run(thrown([Switch(time=0.1, mode="free"), back]))
    turns = [
        np.linalg.norm(se3.log_so3(a.joint_pose[0, :9].reshape(3, 3).T @ b.joint_pose[0, :9].reshape(3, 3)))
        for a, b in zip(frames[:-1], frames[1:], strict=True)
    ]
    assert max(turns) < 2.0 * 9.3 / 24.0  # no frame turns by more than twice what the spin does
    for f in frames:
        if f.state.t > 3.5 + 1e-9 or f.state.t < 0.1:
            wanted = se3.exp_so3(f.state.t * np.array([9.0, 0.3, 0.2]))
            np.testing.assert_allclose(f.joint_pose[0, :9].reshape(3, 3), wanted, atol=1e-9)


# Waking by a blow --------------------------------------------------------------------------------------------------


def struck(
    wake: float | None, back: float | None = None, mass: float = 0.5, bounce: float = 0.0
) -> SceneSpec:
    """A ball flies at a hanging arm whose two joints hold still by motions, and hits it at 0.4 s."""
    modes = [] if back is None else [Switch(time=back, mode="prescribed", over=0.2)]
    bodies = [
        rod("upper", 0.4, None, (0.0, 0.0, 0.0), np.pi / 2.0, motion=[Constant(0.0)], modes=modes),
        rod("lower", 0.4, "upper", (0.4, 0.0, 0.0), 0.0, motion=[Constant(0.0)], modes=modes),
    ]
    for body in bodies:
        body.surface, body.joint.wake, body.mass = Surface(), wake, 1.0
    ball = BodySpec(
        name="ball",
        shape=Sphere(radius=0.1),
        mass=mass,
        surface=Surface(restitution=bounce),
        joint=JointSpec(type=Free(), frame=Pose(position=(-1.8, 0.0, -0.6)), qdot=[4.0, 0, 0, 0, 0, 0]),
    )
    return SceneSpec(
        bodies=[*bodies, ball], gravity=(0.0, 0.0, 0.0), time=TimeSpec(end=1.2, step=1 / 480, record=20)
    )


def test_a_limb_is_unmoved_until_it_is_struck_and_then_gives_way() -> None:
    frames = run(struck(wake=0.2))
    moved = np.array([np.abs(f.state.q[:2]).max() for f in frames])
    t = np.array([f.state.t for f in frames])
    first = t[np.flatnonzero(moved > 0.0)[0]]
    assert 0.4 < first < 0.47  # frames are 1/24 s apart
    assert (moved[t < first] == 0.0).all()
    assert moved[-1] > 0.3
    momentum = frames[-1].state.qdot[2]
    assert momentum < 3.5  # the ball has lost speed to the arm, and not bounced back as from a wall
    assert momentum > -1.0


@pytest.mark.parametrize("wake", [None, 10.0])
def test_a_limb_that_is_not_to_wake_stays(wake: float | None) -> None:
    """The blow is about two newton seconds."""
    frames = run(struck(wake))
    assert max(np.abs(f.state.q[:2]).max() for f in frames) == 0.0
    assert frames[-1].state.qdot[2] < 0.5


def test_a_limb_that_woke_is_taken_back_by_its_next_switch() -> None:
    frames = run(
        struck(wake=0.2, back=0.8, mass=0.1, bounce=0.9)
    )  # the ball flies away: it would wake it again
    for f in frames:
        if f.state.t > 1.0 + 1e-9:
            assert np.abs(f.state.q[:2]).max() == 0.0
    assert max(np.abs(f.state.q[:2]).max() for f in frames) > 0.1


def swept(wake: float, speed: float = 4.0) -> SceneSpec:
    """The same arm above a ground that touches it, and a keyframed ball that flies through both."""
    spec = struck(wake)
    spec.bodies.pop()
    path: list[Curve] = [Polynomial([-1.8, speed]), Constant(0.0), Constant(-0.6)]
    spec.colliders = [
        ColliderSpec(name="ball", shape=Sphere(radius=0.1), motion=[*path, *[Constant(0.0)] * 3]),
        ColliderSpec(name="ground", shape=Plane(), pose=Pose(position=(0.0, 0.0, -0.805))),
    ]
    return spec


@pytest.mark.parametrize("wake", [0.2, 5.2])
def test_a_keyframed_collider_wakes_a_keyframed_limb(wake: float) -> None:
    """Neither gives way to the other by itself. The blow that the limb would take is 5.36 N·s."""
    frames = run(swept(wake))
    moved = np.array([np.abs(f.state.q).max() for f in frames])
    t = np.array([f.state.t for f in frames])
    first = t[np.flatnonzero(moved > 0.0)[0]]
    assert 0.4 < first < 0.47
    assert (moved[t < first] == 0.0).all()
    assert moved[-1] > 1.0


@pytest.mark.parametrize(("wake", "speed"), [(5.5, 4.0), (0.2, 0.0)])
def test_a_collider_that_strikes_too_softly_or_stands_still_wakes_nothing(wake: float, speed: float) -> None:
    """The ground stands still as well, and the arm's end is within its margin."""
    frames = run(swept(wake, speed))
    assert max(np.abs(f.state.q).max() for f in frames) == 0.0


def test_joints_that_do_not_hang_together_wake_alone() -> None:
    spec = struck(wake=0.2)
    spec.bodies[0].joint.wake = None
    frames = run(spec)
    assert max(abs(f.state.q[0]) for f in frames) == 0.0
    assert abs(frames[-1].state.q[1]) > 0.3


def test_a_threshold_is_above_zero() -> None:
    with pytest.raises(SceneError, match=r"wake.*-1"):
        compile_scene(struck(wake=-1.0))


# Runs that are taken up again --------------------------------------------------------------------------------------


def led() -> SceneSpec:
    """An arm with a limit and friction whose tip follows a path, by PCG: with warm starts."""
    spec = arm(JointSpec(type=Spherical(), damping=0.1))
    spec.bodies[1].joint.limits = Limits(lower=-0.5, upper=0.5)
    spec.bodies[0].joint.friction = JointFriction(coefficient=0.2, radius=0.03, height=0.06)
    spec.constraints = [
        PrescribedPoint(
            point=end_of(0.4, "lower"), path=[None, None, Sine(amplitude=0.1, frequency=0.6, offset=-0.12)]
        )
    ]
    spec.solver = "pcg"
    return spec


def loose() -> SceneSpec:
    return thrown([Switch(time=0.1, mode="free"), Switch(time=2.0, mode="prescribed", over=0.5)])


def fallen() -> SceneSpec:
    """Two blocks that fall onto each other and onto the ground, and come to rest: impulses, friction, sleep."""
    blocks = [
        BodySpec(
            name=name,
            shape=Cuboid(sides=(0.3, 0.2, 0.1)),
            surface=Surface(friction=0.6, restitution=0.2),
            joint=JointSpec(type=Free(), frame=Pose(position=at, rotation=[0.2, 0.1, 0.0])),
        )
        for name, at in (("first", (0.0, 0.0, 0.12)), ("second", (0.1, 0.0, 0.4)))
    ]
    return SceneSpec(
        bodies=blocks,
        colliders=[ColliderSpec(name="ground", shape=Plane())],
        time=TimeSpec(end=1.0, step=1 / 240, record=10),
    )


def woke() -> SceneSpec:
    return struck(wake=0.2)


def woke_by_collider() -> SceneSpec:
    return swept(wake=0.2)


@pytest.mark.parametrize("make", [led, loose, fallen, woke, woke_by_collider])
@pytest.mark.parametrize("at", [1, 7, 20])
def test_a_run_goes_on_from_a_checkpoint_to_the_last_bit(make: Callable[[], SceneSpec], at: int) -> None:
    spec = make()
    options, model = scene_options(spec), compile_scene(spec)
    whole = list(simulate(model, options, end=spec.time.end, record=spec.time.record))
    saved = Checkpoint()
    frames = simulate(model, options, end=spec.time.end, record=spec.time.record, checkpoint=saved)
    for _ in range(at + 1):
        next(frames)
    copied = Checkpoint(saved.step, {name: array.copy() for name, array in saved.arrays.items()})
    again = compile_scene(spec)
    rest = list(simulate(again, options, end=spec.time.end, record=spec.time.record, checkpoint=copied))
    assert len(rest) == len(whole) - at - 1
    for a, b in zip(rest, whole[at + 1 :], strict=True):
        assert a.step == b.step
        assert a.state.t == b.state.t
        same(a.state.q, b.state.q)
        same(a.state.qdot, b.state.qdot)
        same(a.joint_pose, b.joint_pose)


def same(a: Floats, b: Floats) -> None:
    np.testing.assert_array_equal(a, b)


def test_a_checkpoint_of_another_scene_is_refused() -> None:
    saved = Checkpoint()
    spec = led()
    frames = simulate(
        compile_scene(spec), scene_options(spec), end=spec.time.end, record=spec.time.record, checkpoint=saved
    )
    next(frames), next(frames)
    other = loose()
    with pytest.raises(ValueError, match="another shape"):
        next(simulate(compile_scene(other), scene_options(other), end=other.time.end, checkpoint=saved))


@pytest.mark.parametrize("integrator", [name for name in INTEGRATORS if not name.startswith("euler")])
def test_other_integrators_leave_nothing_to_go_on_from(integrator: str) -> None:
    spec = pendulum()
    spec.time = TimeSpec(end=0.05, step=0.01)
    saved = Checkpoint()
    options = scene_options(spec).with_(integrator=integrator)
    list(simulate(compile_scene(spec), options, end=0.05, checkpoint=saved))
    assert saved.arrays == {}
