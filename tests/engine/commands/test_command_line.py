"""The command line: what it writes, what it says, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redmax_blender.cli import COMMANDS, main
from redmax_blender.engine import Result, load_scene, scene_schema
from redmax_blender.engine.scene import SceneSpec

PENDULUM: dict[str, Any] = {
    "format": "redmax-scene",
    "version": 1,
    "name": "pendulum",
    "bodies": [
        {
            "name": "upper",
            "shape": {"kind": "cuboid", "sides": [0.1, 0.1, 1.0]},
            "pose": {"position": [0, 0, -0.5]},
            "joint": {"name": "shoulder", "type": {"kind": "revolute", "axis": [0, 1, 0]}, "q": 1.2},
        },
        {
            "name": "lower",
            "parent": "upper",
            "shape": {"kind": "capsule", "radius": 0.05, "height": 0.8},
            "pose": {"position": [0, 0, -0.5]},
            "joint": {"type": {"kind": "spherical"}, "frame": {"position": [0, 0, -1]}, "q": [0.1, 0, 0]},
        },
    ],
    "time": {"end": 0.2, "step": 0.01},
}


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.json"
    path.write_text(json.dumps(PENDULUM))
    return path


def changed(path: Path, **fields: Any) -> Path:
    path.write_text(json.dumps({**PENDULUM, **fields}))
    return path


def test_run_writes_result_and_report(
    scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, report_path = tmp_path / "r.npz", tmp_path / "r.json"
    assert main(["run", str(scene), "--out", str(out), "--report", str(report_path)]) == 0
    result, report = Result.load(out), json.loads(report_path.read_text())
    assert len(result) == 21 and result.joints == ("shoulder", "lower")
    assert report["status"] == "finished" and report["steps"] == 20 and report["integrator"] == "euler-midway"
    assert set(report["wall_time_s"]) >= {"compile", "jit", "step", "record"}
    energy = report["energy"]
    for name in ("kinetic", "potential", "total"):
        assert energy["change"][name] == pytest.approx(energy["end"][name] - energy["start"][name])
    assert energy["start"]["total"] == pytest.approx(result.energy[0].sum())
    assert report["final"]["shoulder"]["q"] == pytest.approx([result.q[-1, 0]])
    assert report["final"]["lower"]["qdot"] == pytest.approx(result.qdot[-1, 1:4].tolist())
    assert len(report["key"]) == 64 and report["key"] == result.key
    printed = capsys.readouterr()
    assert "finished at t = 0.2 s" in printed.out and "total energy" in printed.out
    assert "20/20" in printed.err, "the progress goes to stderr"


def test_run_obeys_its_options(scene: Path, tmp_path: Path) -> None:
    out, report = tmp_path / "r.npz", tmp_path / "r.json"
    options = ["--until", "0.1", "--h", "0.005", "--integrator", "sdirk2"]
    assert main(["run", str(scene), *options, "--out", str(out), "--report", str(report)]) == 0
    result, told = Result.load(out), json.loads(report.read_text())
    assert result.t[-1] == pytest.approx(0.1) and len(result) == 21
    assert told["h"] == 0.005 and told["integrator"] == "sdirk2"
    assert abs(told["energy"]["change"]["total"]) < 1e-3


def test_record_keeps_fewer_frames(scene: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.npz"
    changed(scene, time={"end": 0.2, "step": 0.01, "record": 8})
    assert main(["run", str(scene), "--out", str(out)]) == 0
    assert Result.load(out).step.tolist() == [0, 8, 16, 20]


def test_a_diverged_run_ends_with_3_and_keeps_its_good_frames(
    scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bodies = json.loads(json.dumps(PENDULUM["bodies"]))
    bodies[1]["joint"]["type"] = {"kind": "revolute", "axis": [0, 1, 0]}
    bodies[1]["joint"].update(q=0.5, qdot=1e100)
    changed(scene, bodies=bodies)
    out, report = tmp_path / "r.npz", tmp_path / "r.json"
    assert main(["run", str(scene), "--out", str(out), "--report", str(report)]) == 3
    result, told = Result.load(out), json.loads(report.read_text())
    assert 1 <= len(result) < 21 and np.isfinite(result.q).all()
    assert told["status"] == "diverged" and "diverged at t = " in told["message"]
    assert told["key"] == "", "part of a run does not pass for all of it"
    printed = capsys.readouterr()
    assert "diverged" in printed.err and "Traceback" not in printed.err


def test_interrupting_a_run_keeps_its_frames(
    scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from redmax_blender.commands import run

    frames = run.simulate

    def interrupted(*args: Any, **options: Any) -> Iterator[Any]:
        for frame in frames(*args, **options):
            if frame.step == 7:
                raise KeyboardInterrupt
            yield frame

    monkeypatch.setattr(run, "simulate", interrupted)
    out, report = tmp_path / "r.npz", tmp_path / "r.json"
    assert main(["run", str(scene), "--out", str(out), "--report", str(report)]) == 130
    assert len(Result.load(out)) == 7
    assert json.loads(report.read_text())["status"] == "interrupted"


def test_a_step_that_cannot_be_solved_ends_with_3(
    scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from redmax_blender.commands import run
    from redmax_blender.engine.errors import ConvergenceError

    frames = run.simulate

    def stuck(*args: Any, **options: Any) -> Iterator[Any]:
        yield next(frames(*args, **options))
        raise ConvergenceError(0.01, "shoulder", 1.0)

    monkeypatch.setattr(run, "simulate", stuck)
    report = tmp_path / "r.json"
    assert main(["run", str(scene), "--report", str(report)]) == 3
    assert json.loads(report.read_text())["status"] == "failed"
    assert "did not converge" in capsys.readouterr().err


def test_check_says_good_or_what_is_wrong(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(scene)]) == 0
    assert "good; 2 bodies, 4 coordinates, 20 steps" in capsys.readouterr().out
    changed(scene, time={"end": 0.2, "step": 0.03})
    assert main(["check", str(scene)]) == 2
    assert "not a whole number of steps" in capsys.readouterr().err


def bodies_with(change: dict[str, Any], index: int = 1) -> list[Any]:
    bodies = json.loads(json.dumps(PENDULUM["bodies"]))
    bodies[index].update(change)
    return list(bodies)


BAD: dict[str, tuple[dict[str, Any] | str, str]] = {
    "negative mass": ({"bodies": bodies_with({"mass": -1})}, r"bodies[1] 'lower'.mass"),
    "zero mass": ({"bodies": bodies_with({"mass": 0})}, r"bodies[1] 'lower'.mass"),
    "NaN": (json.dumps({**PENDULUM, "gravity": [0, 0, float("nan")]}), "NaN is not a number"),
    "unknown parent": ({"bodies": bodies_with({"parent": "uper"})}, "Did you mean 'upper'"),
    "cycle": ({"bodies": bodies_with({"parent": "lower"}, 0)}, "circle: 'upper' → 'lower' → 'upper'"),
    "repeated name": ({"bodies": bodies_with({"name": "upper", "parent": None})}, "the same name"),
    "unknown field": ({"gravty": [0, 0, 0]}, "Did you mean 'gravity'"),
    "unknown joint kind": (
        {"bodies": bodies_with({"joint": {"type": {"kind": "hinge"}}})},
        "$.bodies[1].joint.type.kind",
    ),
    "truncated file": (json.dumps(PENDULUM)[:200], "truncated"),
    "not a scene": ("[]", "not a scene"),
    "unknown integrator": ({"integrator": "verlet"}, "there is no integrator 'verlet'"),
}


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize("name", BAD)
def test_bad_input_ends_with_2_and_says_what_to_do(
    name: str, command: str, scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, message = BAD[name]
    scene.write_text(content if isinstance(content, str) else json.dumps({**PENDULUM, **content}))
    assert main([command, str(scene)]) == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.startswith("redmax: ")
    assert "Traceback" not in printed.err and printed.out == ""


def test_missing_files_and_folders(scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["run", str(tmp_path / "none.json")],
        ["info", str(tmp_path / "none.json")],
        ["plot", str(tmp_path / "none.npz"), "--out", str(tmp_path / "a.png")],
    ):
        assert main(arguments) == 2
        assert "there is no such file" in capsys.readouterr().err
    assert main(["run", str(scene), "--out", str(tmp_path / "none" / "r.npz")]) == 2
    assert "--out: there is no folder" in capsys.readouterr().err
    assert main(["run", str(scene), "--integrator", "rk4"]) == 2
    assert "--integrator: there is no integrator 'rk4'" in capsys.readouterr().err


def test_info_prints_the_tree(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(scene, bodies=[*PENDULUM["bodies"], *bodies_with({"name": "other", "mass": 2})[1:]])
    assert main(["info", str(scene)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("pendulum: 3 bodies, 7 coordinates")
    assert lines[2] == "upper  cuboid 10 kg  · revolute 'shoulder' to the world, 1 coordinates"
    assert lines[4] == "  other  capsule 2 kg  · spherical to upper, 3 coordinates"


def test_info_of_a_long_chain_stays_a_column(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bodies = [
        {"name": f"b{i}", "parent": f"b{i - 1}" if i else None, "shape": {"kind": "sphere", "radius": 1}}
        for i in range(2000)
    ]
    changed(scene, bodies=bodies)
    assert main(["info", str(scene)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2002 and max(map(len, lines)) < 120


@pytest.mark.parametrize("what", ["energy", "angles", "torques"])
def test_plot_draws_a_picture(what: str, scene: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out, picture = tmp_path / "r.npz", tmp_path / "r.png"
    assert main(["run", str(scene), "--out", str(out)]) == 0
    assert main(["plot", str(out), "--what", what, "--out", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 5000


def test_plot_says_when_matplotlib_is_missing(
    scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.npz"
    assert main(["run", str(scene), "--out", str(out)]) == 0
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["plot", str(out), "--out", str(tmp_path / "r.png")]) == 2
    assert "pip install matplotlib" in capsys.readouterr().err


def test_schema_is_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(scene_schema()))


def python_m(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "redmax_blender", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_help_lists_every_command_at_once() -> None:
    begin = time.perf_counter()
    shown = python_m("--help")
    assert shown.returncode == 0 and time.perf_counter() - begin < 5.0
    assert all(f"\n    {name} " in shown.stdout for name in COMMANDS)
    assert python_m().returncode == 2
    assert python_m("fly").returncode == 2


def test_bad_input_has_no_traceback(tmp_path: Path) -> None:
    ended = python_m("check", str(tmp_path / "none.json"))
    assert ended.returncode == 2 and ended.stdout == ""
    assert ended.stderr == f"redmax: {tmp_path / 'none.json'}: there is no such file. Check the path.\n"


def test_the_example_of_the_documentation_is_a_scene(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(__file__).parents[3] / "docs" / "scene-file.md").read_text(encoding="utf-8")
    example = tmp_path / "example.json"
    example.write_text(text.split("```json\n")[1].split("```")[0])
    spec = load_scene(example)
    assert isinstance(spec, SceneSpec) and len(spec.bodies) > 1
    assert main(["run", str(example)]) == 0
