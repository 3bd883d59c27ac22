"""Live: what a frame costs the engine, and what it costs to show it, for rigs of 30, 100 and 300 bones. Needs bpy.

`python benchmarks/live.py`. CPU time, best of three; the engine has a process of its own in a Blender with a window, so
that the slower of the two says how many frames a second there are, but for drawing.
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy

import redmax_blender

STRAND = 10
"""Bones that hang one on the other."""
FRAMES = 24


def make_strands(count: int) -> bpy.types.Object:
    """An armature of hanging strands, side by side, ten bones each, all physical."""
    from redmax_blender.bridge.rig.make_physical import Choices, make_physical

    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.armatures.new("Strands")
    obj = bpy.data.objects.new("Strands", data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for k in range(count):
        strand, i = divmod(k, STRAND)
        bone = data.edit_bones.new(f"bone{k}")
        bone.head = (0.3 * strand, 0.0, 3.0 - 0.25 * i)
        bone.tail = (0.3 * strand, 0.0, 2.75 - 0.25 * i)
        if i:
            bone.parent, bone.use_connect = data.edit_bones[f"bone{k - 1}"], True
    bpy.ops.object.mode_set(mode="POSE")
    make_physical(obj, bpy.context.scene, Choices(root="HINGED"))
    return obj


def measure(count: int) -> tuple[float, float]:
    """CPU time of the engine and of showing [s a frame], a bone being pulled."""
    from redmax_blender.bridge.run.live import Live

    obj = make_strands(count)
    live = Live(bpy.context)
    live.take()
    live.show(bpy.context)
    live.grab(f"Strands/bone{STRAND - 1}", obj.pose.bones[f"bone{STRAND - 1}"].tail)
    best = [1e9, 1e9]
    for _ in range(3):
        spent = [0.0, 0.0]
        for k in range(FRAMES):
            live.pull((0.03 * k, -0.02 * k, 1.0))
            begin = time.process_time()
            live.take()
            middle = time.process_time()
            live.show(bpy.context)
            bpy.context.view_layer.update()
            spent[0] += middle - begin
            spent[1] += time.process_time() - middle
        best = [min(a, b / FRAMES) for a, b in zip(best, spent)]
    live.end(bpy.context)
    return best[0], best[1]


def main() -> None:
    redmax_blender.register()
    print("bones  engine ms  show ms  frames a second")
    for count in (30, 100, 300):
        engine, show = measure(count)
        print(
            f"{count:5d}  {1e3 * engine:9.2f}  {1e3 * show:7.2f}  {1.0 / max(engine, show):15.0f}", flush=True
        )
    os._exit(0)


if __name__ == "__main__":
    main()
