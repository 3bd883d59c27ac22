"""The parts kit: rods, links, plates, wheels, gears, cans, wires and balls as bodies with sockets, along their Z."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ..rig.rig import metres_per_unit
from .build_scene import fill_mesh
from .primitives import Surface, capsule, cuboid, ellipsoid, revolve

Floats = NDArray[np.float64]

Axis = tuple[float, float, float]
ALONG_Z: Axis = (0.0, 0.0, 1.0)
ACROSS: Axis = (1.0, 0.0, 0.0)
STEEL, TIN, WOOD = 7800.0, 400.0, 600.0
"""Densities [kg/m³]; a can is hollow."""


@dataclass(frozen=True)
class Socket:
    """Where a part is made to be connected [m]."""

    place: Axis
    axis: Axis = ALONG_Z
    radius: float = 0.0


@dataclass(frozen=True)
class KitPart:
    """A part of a length or diameter [m]."""

    surface: Surface
    shape: str
    """Of its body, as Blender calls it."""
    density: float
    sockets: list[Socket] = field(default_factory=list)


def make_part(kind: str, size: float, teeth: int = 24) -> KitPart:
    """A part of a kind, so large [m]: a length, or a diameter."""
    if not size > 0.0:
        raise SceneError("Part", "its size is not above zero", "Give it a size.")
    r, ends = 0.5 * size, [-0.5 * size, 0.5 * size]
    match kind:
        case "ROD":
            w = 0.03 * size
            sockets = [Socket((0.0, 0.0, z), ACROSS) for z in (*ends, 0.0)]
            return KitPart(revolve([w, w], ends), "CYLINDER", WOOD, sockets)
        case "LINK":
            sides = (1.1 * size, 0.1 * size, 0.04 * size)
            sockets = [Socket((x, 0.0, 0.0)) for x in (*ends, 0.0)]
            return KitPart(cuboid(sides), "BOX", STEEL, sockets)
        case "PLATE":
            corners = [(x, y, 0.0) for x in (-0.9 * r, 0.9 * r) for y in (-0.9 * r, 0.9 * r)]
            sockets = [Socket(place) for place in ((0.0, 0.0, 0.0), *corners)]
            return KitPart(cuboid((size, size, 0.05 * size)), "BOX", WOOD, sockets)
        case "WHEEL":
            sockets = [Socket((0.0, 0.0, 0.0), radius=r), Socket((0.7 * r, 0.0, 0.0))]
            return KitPart(revolve([r, r], [-0.1 * size, 0.1 * size]), "CYLINDER", WOOD, sockets)
        case "GEAR":
            return KitPart(gear(r, teeth, 0.12 * size), "MESH", STEEL, [Socket((0.0, 0.0, 0.0), radius=r)])
        case "CAN":
            sockets = [Socket((0.0, 0.0, z)) for z in (-0.75 * size, 0.75 * size)]
            return KitPart(revolve([r, r], [-0.75 * size, 0.75 * size]), "CYLINDER", TIN, sockets)
        case "WIRE":
            w = 0.01 * size
            sockets = [Socket((0.0, 0.0, z)) for z in ends]
            return KitPart(capsule(w, size - 2.0 * w), "CAPSULE", STEEL, sockets)
        case "BALL":
            return KitPart(ellipsoid((r, r, r)), "SPHERE", WOOD, [Socket((0.0, 0.0, 0.0))])
    raise SceneError("Part", f"there is no kind '{kind}'", "Choose one of the list.")


def gear(radius: float, teeth: int, thickness: float) -> Surface:
    """Teeth with straight flanks around a pitch radius [m], extruded; a tooth and a gap are equally wide there."""
    if teeth < 6:
        raise SceneError("Gear", f"it has {teeth} teeth", "Give it six or more.")
    step, module = 2.0 * pi / teeth, 2.0 * radius / teeth
    steps = np.array([-0.36, -0.14, 0.14, 0.36]) * step
    radii = np.array([radius - 1.1 * module, radius + module, radius + module, radius - 1.1 * module])
    angle = (np.arange(teeth)[:, None] * step + steps).reshape(-1)
    r = np.tile(radii, teeth)
    rim = np.stack([r * np.cos(angle), r * np.sin(angle)], axis=1)
    n, half = len(rim), 0.5 * thickness
    low, high = (np.column_stack([rim, np.full(n, z)]) for z in (-half, half))
    middle = np.array([[0.0, 0.0, -half], [0.0, 0.0, half]])
    here = np.arange(n)
    there = np.roll(here, -1)
    sides = np.stack([here, there, there + n, here + n], axis=1).tolist()
    caps = [[2 * n, j, i] for i, j in zip(here.tolist(), there.tolist())]
    caps += [[2 * n + 1, n + i, n + j] for i, j in zip(here.tolist(), there.tolist())]
    return Surface(np.concatenate([low, high, middle]), sides + caps, np.zeros(len(sides) + len(caps), bool))


def add_part(
    scene: bpy.types.Scene,
    collection: bpy.types.Collection,
    kind: str,
    size: float,
    pose: Matrix,
    *,
    teeth: int = 24,
    anchored: bool = False,
    name: str = "",
) -> bpy.types.Object:
    """A part of the kit at a pose in the world [Blender units]; size in metres."""
    part = make_part(kind, size, teeth)
    scale = 1.0 / metres_per_unit(scene)
    mesh = bpy.data.meshes.new(name or kind.capitalize())
    fill_mesh(mesh, part.surface.moved(np.eye(3) * scale, np.zeros(3)))
    obj = bpy.data.objects.new(mesh.name, mesh)
    collection.objects.link(obj)
    obj.matrix_world = pose
    settings = obj.redmax.body
    settings.role = "ANCHORED" if anchored else "ACTIVE"
    settings.shape, settings.density = part.shape, part.density
    for socket in part.sockets:
        made = obj.redmax.sockets.add()
        made.place = [c * scale for c in socket.place]
        made.axis, made.radius = socket.axis, socket.radius * scale
    return obj
