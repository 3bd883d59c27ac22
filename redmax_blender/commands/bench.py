"""`bench`: runs the benchmarks of a checkout, and prints a table.

A benchmark is a file in the folder `benchmarks` beside the package with a generator `rows()`; its name is that of the
file, with hyphens.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from ..engine.errors import InputError

Row = dict[str, Any]

_COLUMNS = "{:<17} {:<27} {:>6} {:>10}   {:<20} {:>10} {:>7}  {}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="which ones; all of them when none is named")
    parser.add_argument("--json", metavar="OUT", type=Path, help="write the rows as JSON, too")
    parser.add_argument("--list", action="store_true", help="only say which benchmarks there are")


def run(args: argparse.Namespace) -> int:
    there = benchmarks(Path(__file__).resolve().parents[2] / "benchmarks")
    if args.list:
        print("\n".join(there))
        return 0
    for name in args.names:
        if name not in there:
            near = difflib.get_close_matches(name, there, 1)
            hint = f"Did you mean '{near[0]}'? " if near else ""
            raise InputError(
                "bench", f"there is no benchmark '{name}'", f"{hint}There are: {', '.join(there)}."
            )
    if args.json is not None and not args.json.parent.is_dir():
        raise InputError(
            "--json", f"there is no folder '{args.json.parent}'", "Create it, or choose another place."
        )
    rows = list(show(all_rows([there[name] for name in args.names or there])))
    if args.json is not None:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        print(f"wrote {args.json}")
    return 0


def benchmarks(folder: Path) -> dict[str, Path]:
    """The benchmarks in a folder by name."""
    files = sorted(folder.glob("*.py"))
    found = {f.stem.replace("_", "-"): f for f in files if "\ndef rows(" in f.read_text(encoding="utf-8")}
    if not found:
        raise InputError(
            "bench",
            f"there are no benchmarks in '{folder}'",
            "They are not part of the installed extension: run this in a checkout of the repository.",
        )
    return found


def all_rows(files: Iterable[Path]) -> Iterator[Row]:
    """The rows of one benchmark after the other, as they are measured."""
    for file in files:
        root = str(file.parents[1])
        if root not in sys.path:
            sys.path.insert(0, root)
        try:
            module = import_module(f"{file.parent.name}.{file.stem}")
            yield from module.rows()
        except ModuleNotFoundError as error:
            raise InputError(
                f"bench {file.stem.replace('_', '-')}",
                f"the module '{error.name}' is not installed in this Python",
                "Use the development environment: `make setup`, then `.venv/bin/python -m redmax_blender bench`.",
            ) from None


def show(rows: Iterable[Row]) -> Iterator[Row]:
    """Print each row as it comes, and hand it on."""
    print(_COLUMNS.format("bench", "case", "n", "ours", "rival", "its time", "ratio", "").rstrip())
    for row in rows:
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        print(
            _COLUMNS.format(
                row["bench"],
                row["case"],
                row["n"],
                duration(row["ours_s"]),
                row["rival"],
                duration(row["rival_s"]),
                ratio,
                row.get("note", ""),
            ).rstrip(),
            flush=True,
        )
        yield row


def duration(seconds: float | None) -> str:
    """A time with four digits at most."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
