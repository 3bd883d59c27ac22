"""What is at the edge of what a step can do: bounces, keys that jump, light links, whips, tiny things, long runs."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine import compile_scene, simulate
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.simulate import Frame
from redmax_blender.engine.run.tally import Tally
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Constant,
    Cuboid,
    Free,
    JointSpec,
    Plane,
    Pose,
    Revolute,
    Sampled,
    SceneSpec,
    Sine,
    Sphere,
    Spherical,
    Surface,
)

RATES = (24, 60, 240, 960)
EULERS = ("euler", "euler-midway")
Y = (0.0, 1.0, 0.0)
GROUND = ColliderSpec(name="ground", shape=Plane(), friction=0.5)


def frames(
    spec: SceneSpec, rate: int, seconds: float, integrator: str = "euler-midway", tally: Tally | None = None
) -> list[Frame]:
    model = compile_scene(spec)
    options = Options(h=1.0 / rate, integrator=integrator, sleep=False)
    return list(simulate(model, options, end=seconds, tally=tally or Tally()))


def link(
    name: str, parent: str | None, kind: object, length: float, mass: float, **joint: object
) -> BodySpec:
    """A rod along x from its joint, which is where its parent, as long, ends."""
    at = (length if parent else 0.0, 0.0, 0.0)
    return BodySpec(
        name=name, parent=parent, shape=Cuboid((length, 0.1 * length, 0.1 * length)), mass=mass,
        pose=Pose((0.5 * length, 0.0, 0.0)), joint=JointSpec(type=kind, frame=Pose(at), **joint),
    )  # fmt: skip


# Bounces


def ball(height: float, restitution: float, speed: float = 0.0) -> SceneSpec:
    """One of 10 cm, so high above the ground, that falls at a speed."""
    joint = JointSpec(
        type=Free(), frame=Pose((0.0, 0.0, 0.1 + height)), qdot=[0.0, 0.0, -speed, 0.0, 0.0, 0.0]
    )
    body = BodySpec(name="ball", shape=Sphere(0.1), joint=joint, surface=Surface(restitution=restitution))
    return SceneSpec(bodies=[body], colliders=[GROUND])


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("rate", RATES)
def test_a_ball_comes_back_as_high_as_its_restitution_says(rate: int, restitution: float) -> None:
    """The square of the coefficient, of the height that it fell."""
    z = np.array([f.body_pose[0, 11] - 0.1 for f in frames(ball(1.0, restitution), rate, 1.0)])
    turn = int(np.flatnonzero(np.diff(z) > 0.0)[0])  # the first of its bounces
    top = float(z[turn:].max())
    unseen = 9.81 / (8.0 * rate**2)  # it falls by that from the top to a step, at most
    off = abs(top - restitution**2)
    assert off < 0.02 * restitution**2 + unseen, f"to {top:.3f} m, wanted {restitution**2:.3f}"


@pytest.mark.parametrize("rate", RATES)
def test_a_ball_turns_where_it_touches(rate: int) -> None:
    """Without weight it comes and goes along straight lines, which meet on the ground: to a millimetre."""
    speed, height, restitution = 4.4, 0.5, 0.5
    spec = ball(height, restitution, speed)
    spec.gravity = (0.0, 0.0, 0.0)
    last = frames(spec, rate, 0.25)[-1]
    wanted = restitution * speed * (0.25 - height / speed)
    off = last.body_pose[0, 11] - 0.1 - wanted
    assert abs(off) < 1e-3, f"it turns {1e3 * off / (1.0 + restitution):.1f} mm above the ground"


# Keys


@pytest.mark.parametrize("rate", RATES)
def test_keys_that_jump_do_not_kick(rate: int) -> None:
    """A bone turns by a radian between two frames; what hangs on it must not fly, or the user is told."""
    jump = Sampled([0.0, 0.2, 0.4], [0.0, 1.0, 1.0], interpolation="step")
    bodies = [link("keyed", None, Revolute(Y), 0.3, 1.0, motion=[jump])]
    bodies += [link(f"free {i}", ("keyed", "free 0")[i], Revolute(Y), 0.3, 1.0) for i in range(2)]
    tally = Tally()
    found = frames(SceneSpec(bodies=bodies), rate, 0.5 if rate != 24 else 12 / 24, tally=tally)
    fastest = max(float(np.abs(f.state.qdot[1:]).max()) for f in found)
    told = any("keyed" in each for each in tally.remarks())
    assert fastest < 30.0 or told, f"{fastest:.0f} rad/s"


# Masses that differ


@pytest.mark.parametrize("integrator", EULERS)
@pytest.mark.parametrize("rate", RATES)
def test_a_light_link_carries_a_heavy_load(rate: int, integrator: str) -> None:
    """A gram between the world and a ton, let go from the horizontal, for two seconds: it makes no energy."""
    bodies = [link("thread", None, Revolute(Y), 0.5, 1e-3), link("load", "thread", Revolute(Y), 0.5, 1000.0)]
    found = frames(SceneSpec(bodies=bodies), rate, 2.0, integrator)
    energy = np.array([f.energy.sum() for f in found])
    assert np.isfinite(energy).all()
    grown = (energy.max() - energy[0]) / max(f.energy[0] for f in found)
    assert grown < 0.1, f"energy grows by {grown:.0%}"


# Long chains


@pytest.mark.parametrize("kind", ["hinges", "balls"])
@pytest.mark.parametrize("rate", RATES)
def test_a_whip_of_three_hundred_links_does_not_break(rate: int, kind: str) -> None:
    """Its handle goes to and fro by half a radian, twice a second, for a second."""
    bodies = [link("0", None, Revolute(Y), 0.02, 0.01, motion=[Sine(0.5, 2.0)])]
    for i in range(1, 300):
        joint = Spherical() if kind == "balls" else Revolute(Y if i % 2 else (0.0, 0.0, 1.0))
        bodies.append(link(str(i), str(i - 1), joint, 0.02, 0.01))
    found = frames(SceneSpec(bodies=bodies), rate, 1.0)
    fastest = max(float(np.abs(f.state.qdot).max()) for f in found)
    assert fastest < 1e5, f"{fastest:.0g} rad/s"


@pytest.mark.parametrize("integrator", EULERS)
@pytest.mark.parametrize("kind", ["hinges", "balls"])
@pytest.mark.parametrize("rate", RATES)
def test_an_undamped_chain_makes_no_energy(rate: int, kind: str, integrator: str) -> None:
    """Ten links let go from the horizontal, for four seconds: never a tenth more than it fell for."""
    bodies = []
    for i in range(10):
        joint = Spherical() if kind == "balls" else Revolute(Y if i % 2 == 0 else (0.0, 0.0, 1.0))
        bodies.append(link(str(i), str(i - 1) if i else None, joint, 0.1, 0.1))
    found = frames(SceneSpec(bodies=bodies), rate, 4.0, integrator)
    energy = np.array([f.energy.sum() for f in found])
    weight = 1.0 * 9.81 * 0.5  # what hanging straight down would give
    grown = float(energy.max() - energy[0]) / weight
    assert grown < 0.1, f"energy grows by {grown:.0%} of what it fell for"


# Tiny things


@pytest.mark.parametrize("rate", RATES)
def test_boxes_of_a_tenth_of_a_millimetre_stand(rate: int) -> None:
    """Three of them, one on the other, for half a second: by a thousandth of their size."""
    size = 1e-4
    boxes = [
        BodySpec(
            name=str(i), shape=Cuboid((size,) * 3), surface=Surface(),
            joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, size * (0.5 + i)))),
        )
        for i in range(3)
    ]  # fmt: skip
    found = frames(SceneSpec(bodies=boxes, colliders=[GROUND]), rate, 0.5)
    off = np.abs(found[-1].body_pose[:, 11] / size - [0.5, 1.5, 2.5]).max()
    assert off < 1e-3, f"off by {off:.2g} of their size"


# Blender's own steps: a frame of 1/24 s in substeps


@pytest.mark.parametrize("substeps", [1, 4, 10])
def test_a_capsule_that_rolls_and_a_top_that_spins_at_the_substeps_of_blender(substeps: int) -> None:
    """A rolling capsule keeps its speed and its way, a free spinning one its axis, in two seconds."""
    lie = Pose((0.0, 0.0, 0.2), rotation=[np.pi / 2.0, 0.0, 0.0])
    rolls = BodySpec(
        name="rolls", shape=Capsule(0.2, 0.6), surface=Surface(friction=0.8),
        joint=JointSpec(type=Free(), frame=lie, qdot=[2.0, 0.0, 0.0, 0.0, 0.0, -10.0]),
    )  # fmt: skip
    spins = BodySpec(
        name="spins", shape=Cuboid((0.3, 0.3, 0.1)), weight=0.0,
        joint=JointSpec(type=Free(), frame=Pose((0.0, 5.0, 5.0)), qdot=[0.0, 0.0, 0.0, 0.5, 0.0, 30.0]),
    )  # fmt: skip
    first, *_, last = frames(SceneSpec(bodies=[rolls, spins], colliders=[GROUND]), 24 * substeps, 2.0)
    assert last.body_pose[0, 9:] == pytest.approx([4.0, 0.0, 0.2], abs=0.01)
    assert last.state.qdot[0] == pytest.approx(2.0, rel=0.01)
    upright = last.body_pose[1, [2, 5, 8]] @ first.body_pose[1, [2, 5, 8]]
    assert upright > 0.99
    assert last.energy.sum() == pytest.approx(first.energy.sum(), rel=0.01)


def test_prescribed_positions_at_rest_add_nothing() -> None:
    bodies = [link("keyed", None, Revolute(Y), 0.3, 1.0, motion=[Constant(0.3)])]
    found = frames(SceneSpec(bodies=bodies), 240, 0.1)
    assert all(f.state.q[0] == pytest.approx(0.3, abs=1e-12) for f in found)
