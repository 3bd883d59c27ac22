"""The benchmark command: its table, its JSON, and what it says when there is nothing to run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redmax_blender.cli import main
from redmax_blender.commands import bench
from redmax_blender.engine.errors import InputError

FIELDS = {"bench", "case", "n", "ours_s", "rival", "rival_s", "ratio"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two benchmarks, and a file that is none."""
    folder = tmp_path / f"benchmarks_{tmp_path.name.replace('-', '_')}"
    folder.mkdir()
    line = "dict(bench='{0}', case='c', n=3, ours_s=2e-6, rival='r', rival_s={1}, ratio={2}{3})"
    for name, rival, ratio, note in (("one_thing", 4e-6, 2.0, ""), ("two", None, None, ", note='too large'")):
        text = f"def rows():\n    yield {line.format(name, rival, ratio, note)}\n"
        (folder / f"{name}.py").write_text(f"import math\n{text}")
    (folder / "shared.py").write_text("x = 1\n")
    return folder


def test_benchmarks_are_the_files_with_rows(folder: Path) -> None:
    assert list(bench.benchmarks(folder)) == ["one-thing", "two"]


def test_rows_are_shown_as_they_come_and_handed_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(bench.show(bench.all_rows(bench.benchmarks(folder).values())))
    assert all(set(row) >= FIELDS for row in rows)
    first, second = capsys.readouterr().out.splitlines()[1:]
    assert first.split() == ["one_thing", "c", "3", "2", "µs", "r", "4", "µs", "2.00"]
    assert second.endswith("-       -  too large")


def test_an_installed_extension_has_no_benchmarks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not part of the installed extension: run this in a checkout"):
        bench.benchmarks(tmp_path / "benchmarks")


def test_a_missing_rival_is_named(folder: Path) -> None:
    (folder / "three.py").write_text("import math\nimport no_such_engine\ndef rows():\n    yield {}\n")
    with pytest.raises(
        InputError, match=r"bench three: the module 'no_such_engine' is not installed.*make setup"
    ):
        list(bench.all_rows([folder / "three.py"]))


def test_an_unknown_benchmark_is_refused_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "forward-dynamic"]) == 2
    assert "Did you mean 'forward-dynamics'?" in capsys.readouterr().err


def test_json_to_nowhere_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "start-up", "--json", str(tmp_path / "nowhere" / "out.json")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_the_benchmarks_of_the_issue_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--list"]) == 0
    assert {"forward-dynamics", "start-up"} <= set(capsys.readouterr().out.split())


def test_forward_dynamics_against_rivals_that_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The smallest case of the real benchmark: it checks every rival's accelerations before it times them."""
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    from benchmarks import forward_dynamics

    monkeypatch.setattr(forward_dynamics, "SECONDS", 0.02)
    monkeypatch.setattr(forward_dynamics, "rows", lambda: forward_dynamics._revolute("chain", 10))
    out = tmp_path / "out.json"
    assert main(["bench", "forward-dynamics", "--json", str(out)]) == 0
    rows = json.loads(out.read_text())
    assert [row["rival"] for row in rows] == ["Pinocchio aba", "MuJoCo mj_forward"]
    for row in rows:
        assert set(row) >= FIELDS and row["n"] == 10
        assert row["ratio"] == pytest.approx(row["rival_s"] / row["ours_s"])
    assert "revolute chain" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "-"), (1.5, "1.5 s"), (2e-3, "2 ms"), (1.234e-5, "12.3 µs"), (5e-8, "50 ns")]
)
def test_durations(seconds: float | None, text: str) -> None:
    assert bench.duration(seconds) == text


def test_the_benchmarks_of_friction_and_loops_run() -> None:
    """Both share how they measure; a few frames of their smallest scenes."""
    pytest.importorskip("mujoco", reason="MuJoCo is a development dependency")
    pytest.importorskip("pybullet", reason="PyBullet is a development dependency")
    from benchmarks import joint_friction, loops
    from benchmarks.linkages import tower

    rows = [*loops.compare("tower", 1, tower(1, True), 0.1), *joint_friction.against_rivals(3, 0.1)]
    assert [row["rival"].split(",")[0] for row in rows] == ["MuJoCo", "PyBullet"] * 2
    assert all(0.0 < row["ours_s"] < 10.0 and 0.0 < row["rival_s"] < 10.0 for row in rows)
    assert "open by" in rows[0]["note"]
