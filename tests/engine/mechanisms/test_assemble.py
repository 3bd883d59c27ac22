"""Parts thrown apart come together as their connections say, as near as can be to where they lay."""

from __future__ import annotations

import os

import numpy as np
import pytest
from random_assemblies import open_by, random_assembly, turned

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.mechanisms.assemble import pull_together
from redmax_blender.engine.mechanisms.gaps import gaps_of
from redmax_blender.engine.mechanisms.mechanism import assemble
from redmax_blender.engine.mechanisms.parts import Axis, Body, Connection
from redmax_blender.engine.model.records import Floats
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import Cuboid, Pose, SceneSpec, SplineCurve
from redmax_blender.engine.tree.kinematics import forward_kinematics

MANY = int(os.environ.get("REDMAX_ASSEMBLIES", "60"))


@pytest.mark.parametrize("seed", range(MANY))
def test_what_can_be_assembled_is_within_a_billionth(seed: int) -> None:
    """2 to 30 parts, joints of all kinds with limits, loops, thrown apart by up to ten times their size."""
    bodies, connections, size = random_assembly(seed)
    before = {body.name: body.pose for body in bodies}
    found = pull_together(bodies, connections)
    assert not found.fights
    for c in connections:
        assert open_by(c, before, found.poses) < 1e-9 * size, c
    for body in bodies:
        R = found.poses[body.name][:3, :3]
        assert np.abs(R.T @ R - np.eye(3)).max() < 1e-12
        if body.anchored:
            np.testing.assert_array_equal(found.poses[body.name], body.pose)


def _bar(name: str, length: float, at: Floats, anchored: bool = False) -> Body:
    return Body(name, Cuboid((length, 0.1, 0.1)), at, anchored=anchored)


def _ring(lengths: list[float], seed: int = 0, kind: str = "hinge") -> tuple[list[Body], list[Connection]]:
    """Bars that lie about, to be closed to a ring by hinges at their ends; the first one is anchored."""
    rng = np.random.default_rng(seed)
    places = [turned(rng, rng.normal(size=3) * 3.0) for _ in lengths]
    bodies = [_bar(f"bar {i}", l, p, i == 0) for i, (l, p) in enumerate(zip(lengths, places, strict=True))]
    connections = []
    for i in range(len(lengths)):
        j = (i + 1) % len(lengths)
        A, B = np.eye(4), np.eye(4)
        A[0, 3], B[0, 3] = 0.5 * lengths[i], -0.5 * lengths[j]
        connections.append(
            Connection(
                f"pin {i}",
                kind,
                f"bar {i}",
                f"bar {j}",
                places[i] @ A,
                pose_b=places[j] @ B,  # type: ignore[arg-type]
            )
        )
    return bodies, connections


def test_a_ring_that_cannot_close_names_what_fights_and_by_how_much() -> None:
    """Three bars of one metre do not reach around one of four: a metre is missing, shared out over the pins."""
    bodies, connections = _ring([4.0, 1.0, 1.0, 1.0])
    bodies.append(Body("bystander", Cuboid((1.0, 1.0, 1.0)), turned(np.random.default_rng(5), np.ones(3))))
    connections.append(Connection("harmless", "point", "bar 2", "bystander", np.eye(4)))
    found = pull_together(bodies, connections)
    assert {fight.name for fight in found.fights} == {"pin 0", "pin 1", "pin 2", "pin 3"}
    assert sum(fight.distance for fight in found.fights) == pytest.approx(1.0, rel=1e-6)
    bodies, connections = _ring([4.0, 1.5, 1.5, 1.5])
    assert not pull_together(bodies, connections).fights


def test_limits_that_exclude_one_another_are_named() -> None:
    bodies, connections = _ring([1.0, 1.0, 1.0, 1.0])
    for c in connections:
        c.axes = {"rz": Axis(free=True, lower=-0.3, upper=0.3)}
    fights = pull_together(bodies, connections).fights
    assert len(fights) == 4 and all(fight.angle > 0.0 or fight.distance > 0.0 for fight in fights)
    for c in connections:
        c.axes = {"rz": Axis(free=True, lower=1.0, upper=2.0)}
    assert not pull_together(bodies, connections).fights


def test_parts_move_no_farther_than_they_must() -> None:
    """Of all arrangements of a chain of bars on ball joints, none nearby is nearer to where the bars lay."""
    rng = np.random.default_rng(2)
    bodies, connections = _ring([1.0, 1.2, 0.8, 1.1], seed=3, kind="point")
    connections.pop()
    found = pull_together(bodies, connections)
    assert not found.fights and found.searches == 1

    def away(poses: dict[str, Floats]) -> float:
        total = 0.0
        for body in bodies:
            reach = np.sqrt((body.shape.sides[0] ** 2 + 0.01) / 12.0)  # type: ignore[union-attr]
            turn = se3.log_so3(poses[body.name][:3, :3].T @ body.pose[:3, :3])
            shift = poses[body.name][:3, 3] - body.pose[:3, 3]
            total += float(reach**2 * turn @ turn + shift @ shift)
        return total

    best = away(found.poses)
    assert best > 0.1
    for _ in range(50):  # turn a bar about its joint, and all that follow with it
        first = int(rng.integers(1, 4))
        pin = found.poses[f"bar {first - 1}"] @ np.array(
            [0.5 * bodies[first - 1].shape.sides[0], 0.0, 0.0, 1.0]  # type: ignore[union-attr]
        )
        turn = np.eye(4)
        turn[:3, :3] = se3.exp_so3(rng.normal(size=3) * 0.1)
        turn[:3, 3] = pin[:3] - turn[:3, :3] @ pin[:3]
        tried = {b.name: turn @ found.poses[b.name] if i >= first else found.poses[b.name]
                 for i, b in enumerate(bodies)}  # fmt: skip
        assert away(tried) > (1.0 - 1e-7) * best


def test_parts_that_are_together_stay_where_they_are() -> None:
    bodies, connections = _ring([2.0, 2.0, 2.0, 2.0])
    first = pull_together(bodies, connections)
    for c in connections:
        assert c.a is not None and c.b is not None and c.pose_b is not None
        before = {body.name: body.pose for body in bodies}
        c.pose = first.poses[c.a] @ se3.inverse(before[c.a]) @ c.pose
        c.pose_b = first.poses[c.b] @ se3.inverse(before[c.b]) @ c.pose_b
    for body in bodies:
        body.pose = first.poses[body.name]
    again = pull_together(bodies, connections)
    for body in bodies:
        assert np.abs(again.poses[body.name] - body.pose).max() < 1e-9


def test_assembled_parts_become_a_tree_and_loops_that_simulate() -> None:
    """A four-bar of loose bars: one freedom, pins that stay together while it swings, and the coordinates it has."""
    bodies, connections = _ring([2.0, 1.0, 2.0, 1.2], seed=7)
    before = {body.name: body.pose for body in bodies}
    found = pull_together(bodies, connections)
    assert not found.fights
    for c in connections:
        assert c.a is not None and c.b is not None and c.pose_b is not None
        c.pose = found.poses[c.a] @ se3.inverse(before[c.a]) @ c.pose
        c.pose_b = found.poses[c.b] @ se3.inverse(before[c.b]) @ c.pose_b
    for body in bodies:
        body.pose = found.poses[body.name]
    made = assemble(bodies, connections)
    scene = SceneSpec(bodies=made.bodies, constraints=made.constraints)
    model = compile_scene(scene)
    kin = forward_kinematics(model, model.initial_state())
    for body, link in zip(made.bodies, model.bodies.link, strict=True):
        own = next(each for each in bodies if each.name == body.name)
        b = model.bodies.names.index(body.name)
        shape = se3.pose_matrix(kin.E_wj[link]) @ se3.pose_matrix(model.bodies.E_js[b])
        assert np.abs(shape - own.pose).max() < 1e-9
    for frame in simulate(model, Options(h=0.002), end=1.0, record=50):
        assert np.isfinite(frame.state.q).all()


def test_a_bead_is_put_on_its_wire_and_stays_there() -> None:
    """A ring of frames; the bead lies beside it, and comes to the nearest place."""
    frames = []
    for angle in np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False):
        turn = se3.exp_so3([0.0, 0.0, angle])
        frames.append(Pose((float(turn[0, 0]), float(turn[1, 0]), 0.0)))
    wire = SplineCurve(frames=frames)
    bead = Body("bead", Cuboid((0.1, 0.1, 0.1)), turned(np.random.default_rng(1), np.array([2.0, 1.0, 0.5])))
    place = np.eye(4)
    place[:3, 3] = bead.pose[:3, 3]
    c = Connection("wire", "curve", None, "bead", np.eye(4), pose_b=place, spline=wire, loose=True)
    found = pull_together([bead], [c])
    assert not found.fights
    x = found.poses["bead"][:3, 3]
    assert x[:2] == pytest.approx(np.array([2.0, 1.0]) / np.sqrt(5.0) * np.linalg.norm(x[:2]), abs=1e-3)
    assert abs(x[2]) < 1e-9
    c.pose_b = found.poses["bead"] @ se3.inverse(bead.pose) @ place
    bead.pose = found.poses["bead"]
    model = compile_scene(SceneSpec(bodies=assemble([bead], [c]).bodies, gravity=(0.0, -9.81, 0.0)))
    radii = []
    for frame in simulate(model, Options(h=0.002), end=2.0, record=20):
        centre = forward_kinematics(model, frame.state).E_wj[model.bodies.link[0], 9:]
        radii.append(float(np.linalg.norm(centre[:2])))
        assert abs(centre[2]) < 1e-9
    assert np.ptp(radii) < 5e-3  # a B-spline is a circle to some thousandths
    assert frame.state.q[0] != pytest.approx(model.q0[0], abs=0.5)


def test_derivatives_of_the_gaps_are_differences_of_them() -> None:
    """Locked directions anywhere; limits where the rest holds."""
    rng = np.random.default_rng(0)
    bodies, connections, size = random_assembly(11)
    number: dict[str | None, int] = {body.name: i for i, body in enumerate(bodies)}
    number[None] = len(bodies)
    T = np.stack([*(turned(rng, rng.normal(size=3)) for _ in bodies), np.eye(4)])
    gaps = gaps_of(connections, number, np.stack([*(b.pose for b in bodies), np.eye(4)]), size)
    _, J = gaps.errors(T)
    h = 1e-6
    for i, (a, b) in enumerate(gaps.parts.tolist()):
        for k in range(12):
            d = np.zeros(6)
            d[k % 6] = h
            sides = []
            for s in (1.0, -1.0):
                moved = T.copy()
                moved[(a, b)[k // 6]] = moved[(a, b)[k // 6]] @ se3.exp(s * d)
                sides.append(gaps.errors(moved, slopes=False)[0][i, :6])
            np.testing.assert_allclose(J[i, :6, k], (sides[0] - sides[1]) / (2.0 * h), atol=1e-7)
