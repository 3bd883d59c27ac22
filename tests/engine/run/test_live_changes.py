"""Live runs that are changed while they go on: at once, without a jump, and repeatable to the last bit."""

from __future__ import annotations

from copy import deepcopy

import msgspec
import numpy as np
import pytest
from friction_scenes import bar, rub

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.run.carry import without_joints
from redmax_blender.engine.run.live import LiveRun
from redmax_blender.engine.scene import (
    BodySpec,
    Change,
    ColliderSpec,
    Constant,
    Cuboid,
    Free,
    JointSpec,
    Limits,
    LoopHinge,
    LoopPoint,
    Motor,
    Plane,
    Point,
    Pose,
    Pull,
    Revolute,
    SceneSpec,
    Sphere,
    Spherical,
    Spring,
    Surface,
    TimeSpec,
)
from redmax_blender.engine.scene.change_values import difference, plain, spec_of, with_values
from redmax_blender.engine.scene.file import decode_scene, encode_scene
from redmax_blender.engine.tree.kinematics import forward_kinematics

UP = (0.0, 1.0, 0.0)


def workshop() -> SceneSpec:
    """A four-bar with a motor, a swinging chain, a ball on a rubber string, and a box on the ground, side by side."""
    bodies = [
        bar("crank", Revolute(UP), length=0.3, frame=Pose((0.0, 0.0, 1.0)), friction=rub(0.1)),
        bar("rod", Revolute(UP), parent="crank", length=1.0, at=0.3, q=-1.0),
        bar("rocker", Revolute(UP), length=0.8, frame=Pose((1.0, 0.0, 1.0), [0.0, -1.4, 0.0])),
        bar("arm", Spherical(), frame=Pose((0.0, 3.0, 2.0)), length=0.5, damping=0.05),
        bar("hand", Revolute(UP), parent="arm", length=0.5, limits=Limits(lower=-1.0, upper=1.0)),
        BodySpec(name="ball", shape=Sphere(0.1), joint=JointSpec(type=Free(), frame=Pose((0.0, -3.0, 1.0)))),
        BodySpec(
            name="box",
            shape=Cuboid((0.4, 0.4, 0.4)),
            surface=Surface(friction=0.6),
            joint=JointSpec(type=Free(), frame=Pose((0.0, -6.0, 0.25), [0.3, 0.2, 0.0])),
        ),
    ]
    bodies[0].joint.motors = [Motor(speed=Constant(4.0), torque=60.0)]
    string = Spring(
        points=[Point((0.0, -3.0, 2.0)), Point(body="ball")], stiffness=200.0, damping=2.0, name="string"
    )
    scene = SceneSpec(
        bodies=bodies,
        forces=[string],
        colliders=[ColliderSpec(name="ground", shape=Plane())],
        time=TimeSpec(end=2.0, step=1.0 / 240.0, record=4),
    )
    # the loop is closed where rod and rocker meet at the start
    model = compile_scene(scene)
    first = next(iter(simulate(model, scene_options(scene), end=2.0)))
    rod, rocker = (first.joint_pose[i] for i in (1, 2))
    tip = rocker[:9].reshape(3, 3) @ np.array([0.8, 0.0, 0.0]) + rocker[9:]
    on_rod = rod[:9].reshape(3, 3).T @ (tip - rod[9:]) - np.array([0.5, 0.0, 0.0])
    pin = LoopHinge(
        a=Point(tuple(on_rod.tolist()), "rod"), b=Point((0.4, 0.0, 0.0), "rocker"), axis=UP, name="pin"
    )
    scene.constraints = [pin]
    return scene


def poses(run: LiveRun) -> dict[str, np.ndarray]:
    frame = run.frame()
    return dict(zip(frame.bodies, frame.joint_pose))


def speed_of(run: LiveRun) -> dict[str, float]:
    """Of the origins of the bodies' joint frames [m/s]."""
    kin = forward_kinematics(run.model, run.steps.state)
    links = run.model.bodies.link
    return {n: float(np.linalg.norm(kin.V[l, 3:])) for n, l in zip(run.model.bodies.names, links)}


def edits(scene: SceneSpec) -> list[dict]:
    """Things that a person does, as values by path; null takes away."""
    whole = plain(scene)
    free = plain(without_joints(scene, ["hand"]))
    hand = {
        name: next(b for b in s["bodies"] if b["name"] == "hand")
        for name, s in (("on", whole), ("off", free))
    }
    weld = {
        "kind": "loop-point",
        "a": {"body": "box", "position": [0.2, 0.0, 0.2]},
        "b": {"position": [0.2, -6, 0.5]},
    }
    return [
        {"constraints/pin": None},
        {"constraints/pin": whole["constraints"][0]},
        {"bodies/hand": hand["off"]},
        {"bodies/hand": hand["on"]},
        {"bodies/crank/joint/motors": []},
        {"bodies/crank/joint/motors": [{"speed": {"kind": "constant", "value": -3.0}, "torque": 60.0}]},
        {"bodies/rocker/joint/damping": 30.0},
        {"bodies/rocker/joint/damping": 0.0},
        {"forces/string": None},
        {"forces/string": whole["forces"][0]},
        {"forces/string/stiffness": 900.0},
        {"bodies/ball/weight": 0.0},
        {"bodies/ball/weight": 1.0},
        {"constraints/hook": weld},
        {"constraints/hook": None},
        {"bodies/box/surface/friction": 0.05},
        {"gravity": [0.0, 0.0, -3.0]},
        {"gravity": [0.0, 0.0, -9.81]},
        {"bodies/arm/mass": 12.0},
        {"bodies/rocker/joint/stiffness": 50.0},
    ]


def test_a_hundred_changes_make_no_jump() -> None:
    """Connecting, cutting and toggling at random: bodies are where they were, and none leaps in the frame after."""
    scene = workshop()
    run, rng, now = LiveRun(scene), np.random.default_rng(5), plain(scene)
    choices, done = edits(scene), 0
    for _ in range(300):
        before = poses(run)
        if rng.random() < 0.4:
            values = choices[rng.integers(len(choices))]
            try:
                now = with_values(now, values)
                run.change(spec_of(now))
            except SceneError as error:
                assert "string" in str(error)  # its stiffness, where it has been taken away
                continue
            done += 1
            after = poses(run)
            for name, row in before.items():
                assert after[name] == pytest.approx(row, abs=1e-9), (name, values)
        speeds = speed_of(run)
        run.advance()
        for name, row in poses(run).items():
            assert np.isfinite(row).all()
            way = np.linalg.norm(row[9:] - before[name][9:])
            assert way < run.duration * 1.5 * max(speeds[name], speed_of(run)[name]) + 0.02, name
    assert done >= 100


def test_what_is_not_concerned_does_not_notice() -> None:
    """The chain and the ball move as if nobody had touched the four-bar and the box."""
    scene = workshop()
    alone, run = LiveRun(scene), LiveRun(scene)
    now, apart = (
        plain(scene),
        [e for e in edits(scene) if "pin" in str(e) or "crank" in str(e) or "box" in str(e)],
    )
    for i in range(120):
        if i % 3 == 0:
            now = with_values(now, apart[i // 3 % len(apart)])
            run.change(spec_of(now))
        alone.advance()
        run.advance()
        a, b = poses(alone), poses(run)
        for name in ("arm", "hand", "ball"):
            assert b[name] == pytest.approx(a[name], abs=1e-5), (i, name)  # impulses are found to 1e-5
    assert np.abs(a["rocker"] - b["rocker"]).max() > 1e-2  # which was touched


def test_a_change_acts_within_the_next_frame() -> None:
    """Of each setting: the frame after it differs from what it would have been."""
    scene = workshop()
    for values in edits(scene)[::2]:
        one, two = LiveRun(scene), LiveRun(scene)
        for _ in range(20):
            one.advance()
            two.advance()
        try:
            two.change(spec_of(with_values(plain(scene), values)))
        except SceneError:
            continue
        one.advance()
        two.advance()
        a, b = poses(one), poses(two)
        same = all(np.array_equal(a[name], b[name]) for name in a)
        assert not same or values in ({"bodies/hand/joint/stiffness": 0.0}, {"gravity": [0.0, 0.0, -9.81]}), (
            values
        )


def test_parts_that_are_apart_are_brought_together() -> None:
    """A hinge that was cut, and is connected again when its parts have fallen away from each other."""
    scene = workshop()
    run = LiveRun(scene)
    run.change(without_joints(scene, ["hand"]))
    for _ in range(15):
        run.advance()
    apart = gap(run)
    assert apart > 0.05
    run.change(scene, over=0.4)
    assert run.waits == ("hand",)
    far = [apart]
    for _ in range(40):
        run.advance()
        far.append(gap(run))
    assert max(np.abs(np.diff(far))) < 0.1 * apart + 0.05
    assert far[-1] < 1e-6 and run.waits == ()
    assert run.spec.bodies[4].parent == "arm"  # it is a joint of the tree again


def gap(run: LiveRun) -> float:
    """Between the end of the arm and the beginning of the hand [m]."""
    at = poses(run)
    return float(
        np.linalg.norm(at["arm"][:9].reshape(3, 3) @ [0.5, 0.0, 0.0] + at["arm"][9:] - at["hand"][9:])
    )


def played(scene: SceneSpec, seed: int) -> tuple[LiveRun, list[np.ndarray]]:
    """A run with changes, pulls, and time that is set back."""
    run, rng, now = LiveRun(scene), np.random.default_rng(seed), plain(scene)
    choices = edits(scene)
    frames = [run.steps.state.q]
    held = None
    for _ in range(150):
        what = rng.random()
        if what < 0.15:
            values = choices[rng.integers(len(choices))]
            try:
                after = with_values(now, values)
                run.change(spec_of(after))
                now = after
            except SceneError:
                pass
        elif what < 0.2:
            held = ("ball", "hand", "rocker", "box")[rng.integers(4)]
            place = poses(run)[held][9:]
            run.grab(held, place)
        elif what < 0.25:
            run.let_go()
            held = None
        elif what < 0.27 and run.number > 10:
            run.set_back(run.number - 7)
            now, held = plain(run.meant), None
            del frames[run.number + 1 :]
        if held:
            run.pull(place + 0.3 * rng.normal(size=3))
        run.advance()
        frames.append(run.steps.state.q)
    return run, frames


@pytest.mark.parametrize("seed", range(4))
def test_a_take_simulated_again_is_what_was_played(seed: int) -> None:
    """To the last bit, by way of a scene file."""
    run, frames = played(workshop(), seed)
    take = decode_scene(encode_scene(run.take()))
    assert take.changes and take.pulls
    model, again = compile_scene(take), []
    for frame in simulate(model, scene_options(take), end=take.time.end, record=take.time.record):
        again.append(frame.state.q)
    assert len(again) == len(frames)
    for n, (a, b) in enumerate(zip(again, frames)):
        assert np.array_equal(a, b), n


def test_differences_lead_from_one_scene_to_the_other() -> None:
    a = workshop()
    b = deepcopy(a)
    b.bodies[3].joint.damping = 2.0
    b.constraints.append(LoopPoint(a=Point(body="box"), b=Point((0.0, -6.0, 0.25)), name="nail"))
    del b.forces[0]
    b.gravity = (0.0, 0.0, -1.0)
    found = difference(plain(a), plain(b))
    assert set(found) == {"bodies/arm/joint/damping", "constraints/nail", "forces/string", "gravity"}
    assert spec_of(with_values(plain(a), found)) == b


def test_what_cannot_be_is_said() -> None:
    scene = workshop()
    scene.changes = [Change(time=0.1, set={"bodies/tail/joint/damping": 1.0})]
    with pytest.raises(SceneError, match="there is no 'tail'"):
        Result.from_frames(
            compile_scene(scene), simulate(compile_scene(scene), scene_options(scene), end=2.0)
        )
    scene.changes = [Change(time=0.1, set={"time": {"end": 3.0}})]
    with pytest.raises(SceneError, match="cannot change in a run"):
        list(simulate(compile_scene(scene), scene_options(scene), end=2.0))
    scene.changes, scene.pulls = [], [Pull("ball", (0.0, 0.0, 0.0), [0.0, 1.0], [(1.0, 0.0, 0.0)])]
    with pytest.raises(SceneError, match="2 times go with 0 places"):
        list(simulate(compile_scene(scene), scene_options(scene), end=2.0))


def test_without_its_weight_a_body_floats() -> None:
    scene = workshop()
    scene.forces = []
    run = LiveRun(scene)
    run.change(spec_of(with_values(plain(scene), {"bodies/ball/weight": 0.0})))
    start = poses(run)["ball"]
    for _ in range(30):
        run.advance()
    assert poses(run)["ball"] == pytest.approx(start, abs=1e-12)
    assert msgspec.structs.replace(scene) == scene
