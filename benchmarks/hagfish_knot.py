"""The hagfish's knot held by a tube around a spline, and by the capsules of its bones one by one.

    python benchmarks/hagfish_knot.py

Prints the processor time of a simulated second and the least distance of the body to itself, while the knot is tied and
pulled tight. Bends are smooth for the tube; capsules that are as long as they are thick touch their neighbours there,
and so must ignore more of them.
"""

from __future__ import annotations

import time
from math import ceil, pi

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.scene import SceneSpec, SelfCollision, Surface
from redmax_blender.engine.shots.hagfish import Hagfish, centreline, closest, determinant, spec


def capsules(fish: Hagfish) -> SceneSpec:
    """The same animal, its bones colliding one by one."""
    scene = spec(fish)
    scene.tubes = []
    for body in scene.bodies:
        body.surface = Surface(friction=0.0)
    scene.self_collision = SelfCollision(neighbours=ceil(pi * fish.radius / fish.pitch))
    return scene


def main() -> None:
    fish = Hagfish()
    for name, scene in (("tube", spec(fish)), ("capsules", capsules(fish))):
        model, options = compile_scene(scene), scene_options(scene)
        list(simulate(model, options, end=10 * options.h))  # compiles
        begin = time.process_time()
        result = Result.from_frames(model, simulate(model, options, end=scene.time.end, record=10))
        seconds = time.process_time() - begin
        lines = centreline(result, fish)
        print(
            f"{name}: {seconds / scene.time.end:.2f} s a simulated second; "
            f"nearest to itself {min(closest(points, fish) for points in lines):.4f} diameters; "
            f"{'a knot' if determinant(lines[-1]) == 3 else 'no knot'} in the end"
        )


if __name__ == "__main__":
    main()
