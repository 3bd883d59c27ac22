"""Table 2, umbrella: many short cables between neighbours, and sixteen rows that close its loops."""

from __future__ import annotations

from collections.abc import Iterator

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.shots.umbrella import STABILISATION, Umbrella, spec

from .table2 import SPAN, exponent_rows, in_one_thread, measure, print_rows, solver_row
from .timing import Row

BENCH = "umbrella"
SIZES = (10, 16, 22, 32, 46, 100, 208)
"""Rods of a rib; 241, 385, 529, 769, 1105, 2401 and 4993 coordinates."""


def rows() -> Iterator[Row]:
    yield from in_one_thread(f"{__package__}.umbrella")


def _rows() -> Iterator[Row]:
    measured = []
    for n in SIZES:
        measured.append(measure(compile_scene(spec(Umbrella(n))), STABILISATION))
        yield solver_row(BENCH, f"PCG, {SPAN:g} s", measured[-1])
    yield from exponent_rows(BENCH, measured, 1.05)


if __name__ == "__main__":
    print_rows(_rows)
