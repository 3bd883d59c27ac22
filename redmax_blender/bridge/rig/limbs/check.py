"""What is wrong with a character that was made physical, and what would mend it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import log

import bpy
import numpy as np
from numpy.typing import NDArray

from ..rig import metres_per_unit, physical_bones, physical_parents
from .capsule import capsule_of
from .fit import distance_to_line
from .masses import BELIEVED, volume_of
from .skin import Skin, read_skin
from .total_mass import total_mass, unit_of

Floats = NDArray[np.float64]

SIZES = (0.2, 10.0)
"""Sizes of characters that nobody asks about [m]."""
UNITS = (0.001, 0.01, 0.0254, 0.1, 0.3048, 10.0, 100.0, 1000.0)
"""By which the unit of a scene may be wrong: millimetres, centimetres, inches, decimetres, feet, and the reverse."""
USUAL = 1.75
"""Size towards which the unit is chosen [m]."""
HEAVY = 2.0
"""How many times heavier or lighter than its mesh full of water a character may be."""
OUTSIDE = 0.05
"""How far a body may reach out of the skin, as a part of the size of all."""
BELOW = 0.01
"""How far a body may be below the ground at the start, likewise."""
WATER = 1000.0
"""[kg/m³]"""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    kind: str
    """"UNIT", "MASS", "ROOTS", "OUTSIDE" or "BELOW": what a fix would do, see `fix`."""
    text: str
    value: float = 0.0
    """What the fix needs: metres a unit, the mass [kg], or the height of the ground."""
    bones: tuple[str, ...] = ()


def check(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[Finding]:
    """Look a physical armature over, at the current frame."""
    bones = physical_bones(obj)
    if not bones:
        return []
    skin = read_skin(obj, scene)
    size = _size(obj, scene, skin)
    found = [size, _roots(obj)]
    if size is None:  # in the wrong unit its mass says nothing
        found.append(_mass(obj, scene, skin))
    found += [_outside(obj, bones, skin), _below(obj, scene, bones)]
    return [finding for finding in found if finding is not None]


def note(obj: bpy.types.Object, findings: list[Finding]) -> None:
    """Keep findings with the armature, where the panel shows them until they are mended."""
    obj.redmax.findings = json.dumps([asdict(finding) for finding in findings]) if findings else ""


def noted(obj: bpy.types.Object) -> list[Finding]:
    """The findings that are kept with the armature."""
    try:
        rows = json.loads(obj.redmax.findings or "[]")
        return [Finding(**{**row, "bones": tuple(row["bones"])}) for row in rows]
    except (ValueError, TypeError, KeyError):
        return []


def size_of(obj: bpy.types.Object, scene: bpy.types.Scene, skin: Skin) -> float:
    """Largest side of the character [m]: of its skin, or of its bones."""
    if skin.size > 0.0:
        return skin.size * unit_of(obj, scene)
    ends = [end for bone in obj.data.bones for end in (bone.head_local, bone.tail_local)]
    return float(np.ptp(np.array(ends), axis=0).max()) * unit_of(obj, scene)


def _size(obj: bpy.types.Object, scene: bpy.types.Scene, skin: Skin) -> Finding | None:
    size = size_of(obj, scene, skin)
    if not size > 0.0 or SIZES[0] <= size <= SIZES[1]:
        return None
    factor = min(UNITS, key=lambda f: abs(log(size * f / USUAL)))
    unit = metres_per_unit(scene) * factor
    names = {0.001: " (millimetres?)", 0.01: " (centimetres?)", 0.0254: " (inches?)", 0.3048: " (feet?)"}
    text = f"It is {_length(size)} large{names.get(factor, '')}"
    return Finding("UNIT", text, unit)


def _length(metres: float) -> str:
    return f"{metres:.3g} m" if metres >= 1.0 else f"{1000.0 * metres:.3g} mm"


def _mass(obj: bpy.types.Object, scene: bpy.types.Scene, skin: Skin) -> Finding | None:
    mesh = skin.volume()
    bones = [bone for bone in obj.pose.bones if bone.redmax.physical]
    around = sum(volume_of(capsule_of(bone)) for bone in bones)
    if not BELIEVED[0] * around < mesh < BELIEVED[1] * around:
        return None
    wanted = WATER * mesh * unit_of(obj, scene) ** 3
    mass = total_mass(obj, scene)
    if wanted / HEAVY <= mass <= wanted * HEAVY:
        return None
    return Finding("MASS", f"It weighs {mass:.3g} kg, and its mesh full of water {wanted:.3g} kg", wanted)


def _roots(obj: bpy.types.Object) -> Finding | None:
    roots = [name for name, carrier in physical_parents(obj).items() if carrier is None]
    if len(roots) < 2:
        return None
    shown = ", ".join(roots[:3]) + (", …" if len(roots) > 3 else "")
    return Finding("ROOTS", f"{len(roots)} parts do not hang together: {shown}", bones=tuple(roots))


def bodies_in_rig(
    obj: bpy.types.Object, posed: bool
) -> Iterator[tuple[bpy.types.PoseBone, Floats, Floats, float]]:
    """Bone, ends of its capsule's axis and radius, of every body that collides, in the armature's space."""
    for bone in obj.pose.bones:
        if not bone.redmax.physical or not bone.redmax.surface.collide:
            continue
        matrix = np.array(bone.matrix if posed else bone.bone.matrix_local, dtype=float)
        capsule = capsule_of(bone)
        a, b = (matrix[:3, :3] @ end + matrix[:3, 3] for end in capsule.ends)
        yield bone, a, b, capsule.radius


def _outside(obj: bpy.types.Object, bones: list[bpy.types.PoseBone], skin: Skin) -> Finding | None:
    """Bodies that end far from any skin; without a skin, none."""
    if not skin.pieces:
        return None
    points = np.concatenate([piece.points for piece in skin.pieces])
    found = []
    for bone, a, b, radius in bodies_in_rig(obj, posed=False):
        for end, other in ((a, b), (b, a)):
            away = end - other
            length = float(np.linalg.norm(away))
            tip = end + (radius * away / length if length > 0.0 else 0.0)
            apart = float(np.linalg.norm(points - tip, axis=1).min())
            # a tip within a thick limb may be as far from its skin as the limb is thick
            if apart - radius > OUTSIDE * skin.size and bone.name not in found:
                found.append(bone.name)
    if not found:
        return None
    shown = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
    return Finding("OUTSIDE", f"Bodies reach out of the skin: {shown}", bones=tuple(found))


def _below(obj: bpy.types.Object, scene: bpy.types.Scene, bones: list[bpy.types.PoseBone]) -> Finding | None:
    """Bodies that are below a level ground as the armature stands now."""
    grounds = [o for o in scene.objects if o.redmax.collider.role == "GROUND" and level(o)]
    lowest, who = lowest_body(obj)
    if not grounds or not np.isfinite(lowest):
        return None
    height = max(float(o.matrix_world.translation.z) for o in grounds)
    ends = [end for bone in obj.data.bones for end in (bone.head_local, bone.tail_local)]
    size = float(np.ptp(np.array(ends), axis=0).max()) * float(obj.matrix_world.median_scale)
    if height - lowest <= BELOW * size:
        return None
    depth = (height - lowest) * metres_per_unit(scene)
    return Finding("BELOW", f"{who} begins {_length(depth)} below the ground", lowest, (who,))


def level(ground: bpy.types.Object) -> bool:
    return bool(ground.matrix_world.to_3x3().col[2].normalized().z > 0.999)


def lowest_body(obj: bpy.types.Object) -> tuple[float, str]:
    """Height of the lowest point of all bodies in the world [units], and the bone it is on."""
    world = np.array(obj.matrix_world, dtype=float)
    scale = float(obj.matrix_world.median_scale)
    lowest, who = np.inf, ""
    for bone, a, b, radius in bodies_in_rig(obj, posed=True):
        height = min(float((world[:3, :3] @ end + world[:3, 3])[2]) for end in (a, b)) - radius * scale
        if height < lowest:
            lowest, who = height, bone.name
    return lowest, who


def nearest_body(obj: bpy.types.Object, name: str, but: set[str]) -> str | None:
    """The body whose capsule is nearest to a bone's head in the rest pose."""
    head = np.array(obj.data.bones[name].head_local, dtype=float)[None]
    apart = {
        bone.name: float(distance_to_line(head, a, b)[0]) - radius
        for bone, a, b, radius in bodies_in_rig(obj, posed=False)
        if bone.name not in but
    }
    return min(apart, key=lambda other: apart[other]) if apart else None
