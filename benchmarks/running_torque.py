"""Torque of an ankle from a motion, with 0 to 80 % of the shank's mass in four muscles (thesis, Fig. 6.16-6.17).

    python benchmarks/running_torque.py MODEL.osim MOTION.mot [PICTURE.svg] [--from 0.5 --to 1.0]

Prints for each fraction the largest torque and how far it is from the one without mass in muscles; draws the picture
where a path is given.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from redmax_blender.commands.line_chart import line_chart
from redmax_blender.engine.muscles.moving_mass import Massive, inverse_with_muscles
from redmax_blender.engine.muscles.opensim.model import read_model
from redmax_blender.engine.muscles.opensim.motion import coordinates_of, differentiate, read_motion

FRACTIONS = (0.0, 0.2, 0.4, 0.6, 0.8)
MUSCLES = {"lat_gas_r": 0.15, "med_gas_r": 0.27, "soleus_r": 0.43, "tib_ant_r": 0.15}
"""And how the mass is shared among them."""
POINTS, BELLY = 20, (0.1, 0.6)
"""Mass points of a muscle, and the part of its path that they are on."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("motion", type=Path)
    parser.add_argument("picture", type=Path, nargs="?")
    parser.add_argument("--body", default="tibia_r", help="whose mass goes into the muscles")
    parser.add_argument("--coordinate", default="ankle_angle_r")
    parser.add_argument("--from", dest="begin", type=float, default=0.5, help="[s]")
    parser.add_argument("--to", dest="end", type=float, default=1.0, help="[s]")
    parser.add_argument("--every", type=int, default=2, help="rows of the motion")
    parser.add_argument("--filter", type=float, default=15.0, help="cutoff [Hz]")
    args = parser.parse_args()
    model = read_model(args.model)
    table = read_motion(args.motion)
    q, _ = coordinates_of(table, model.skeleton)
    q, qdot, qddot = differentiate(table.times, q, args.filter)
    rows = np.flatnonzero((table.times >= args.begin) & (table.times <= args.end))[:: args.every]
    index = model.skeleton.index(args.coordinate)
    number = [body.name for body in model.skeleton.bodies].index(args.body)
    whole = model.skeleton.bodies[number]
    paths = {muscle.name: muscle.path for muscle in model.muscles}
    alphas = BELLY[0] + (BELLY[1] - BELLY[0]) * (np.arange(POINTS) + 0.5) / POINTS
    lines = {}
    for fraction in FRACTIONS:
        left = replace(whole, mass=(1.0 - fraction) * whole.mass, inertia=(1.0 - fraction) * whole.inertia)
        bodies = tuple(left if b == number else body for b, body in enumerate(model.skeleton.bodies))
        skeleton = replace(model.skeleton, bodies=bodies)
        heavy = [
            Massive(paths[name], fraction * whole.mass * share, alphas) for name, share in MUSCLES.items()
        ]
        heavy = heavy if fraction > 0.0 else []
        torque = [inverse_with_muscles(skeleton, heavy, q[i], qdot[i], qddot[i])[index] for i in rows]
        lines[f"{100 * fraction:.0f} %"] = np.array(torque)
    first = lines["0 %"]
    for name, line in lines.items():
        far = np.abs(line - first)
        at = int(far.argmax())
        share = 100.0 * far.max() / np.abs(first).max()
        print(
            f"{name:>5} of {whole.mass:.3f} kg: {np.abs(line).max():7.3f} N·m at most; off the massless one by "
            f"{far.max():.3f}, {share:.1f} % of its largest, at {table.times[rows[at]]:.3f} s"
        )
    if args.picture is not None:
        labels = {"title": f"Torque of {args.coordinate}", "x_label": "time [s]", "y_label": "torque [N·m]"}
        args.picture.write_text(line_chart(table.times[rows], lines, **labels), encoding="utf-8")


if __name__ == "__main__":
    main()
