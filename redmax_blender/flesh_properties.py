"""The user's settings of flesh: a mesh object as an elastic body. Data only."""

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .scene_properties import folder_setting

MATERIALS = (
    ("COROTATED", "Corotated", "Linear in how much it is stretched; fast, and recovers from anything"),
    (
        "NEO_HOOKEAN",
        "Neo-Hookean",
        "Resists being squashed flat; for large stretches, and where the volume matters",
    ),
)

CAGE_SIZES = (
    ("COUNT", "Vertices", "About how many vertices the cage has"),
    ("CELL", "Cell", "How large its cells are"),
)

ATTACHMENTS = (
    ("CAPSULES", "Bones", "The core of each bone's capsule carries the flesh around it"),
    (
        "WEIGHTS",
        "Vertex Groups",
        "Flesh where a bone's vertex group is strong moves with the bone. A group named 'RedMax' and the bone's "
        "name counts instead of the bone's own, so that attachments can be painted apart from the skin's weights",
    ),
)

BAKES = (
    ("ABSOLUTE", "Shape Keys", "One absolute shape key a frame, and a single curve on Evaluation Time"),
    ("RELATIVE", "Relative Shape Keys", "One relative shape key a frame, each with a curve on its value"),
    ("PC2", "Point Cache", "A PC2 file on a Mesh Cache modifier: for heavy meshes"),
)


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


def _can_carry(self, obj):
    return obj != self.id_data and obj.type in ("ARMATURE", "MESH")


class REDMAX_PG_flesh(bpy.types.PropertyGroup):
    """A mesh object as flesh: its material, its cage, and what carries it."""

    soft: BoolProperty(name="Soft", description="The mesh is an elastic body of the simulation", **_setting())
    material: EnumProperty(name="Material", description="Law of the material", items=MATERIALS, **_setting())
    young: FloatProperty(
        name="Young's Modulus",
        description="Stiffness, in Pa: fat 5,000, muscle 50,000, soft rubber 1,000,000",
        min=0.0,
        soft_min=100.0,
        soft_max=10_000_000.0,
        default=20_000.0,
        precision=0,
        **_setting(),
    )
    poisson: FloatProperty(
        name="Poisson's Ratio",
        description="How much it bulges sideways when it is squeezed, above -1 and below 0.5; "
        "0.45 is like flesh, 0.49 nearly keeps the volume",
        soft_min=0.0,
        soft_max=0.49,
        default=0.45,
        precision=3,
        **_setting(),
    )
    mass_from: EnumProperty(
        name="Mass From",
        description="What the flesh's mass follows from",
        items=(
            ("DENSITY", "Density", "Mass is density × volume of the mesh"),
            ("MASS", "Mass", "Mass is given"),
        ),
        **_setting(),
    )
    density: FloatProperty(
        name="Density",
        description="Density, in kg/m³ (water and flesh: 1000)",
        min=0.0,
        soft_max=10000.0,
        default=1000.0,
        precision=1,
        **_setting(),
    )
    mass: FloatProperty(
        name="Mass",
        description="Mass of the whole, in kg",
        min=0.0,
        soft_max=1000.0,
        default=1.0,
        precision=3,
        **_setting(),
    )
    damping: FloatProperty(
        name="Damping",
        description="How fast wobbling dies down, in s: the stiffness times this resists changes of shape",
        min=0.0,
        soft_max=0.1,
        default=0.005,
        precision=4,
        **_setting(),
    )
    drag: FloatProperty(
        name="Drag",
        description="Resistance against all motion, also of the whole, in 1/s",
        min=0.0,
        soft_max=10.0,
        precision=3,
        **_setting(),
    )
    cage_size: EnumProperty(
        name="Cage Size", description="What says how fine the cage is", items=CAGE_SIZES, **_setting()
    )
    cage_count: IntProperty(
        name="Vertices",
        description="About how many vertices the cage of tetrahedra has; more are finer and slower",
        min=8,
        soft_max=2000,
        default=220,
        **_setting(),
    )
    cage_cell: FloatProperty(
        name="Cell",
        description="Size of the cage's cells",
        min=0.0,
        soft_max=1.0,
        default=0.2,
        precision=4,
        subtype="DISTANCE",
        **_setting(),
    )
    attach_from: EnumProperty(
        name="Attach By",
        description="What decides which flesh a bone carries",
        items=ATTACHMENTS,
        **_setting(),
    )
    carrier: PointerProperty(
        name="Attach To",
        description="Armature or body that carries the flesh; "
        "when empty, the armature of its Armature modifier, or its parent",
        type=bpy.types.Object,
        poll=_can_carry,
        **_setting(),
    )
    core: FloatProperty(
        name="Core",
        description="Part of each capsule's radius that carries flesh; at least a few vertices of the cage are "
        "attached to every bone",
        min=0.0,
        max=1.0,
        default=0.5,
        subtype="FACTOR",
        **_setting(),
    )
    threshold: FloatProperty(
        name="Weight",
        description="Weight from which on flesh moves rigidly with its bone",
        min=0.01,
        max=1.0,
        default=0.9,
        subtype="FACTOR",
        **_setting(),
    )
    pin_group: StringProperty(
        name="Pin Group",
        description="Vertex group whose vertices move with the bone that their skin follows, or, without bones, "
        "stay where they are, where its weight is 0.5 or more",
        **_setting(),
    )
    stiffness_group: StringProperty(
        name="Stiffness Group",
        description="Vertex group that multiplies Young's modulus, from Softest at weight 0 to 1 at weight 1",
        **_setting(),
    )
    softest: FloatProperty(
        name="Softest",
        description="Multiplies Young's modulus where the stiffness group has no weight",
        min=0.001,
        max=1.0,
        default=0.1,
        subtype="FACTOR",
        **_setting(),
    )
    floor: BoolProperty(
        name="Spring Floor",
        description="A horizontal floor of springs and dampers carries the flesh: quick, and soft",
        **_setting(),
    )
    floor_height: FloatProperty(
        name="Height",
        description="Height of the floor",
        subtype="DISTANCE",
        soft_min=-10.0,
        soft_max=10.0,
        **_setting(),
    )
    floor_depth: FloatProperty(
        name="Depth",
        description="How deep the flesh sinks into the floor where it lies at rest, about: shallower is stiffer",
        min=0.00001,
        soft_max=0.1,
        default=0.01,
        precision=4,
        subtype="DISTANCE",
        **_setting(),
    )
    floor_grip: FloatProperty(
        name="Grip",
        description="How strongly the floor resists sliding, in s: its stiffness times this",
        min=0.0,
        soft_max=1.0,
        default=0.1,
        precision=3,
        **_setting(),
    )
    cage: PointerProperty(
        name="Cage",
        type=bpy.types.Object,
        description="Object that shows the cage; its vertex groups say what is attached to which bone",
        **_setting(),
    )
    cage_text: StringProperty(
        name="Cage", description="Size and quality of the cage when it was last made", **_setting()
    )
    bake_to: EnumProperty(
        name="Bake To", description="What Bake makes of the flesh", items=BAKES, **_setting()
    )
    bake_step: IntProperty(
        name="Every",
        description="Frames from one shape key to the next; in between, the mesh moves straight from one to the other",
        min=1,
        soft_max=10,
        default=1,
        **_setting(),
    )
    paused: StringProperty(
        name="Paused Modifiers",
        description="What was switched off so that the mesh is not deformed twice, and how it was before",
        **_setting(),
    )
    bake_folder: StringProperty(
        name="Bake Folder",
        description="Folder for baked point caches; // is the folder of the .blend file",
        default="//redmax_bake",
        **folder_setting(),
    )
    baked: StringProperty(
        name="Baked", description="What Bake made, and what Delete Bake has to restore", **_setting()
    )
    converted: StringProperty(
        name="Converted",
        description="Soft Body modifier that was read: name, viewport, render",
        **_setting(),
    )


CLASSES = (REDMAX_PG_flesh,)
