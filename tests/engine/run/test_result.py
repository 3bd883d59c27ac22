"""Results on disk: they come back as they were, and half a file is never taken for a whole one."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from redmax_blender.engine import Options, Result, SceneSpec, compile_scene, run_key, simulate
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.scene import BodySpec, Free, JointSpec, Revolute, Sphere, SphericalEuler, TimeSpec


def scene() -> SceneSpec:
    kinds = {"root": Free(), "arm": SphericalEuler(), "hand": Revolute()}
    bodies = []
    for name, kind in kinds.items():
        parent = bodies[-1].name if bodies else None
        bodies.append(
            BodySpec(name=name, parent=parent, shape=Sphere(0.1), joint=JointSpec(type=kind, qdot=0.5))
        )
    return SceneSpec(bodies=bodies, time=TimeSpec(end=0.1))


@pytest.fixture(scope="module")
def result() -> Result:
    spec = scene()
    model = compile_scene(spec)
    options = Options(h=0.01)
    return Result.from_frames(
        model, simulate(model, options, end=0.1), run_key(spec, options), {"wall_time_s": {"step": 0.5}}
    )


def assert_same(a: Result, b: Result) -> None:
    for f in fields(Result):
        x, y = getattr(a, f.name), getattr(b, f.name)
        if isinstance(x, np.ndarray):
            assert np.array_equal(x, y) and x.dtype == y.dtype, f.name
        else:
            assert x == y, f.name


def test_shapes(result: Result) -> None:
    assert result.t.shape == (11,) and result.q.shape == result.qdot.shape == result.torque.shape == (11, 10)
    assert result.joint_pose.shape == result.body_pose.shape == (11, 3, 12)
    assert result.energy.shape == (11, 3) and result.chart.shape == (11, 4)
    assert result.coordinates("arm") == slice(6, 9)
    assert result.state(-1).t == result.t[-1]


def test_energies_have_names_and_sums(result: Result) -> None:
    energy = result.energies(5)
    assert energy["total"] == pytest.approx(energy["kinetic"] + energy["gravity"] + energy["springs"])
    assert energy["potential"] == pytest.approx(energy["gravity"] + energy["springs"])


def test_a_result_comes_back_as_it_was(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "result"  # no suffix is added behind the user's back
    result.save(path)
    assert_same(Result.load(path), result)
    assert [p.name for p in tmp_path.iterdir()] == ["result"]


def test_half_a_file_is_refused(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "result.npz"
    result.save(path)
    data = path.read_bytes()
    for cut in np.linspace(0, len(data) - 1, 25).astype(int):
        path.write_bytes(data[:cut])
        with pytest.raises(InputError, match=r"result\.npz: this is not a complete RedMax result"):
            Result.load(path)


def test_a_damaged_file_is_refused(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "result.npz"
    result.save(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(InputError, match="not a complete RedMax result"):
        Result.load(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Result.load(tmp_path / "none.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    np.save(tmp_path / "other.npy", np.zeros(3))
    (tmp_path / "text.npz").write_text("hello")
    (tmp_path / "folder.npz").mkdir()
    for name in ("other.npz", "other.npy", "text.npz", "folder.npz"):
        with pytest.raises(InputError, match=name):
            Result.load(tmp_path / name)


def test_objects_are_never_unpickled(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "result.npz"
    np.savez(path, header=np.array([{"format": "redmax-result"}], dtype=object))
    with pytest.raises(InputError):
        Result.load(path)


def test_a_failed_write_leaves_the_old_file(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "result.npz"
    result.save(path)
    before = path.read_bytes()

    def full(file: object, **arrays: object) -> None:
        file.write(b"half")  # type: ignore[attr-defined]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(InputError, match="No space left"):
        replace(result, key="other").save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_is_not_there(result: Result, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        result.save(tmp_path / "none" / "result.npz")


def test_the_key_changes_with_anything_that_changes_the_result() -> None:
    options = Options()
    keys = [run_key(scene(), options), run_key(scene(), options.with_(h=0.005))]
    keys.append(run_key(scene(), options.with_(integrator="bdf2")))
    changed = scene()
    changed.bodies[2].mass = 3.0
    keys.append(run_key(changed, options))
    assert len(set(keys)) == 4 and all(len(key) == 64 for key in keys)
    assert run_key(scene(), Options()) == keys[0]


def test_a_result_needs_a_frame() -> None:
    with pytest.raises(InputError, match="no frames"):
        Result.from_frames(compile_scene(scene()), [])
