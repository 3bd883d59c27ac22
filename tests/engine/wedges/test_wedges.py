"""Wedges: what is varied, the runs on worker processes that die, and what is written of them."""

from __future__ import annotations

import csv
import json
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from redmax_blender.cli import BAD_INPUT, OK, main
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.scene import SceneSpec
from redmax_blender.engine.scene.file import decode_scene, encode_scene
from redmax_blender.wedges import cluster
from redmax_blender.wedges.folder import Plan, missing, prepare, read_plan, read_report, table
from redmax_blender.wedges.one_run import run_one
from redmax_blender.wedges.variants import Vary, expanded, parse_vary, variants, varied_scene

TWO = {
    "format": "redmax-scene",
    "version": 1,
    "bodies": [
        {
            "name": name,
            "shape": {"kind": "cuboid", "sides": [0.2, 0.2, 0.1]},
            "mass": mass,
            "surface": {"friction": 0.3},
            "joint": {
                "type": {"kind": "free"},
                "frame": {"position": [x, 0.0, 0.05]},
                "qdot": [1.5, 0, 0, 0, 0, 0],
            },
        }
        for name, mass, x in (("a", 1.0, 0.0), ("b", 2.0, 1.0))
    ],
    "colliders": [{"name": "ground", "shape": {"kind": "plane"}, "friction": 0.5}],
    "time": {"end": 0.5, "step": 1 / 240, "record": 10},
}


def scene() -> SceneSpec:
    return decode_scene(json.dumps(TWO).encode())


def test_every_value_is_tried_with_every_other_and_every_seed() -> None:
    varied = [Vary("a", [1.0, 2.0, 3.0]), Vary("b", [5.0, 6.0])]
    runs = variants(varied, 2)
    assert [run.number for run in runs] == list(range(1, 13))
    assert len({(*run.values, run.seed) for run in runs}) == 12
    assert [run.seed for run in variants(varied, 0)] == [0] * 6


def test_a_star_stands_for_every_entry_that_has_the_number() -> None:
    spec = scene()
    assert expanded(spec, "bodies.*.surface.friction") == [
        ["bodies", 0, "surface", "friction"],
        ["bodies", 1, "surface", "friction"],
    ]
    run = variants([Vary("x", [3.0])], 0)[0]
    heavier = varied_scene(spec, [Vary("bodies.*.mass", [3.0], factor=True)], run, 0.0)
    assert [body.mass for body in heavier.bodies] == [3.0, 6.0]
    assert [body.mass for body in spec.bodies] == [1.0, 2.0]


def test_a_seed_jolts_the_start_and_the_same_seed_alike() -> None:
    spec = scene()
    first, second, again = (
        varied_scene(spec, [], run, 0.1) for run in (*variants([], 2), variants([], 1)[0])
    )
    plain = spec.bodies[0].joint.qdot
    assert first.bodies[0].joint.qdot != second.bodies[0].joint.qdot != plain
    assert encode_scene(first) == encode_scene(again)


@pytest.mark.parametrize("text", ["friction", "=1", "a=1:2", "a=1:2:0", "a=x", "a=nan", "a=1:inf:3"])
def test_values_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_vary(text, False)


def test_a_path_that_leads_nowhere_is_refused_before_anything_runs(tmp_path: Path) -> None:
    for path in ("bodies.c.mass", "bodies.*.nothing"):
        varied = [Vary(path, [1.0])]
        with pytest.raises(InputError):
            prepare(tmp_path / path, scene(), Plan(varied=varied, runs=variants(varied, 0)))


def test_another_wedge_is_not_written_over(tmp_path: Path) -> None:
    for value in (1.0, 1.0, 2.0):
        varied = [Vary("bodies.a.mass", [value])]
        plan = Plan(varied=varied, runs=variants(varied, 0))
        if value == 1.0:
            prepare(tmp_path, scene(), plan)
        else:
            with pytest.raises(InputError, match="another wedge"):
                prepare(tmp_path, scene(), plan)


@pytest.mark.timeout(300)
def test_workers_that_die_lose_nothing_and_change_nothing(tmp_path: Path) -> None:
    """Two of the workers are killed on the way; the frames are to the last byte those of runs by hand."""
    varied = [
        Vary("bodies.*.surface.friction", [0.0, 0.2, 0.4, 0.6]),
        Vary("bodies.*.mass", [1.0, 2.0], factor=True),
    ]
    plan = Plan(varied=varied, jolt=0.05, runs=variants(varied, 3))
    prepare(tmp_path / "cluster", scene(), plan)
    prepare(tmp_path / "hand", scene(), plan)
    told: list[int] = []

    def kill_some(report: dict[str, Any]) -> None:
        told.append(report["number"])
        if len(told) in (3, 10):
            worker = next(
                child
                for child in psutil.Process().children(recursive=True)
                if "spawn_main" in " ".join(child.cmdline())
            )
            worker.send_signal(signal.SIGKILL)

    cluster.run_all(tmp_path / "cluster", [run.number for run in plan.runs], kill_some, workers=2)
    assert sorted(told) == [run.number for run in plan.runs]
    assert missing(tmp_path / "cluster", plan) == []
    for run in plan.runs:
        by_hand = run_one(str(tmp_path / "hand"), run.number)
        found = read_report(tmp_path / "cluster", run.number)
        assert found is not None and found["status"] == "finished"
        assert found["measures"] == by_hand["measures"]
        one, other = (tmp_path / each / by_hand["frames_file"] for each in ("cluster", "hand"))
        assert one.read_bytes() == other.read_bytes()
    rows = table(plan, [read_report(tmp_path / "cluster", run.number) for run in plan.runs])
    assert len(rows) == 25 and {row[4] for row in rows[1:]} == {"finished"}


@pytest.mark.timeout(300)
def test_the_command_does_what_is_missing_and_draws_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "two.json", tmp_path / "wedge"
    file.write_text(json.dumps(TWO))
    line = ["wedge", str(file), "--out", str(out), "--vary", "bodies.*.surface.friction=0:0.6:3"]
    assert main([*line, "--commands"]) == OK
    commands = capsys.readouterr().out.splitlines()
    assert len(commands) == 3 and commands[2].endswith("--run 3")
    assert main(["wedge", str(out), "--run", "2"]) == OK  # as a farm's manager would
    assert main([*line, "--workers", "1", "--measure", "height_end"]) == OK
    assert read_plan(out).title == "two"
    with (out / "table.csv").open(newline="") as file_:
        rows = list(csv.DictReader(file_))
    assert [row["surface friction"] for row in rows] == ["0", "0.3", "0.6"]
    travel = [float(row["travel"]) for row in rows]
    assert travel[0] > travel[1] > travel[2]
    assert (out / "sheet.svg").read_text().count("<g ") == 3
    assert "<polyline" in (out / "chart.svg").read_text()


def test_bad_asks_say_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.json"
    file.write_text(json.dumps(TWO))
    for line, said in (
        ([str(file)], "--out"),
        ([str(file), "--out", str(tmp_path / "w")], "nothing varies"),
        ([str(tmp_path)], "holds no wedge"),
        ([str(file), "--out", str(tmp_path / "w"), "--vary", "bodies.*.mass=1:2:20000"], "runs"),
    ):
        assert main(["wedge", *line]) == BAD_INPUT
        assert said in capsys.readouterr().err


def test_a_run_that_diverges_says_so_and_the_others_go_on(tmp_path: Path) -> None:
    varied = [Vary("bodies.a.mass", [1.0, -1.0])]
    plan = Plan(varied=varied, runs=variants(varied, 0))
    prepare(tmp_path, scene(), plan)
    told: list[dict[str, Any]] = []
    cluster.run_all(tmp_path, [1, 2], lambda report: told.append(report), workers=1)
    status = {report["number"]: report for report in told}
    assert status[1]["status"] == "finished"
    assert status[2]["status"] == "failed" and "mass" in status[2]["message"]
