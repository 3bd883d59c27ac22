"""Where the points of a muscle are: what they are hooked to, and its path in the pose that is shown."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...engine.errors import InputError
from ...engine.muscles.check import check_path
from ...engine.muscles.paths import exact
from ...engine.muscles.records import WORLD, MusclePath, PathPoint, PathShape, Surface, Wrap, WrapSurface
from ..rig.rig import metres_per_unit
from .objects import surfaces

Floats = NDArray[np.float64]


def target_matrix(hook: bpy.types.HookModifier) -> Matrix:
    """Where the object or bone of a hook is in the world."""
    obj = hook.object
    if obj is None:
        return Matrix.Identity(4)
    if obj.type == "ARMATURE" and hook.subtarget in obj.pose.bones:
        return obj.matrix_world @ obj.pose.bones[hook.subtarget].matrix
    return obj.matrix_world


def hooks(obj: bpy.types.Object) -> dict[int, bpy.types.HookModifier]:
    """The hook of each point; points without one stay where they are."""
    found = {}
    for modifier in obj.modifiers:
        if modifier.type == "HOOK" and modifier.show_viewport and modifier.object is not None:
            for index in modifier.vertex_indices:
                found[index] = modifier
    return found


def points(obj: bpy.types.Object) -> Floats:
    """Points of the path in the world [Blender units], shape (n, 3)."""
    splines = obj.data.splines
    if len(splines) != 1 or splines[0].type == "BEZIER":
        raise InputError(
            f"muscle '{obj.name}'",
            "its curve is not one row of points",
            "Convert the spline to Poly, and keep one.",
        )
    held = hooks(obj)
    out = []
    for i, point in enumerate(splines[0].points):
        place = point.co.to_3d()
        if i in held:
            out.append(target_matrix(held[i]) @ held[i].matrix_inverse @ place)
        else:
            out.append(obj.matrix_world @ place)
    return np.array(out, float).reshape(-1, 3)


def read_surface(obj: bpy.types.Object, scale: float) -> WrapSurface:
    """The surface in the world [m]; `scale` is metres for a Blender unit."""
    matrix = np.array(obj.matrix_world, float)
    sizes = np.linalg.norm(matrix[:3, :3], axis=0)
    if sizes.min() <= 0.0 or sizes.max() / sizes.min() > 1.001:
        raise InputError(
            f"surface '{obj.name}'",
            "its three scales differ",
            "Apply the scale, and set the size of the surface.",
        )
    settings = obj.redmax.wrap
    grown = scale * float(sizes.mean())
    size = [grown * x for x in settings.size]
    quadrant = None
    if settings.half != "ALL":
        quadrant = ("XYZ".index(settings.half[-1]), -1 if settings.half.startswith("-") else 1)
    return WrapSurface(
        name=obj.name,
        kind=Surface[settings.kind],
        size=(size[0], size[1], size[2]),
        frame=WORLD,
        rotation=tuple((matrix[:3, :3] / sizes).ravel().tolist()),
        origin=tuple((scale * matrix[:3, 3]).tolist()),
        quadrant=quadrant,
        length=grown * settings.length if settings.length > 0.0 else float("inf"),
    )


def _ranges(obj: bpy.types.Object) -> dict[str, tuple[int, int]]:
    out = {}
    for line in obj.redmax.muscle.ranges.splitlines():
        name, _, rest = line.partition("\t")
        words = rest.split()
        if len(words) == 2 and all(word.lstrip("-").isdigit() for word in words):
            out[name] = (int(words[0]), int(words[1]))
    return out


def path_of(obj: bpy.types.Object, scale: float) -> MusclePath:
    """The path in the pose that is shown, all of it in the world [m]."""
    where = scale * points(obj)
    ranges = _ranges(obj)
    objects = surfaces(obj)
    count = len(where)
    wraps = []
    for k, other in enumerate(objects):
        first, last = ranges.get(other.name, (0, -1))
        wraps.append(Wrap(k, first if first < count else 0, last if last < count else -1))
    return MusclePath(
        name=obj.name,
        points=tuple(PathPoint(WORLD, (float(x), float(y), float(z))) for x, y, z in where),
        surfaces=tuple(read_surface(other, scale) for other in objects),
        wraps=tuple(wraps),
    )


def shape_of(obj: bpy.types.Object, scene: bpy.types.Scene, alphas: Floats, check: bool = False) -> PathShape:
    """Length [m] and points [m] of the path in the world, in the pose that is shown."""
    path = path_of(obj, metres_per_unit(scene))
    if check or len(path.points) < 2:
        check_path(path)
    return exact.evaluate(path, np.zeros((0, 12)), alphas)


def carriers(obj: bpy.types.Object) -> Iterator[tuple[str, str]]:
    """Object and bone that each point hangs on; empty names for none."""
    held = hooks(obj)
    for i in range(len(obj.data.splines[0].points)):
        hook = held.get(i)
        yield ("", "") if hook is None else (hook.object.name, hook.subtarget)
