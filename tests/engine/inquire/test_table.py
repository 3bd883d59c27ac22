"""Inquiries as tables: on the command line, and from recordings."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from friction_scenes import bar

from redmax_blender.cli import main
from redmax_blender.engine.scene import Revolute, SceneSpec, TimeSpec
from redmax_blender.engine.scene.file import encode_scene


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    arm = [bar("upper", Revolute((0.0, 1.0, 0.0))), bar("lower", Revolute((0.0, 1.0, 0.0)), parent="upper")]
    path = tmp_path / "arm.json"
    path.write_bytes(encode_scene(SceneSpec(bodies=arm, time=TimeSpec(end=0.1, step=0.01, record=2))))
    return path


def read(path: Path) -> list[dict[str, float]]:
    with path.open(encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def test_a_recording_is_asked_as_the_scene_is(scene: Path, tmp_path: Path) -> None:
    """The same figures from a result as from a new run, with weight and reactions in balance."""
    result, one, two = tmp_path / "r.npz", tmp_path / "one.csv", tmp_path / "two.csv"
    assert main(["run", str(scene), "--out", str(result)]) == 0
    asked = ["inquire", str(scene), "--of", "lower", "upper"]
    assert main([*asked, "--out", str(one)]) == 0
    assert main([*asked, "--result", str(result), "--out", str(two)]) == 0
    first, second = read(one), read(two)
    assert first == second and len(first) == 6
    for row in first:
        both = row["upper force in all z [N]"] + row["lower force in all z [N]"]
        weight = 2.0 * 10.0 * 9.81
        assert row["upper reaction force z [N]"] - weight == pytest.approx(both, abs=1e-6)


def test_unknown_names_are_said(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inquire", str(scene), "--of", "elbow"]) == 2
    assert "nothing has this name" in capsys.readouterr().err
    assert main(["inquire", str(scene), "--list"]) == 0
    assert capsys.readouterr().out.split() == ["everything", "upper", "lower"]
