"""A wedge of the scene: every value of what varies is read as a scene, simulated beside Blender, and becomes a take."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import bpy
import msgspec
import numpy as np

from ...engine.errors import SceneError
from ...engine.scene.file import encode_scene
from ...wedges.folder import (
    CHART,
    SHEET,
    TABLE,
    Plan,
    frames_path,
    read_plan,
    read_report,
    table,
    write_plan,
    write_scene,
)
from ...wedges.pictures import chart, contact_sheet
from ...wedges.variants import Variant, Vary, variants, varied_scene
from ..recording import cache, figure_cache
from ..recording.figures import FigureLog
from ..recording.frame_file import iterate_frames
from ..run.engine_process import start_process
from ..run.simulate_scene import Simulation
from .settings import alike, get, tried
from .takes import add, free_name

MOST = 1000
"""Runs of a wedge from the panel."""


class Planned(Simulation):
    """The scene as it is read for one run, whose frames come from elsewhere."""

    def start(self, scene: bpy.types.Scene, apart: bool, since: int | None) -> None:
        self.process, self.frames, self.key = None, iter(()), ""
        self.log = FigureLog(self.reading.scene)

    def take_frames(self, path: Path, report: dict[str, Any]) -> None:
        """The frames that the run has left."""
        self.key = report["key"]
        self.log.dof = np.array(report["dof"], np.int64).reshape(-1, 2)
        with path.open("rb") as file:
            for frame in iterate_frames(file):
                self.joint_poses.append(frame.joint_pose)
                self.x.append(frame.x)
                self.log.add(frame)


class Wedge:
    """All runs of a wedge, as an iterator over the reports that have arrived, or None while there is none."""

    def __init__(self, context: bpy.types.Context) -> None:
        """Read the scene with every value, and start. Nothing in the file has changed before `finish`."""
        scene = context.scene
        settings = scene.redmax.wedge
        self.varied = [vary for vary in settings.varied if vary.owner is not None]
        _check(scene, self.varied, settings)
        plan = Plan(
            title=scene.name,
            varied=[
                Vary(vary.path, np.linspace(vary.first, vary.last, vary.count).tolist(), name=vary.name)
                for vary in self.varied
            ],
            jolt=settings.jolt,
            runs=[],
        )
        plan.runs = variants(plan.varied, settings.seeds)
        if len(plan.runs) > MOST:
            raise SceneError("Wedge", f"it has {len(plan.runs)} runs", f"Vary less: {MOST} are the most.")
        self.plan = plan
        self.planned: dict[int, Planned] = {}
        scenes = []
        for run in plan.runs:
            with tried(self.changes(scene, run)):
                planned = Planned(context)
            self.planned[run.number] = planned
            scenes.append(
                varied_scene(planned.reading.scene, [], Variant(run.number, [], run.seed), plan.jolt)
            )
        parts = [msgspec.json.encode(plan), *map(encode_scene, scenes)]
        digest = hashlib.sha256(b"".join(parts)).hexdigest()[:12]
        self.folder = cache.folder(scene) / f"wedge-{digest}"
        write_plan(self.folder, plan)
        for run, made in zip(plan.runs, scenes):
            write_scene(self.folder, run.number, made)
        self.reports: dict[int, dict[str, Any]] = {}
        for run in plan.runs:  # of an earlier try that was stopped
            report = read_report(self.folder, run.number)
            if report is not None:
                self.reports[run.number] = report
        self._lines: Queue[dict[str, Any] | None] = Queue()
        self._process = start_process(
            "takes.worker", str(self.folder), str(settings.workers), *filter(None, [settings.cluster])
        )
        Thread(target=self._read, daemon=True).start()

    def changes(self, scene: bpy.types.Scene, run: Variant) -> list[tuple[bpy.types.ID, str, float]]:
        """The settings of a run: owner, path and value."""
        return [
            (owner, path, value)
            for vary, value in zip(self.varied, run.values)
            for owner, path in alike(scene, vary.owner, vary.path, vary.everywhere)
        ]

    def __iter__(self) -> Iterator[dict[str, Any] | None]:
        return self

    def __next__(self) -> dict[str, Any] | None:
        try:
            line = self._lines.get_nowait()
        except Empty:
            return None
        if line is None:
            raise SceneError(
                "Wedge",
                f"its process ended unexpectedly (exit code {self._process.wait()})",
                "See the system console for the reason; what is done is kept, and is not done again.",
            )
        if "error" in line:
            self.stop()
            raise SceneError("Wedge", line["error"], "")
        if "end" in line:
            self.stop()
            raise StopIteration
        self.reports[line["number"]] = line
        return line

    def stop(self) -> None:
        """End the runs; harmless when they have ended."""
        self._process.kill()
        self._process.wait()

    def finish(self, context: bpy.types.Context) -> list[str]:
        """Make a take of every run that has frames; what to tell the user about the others."""
        scene = context.scene
        scene.redmax.wedge.folder = str(self.folder)
        said = []
        for run in self.plan.runs:
            report = self.reports.get(run.number)
            name = self.name(run)
            if report is not None and report["status"] != "finished":
                said.append(f"{name}: {report['status']}: {report['message']}")
            planned = self.planned[run.number]
            if report is None or not report.get("frames", 0) > planned.skipped:
                continue
            planned.take_frames(frames_path(self.folder, report), report)
            with tried(self.changes(scene, run)):
                recording = planned.make_recording(context)
            objects = {each: scene.objects[each] for each in (*recording.tracks, *recording.meshes)}
            take = add(scene, recording, objects, free_name(scene, name))
            figure_cache.put(recording.key, planned.log.figures().since(planned.skipped), scene)
            take.values.clear()
            for owner, path, value in self.changes(scene, run):
                each = take.values.add()
                each.name, each.owner, each.path, each.value = path.rpartition(".")[2], owner, path, value
            frames = cache.frames_path(recording.key, scene)
            if not frames.exists():  # so that Simulate can go on from a frame of it
                _link(frames_path(self.folder, report), frames)
        draw(self.folder, scene.redmax.wedge)
        return said

    def name(self, run: Variant) -> str:
        """What the take of a run is called."""
        parts = [f"{vary.name} {value:.4g}" for vary, value in zip(self.varied, run.values)]
        return ", ".join([*parts, *([f"seed {run.seed}"] if run.seed else [])])

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            for line in pipe:
                self._lines.put(json.loads(line))
        self._lines.put(None)


def draw(folder: Path, settings: Any) -> None:
    """Write the table, the contact sheet and the chart of a wedge into its folder."""
    plan = read_plan(folder)
    reports = [read_report(folder, run.number) for run in plan.runs]
    with (folder / TABLE).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(table(plan, reports))
    (folder / SHEET).write_text(contact_sheet(folder, plan, reports), encoding="utf-8")
    (folder / CHART).write_text(chart(plan, reports, settings.measure), encoding="utf-8")


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(source, target)


def add_varied(scene: bpy.types.Scene, owner: bpy.types.ID, path: str, name: str) -> Any:
    """Let the wedge vary a setting, from nothing to twice what it is; SceneError for what is no single number."""
    now = get(owner, path)
    if now is None:
        raise SceneError(f"'{name}'", "it is not a single number", "Vary a setting that is one.")
    for vary in scene.redmax.wedge.varied:
        if vary.owner is owner and vary.path == path:
            return vary
    vary = scene.redmax.wedge.varied.add()
    vary.owner, vary.path, vary.name = owner, path, name
    vary.first, vary.last = 0.0, 2.0 * now or 1.0
    return vary


def _check(scene: bpy.types.Scene, varied: list[Any], settings: Any) -> None:
    if not varied and not settings.seeds:
        raise SceneError(
            "Wedge", "nothing varies", "Right-click a setting and choose Vary in a Wedge, or give Seeds."
        )
    for vary in varied:
        if get(vary.owner, vary.path) is None:
            raise SceneError(
                f"'{vary.name}'", "the setting is not there any more", "Remove it from the wedge."
            )
