"""From a change to the picture: a setting is changed, and the time until the first new frame and until all are there.

`python benchmarks/tweak.py`, in a Python with bpy. The engine runs in its own process as in a Blender with a window:
cold, where the process has to start first, and warm, where it has stayed from an earlier simulation. The best of
five changes when warm; wall time, with all that Blender does for it: reading the scene, taking the frames, showing
them.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy

import redmax_blender

CHANGES = 5
CASES = ("tail of 6 bones, 120 frames", "fall of 30 bones, 100 frames", "starfish, 240 frames")


@dataclass(frozen=True)
class Times:
    """From the change [s]."""

    first: float
    """Until a frame that was not there before has arrived."""
    whole: float
    """Until all of them are shown and kept."""


def make_tail() -> None:
    """A tail of six bones that swings from its root."""
    from redmax_blender.bridge.rig.make_physical import Choices, make_physical

    obj = armature([(f"bone{k}", (0.1 * k, 0.0, 1.0), (0.1 * (k + 1), 0.0, 1.0), k - 1) for k in range(6)])
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    bpy.context.scene.redmax.frame_end = 120


def make_figure() -> None:
    """A trunk with five limbs of five bones each that falls to the ground."""
    from redmax_blender.bridge.mechanism.add_ground import add_ground
    from redmax_blender.bridge.rig.make_physical import Choices, make_physical

    bones = [(f"trunk{k}", (0.0, 0.0, 1.5 + 0.12 * k), (0.0, 0.0, 1.62 + 0.12 * k), k - 1) for k in range(5)]
    places = [(0.25, 0.0, 0), (-0.25, 0.0, 0), (0.2, 0.2, 4), (-0.2, 0.2, 4), (0.0, -0.25, 4)]
    for x, y, carrier in places:
        z, parent = bones[carrier][2][2], carrier
        for k in range(5):
            bones.append(
                (f"limb{len(bones)}", (x * (1 + k), y * (1 + k), z), (x * (2 + k), y * (2 + k), z), parent)
            )
            parent = len(bones) - 1
    obj = armature(bones)
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    add_ground(bpy.context.scene, bpy.context.scene.collection)
    bpy.context.scene.redmax.frame_end = 100


def make_starfish() -> None:
    """The shot of that name: a rig in a soft skin."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.redmax.add_shot(shot="starfish")


def armature(bones: list[tuple[str, tuple[float, ...], tuple[float, ...], int]]) -> bpy.types.Object:
    """An empty scene with an armature of (name, head, tail, number of the parent or -1), none connected."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.armatures.new("Rig")
    obj = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for name, head, tail, parent in bones:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        if parent >= 0:
            bone.parent = data.edit_bones[bones[parent][0]]
    bpy.ops.object.mode_set(mode="POSE")
    return obj


def simulate() -> Times:
    """What the button does."""
    from redmax_blender.bridge.run.simulate_scene import Simulation

    begin = time.perf_counter()
    simulation, first = Simulation(bpy.context, apart=True), 0.0
    while True:
        before = simulation.done
        if not simulation.advance():
            break
        if simulation.done > 1 and not first:
            first = time.perf_counter() - begin
        if simulation.done == before:
            time.sleep(0.001)
    simulation.finish(bpy.context)
    return Times(first, time.perf_counter() - begin)


def measure(make: Callable[[], None], folder: str) -> tuple[Times, Times]:
    """Cold and warm, each after a change of gravity."""
    from redmax_blender.bridge.run.engine_process import engine

    make()
    scene = bpy.context.scene
    scene.redmax.cache_folder = folder
    simulate()  # kernels are compiled, and there is something to change
    engine.close()
    scene.gravity[2] -= 0.01
    cold = simulate()
    warm = []
    for _ in range(CHANGES):
        scene.gravity[2] -= 0.01
        warm.append(simulate())
    return cold, Times(min(each.first for each in warm), min(each.whole for each in warm))


def main() -> None:
    redmax_blender.register()
    print(f"{'':30} {'first new frame':>18}   {'all frames':>18}")
    print(f"{'':30} {'cold':>9}{'warm':>9}   {'cold':>9}{'warm':>9}   [s]")
    for name, make in zip(CASES, (make_tail, make_figure, make_starfish)):
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = measure(make, folder)
        print(
            f"{name:30} {cold.first:9.3f}{warm.first:9.3f}   {cold.whole:9.3f}{warm.whole:9.3f}", flush=True
        )
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
