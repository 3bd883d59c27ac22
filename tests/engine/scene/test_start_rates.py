"""Bodies begin to move as they are wanted to, as far as their joints let them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import rod
from random_trees import ALL, random_scene, random_state

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.compile.start_rates import joint_rates
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.scene import Constant, SceneSpec
from redmax_blender.engine.tree.kinematics import forward_kinematics


def twists(model: Model, qdot: Floats) -> Floats:
    """Angular velocity and velocity at the world's origin of all bodies, in the world, shape (nb, 6)."""
    kin = forward_kinematics(model, replace(model.initial_state(), qdot=qdot))
    E, V = kin.E_wj[model.bodies.link], kin.V[model.bodies.link]
    R = E[:, :9].reshape(-1, 3, 3)
    turn, speed = np.einsum("nij,nj->ni", R, V[:, :3]), np.einsum("nij,nj->ni", R, V[:, 3:])
    return np.hstack([turn, speed + np.cross(E[:, 9:], turn)])


@pytest.mark.parametrize("seed", range(10))
def test_a_motion_that_the_joints_allow_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = compile_scene(random_scene(rng, 8, ALL))
    wanted = twists(model, random_state(rng, model).qdot)
    found = twists(model, joint_rates(model, dict(enumerate(wanted))))
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_what_joints_do_not_allow_is_left_out_and_what_is_not_asked_for_stays() -> None:
    bodies = [
        rod("upper", 0.5, None, (0.0, 0.0, 0.0), 0.0),
        rod("middle", 0.5, "upper", (0.5, 0.0, 0.0), 0.0, qdot=3.0),
        rod("lower", 0.5, "middle", (0.5, 0.0, 0.0), 0.0),
    ]
    about_y = np.array(
        [0.2, 2.0, 0.1, 0.0, 0.0, 0.0]
    )  # through the first joint, and tilted by what hinges do not do
    model = compile_scene(SceneSpec(bodies=bodies))
    np.testing.assert_allclose(joint_rates(model, {0: about_y, 2: about_y})[:2], [2.0, 3.0], atol=1e-12)
    bodies[0].joint.motion = [Constant(0.0)]
    model = compile_scene(SceneSpec(bodies=bodies))
    assert joint_rates(model, {0: about_y}).tolist() == [0.0, 3.0, 0.0]
