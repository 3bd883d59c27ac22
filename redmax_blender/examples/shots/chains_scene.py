"""Two chains with dry friction as objects: links are boxes, hinges are empties; pins and beam are only for the eye."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...bridge.mechanism.build_mechanism import Mechanism, build_mechanism
from ...bridge.mechanism.build_scene import fill_mesh
from ...bridge.mechanism.import_scene import add_contact
from ...bridge.mechanism.primitives import Surface, cuboid, revolve
from ...bridge.rig.rig import metres_per_unit
from ...engine.shots.chains import Chains, spec
from .studio import EMBERS, Colour, material, ramp

Floats = NDArray[np.float64]

STEPS = 240.0
"""Steps a second."""
STEEL: Colour = (0.36, 0.4, 0.43)
SHOWN = 1.6
"""Length of a pin that is drawn, in lengths of those that rub: they look out on both sides."""


def build_chains(scene: bpy.types.Scene, chains: Chains | None = None) -> Mechanism:
    """Add both chains, level and ready to be let go."""
    c = chains or Chains()
    made = spec(c)
    scene.redmax.substeps = int(np.ceil(STEPS * scene.render.fps_base / scene.render.fps - 1e-9))
    built = build_mechanism(scene, made, name="Chains", size=1.5 * c.width)
    add_contact(scene, made, built)
    steel = material("Chains Steel", STEEL, roughness=0.3, metallic=0.7)
    unit = metres_per_unit(scene)
    for side, radius in enumerate(c.radii):
        for i, colour in enumerate(ramp(EMBERS, c.links)):
            link = built.bodies[c.name(side, i)]
            link.data.materials.append(material(link.name, colour, roughness=0.35))
            pin = revolve([radius, radius], [-0.5 * SHOWN * c.width, 0.5 * SHOWN * c.width], 24)
            _add(built, f"{link.name} pin", pin.moved(np.eye(3), _hinge(c)), steel, unit).parent = link
    beam = cuboid((1.5 * c.thick, c.apart + 6.0 * c.thick, 1.5 * c.thick))
    _add(built, "Beam", beam, steel, unit).location = (-1.5 * c.thick / unit, 0.0, c.height / unit)
    bpy.context.view_layer.update()
    return built


def _hinge(c: Chains) -> Floats:
    """Of a link, in the frame of its box [m]."""
    return np.array([-0.5 * c.length, 0.0, 0.0])


def _add(
    built: Mechanism, name: str, surface: Surface, colour: bpy.types.Material, unit: float
) -> bpy.types.Object:
    """Something to be seen that takes no part."""
    mesh = bpy.data.meshes.new(name)
    fill_mesh(mesh, surface.moved(np.eye(3) / unit, np.zeros(3)))
    mesh.materials.append(colour)
    obj = bpy.data.objects.new(name, mesh)
    built.collection.objects.link(obj)
    return obj
