"""Soft meshes of a scene -> flesh: cage, material, attachments; and how the mesh follows its cage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...engine.errors import SceneError
from ...engine.fem.cages.attach import WORLD, attachment, bodies_without_vertices, loose_parts
from ...engine.model.records import Floats, Ints
from ...engine.scene import spec
from ..flesh.attach import Holder, automatic, read_holders, to_cage
from ..flesh.cage import TETS, PlacedCage, read_cage
from ..flesh.cage_object import edited, shown_cage
from ..flesh.own_tets import own_holders, own_start
from ..flesh.read_skinning import read_skinning
from ..flesh.rest_shape import group_weights
from ..flesh.skinning import Skinning
from ..flesh.soft_meshes import soft_meshes
from ..flesh.start import start_positions
from ..rig.rig import metres_per_unit
from .floor import read_floor

if TYPE_CHECKING:
    from .scene import Reading

GROUND = "RedMax ground"
"""A fixed body for scenes of nothing but flesh: the engine wants one."""
KINDS = {"COROTATED": "corotated", "NEO_HOOKEAN": "neo-hookean"}
COPIES = ("MIRROR", "ARRAY")
"""Modifiers that make more of a mesh than is simulated."""
POSITIVE = ("young", "density", "mass")


@dataclass(frozen=True)
class FleshReading:
    """How one soft mesh was read: the way back from its cage to its vertices."""

    name: str
    first: int
    """Its cage has the vertices first : first + nv of the engine."""
    placed: PlacedCage
    skinning: Skinning | None = None
    """Who carries skin and cage, where bones do."""

    @property
    def vertices(self) -> slice:
        return slice(self.first, self.first + len(self.placed.cage.X))


def read_flesh(context: bpy.types.Context, reading: Reading) -> None:
    """Add the scene's flesh to a reading, as the depsgraph shows it at the first frame of the range."""
    scene, made = context.scene, reading.scene
    depsgraph = context.evaluated_depsgraph_get()
    unit = metres_per_unit(scene)
    known = {body.name for body in made.bodies}
    first = 0
    for obj in soft_meshes(scene):
        check_settings(obj)
        placed = read_cage(obj, depsgraph, unit)
        if TETS in obj.data:
            holders, body = own_holders(obj, known)
            start, skinning = own_start(obj, placed), None
        else:
            holders = [h for h in read_holders(obj, depsgraph, unit) if h.body in known]
            body = _attached(obj, scene, placed, holders, reading.warnings, depsgraph)
            start, shares = start_positions(obj, placed, holders, body, depsgraph, unit)
            skinning = read_skinning(obj, placed, holders, shares, depsgraph, unit)
        made.flesh.append(_spec(obj, placed, holders, body, start, unit))
        reading.flesh.append(FleshReading(obj.name, first, placed, skinning))
        reading.warnings += _warnings(obj, placed, holders, body)
        reading.warnings += too_soft(made.flesh[-1], float(np.linalg.norm(made.gravity)), placed)
        first += len(placed.cage.X)
    if not made.flesh:
        return
    if not made.bodies:
        made.bodies.append(
            spec.BodySpec(name=GROUND, shape=spec.Sphere(radius=0.1), joint=spec.JointSpec(type=spec.Fixed()))
        )
    if not made.integrator.startswith("euler"):
        made.integrator = "euler-midway"
        reading.warnings.append("The default integrator is used: only the Euler integrators move flesh")


def _attached(
    obj: bpy.types.Object,
    scene: bpy.types.Scene,
    placed: PlacedCage,
    holders: list[Holder],
    warnings: list[str],
    depsgraph: bpy.types.Depsgraph,
) -> Ints:
    """The number of each cage vertex's holder, WORLD or FREE: as the shown cage says, or by the rules."""
    body = edited(obj, scene, placed, holders)
    if body is not None:
        return body
    if shown_cage(obj, scene) is not None:
        warnings.append(
            f"Object '{obj.name}': the cage that is shown is not the one that the mesh has now, so attachment is "
            "automatic. Show Cage makes it anew"
        )
    return automatic(obj, placed, holders, depsgraph, metres_per_unit(scene))


def check_settings(obj: bpy.types.Object, numbers: bool = True) -> None:
    """SceneError, naming object and setting, where it cannot be used; `numbers` and groups of its own included."""
    settings = obj.redmax.flesh
    place = f"Object '{obj.name}'"
    if obj.redmax.body.role != "NONE" or obj.rigid_body is not None:
        raise SceneError(
            place, "it is a rigid body and soft as well", "Clear one of them (RedMax tab, Body or Flesh)."
        )
    if not len(obj.data.vertices) or not len(obj.data.polygons):
        what = "vertices" if not len(obj.data.vertices) else "faces"
        raise SceneError(place, f"its mesh has no {what}", "Give it a mesh with a surface, or clear Soft.")
    if not numbers:
        return
    by_mass = settings.mass_from == "MASS"
    for name in ("young", "poisson", "mass" if by_mass else "density", "damping", "drag"):
        value = getattr(settings, name)
        where = f"{place}, {settings.bl_rna.properties[name].name}"
        if not np.isfinite(value):
            raise SceneError(where, "it is not a finite number", "Type in a number (RedMax tab, Flesh).")
        if name in POSITIVE and not value > 0.0:
            raise SceneError(where, f"it is {value:g}", "Give a number above zero.")
    if not -1.0 < settings.poisson < 0.5:
        raise SceneError(
            f"{place}, Poisson's Ratio",
            f"it is {settings.poisson:g}, outside (-1, 0.5)",
            "Give a number in between: 0.45 is like flesh, 0.49 nearly keeps the volume.",
        )
    for name in ("pin_group", "stiffness_group"):
        group = getattr(settings, name)
        if group and group not in obj.vertex_groups:
            raise SceneError(
                f"{place}, {settings.bl_rna.properties[name].name}",
                f"there is no vertex group '{group}'",
                "Choose one that the mesh has, or none.",
            )


def _spec(
    obj: bpy.types.Object,
    placed: PlacedCage,
    holders: list[Holder],
    body: Ints,
    start: Floats | None,
    unit: float,
) -> spec.FleshSpec:
    settings = obj.redmax.flesh
    stiffness = None
    if settings.stiffness_group:
        painted = to_cage(placed, group_weights(obj, settings.stiffness_group))[:, 0]
        stiffness = (settings.softest + (1.0 - settings.softest) * np.clip(painted, 0.0, 1.0)).tolist()
    return spec.FleshSpec(
        name=obj.name,
        vertices=[tuple(row) for row in placed.world.tolist()],
        tets=[tuple(row) for row in placed.cage.corner.tolist()],
        material=spec.MaterialSpec(
            young=float(settings.young),
            poisson=float(settings.poisson),
            density=float(settings.density),
            kind=KINDS[settings.material],
            mass_damping=float(settings.drag),
            stiffness_damping=float(settings.damping),
        ),
        start=None if start is None else [tuple(row) for row in start.tolist()],
        attachments=[
            spec.Attachment(body=holder.body, vertices=np.flatnonzero(body == i).tolist())
            for i, holder in enumerate(holders)
            if np.any(body == i)
        ],
        pinned=np.flatnonzero(body == WORLD).tolist(),
        stiffness=stiffness,
        fill=placed.cage.fill.tolist(),
        mass=float(settings.mass) if settings.mass_from == "MASS" else None,
        floor=read_floor(obj, placed, unit),
    )


def _warnings(obj: bpy.types.Object, placed: PlacedCage, holders: list[Holder], body: Ints) -> list[str]:
    place = f"Object '{obj.name}'"
    attached = attachment(body)
    copies = [m.name for m in obj.modifiers if m.type in COPIES and m.show_render]
    said = [f"{place}: {part}" for part in loose_parts(placed.world, placed.cage.part, attached)]
    if copies:
        said.append(
            f"{place}: its modifier '{copies[0]}' copies what is simulated, so that all copies move alike. Apply it "
            "where they should not"
        )
    without = [holders[i].label for i in bodies_without_vertices(attached, len(holders))]
    if without and len(without) < len(holders):
        names = ", ".join(repr(name) for name in without[:5]) + (", …" if len(without) > 5 else "")
        bones = f"{len(without)} bones" if len(without) > 1 else "a bone"
        said.append(f"{place}: no flesh is near {bones} ({names}), and none follows")
    return said


def too_soft(flesh: spec.FleshSpec, gravity: float, placed: PlacedCage) -> list[str]:
    """A warning for flesh that cannot carry its own weight from where it is held."""
    from scipy.spatial import cKDTree

    held = sorted({*flesh.pinned, *(v for a in flesh.attachments for v in a.vertices)})
    if not held:
        return []
    points = placed.world
    thick = float(cKDTree(points[held]).query(points)[0].max())
    density = flesh.material.density if flesh.mass is None else flesh.mass / placed.cage.volume
    load = density * gravity * thick
    if load < flesh.material.young:
        return []
    return [
        f"Object '{flesh.name}': it is too soft to carry itself. Up to {thick:.2g} m from what holds it, it bears "
        f"{load:.2g} Pa of its own weight, and its Young's modulus is {flesh.material.young:.2g} Pa. It sags by a "
        f"tenth or so with {10.0 * load:.1g} Pa"
    ]
