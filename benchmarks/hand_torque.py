"""Torque of the Hand's keyframed elbow for three settings of the friction in all other joints, as a picture.

`python benchmarks/hand_torque.py [docs/pictures/hand_torque.png]`. Needs matplotlib.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.shots.hand import FRICTIONS, Hand, check, elbow_torque, spec


def run(friction: float) -> Result:
    """The shot with a coefficient of friction in its passive joints."""
    hand = Hand(friction=friction)
    scene = spec(hand)
    model = compile_scene(scene)
    frames = simulate(model, scene_options(scene), end=scene.time.end, record=scene.time.record)
    result = Result.from_frames(model, frames)
    check(result, hand)
    return result


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    path = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures/hand_torque.png")
    figure, (whole, change) = pyplot.subplots(2, 1, figsize=(7.2, 5.0), sharex=True, layout="constrained")
    smooth = None
    for friction, colour in zip(FRICTIONS, ("#3b6ea5", "#d9822b", "#a8323e"), strict=True):
        result = run(friction)
        torque = elbow_torque(result)[1:]
        smooth = torque if smooth is None else smooth
        whole.plot(result.t[1:], torque, color=colour, label=f"friction {friction:g}")
        change.plot(result.t[1:], torque - smooth, color=colour)
        print(f"friction {friction:g}: elbow torque {torque.min():.3f} to {torque.max():.3f} N·m", flush=True)
    whole.set_ylabel("torque of the elbow [N·m]")
    change.set_ylabel("more than without friction [N·m]")
    change.set_xlabel("time [s]")
    whole.legend(frameon=False)
    for axes in (whole, change):
        axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
