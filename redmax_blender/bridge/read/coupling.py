"""Hinges of bones that turn together -> hyper-reduced coordinates."""

from __future__ import annotations

import bpy

from ...engine.errors import SceneError
from ...engine.scene import spec
from ..motion.sample_bones import MODES, RigSamples
from ..rig.rig import physical_bones

HINGES = ("REVOLUTE", "PRISMATIC")


def read_couplings(obj: bpy.types.Object, samples: RigSamples | None = None) -> list[spec.CouplingSpec]:
    """A coupling for each bone of an armature that others are coupled to, directly or through one another.

    samples: who controls the bones over the range; the present frame counts where there are none.
    """
    bones = {bone.name: bone for bone in physical_bones(obj)}
    coupled = {name: bone for name, bone in bones.items() if bone.redmax.coupling.bone}
    groups: dict[str, list[spec.Term]] = {}
    for bone in coupled.values():
        first, factor = _leader(bone, bones, obj, samples)
        groups.setdefault(first, [spec.Term(f"{obj.name}/{first}", 1.0)])
        groups[first].append(spec.Term(f"{obj.name}/{bone.name}", factor))
    return [spec.CouplingSpec(terms=terms, name=f"{obj.name}/{first}") for first, terms in groups.items()]


def _leader(
    bone: bpy.types.PoseBone,
    bones: dict[str, bpy.types.PoseBone],
    obj: bpy.types.Object,
    samples: RigSamples | None,
) -> tuple[str, float]:
    """The bone at the end of a row of couplings, and how far this one turns for each angle of that one."""
    factor, seen = 1.0, [bone.name]
    _check_hinge(bone, obj, samples)
    while bone.redmax.coupling.bone:
        place = f"Bone '{bone.name}' of '{obj.name}', Couple To"
        ratio, name = float(bone.redmax.coupling.ratio), bone.redmax.coupling.bone
        if ratio == 0.0:
            raise SceneError(place, "the ratio is zero", "Give another ratio, or make its joint fixed.")
        if name not in bones:
            raise SceneError(
                place,
                f"there is no physical bone '{name}' in the armature",
                "Choose another bone, make that one physical, or clear the field.",
            )
        if name in seen:
            raise SceneError(
                place,
                f"{' → '.join([*seen, name])} go in a circle",
                "Clear the field for one of them.",
            )
        seen.append(name)
        bone, factor = bones[name], factor * ratio
        _check_hinge(bone, obj, samples)
    return bone.name, factor


def _check_hinge(bone: bpy.types.PoseBone, obj: bpy.types.Object, samples: RigSamples | None) -> None:
    place = f"Bone '{bone.name}' of '{obj.name}'"
    if bone.redmax.joint not in HINGES:
        raise SceneError(
            place,
            f"it is coupled with another bone, and its joint is {bone.redmax.joint.lower()}",
            "Only revolute and prismatic joints can be coupled: change the joint, or clear Couple To.",
        )
    control = bone.redmax_control
    if samples is not None:
        modes = samples.modes[samples.lead :, samples.column[bone.name]]
        control = MODES[int(modes[modes.argmax()])]
    if control != "FREE":
        raise SceneError(
            place,
            f"it is coupled with another bone and {control.lower()} at once",
            "Let physics alone move it (Control: Free), or clear Couple To.",
        )
