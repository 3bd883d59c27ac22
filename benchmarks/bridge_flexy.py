"""Table 2, bridge with flexible towers: cables couple deck and towers, and PCG has to iterate."""

from __future__ import annotations

from collections.abc import Iterator

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.shots.bridge import STABILISATION, Bridge, spec

from .mujoco_bridge import STEPS, fastest
from .table2 import SPAN, exponent_rows, in_one_thread, measure, print_rows, solver_row
from .timing import Row, row

BENCH = "bridge-flexy"
SIZES = (20, 40, 80, 160, 320, 640, 1660)
"""Blocks of the deck and of each tower; the coordinates are three times as many."""
TABLE_2 = SIZES[:5]


def rows() -> Iterator[Row]:
    yield from in_one_thread(f"{__package__}.bridge_flexy")


def _rows() -> Iterator[Row]:
    measured = []
    step = STEPS[0]
    for n in SIZES:
        bridge = Bridge(n, n)
        measured.append(measure(compile_scene(spec(bridge)), STABILISATION))
        yield solver_row(BENCH, f"PCG, {SPAN:g} s", measured[-1])
        if n in TABLE_2:
            rival = fastest(bridge, step)
            step = rival.step  # a finer bridge does not allow a longer one
            note = f"MuJoCo's step {rival.step:.2g} s, its loop open by {rival.gap:.1g} m"
            ours = measured[-1].seconds["auto"] / SPAN
            yield row(BENCH, "a simulated second", 3 * n, ours, "MuJoCo", rival.per_second, note)
    yield from exponent_rows(BENCH, measured, 1.25)
    softer = []
    for n in TABLE_2:
        softer.append(measure(compile_scene(spec(Bridge(n, n, parameters="sim"))), STABILISATION))
        yield solver_row(BENCH, f"softer (sim), {SPAN:g} s", softer[-1])


if __name__ == "__main__":
    print_rows(_rows)
