"""Live: a run that somebody pulls at."""

import numpy as np
import pytest
from numpy.typing import NDArray

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import DivergedError, InputError
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.run.live import LiveRun, pulled_mass
from redmax_blender.engine.run.simulate import scene_options, simulate
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    Constant,
    Free,
    Guide,
    JointSpec,
    LoopPoint,
    Point,
    Pose,
    PrescribedPoint,
    Revolute,
    SceneSpec,
    Sine,
    Sphere,
    Spherical,
    Switch,
    TimeSpec,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics

FRAME = 1.0 / 24.0
UP = np.array([0.0, 0.0, 1.0])


def chain(
    links: int, *, root: Free | Spherical | None = None, mass: float = 1.0, **more: object
) -> SceneSpec:
    """Links of 0.2 m that hang down from a ball joint at the origin."""
    bodies = [
        BodySpec(
            name=f"link{i}",
            parent=f"link{i - 1}" if i else None,
            shape=Capsule(radius=0.03, height=0.14),
            pose=Pose(position=(0.0, 0.0, -0.1)),
            mass=mass,
            joint=JointSpec(
                type=root or Spherical() if i == 0 else Spherical(),
                frame=Pose(position=(0.0, 0.0, -0.2 if i else 0.0)),
            ),
        )
        for i in range(links)
    ]
    time = TimeSpec(end=1.0, step=FRAME / 8, record=8)
    return SceneSpec(bodies=bodies, time=time, integrator="euler-midway", **more)


def ball(mass: float = 1.0, **more: object) -> SceneSpec:
    body = BodySpec(name="ball", shape=Sphere(radius=0.1), mass=mass, joint=JointSpec(type=Free()))
    return SceneSpec(bodies=[body], time=TimeSpec(end=1.0, step=FRAME / 8, record=8), **more)


def point_of(run: LiveRun, body: str, place: tuple[float, float, float]) -> NDArray[np.float64]:
    """World place of a point given in the body's joint frame [m]."""
    row = run.frame().joint_pose[run.model.bodies.names.index(body)]
    return row[:9].reshape(3, 3) @ np.array(place) + row[9:]


def test_without_a_hand_it_is_the_same_run():
    spec = chain(4)
    spec.bodies[0].joint.q = [0.3, 0.2, 0.1]
    frames = list(simulate(compile_scene(spec), scene_options(spec), end=12 * FRAME, record=8))
    run = LiveRun(spec)
    for frame in frames[1:]:
        assert np.array_equal(run.advance().joint_pose, frame.joint_pose)


def test_taking_hold_and_letting_go_changes_nothing_by_itself():
    """A hand that holds a body where it is at rest pulls with nothing."""
    run = LiveRun(ball(gravity=(0.0, 0.0, 0.0)))
    run.grab("ball", (0.1, 0.0, 0.0))
    for _ in range(5):
        assert np.abs(run.advance().joint_pose[0, 9:]).max() < 1e-14
    run.let_go()
    assert run.steps.model is run.model


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e4])
def test_it_follows_alike_at_any_mass(mass):
    run = LiveRun(chain(5, mass=mass))
    end = (0.0, 0.0, -0.2)
    grabbed = point_of(run, "link4", end)
    run.grab("link4", grabbed)
    target = np.array([0.5, 0.2, -0.5])
    paths = []
    for k in range(48):
        run.pull(grabbed + (target - grabbed) * min(k / 12, 1.0))
        run.advance()
        paths.append(point_of(run, "link4", end))
    assert np.linalg.norm(paths[-1] - target) < 0.02  # what is left is its weight
    light = LiveRun(chain(5))
    light.grab("link4", grabbed)
    for k in range(48):
        light.pull(grabbed + (target - grabbed) * min(k / 12, 1.0))
        light.advance()
        assert point_of(light, "link4", end) == pytest.approx(paths[k], abs=1e-6)


def test_a_whole_character_can_be_lifted_by_its_finger():
    run = LiveRun(chain(12, root=Free()))
    grabbed = point_of(run, "link11", (0.0, 0.0, -0.2))
    run.grab("link11", grabbed)
    for k in range(96):
        run.pull(grabbed + 0.05 * min(k, 48) * UP)
        run.advance()
    assert np.linalg.norm(point_of(run, "link11", (0.0, 0.0, -0.2)) - grabbed - 2.4 * UP) < 0.05


@pytest.mark.parametrize("root", [Spherical(), Free()])
@pytest.mark.parametrize("response", [1e-1, 1e-3, 1e-6])
def test_it_survives_any_stiffness_and_any_haste(response, root):
    """A target that jumps about by metres, a frame at a time; once it rests, so does the chain."""
    spec = chain(6, root=root)
    for body in spec.bodies[1:]:
        body.joint.damping = 0.02
    run = LiveRun(spec, response=response)
    run.grab("link5", (0.0, 0.0, -1.2))
    random = np.random.default_rng(1)
    for _ in range(60):
        run.pull(random.normal(size=3) * 2.0)
        assert np.isfinite(run.advance().joint_pose).all()
    run.pull((0.4, 0.0, 0.2))
    for _ in range(240):
        run.advance()
    state = run.steps.state
    kinetic = energies(run.model, state, forward_kinematics(run.model, state))[0]
    assert kinetic < 0.2 * 6.0 * 9.81 * 1.2  # it swings, a fifth of what its weight could give it at most
    sag = 9.81 * run.response**2
    assert np.linalg.norm(point_of(run, "link5", (0.0, 0.0, -0.2)) - [0.4, 0.0, 0.2]) < 0.03 + 1.5 * sag
    assert run.stopped <= 6


def test_a_usual_pull_never_has_to_be_stopped():
    """Two metres a second, to and fro, at the default response."""
    run = LiveRun(chain(6))
    run.grab("link5", (0.0, 0.0, -1.2))
    for k in range(96):
        run.pull((0.6 * np.sin(2.0 * np.pi * 0.5 * k * FRAME), 0.0, -0.9))
        run.advance()
    assert run.stopped == 0


def test_what_diverges_from_rest_is_told():
    spec = chain(2)
    spec.bodies[0].joint.torque = [Constant(1e300), None, None]
    with pytest.raises(DivergedError):
        LiveRun(spec).advance()


def test_a_thrown_body_keeps_the_velocity_of_the_hand():
    run = LiveRun(ball(gravity=(0.0, 0.0, 0.0)))
    run.grab("ball", (0.0, 0.0, 0.0))
    for k in range(24):
        run.pull((0.1 * (k + 1), 0.0, 0.0))
        run.advance()
    run.let_go()
    before = run.frame().joint_pose[0, 9]
    after = run.advance().joint_pose[0, 9]
    assert (after - before) / FRAME == pytest.approx(2.4, rel=1e-3)
    assert run.advance().joint_pose[0, 9] - after == pytest.approx(after - before, rel=1e-9)


def test_a_thrown_body_flies_a_parabola():
    run = LiveRun(ball())
    run.grab("ball", (0.0, 0.0, 0.0))
    for k in range(12):
        run.pull((0.1 * (k + 1), 0.0, 0.1 * (k + 1)))
        run.advance()
    run.let_go()
    z = [run.frame().joint_pose[0, 11], *(run.advance().joint_pose[0, 11] for _ in range(8))]
    assert np.diff(z, 2) == pytest.approx(-9.81 * FRAME**2, rel=1e-9)


def test_the_guides_of_the_scene_go_on_while_a_hand_pulls():
    spec = chain(4, gravity=(0.0, 0.0, 0.0))
    spec.constraints = [
        PrescribedPoint(
            point=Point(body="link1"),
            path=[Sine(amplitude=0.05, frequency=0.5), None, None],
            modes=[Switch(time=-1.0, mode="guided")],
            guide=Guide(response=0.02),
        )
    ]
    run = LiveRun(spec)
    run.grab("link3", (0.0, 0.0, -0.8))
    for _ in range(12):
        run.pull((0.0, 0.2, -0.7))
        run.advance()
    middle = point_of(run, "link1", (0.0, 0.0, -0.1))
    assert middle[0] == pytest.approx(0.05 * np.sin(np.pi * run.t), abs=0.01)
    assert point_of(run, "link3", (0.0, 0.0, -0.2)) == pytest.approx([0.0, 0.2, -0.7], abs=0.03)


def test_the_mass_that_a_hand_pulls():
    """All below the highest free joint; what animation alone moves has no part in it, what a loop ties has."""
    spec = chain(4, mass=2.0)
    assert pulled_mass(compile_scene(spec), 3) == pytest.approx(8.0)
    spec.bodies[0].joint = JointSpec(type=Revolute(), motion=[Constant(0.0)])
    model = compile_scene(spec)
    assert pulled_mass(model, int(model.bodies.link[3])) == pytest.approx(6.0)
    assert pulled_mass(model, int(model.bodies.link[0])) == 0.0
    spec.bodies.append(
        BodySpec(name="other", shape=Sphere(radius=0.1), mass=5.0, joint=JointSpec(type=Free()))
    )
    assert pulled_mass(compile_scene(spec), 3) == pytest.approx(6.0)
    spec.constraints = [LoopPoint(a=Point(body="other"), b=Point(body="link3"))]
    spec.bodies[-1].joint.q = [0.0, 0.0, -0.7, 0.0, 0.0, 0.0]
    assert pulled_mass(compile_scene(spec), 3) == pytest.approx(11.0)


def test_what_only_its_animation_moves_cannot_be_held():
    spec = chain(2)
    spec.bodies[0].joint = JointSpec(type=Revolute(), motion=[Constant(0.0)])
    run = LiveRun(spec)
    with pytest.raises(InputError, match=r"body 'link0'.*animation"):
        run.grab("link0", (0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="body 'nobody'"):
        run.grab("nobody", (0.0, 0.0, 0.0))
    run.pull((1.0, 0.0, 0.0))  # with nothing in the hand
    run.advance()
    assert run.held is None
