"""The folder of a wedge: what is planned, the scene of each run, and what came of it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..engine.errors import InputError
from ..engine.scene import SceneSpec
from ..engine.scene.file import encode_scene
from .variants import Variant, Vary, varied_scene

PLAN = "wedge.json"
TABLE, SHEET, CHART = "table.csv", "sheet.svg", "chart.svg"


class Plan(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A wedge, as its folder keeps it."""

    format: Literal["redmax-wedge"] = "redmax-wedge"
    version: Literal[1] = 1
    title: str = ""
    varied: list[Vary]
    jolt: float = 0.0
    """Standard deviation of what seeds add to the start velocities [rad/s, m/s]."""
    runs: list[Variant]


def prepare(folder: Path, spec: SceneSpec, plan: Plan) -> None:
    """Write the plan and the scene of every run; InputError where another wedge is there, or a value cannot be."""
    write_plan(folder, plan)
    for run in plan.runs:
        write_scene(folder, run.number, varied_scene(spec, plan.varied, run, plan.jolt))


def write_plan(folder: Path, plan: Plan) -> None:
    """Begin a wedge, or go on with the same one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / PLAN).exists() and read_plan(folder) != plan:
            raise InputError(
                str(folder), "it holds another wedge", "Choose another folder, or delete that one."
            )
        _replace(folder / PLAN, msgspec.json.format(msgspec.json.encode(plan)))
    except OSError as error:
        raise InputError(str(folder), f"it cannot be written ({error})", "Choose another folder.") from None


def write_scene(folder: Path, number: int, scene: SceneSpec) -> None:
    _replace(scene_path(folder, number), encode_scene(scene))


def read_plan(folder: Path) -> Plan:
    """The plan that a folder has."""
    try:
        return msgspec.json.decode((folder / PLAN).read_bytes(), type=Plan)
    except OSError as error:
        raise InputError(str(folder), f"it holds no wedge ({error})", "Name the folder of one.") from None
    except msgspec.DecodeError as error:
        raise InputError(
            str(folder / PLAN), f"it is damaged: {error}", "Begin the wedge in another folder."
        ) from None


def scene_path(folder: Path, number: int) -> Path:
    return folder / f"run-{number:04d}.json"


def report_path(folder: Path, number: int) -> Path:
    return folder / f"run-{number:04d}.report.json"


def frames_path(folder: Path, report: dict[str, Any]) -> Path:
    """The frames of a run, by its report."""
    return folder / str(report["frames_file"])


def read_report(folder: Path, number: int) -> dict[str, Any] | None:
    """What a run has left; None where it has not ended."""
    try:
        report: dict[str, Any] = json.loads(report_path(folder, number).read_bytes())
    except (OSError, ValueError):
        return None
    return report


def write_report(folder: Path, report: dict[str, Any]) -> None:
    _replace(report_path(folder, report["number"]), json.dumps(report, indent=2).encode())


def missing(folder: Path, plan: Plan) -> list[int]:
    """Numbers of the runs that have not ended."""
    return [run.number for run in plan.runs if read_report(folder, run.number) is None]


def table(plan: Plan, reports: Sequence[dict[str, Any] | None]) -> list[list[str]]:
    """A row a run, under a row of headings."""
    from .measures import MEASURES

    head = ["run", *(vary.label for vary in plan.varied), "seed", "status", "frames", "seconds", *MEASURES]
    rows = [head]
    for run, report in zip(plan.runs, reports, strict=True):
        about = report or {"status": "missing"}
        found = about.get("measures", {})
        rows.append(
            [
                str(run.number),
                *(f"{value:.6g}" for value in run.values),
                str(run.seed),
                str(about["status"]),
                str(about.get("frames", "")),
                f"{about['seconds']:.3g}" if "seconds" in about else "",
                *(f"{found[name]:.6g}" if name in found else "" for name in MEASURES),
            ]
        )
    return rows


def _replace(path: Path, data: bytes) -> None:
    """Write a file that is whole at any moment."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(data)
    part.replace(path)
