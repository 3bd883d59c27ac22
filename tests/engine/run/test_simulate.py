"""The frame loop: which frames come, what they say about energy and torque, and how a run that fails ends."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from redmax_blender.engine import (
    DivergedError,
    Options,
    Result,
    SceneSpec,
    compile_scene,
    scene_options,
    simulate,
)
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.run.simulate import Frame, Stopwatch, count_steps
from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    Curve,
    JointSpec,
    Pose,
    Revolute,
    Sine,
    TimeSpec,
    Universal,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics


def pendulum(
    *, links: int = 2, motion: Curve | None = None, damping: float = 0.0, stiffness: float = 0.0
) -> SceneSpec:
    """A chain of 1 kg rods of 1 m, hinged about y, hanging along -z at q = 0; the first may be prescribed."""
    bodies = []
    for i in range(links):
        bodies.append(
            BodySpec(
                name=f"rod {i}",
                parent=f"rod {i - 1}" if i else None,
                shape=Cuboid((0.05, 0.05, 1.0)),
                mass=1.0,
                pose=Pose((0.0, 0.0, -0.5)),
                joint=JointSpec(
                    name=f"hinge {i}",
                    type=Revolute((0.0, 1.0, 0.0)),
                    frame=Pose((0.0, 0.0, -1.0 if i else 0.0)),
                    q=None if motion and i == 0 else 0.7,
                    motion=[motion] if motion and i == 0 else [],
                    damping=damping,
                    stiffness=stiffness,
                    rest=0.1,
                ),
            )
        )
    return SceneSpec(bodies=bodies, time=TimeSpec(end=1.0, step=0.01))


def run(model: Model, options: Options, end: float, record: int = 1) -> list[Frame]:
    return list(simulate(model, options, end=end, record=record))


def test_first_frame_every_tenth_and_the_last() -> None:
    model = compile_scene(pendulum())
    frames = run(model, Options(h=0.01), 0.25, record=10)
    assert [f.step for f in frames] == [0, 10, 20, 25]
    assert [f.state.t for f in frames] == pytest.approx([0.0, 0.1, 0.2, 0.25])
    every = run(model, Options(h=0.01), 0.25)
    assert len(every) == 26
    for frame in frames:
        assert np.array_equal(frame.state.q, every[frame.step].state.q), "recording less changes nothing"


def test_frames_come_one_at_a_time() -> None:
    model = compile_scene(pendulum())
    frames = simulate(model, Options(h=0.01), end=1e6)
    assert [next(frames).step for _ in range(5)] == [0, 1, 2, 3, 4]


def test_a_run_goes_on_from_any_frame() -> None:
    model = compile_scene(pendulum())
    options = Options(h=0.01, integrator="sdirk2")
    whole = Result.from_frames(model, simulate(model, options, end=0.5))
    rest = Result.from_frames(model, simulate(model, options, end=0.5, state=whole.state(20)))
    assert len(rest) == 31 and rest.t[-1] == pytest.approx(0.5)
    assert rest.q == pytest.approx(whole.q[20:], abs=1e-9)


def test_poses_of_joints_and_bodies() -> None:
    """A rod at angle a about y, with its centre half a metre along its own -z."""
    model = compile_scene(pendulum(links=1))
    frame = run(model, Options(h=0.01), 0.1)[-1]
    a = float(frame.state.q[0])
    R = np.array([[math.cos(a), 0.0, math.sin(a)], [0.0, 1.0, 0.0], [-math.sin(a), 0.0, math.cos(a)]])
    assert frame.joint_pose[0, :9].reshape(3, 3) == pytest.approx(R, abs=1e-14)
    assert frame.body_pose[0, 9:] == pytest.approx(R @ [0.0, 0.0, -0.5], abs=1e-14)


def test_energies_of_a_rod_are_those_of_the_textbook() -> None:
    model = compile_scene(pendulum(links=1, stiffness=3.0))
    state = model.initial_state()
    state.qdot[:] = 2.0
    moment = 1.0 / 12.0 * (1.0 + 0.05**2) + 0.25
    expected = [0.5 * moment * 4.0, -9.81 * 0.5 * math.cos(0.7), 0.5 * 3.0 * 0.6**2]
    assert energies(model, state, forward_kinematics(model, state)) == pytest.approx(expected, rel=1e-13)


def test_a_free_swing_keeps_its_energy() -> None:
    model = compile_scene(pendulum(links=3, stiffness=2.0))
    frames = run(model, Options(h=0.05, integrator="rk-recursive", rtol=1e-9, atol=1e-11), 2.0)
    total = np.array([f.energy.sum() for f in frames])
    assert np.ptp([f.energy[0] for f in frames]) > 1.0, "it swings"
    assert total == pytest.approx(np.full(len(total), total[0]), abs=1e-7)


def test_a_motor_that_holds_a_pendulum_still_supplies_its_weight() -> None:
    from redmax_blender.engine.scene import Constant

    model = compile_scene(pendulum(links=1, motion=Constant(0.6)))
    frame = run(model, Options(h=0.01), 0.05)[-1]
    assert frame.state.q == pytest.approx([0.6], abs=1e-14)
    assert frame.torque == pytest.approx([9.81 * 0.5 * math.sin(0.6)], rel=1e-12)


@pytest.mark.parametrize("motion", [None, Sine(amplitude=0.5, frequency=1.0)])
def test_recorded_torques_do_the_work_that_the_energy_shows(motion: Curve | None) -> None:
    """d/dt (kinetic + gravity) = torque · qdot, whether springs, dampers, applied or prescribed motion."""
    spec = pendulum(links=3, motion=motion, damping=0.05, stiffness=1.0)
    spec.bodies[2].joint.torque = [Sine(amplitude=2.0, frequency=3.0)]
    spec.bodies[1].joint.type = Universal()
    spec.bodies[1].joint.q = [0.4, 0.2]
    model = compile_scene(spec)
    frames = run(model, Options(h=0.002, integrator="rk-recursive", rtol=1e-10, atol=1e-12), 0.4)
    power = np.array([f.torque @ f.state.qdot for f in frames])
    energy = np.array([f.energy[0] + f.energy[1] for f in frames])
    work = 0.002 / 3.0 * np.cumsum(power[:-2:2] + 4.0 * power[1:-1:2] + power[2::2])
    assert np.ptp(energy) > 0.5
    assert energy[2::2] - energy[0] == pytest.approx(work, abs=1e-6)


def test_prescribed_joint_is_on_its_curve_at_every_frame() -> None:
    motion = Sine(amplitude=0.5, frequency=1.0, phase=0.3)
    model = compile_scene(pendulum(motion=motion))
    for integrator in ("euler", "sdirk2", "rk-recursive"):
        for frame in run(model, Options(h=0.01, integrator=integrator), 0.3):
            expected = 0.5 * math.sin(2.0 * math.pi * frame.state.t + 0.3)
            assert frame.state.q[0] == pytest.approx(expected, abs=1e-12), integrator


def test_a_run_that_diverges_names_the_joint_and_keeps_the_good_frames() -> None:
    spec = pendulum(links=2)
    spec.bodies[1].joint.qdot = 1e120
    model = compile_scene(spec)
    good: list[Frame] = []
    with pytest.raises(DivergedError) as caught:
        for frame in simulate(model, Options(h=0.01), end=1.0):
            good.append(frame)
    assert caught.value.joint in ("hinge 0", "hinge 1")
    assert caught.value.step == len(good) and caught.value.time == pytest.approx(0.01 * len(good))
    assert all(np.isfinite(f.state.q).all() for f in good) and good
    assert "smaller step" in str(caught.value)


def test_steps_must_fill_the_time_span() -> None:
    assert count_steps(0.0, 1.0, 0.1) == 10
    assert count_steps(0.0, 1.0, 1.0 / 240.0) == 240
    assert count_steps(2.0, 3.5, 1.0 / 24.0) == 36
    with pytest.raises(
        InputError, match=r"not a whole number of steps of 0\.3 s\. Use a step of 0\.333.*end at 0\.9"
    ):
        count_steps(0.0, 1.0, 0.3)
    with pytest.raises(InputError, match="end after it starts"):
        count_steps(1.0, 1.0, 0.1)


def test_choices_that_cannot_be_used_are_refused_before_the_first_frame() -> None:
    model = compile_scene(pendulum())
    with pytest.raises(InputError, match=r"no integrator 'rk4'\. Choose one of euler, euler-midway, bdf1"):
        simulate(model, Options(integrator="rk4"), end=1.0)
    with pytest.raises(InputError, match="step is -1"):
        simulate(model, Options(h=-1.0), end=1.0)
    with pytest.raises(InputError, match="every 0 steps"):
        simulate(model, Options(), end=1.0, record=0)
    spec = pendulum()
    spec.integrator = "verlet"
    with pytest.raises(InputError, match="integrator: there is no integrator 'verlet'"):
        scene_options(spec)


def test_the_stopwatch_leaves_out_what_the_caller_does() -> None:
    import time

    watch = Stopwatch()
    model = compile_scene(pendulum())
    for _ in simulate(model, Options(h=0.01), end=0.05):
        pass  # kernels are loaded now
    for _ in simulate(model, Options(h=0.01), end=0.05, watch=watch):
        time.sleep(0.05)
    assert 0.0 < watch.step < 0.1 and 0.0 < watch.record < 0.1


def test_importing_the_engine_loads_no_kernel_and_its_names_are_what_they_say() -> None:
    code = (
        "import sys; import redmax_blender.engine as e; assert 'numba' not in sys.modules, 'numba';"
        "from redmax_blender.engine.run.result import Result; import redmax_blender.engine.run.simulate;"
        "from redmax_blender.engine import simulate; assert callable(simulate) and simulate.__name__ == 'simulate';"
        "assert all(getattr(e, name) for name in e.__all__); assert 'bpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)
