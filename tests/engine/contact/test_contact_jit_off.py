"""Collision detection as plain Python gives the same contacts as compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
ROOT = HERE.parents[3]


def compute() -> dict[str, np.ndarray]:
    """A bit of everything: each kind on a plane, a mesh and each other, flesh, a bullet, and a tube."""
    from contact_scenes import KINDS, contacts_of, free_body, model_contacts, random_shape
    from test_contact_mesh import cube, grid
    from test_contact_scene import jelly
    from test_contact_tube import crossing

    from redmax_blender.engine.compile.scene import compile_scene
    from redmax_blender.engine.scene import ColliderSpec, Plane, Pose, SceneSpec, Sphere

    rng = np.random.default_rng(3)
    bodies = [
        free_body(kind + str(k), random_shape(kind, rng), (1.05 * i, 1.05 * k, 0.4), rng.normal(size=3))
        for i, kind in enumerate(KINDS)
        for k in range(3)
    ]
    floors = [
        ColliderSpec(name="plane", shape=Plane()),
        ColliderSpec(name="sheet", shape=grid(8, 12.0, shuffle=1), pose=Pose(position=(0.0, 0.0, 0.05))),
        ColliderSpec(name="cube", shape=cube((1.0, 1.0, 1.0)), pose=Pose(position=(3.0, -1.2, 0.5))),
    ]
    bullet = free_body("bullet", Sphere(radius=0.01), (-5.0, 0.1, 0.5), velocity=(400.0, 0.0, 0.0))
    soft = compile_scene(SceneSpec(bodies=bodies, flesh=[jelly(0.0)], colliders=floors))
    found = {
        "all": contacts_of([*bodies, bullet], floors, h=0.03),
        "flesh": model_contacts(soft, 0.01),
        "tubes": crossing(0.1)[1],
    }
    return {f"{k} {f.name}": getattr(c, f.name) for k, c in found.items() for f in fields(c)}


def test_plain_python_gives_the_same_contacts(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE.parents[1])]),
    }
    file = tmp_path / "contacts.npz"
    done = subprocess.run(
        [sys.executable, str(HERE), str(file)], env=environment, capture_output=True, text=True, timeout=250
    )
    assert done.returncode == 0, done.stderr
    compiled = compute()
    assert (
        len(compiled["all gap"]) > 30 and len(compiled["flesh gap"]) > 10 and len(compiled["tubes gap"]) == 1
    )
    with np.load(file) as plain:
        assert set(plain.files) == set(compiled)
        for name, expected in compiled.items():
            assert plain[name].shape == expected.shape, name
            # Of points of a smooth surface the compiled search may find others that are as near.
            assert np.abs(plain[name] - expected).max() < 1e-5, name


if __name__ == "__main__":
    np.savez(sys.argv[1], **compute())
