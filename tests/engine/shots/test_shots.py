"""Shots run without Blender, and their checks see what is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.shots import SHOTS, shot
from redmax_blender.engine.shots.chain import Chain, check, spec, swing_energy


def run(scene) -> Result:
    model = compile_scene(scene)
    return Result.from_frames(model, simulate(model, scene_options(scene), end=scene.time.end))


@pytest.fixture(scope="module")
def chain() -> Result:
    return run(spec(end=1.5))


@pytest.mark.parametrize("name", SHOTS)
def test_every_shot_compiles(name):
    assert compile_scene(shot(name).spec()).nr > 0


def test_unknown_shot_is_an_error_that_lists_the_known_ones():
    with pytest.raises(InputError, match="chain"):
        shot("chian")


def test_chain_swings_as_physics_says(chain):
    check(chain)


@pytest.mark.parametrize("links", [1, 2, 30])
def test_chain_of_any_length_passes_its_own_check(links):
    some = Chain(links=links, height=0.2 * links + 0.3)
    check(run(spec(some, end=0.25)), some)


def test_undamped_chain_keeps_its_energy():
    still = Chain(damping=0.0)
    result = run(spec(still, end=1.5, integrator="rk-recursive"))
    check(result, still, drift=1e-5)


def test_links_have_the_mass_of_their_capsules(chain):
    some = Chain()
    assert compile_scene(spec()).bodies.inertia[:, 3] == pytest.approx([some.mass(i) for i in range(8)])
    assert swing_energy(chain, some) > 0.0


def test_check_sees_a_hinge_come_apart(chain):
    poses = chain.joint_pose.copy()
    poses[7, 3, 9] += 1e-6
    with pytest.raises(AssertionError, match=r"came apart.*link\.003"):
        check(replace(chain, joint_pose=poses))


def test_check_sees_a_link_twist_about_another_axis(chain):
    poses = chain.joint_pose.copy()
    R = poses[9, -1, :9].reshape(3, 3)
    c, s = np.cos(0.01), np.sin(0.01)
    poses[9, -1, :9] = (R @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])).ravel()  # about the link itself
    with pytest.raises(AssertionError, match="another axis"):
        check(replace(chain, joint_pose=poses))


def test_check_sees_energy_appear(chain):
    energy = chain.energy.copy()
    energy[100:, 0] += 0.02 * swing_energy(chain, Chain())
    with pytest.raises(AssertionError, match="energy grows"):
        check(replace(chain, energy=energy))


def test_check_sees_energy_vanish(chain):
    energy = chain.energy.copy()
    energy[100:, 0] -= 0.02 * swing_energy(chain, Chain())
    with pytest.raises(AssertionError, match="disagree"):
        check(replace(chain, energy=energy))


def test_check_sees_a_chain_that_stays_up(chain):
    held = np.broadcast_to(chain.joint_pose[:1], chain.joint_pose.shape)
    centres = np.broadcast_to(chain.body_pose[:1], chain.body_pose.shape)
    with pytest.raises(AssertionError, match="never passes the lowest point"):
        check(replace(chain, joint_pose=held, body_pose=centres))
