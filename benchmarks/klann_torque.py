"""Torque of the Klann walker's cranks over a revolution, for growing friction in its joints (paper, Fig. 5c).

    python benchmarks/klann_torque.py [docs/pictures/klann_torque.png]

Prints work, extremes and processor time of a revolution for each coefficient; draws the picture where a path is given.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.shots.klann import Klann, check, crank_torque, spec

COEFFICIENTS = (0.0, 0.2, 0.4, 0.6, 0.8)
STEP = 1.0 / 240.0


def main() -> None:
    curves = {}
    for mu in COEFFICIENTS:
        klann = Klann(friction=mu)
        end = round((klann.start + 1.5 * klann.revolution) / STEP) * STEP
        scene = spec(klann, end=end, step=STEP)
        model = compile_scene(scene)
        begin = time.process_time()
        result = Result.from_frames(model, simulate(model, scene_options(scene), end=end))
        ratio = (time.process_time() - begin) / end
        check(result, klann)
        angle, torque = crank_torque(result, klann)
        whole = (angle > np.pi) & (angle <= 3.0 * np.pi)
        work = (torque * np.diff(angle, prepend=0.0))[whole]
        curves[mu] = (angle[whole] / (2.0 * np.pi), torque[whole])
        print(
            f"friction {mu:.1f}: work {work.sum():6.2f} J a revolution, of which {np.minimum(work, 0.0).sum():6.3f} J "
            f"negative; torque {torque[whole].min():6.2f} to {torque[whole].max():6.2f} N·m; "
            f"{ratio * klann.revolution:.2f} s of one core a revolution, {ratio:.2f} of real time"
        )
    rising = np.diff([torque for _, torque in curves.values()], axis=0) > 0.0
    print(f"torque grows with friction in {rising.all(axis=0).mean():.1%} of the steps")
    if len(sys.argv) > 1:
        draw(curves, sys.argv[1])


def draw(curves: dict[float, tuple[np.ndarray, np.ndarray]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8.0, 4.0), layout="constrained")
    for mu, (turns, torque) in curves.items():
        axes.plot(turns - 0.5, torque, label=f"µ = {mu:.1f}", linewidth=1.2)
    axes.axhline(0.0, color="black", linewidth=0.6)
    # feet that land push for a step or two, far beyond the rest
    axes.set(
        ylim=(-6.0, 24.0),
        xlim=(0.0, 1.0),
        xlabel="revolutions of the cranks",
        ylabel="torque of both cranks [N·m]",
    )
    figure.legend(title="friction inside joints", loc="outside right upper")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
