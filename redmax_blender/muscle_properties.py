"""Muscles and the surfaces that they slide over. Data only."""

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    PointerProperty,
    StringProperty,
)

SURFACES = (
    ("NONE", "None", "Muscles do not slide over the object"),
    ("CYLINDER", "Cylinder", "A cylinder without ends, along the object's Z axis"),
    ("SPHERE", "Sphere", "A ball"),
    ("ELLIPSOID", "Ellipsoid", "A ball with three different radii"),
    ("TORUS", "Ring", "A ring around the object's Z axis, through which muscles go"),
    (
        "CAPSULE",
        "Capped Cylinder",
        "A cylinder along Z with round ends, the upper one at the object's origin",
    ),
)
HALVES = (
    ("ALL", "All", "The shortest way round"),
    ("X", "+X", "Over the half where X is positive"),
    ("-X", "-X", "Over the half where X is negative"),
    ("Y", "+Y", "Over the half where Y is positive"),
    ("-Y", "-Y", "Over the half where Y is negative"),
    ("Z", "+Z", "Over the half where Z is positive"),
    ("-Z", "-Z", "Over the half where Z is negative"),
)


def _setting(**more):
    return {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}, **more}


def _figure(**more):
    return {"options": {"ANIMATABLE"}, "override": {"LIBRARY_OVERRIDABLE"}, **more}


class REDMAX_PG_muscle(bpy.types.PropertyGroup):
    """A curve as a muscle: its points are hooked to the bones that it is attached to."""

    is_muscle: BoolProperty(name="Muscle", description="The curve is a muscle", **_setting())
    mass: FloatProperty(
        name="Muscle Mass",
        description="Of belly and tendons, in kg",
        min=0.0,
        soft_max=5.0,
        default=0.3,
        **_setting(),
    )
    density: FloatProperty(
        name="Muscle Density",
        description="Of muscle, in kg/m³: with the mass it gives the volume of the tube",
        min=1.0,
        soft_max=3000.0,
        default=1060.0,
        **_setting(),
    )
    max_force: FloatProperty(
        name="Strength",
        description="Largest force at the optimal length, in N",
        min=0.0,
        soft_max=10000.0,
        default=500.0,
        **_setting(),
    )
    optimal_length: FloatProperty(
        name="Optimal Length",
        description="Length of the fibres at which the muscle is strongest",
        min=0.0001,
        soft_max=1.0,
        default=0.1,
        subtype="DISTANCE",
        **_setting(),
    )
    tendon_length: FloatProperty(
        name="Tendon Length",
        description="Length of the tendons without load",
        min=0.0,
        soft_max=1.0,
        default=0.1,
        subtype="DISTANCE",
        **_setting(),
    )
    excitation: FloatProperty(
        name="Excitation",
        description="How strongly the nerves ask the muscle to pull, from 0 to 1; can have keys",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        **_figure(),
    )
    inertia: BoolProperty(
        name="Muscle Inertia",
        description="The muscle's mass slides along its path and is part of the motion; otherwise it only shows",
        default=True,
        **_setting(),
    )
    belly_start: FloatProperty(
        name="Belly Start",
        description="Where the belly begins, as a part of the path from the first point",
        min=0.0,
        max=1.0,
        default=0.15,
        **_setting(),
    )
    belly_end: FloatProperty(
        name="Belly End",
        description="Where the belly ends, as a part of the path from the first point",
        min=0.0,
        max=1.0,
        default=0.75,
        **_setting(),
    )
    surfaces: PointerProperty(
        name="Slides Over",
        type=bpy.types.Collection,
        description="Collection of the surfaces that the muscle slides over",
        **_setting(),
    )
    ranges: StringProperty(
        name="Ranges of Surfaces",
        description="Between which points of the muscle each surface counts, one a line; those not named count "
        "everywhere",
        **_setting(),
    )
    tube: PointerProperty(
        name="Tube",
        type=bpy.types.Object,
        description="The mesh that shows the muscle, of constant volume",
        **_setting(),
    )
    length: FloatProperty(
        name="Muscle Length",
        description="Length of the whole path in the frame that is shown",
        min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
        **_figure(),
    )
    tension: FloatProperty(
        name="Tension",
        description="How strongly the muscle pulls in the frame that is shown, in N; 0 where nothing was simulated",
        min=0.0,
        soft_max=10000.0,
        precision=2,
        **_figure(),
    )
    activation: FloatProperty(
        name="Activation",
        description="How far the muscle has become active in the frame that is shown, from 0 to 1",
        min=0.0,
        max=1.0,
        **_figure(),
    )


class REDMAX_PG_wrap(bpy.types.PropertyGroup):
    """An object as a surface that muscles slide over."""

    kind: EnumProperty(
        name="Surface of Muscles",
        description="Whether and how muscles slide over the object",
        items=SURFACES,
        **_setting(),
    )
    size: FloatVectorProperty(
        name="Size of Surface",
        description="Radius; of an ellipsoid its three radii, of a ring those of ring and tube, of a capped cylinder "
        "radius and length",
        size=3,
        min=0.0001,
        soft_max=1.0,
        default=(0.03, 0.03, 0.03),
        subtype="XYZ_LENGTH",
        **_setting(),
    )
    half: EnumProperty(name="Half", description="Which way round muscles go", items=HALVES, **_setting())
    length: FloatProperty(
        name="Length of Cylinder",
        description="Muscles that touch a cylinder beyond both of its ends pass it; 0 for one without ends",
        min=0.0,
        soft_max=1.0,
        subtype="DISTANCE",
        **_setting(),
    )


CLASSES = (REDMAX_PG_muscle, REDMAX_PG_wrap)
