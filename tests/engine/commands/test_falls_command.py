"""`shot ragdoll --falls`: what it reports, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redmax_blender.cli import BAD_INPUT, OK, main
from redmax_blender.commands import falls
from redmax_blender.commands.shot import UNPHYSICAL


@pytest.mark.parametrize("soft", [False, True])
def test_a_fall_is_reported_with_its_depth_its_limits_and_its_rest(soft: bool) -> None:
    fall = falls.try_fall(1, soft=soft, end=0.1)
    assert fall["faults"] == []
    assert fall["finite"] and fall["wall_s"] > 0.0
    for name in ("beyond_deg", "speed_in_the_end_rad_s", "crept_in_the_end_m", "energy_gained_J"):
        assert fall[name] >= 0.0 or name == "energy_gained_J"
    assert fall["depth_m"]["depth"] < 0.01
    assert fall["rest_s"] is None  # it has only begun
    assert falls.line(fall).endswith("good")
    assert json.loads(json.dumps(fall)) == fall


def test_a_fall_that_is_not_physical_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def wrong(seed: int, *, soft: bool) -> dict[str, object]:
        return {"seed": seed, "wall_s": 1.0, "faults": [] if seed == 1 else ["a coordinate is not a number"]}

    monkeypatch.setattr(falls, "try_fall", wrong)
    monkeypatch.setattr(falls, "line", lambda fall: str(fall["faults"]))
    report = tmp_path / "falls.json"
    assert main(["shot", "ragdoll", "--falls", "1", "--report", str(report)]) == OK
    assert main(["shot", "ragdoll", "--falls", "3", "--report", str(report)]) == UNPHYSICAL
    written = json.loads(report.read_text(encoding="utf-8"))
    assert written["good"] == 1 and len(written["falls"]) == 3
    assert written["allowed"] == {"depth_m": pytest.approx(0.0175), "beyond_deg": 0.5}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["klann", "--falls", "2"], "Use it with ragdoll"),
        (["ragdoll", "--falls", "0"], "Give 1 or more"),
        (["ragdoll", "--soft"], "Use it with --falls"),
    ],
)
def test_falls_are_refused_where_there_are_none(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["shot", *arguments]) == BAD_INPUT
    assert said in capsys.readouterr().err
