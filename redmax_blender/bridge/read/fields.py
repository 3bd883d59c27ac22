"""Blender's force fields -> fields of the engine, with what animates them, and who feels how much of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.scene import spec
from ..bake.actions import animated_paths
from ..flesh.soft_meshes import soft_meshes
from ..motion.sample_motion import curve, may_move, position_curves, rigid, rotation_curves, visit
from ..rig.bodies import active_bodies
from ..rig.rig import metres_per_unit, physical_armatures
from .noise_order import noise_order
from .present import present

if TYPE_CHECKING:
    from .scene import Reading

Floats = NDArray[np.float64]

TYPES: dict[str, spec.FieldKind] = {
    "FORCE": "force",
    "WIND": "wind",
    "VORTEX": "vortex",
    "MAGNET": "magnetic",
    "HARMONIC": "harmonic",
    "TURBULENCE": "turbulence",
    "DRAG": "drag",
}
"""What of Blender's fields the engine knows; the others do nothing to rigid bodies in Blender, but for textures."""
SHAPES = {"POINT": "point", "LINE": "line", "PLANE": "plane"}
SIDES = {"BOTH": "both", "POSITIVE": "front", "NEGATIVE": "back"}


def force_fields(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Objects with a force field, in order of name. Light enough for panels."""
    return sorted(
        (obj for obj in present(scene) if obj.field is not None and obj.field.type != "NONE"),
        key=lambda obj: obj.name,
    )


def why_not(obj: bpy.types.Object) -> str:
    """Why a force field does nothing in a simulation, as a message; empty when it acts."""
    field = obj.field
    if field.type not in TYPES:
        return "fields of this type do not act"
    if field.shape not in SHAPES:
        return "only the shapes Point, Line and Plane act"
    if not field.apply_to_location:
        return "Location is off"
    return ""


def weight_of(owner: bpy.types.Object, field: bpy.types.Object) -> float:
    """How strongly an armature, a body or flesh feels a force field."""
    settings = owner.redmax.fields
    if not settings.use or owner == field or why_not(field):
        return 0.0
    if settings.collection is not None and field.name not in settings.collection.all_objects:
        return 0.0
    return float(settings.weight * getattr(settings, TYPES[field.field.type]))


def read_fields(context: bpy.types.Context, reading: Reading) -> None:
    """Add the scene's force fields to a reading whose bodies and flesh are there."""
    scene = context.scene
    found = []
    for obj in force_fields(scene):
        reason = why_not(obj)
        if reason:
            reading.warnings.append(f"Force field '{obj.name}': it is left out, {reason}")
            continue
        felt = [
            (*each, weight_of(owner, obj)) for owner in _owners(scene) for each in _bodies(owner, reading)
        ]
        felt = [each for each in felt if each[2] != 0.0]
        if felt:
            found.append((obj, felt))
            reading.warnings += _warnings(obj)
    if not found:
        return
    moving = _sample(context, [obj for obj, _ in found if may_move(obj) or any(animated_paths(obj))])
    for obj, felt in found:
        for spread in (True, False):
            names = [name for name, own, _ in felt if own == spread]
            if names:
                field = _field(obj, metres_per_unit(scene), reading.fps, moving.get(obj.name))
                field.spread = spread
                field.bodies, field.weights = names, [weight for _, own, weight in felt if own == spread]
                reading.scene.forces.append(field)


def _owners(scene: bpy.types.Scene) -> Iterator[bpy.types.Object]:
    yield from physical_armatures(scene)
    yield from active_bodies(scene)
    yield from soft_meshes(scene)


def _bodies(owner: bpy.types.Object, reading: Reading) -> list[tuple[str, bool]]:
    """Names of what an object is in the engine's scene, and whether it feels fields at several points."""
    known = {body.name for body in reading.scene.bodies} | {flesh.name for flesh in reading.scene.flesh}
    spread = bool(owner.redmax.fields.spread)
    if owner.type == "ARMATURE":
        rig = next((rig for rig in reading.rigs if rig.name == owner.name), None)
        names = [f"{owner.name}/{bone}" for bone in rig.bones] if rig is not None else []
    else:
        names = [owner.name]
    return [(name, spread) for name in names if name in known]


def _warnings(obj: bpy.types.Object) -> list[str]:
    place = f"Force field '{obj.name}'"
    found = []
    if obj.field.use_absorption:
        found.append(f"{place}: objects do not absorb it here")
    keyed = {path for path in animated_paths(obj) if path.startswith("field.")} - {"field.strength"}
    if keyed:
        names = ", ".join(sorted(path.removeprefix("field.") for path in keyed))
        found.append(f"{place}: of its settings only the strength may be keyed; taken as constant: {names}")
    return found


def _sample(context: bpy.types.Context, objects: list[bpy.types.Object]) -> dict[str, tuple[Floats, Floats]]:
    """World matrices (nf, 4, 4) and strengths (nf,) of fields over the range, by name."""
    if not objects:
        return {}
    scene = context.scene
    rows: dict[str, tuple[list[Floats], list[float]]] = {obj.name: ([], []) for obj in objects}
    for _, depsgraph in visit(context, [*physical_armatures(scene), *active_bodies(scene)]):
        for obj in objects:
            shown = obj.evaluated_get(depsgraph)
            rows[obj.name][0].append(np.array(shown.matrix_world, dtype=float))
            rows[obj.name][1].append(float(shown.field.strength))
    return {name: (np.stack(matrices), np.array(values)) for name, (matrices, values) in rows.items()}


def _field(
    obj: bpy.types.Object, unit: float, fps: float, samples: tuple[Floats, Floats] | None
) -> spec.Field:
    f = obj.field
    matrices, strength = np.array(obj.matrix_world, dtype=float)[None], np.array([f.strength])
    if samples is not None:
        matrices, strength = samples
    way = rigid(matrices, unit)
    sampled = curve(strength, fps)
    of_drag = f.type == "DRAG"
    harmonic = f.type == "HARMONIC"
    return spec.Field(
        type=TYPES[f.type],
        motion=[c or spec.Constant(0.0) for c in position_curves(way, fps) + rotation_curves(way, fps)],
        strength=sampled.value if isinstance(sampled, spec.Constant) else sampled,
        flow=0.0 if of_drag or harmonic else float(f.flow),
        damping=float(f.harmonic_damping) if harmonic or of_drag else 0.0,
        size=float(f.rest_length if harmonic else f.size) * unit,
        shape=SHAPES[f.shape],
        falloff=f.falloff_type.lower(),
        power=float(f.falloff_power),
        nearest=float(f.distance_min) * unit if f.use_min_distance else 0.0,
        farthest=float(f.distance_max) * unit if f.use_max_distance else None,
        radial_power=float(f.radial_falloff),
        radial_nearest=_radius(f, "min", unit) or 0.0,
        radial_farthest=_radius(f, "max", unit),
        side=SIDES[f.z_direction],
        gravitation=bool(f.use_gravity_falloff) and f.type == "FORCE",
        world_noise=bool(f.use_global_coords),
        noise_order=list(noise_order()) if f.type == "TURBULENCE" else [],
        noise=float(f.noise),
        noise_rate=fps,
        seed=int(f.seed),
        unit=unit,
        name=obj.name,
    )


def _radius(f: bpy.types.FieldSettings, end: str, unit: float) -> float | None:
    """A bound across the axis [m], or of the angle from it in degrees; null for none."""
    if not getattr(f, f"use_radial_{end}"):
        return None
    return float(getattr(f, f"radial_{end}")) * (1.0 if f.falloff_type == "CONE" else unit)


assert set(TYPES.values()) == set(get_args(spec.FieldKind))
