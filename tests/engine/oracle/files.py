"""The oracle's file: for each case the scene itself, states of its run, and the digests of the steps from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from redmax_blender.engine.scene.file import decode_scene, encode_scene

from .case import Case
from .digest import KINDS, Arrays, digest, pack_state, run, unpack_state

FORMAT = 1


@dataclass
class Record:
    """A case as a file has it."""

    case: Case
    states: dict[int, Arrays]
    results: dict[tuple[int, str], Arrays]
    told: dict[str, dict[str, Any]]
    """What steps reported, by `{step} {kind}`."""


def record(case: Case, states: dict[int, Arrays] | None = None) -> Record:
    """Run a case; or only take its steps, from states that are given."""
    # what the file will hold is what runs, so that nothing depends on how a scene was made
    case = replace(case, spec=decode_scene(msgspec.json.encode(case.spec, enc_hook=float)))
    if states is None:
        states = {k: pack_state(state) for k, state in run(case).items()}
    results, told = {}, {}
    for k, arrays in states.items():
        for kind in KINDS:
            results[k, kind], told[f"{k} {kind}"] = digest(case.spec, case, unpack_state(arrays), kind)
    return Record(case, states, results, told)


def write(path: Path, records: dict[str, Record]) -> None:
    arrays: Arrays = {}
    index = {}
    for name, each in records.items():
        settings = asdict(each.case)
        settings["spec"] = encode_scene(each.case.spec).decode()
        index[name] = {"case": settings, "told": each.told}
        for k, state in each.states.items():
            arrays |= {f"{name}/{k}/state/{field}": value for field, value in state.items()}
        for (k, kind), result in each.results.items():
            arrays |= {f"{name}/{k}/{kind}/{field}": value for field, value in result.items()}
    arrays["index"] = np.array(json.dumps({"format": FORMAT, "cases": index}))
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part.npz")
    np.savez_compressed(part, **arrays)
    part.replace(path)


def read(path: Path) -> Iterator[tuple[str, Record]]:
    with np.load(path) as data:
        index = json.loads(str(data["index"]))
        if index["format"] != FORMAT:
            raise SystemExit(f"{path} was written by another version of this tool: write it again.")
        by_case: dict[str, list[str]] = {}
        for key in data.files:
            if key != "index":
                by_case.setdefault(key.rsplit("/", 3)[0], []).append(key)
        for name, entry in index["cases"].items():
            settings = entry["case"]
            spec = decode_scene(settings.pop("spec"))
            settings["at"] = tuple(settings["at"])
            out = Record(Case(spec, **settings), {}, {}, entry["told"])
            for key in by_case.get(name, []):
                _, k, kind, field = key.rsplit("/", 3)
                place = out.states if kind == "state" else out.results
                place.setdefault(int(k) if kind == "state" else (int(k), kind), {})[field] = data[key]
            yield name, out
