"""The engine runs as plain Python, with the same results: how it is debugged, and how coverage is measured."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from random_trees import ALL, random_scene, random_state

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Cuboid,
    Free,
    JointSpec,
    Plane,
    Pose,
    SceneSpec,
    Surface,
)
from redmax_blender.engine.shots import chains
from redmax_blender.engine.tree.jacobian import dense_jacobian, dense_jacobian_dot, jacobian_transpose_times
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics
from redmax_blender.engine.tree.recursive import (
    factor,
    forward_dynamics,
    hybrid_dynamics,
    inverse_dynamics,
    mass_times,
    solve,
)

HERE = Path(__file__).resolve()
ROOT = HERE.parents[3]
INTEGRATORS = ("euler", "bdf2", "rk-recursive")


def compute() -> dict[str, np.ndarray]:
    """A bit of everything: every joint kind, the kernels' three entries, and a step of three integrators."""
    results: dict[str, np.ndarray] = {}
    plain = tuple(kind for kind in ALL if "spline" not in kind and "euler" not in kind)
    for name, kinds in (("all", ALL), ("plain", plain)):
        rng = np.random.default_rng(11)
        model = compile_scene(random_scene(rng, len(kinds), kinds))
        state = random_state(rng, model)
        kin = forward_kinematics(model, state)
        tau, x, F = rng.normal(size=model.nr), rng.normal(size=model.nr), rng.normal(size=(model.nl, 6))
        free = rng.random(model.nr) < 0.5
        results |= {
            f"{name} poses": body_poses(model.bodies, kin),
            f"{name} J": dense_jacobian(model, kin),
            f"{name} Jdot": dense_jacobian_dot(model, kin, state.qdot),
            f"{name} Jt": jacobian_transpose_times(model, kin, F),
            f"{name} forward": forward_dynamics(model, state, tau),
            f"{name} pushed": forward_dynamics(model, state, tau, F),
            f"{name} inverse": inverse_dynamics(model, kin, state.qdot, x, F),
            f"{name} hybrid": np.concatenate(hybrid_dynamics(model, state, tau, x, free)),
            f"{name} mass": mass_times(model, kin, x),
            f"{name} solve": solve(model, factor(model, kin, free=free), x, known=x),
        }
    rng = np.random.default_rng(12)
    model = compile_scene(random_scene(rng, 4, ["revolute", "spherical", "universal", "spherical-euler"]))
    for integrator in INTEGRATORS:
        *_, last = simulate(model, Options(h=1e-3, integrator=integrator), end=2e-3)
        results[integrator] = np.concatenate([last.state.q, last.state.qdot, last.energy])
    for name, scene in (("friction", chains.spec(chains.Chains(links=3))), ("contact", landing())):
        exact = Options(h=1e-2, contact_tolerance=1e-12, friction_tolerance=1e-12)
        *_, last = simulate(compile_scene(scene), exact, end=3e-2)
        results[name] = np.concatenate([last.state.q, last.state.qdot])
    return results


def landing() -> SceneSpec:
    """A box that slides on the ground."""
    box = BodySpec(
        name="box",
        shape=Cuboid((0.4, 0.4, 0.2)),
        joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, 0.1)), qdot=[1.0, 0.5, 0.0, 0.0, 0.0, 0.0]),
        surface=Surface(),
    )
    return SceneSpec(bodies=[box], colliders=[ColliderSpec(name="ground", shape=Plane())])


def test_plain_python_gives_the_same_numbers(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE.parents[1])]),
    }
    file = tmp_path / "results.npz"
    done = subprocess.run(
        [sys.executable, str(HERE), str(file)], env=environment, capture_output=True, text=True, timeout=250
    )
    assert done.returncode == 0, done.stderr
    compiled = compute()
    with np.load(file) as plain:
        assert set(plain.files) == set(compiled)
        for name, expected in compiled.items():
            assert np.abs(plain[name] - expected).max() < 1e-9 * np.abs(expected).max(), name


if __name__ == "__main__":
    import numba

    assert numba.config.DISABLE_JIT
    np.savez(sys.argv[1], **compute())
