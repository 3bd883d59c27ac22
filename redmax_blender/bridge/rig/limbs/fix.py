"""Mending what the check of a character has found."""

from __future__ import annotations

import bpy

from ....engine.errors import SceneError
from ..make_physical import Choices, make_physical, shapes_of
from ..rig import parents_first, physical_parents
from .capsule import write_capsule
from .check import Finding, check, level, nearest_body, note
from .joining import Plan
from .skin import read_skin
from .total_mass import set_total_mass


def fix(obj: bpy.types.Object, scene: bpy.types.Scene, finding: Finding) -> None:
    """Do what a finding asks for, and look again."""
    match finding.kind:
        case "UNIT":
            set_unit(obj, scene, finding.value)
        case "MASS":
            set_total_mass(obj, scene, finding.value)
        case "ROOTS":
            join_roots(obj)
        case "OUTSIDE":
            fit_to_skin(obj, scene, finding.bones)
        case "BELOW":
            lower_ground(scene, finding.value)
    bpy.context.view_layer.update()
    note(obj, check(obj, scene))


def set_unit(obj: bpy.types.Object, scene: bpy.types.Scene, metres: float) -> None:
    """Let a Blender unit be so many metres, and decide masses and damping of the character anew."""
    roots = {
        obj.pose.bones[n].redmax.joint for n, carrier in physical_parents(obj).items() if carrier is None
    }
    if scene.unit_settings.system == "NONE":
        scene.unit_settings.system = "METRIC"
    scene.unit_settings.scale_length = metres
    choices = Choices(root="FREE" if roots == {"FREE"} else "ANCHORED" if "FIXED" in roots else "HINGED")
    make_physical(obj, scene, choices)


def join_roots(obj: bpy.types.Object) -> None:
    """Let every part but the one with most bodies be carried by the nearest body of another."""
    while True:
        carriers = physical_parents(obj)
        parts: dict[str, set[str]] = {}
        for name in carriers:
            root = name
            while (above := carriers[root]) is not None:
                root = above.name
            parts.setdefault(root, set()).add(name)
        if len(parts) < 2:
            return
        smallest = min(parts, key=lambda root: len(parts[root]))
        carrier = nearest_body(obj, smallest, parts[smallest])
        if carrier is None:
            raise SceneError(
                f"Bone '{smallest}'", "no other body is near", "Choose what carries it (Bone tab)."
            )
        settings = obj.pose.bones[smallest].redmax
        settings.carrier = carrier
        if settings.joint in ("FREE", "FIXED"):
            settings.joint = "SPHERICAL"


def fit_to_skin(obj: bpy.types.Object, scene: bpy.types.Scene, names: tuple[str, ...]) -> None:
    """Put bodies around their skin again; one that no skin follows does not collide."""
    bodies = [bone for bone in parents_first(obj) if bone.redmax.physical]
    plan = Plan([b.name for b in bodies], carriers={b.name: b.redmax.carrier for b in bodies})
    shapes = shapes_of(obj, bodies, plan, read_skin(obj, scene), Choices.slenderness)
    for name in names:
        bone = obj.pose.bones.get(name)
        if bone is None or name not in shapes:
            continue
        if shapes[name].volume is None:
            bone.redmax.surface.collide = False
        else:
            write_capsule(bone, shapes[name].capsule)


def lower_ground(scene: bpy.types.Scene, height: float) -> None:
    """Put level grounds that are above a height there."""
    for ground in scene.objects:
        if ground.redmax.collider.role == "GROUND" and level(ground):
            down = min(height - float(ground.matrix_world.translation.z), 0.0)
            matrix = ground.matrix_world.copy()
            matrix.translation.z += down
            ground.matrix_world = matrix
