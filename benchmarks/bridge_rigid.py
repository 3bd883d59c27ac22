"""Table 2, bridge with rigid towers: every cable moves one link, so that the preconditioner is the matrix."""

from __future__ import annotations

from collections.abc import Iterator

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.shots.bridge import STABILISATION, Bridge, spec

from .mujoco_bridge import STEPS, fastest
from .table2 import SPAN, exponent_rows, in_one_thread, measure, print_rows, race, solver_row
from .timing import Row, row

BENCH = "bridge-rigid"
SIZES = (80, 160, 320, 640, 1280, 2560, 5120)
TABLE_2 = SIZES[:5]


def rows() -> Iterator[Row]:
    yield from in_one_thread(f"{__package__}.bridge_rigid")


def _rows() -> Iterator[Row]:
    measured = []
    step = STEPS[0]
    for n in SIZES:
        bridge = Bridge(n, towers="rigid")
        measured.append(measure(compile_scene(spec(bridge)), STABILISATION))
        yield solver_row(BENCH, f"PCG, {SPAN:g} s", measured[-1])
        if n in TABLE_2:
            rival = fastest(bridge, step)
            step = rival.step  # a finer bridge does not allow a longer one
            note = f"MuJoCo's step {rival.step:.2g} s, its loop open by {rival.gap:.1g} m"
            ours = measured[-1].seconds["auto"] / SPAN
            yield row(BENCH, "a simulated second", n, ours, "MuJoCo", rival.per_second, note)
    yield from exponent_rows(BENCH, measured, 1.05)
    model = compile_scene(spec(Bridge(1280, towers="rigid")))
    for case, rate in (("five seconds", STABILISATION), ("five seconds, projected", None)):
        five = race(model, ["auto"], 5.0, rate)["auto"]
        yield row(BENCH, case, 1280, five, "wanted: a second", 1.0)


if __name__ == "__main__":
    print_rows(_rows)
