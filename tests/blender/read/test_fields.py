"""Force fields push as Blender's own particles feel them; thrusters push what carries them."""

import math

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, set_range
from mechanism_fixtures import add_box, add_empty
from numpy.typing import NDArray

from redmax_blender.bridge.read.fields import force_fields
from redmax_blender.bridge.read.noise_order import noise_order
from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.fingerprint import fingerprint
from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.scene import Field, PointForce

START, SPEED, FRAMES = (0.6, 0.3, 0.5), (0.4, -0.2, 0.3), 26
FIELDS = {
    "wind": ("WIND", {"strength": 1.5, "falloff_power": 0.8, "shape": "PLANE"}),
    "wind with flow": ("WIND", {"strength": 1.5, "flow": 0.9}),
    "force": ("FORCE", {"strength": -1.2, "falloff_power": 1.5}),
    "gravitation": ("FORCE", {"strength": -0.7, "use_gravity_falloff": True}),
    "force within bounds": (
        "FORCE",
        {"strength": 0.7, "use_min_distance": True, "distance_min": 0.9, "falloff_power": 2.0}
        | {"z_direction": "POSITIVE"},
    ),
    "force in a tube": (
        "FORCE",
        {"strength": 0.9, "falloff_type": "TUBE", "radial_falloff": 1.3, "falloff_power": 0.4, "shape": "LINE"},
    ),
    "wind in a cone": (
        "WIND",
        {"strength": 3.0, "falloff_type": "CONE", "radial_falloff": 0.3, "use_radial_min": True, "radial_min": 10.0},
    ),
    "vortex": ("VORTEX", {"strength": 1.4, "falloff_power": 0.3}),
    "vortex with an eye": ("VORTEX", {"strength": 0.8, "shape": "PLANE", "falloff_power": 0.3}),
    "magnetic": ("MAGNET", {"strength": 2.5, "shape": "PLANE", "falloff_power": 0.2}),
    "harmonic": ("HARMONIC", {"strength": 4.0, "harmonic_damping": 0.2, "rest_length": 0.5}),
    "turbulence": ("TURBULENCE", {"strength": 3.0, "size": 0.7}),
    "turbulence in the world": ("TURBULENCE", {"strength": 3.0, "size": 0.4, "use_global_coords": True}),
    "drag": ("DRAG", {"linear_drag": 1.2, "quadratic_drag": 0.6, "falloff_power": 0.4}),
}  # fmt: skip


def add_field(kind: str, **settings: object) -> bpy.types.Object:
    obj = add_empty("field", (-0.2, 0.4, -0.3), (0.3, -0.5, 0.2))
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.forcefield_toggle()
    obj.field.type, obj.field.flow, obj.field.falloff_power = kind, 0.0, 0.0
    for name, value in settings.items():
        setattr(obj.field, name, value)
    return obj


def still_scene() -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.use_gravity = 25, False  # Blender's particles count 25 frames as a second
    set_range(1, FRAMES, 40)


def particle() -> NDArray[np.float64]:
    """Where Blender's own particle of 1 kg is at each frame, shape (nf, 3)."""
    mesh = bpy.data.meshes.new("emitter")
    mesh.from_pydata([(0.0, 0.0, 0.0), (1e-5, 0.0, 0.0), (0.0, 1e-5, 0.0)], [], [(0, 1, 2)])
    obj = bpy.data.objects.new("emitter", mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.location = START
    obj.modifiers.new("particles", "PARTICLE_SYSTEM")
    settings = obj.particle_systems[0].settings
    settings.count, settings.frame_start, settings.frame_end, settings.lifetime = 1, 1, 1, 1000
    settings.emit_from, settings.normal_factor, settings.object_align_factor = "VERT", 0.0, SPEED
    settings.mass, settings.integrator, settings.subframes = 1.0, "RK4", 20
    rows = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        rows.append(tuple(shown.particle_systems[0].particles[0].location))
    bpy.context.scene.frame_set(1)
    bpy.data.objects.remove(obj)
    return np.array(rows)


def probe() -> NDArray[np.float64]:
    """The same for a small body of 1 kg in this simulation."""
    body = add_box("probe", START, (0.01, 0.01, 0.01))
    body.redmax.body.mass_from, body.redmax.body.mass = "MASS", 1.0
    body.redmax.fields.spread = False
    bpy.context.view_layer.update()
    spec = read_scene(bpy.context, []).scene
    spec.bodies[0].joint.qdot = [*SPEED, 0.0, 0.0, 0.0]
    model = compile_scene(spec)
    run = Result.from_frames(model, simulate(model, scene_options(spec), end=spec.time.end))
    return run.q[:: bpy.context.scene.redmax.substeps, :3] + START


@pytest.mark.parametrize("name", FIELDS)
def test_a_probe_moves_as_blenders_particle_does(name):
    """Within a hundredth of what the field changes, at every frame."""
    still_scene()
    kind, settings = FIELDS[name]
    add_field(kind, **settings)
    theirs, ours = particle(), probe()
    straight = np.array(START) + np.arange(FRAMES)[:, None] / 25.0 * SPEED
    changed = np.abs(theirs - straight).max()
    assert changed > 0.03
    assert np.abs(ours - theirs).max() < 0.01 * changed


def test_the_noise_is_blenders():
    assert sorted(noise_order()) == list(range(256))


def test_strength_and_place_of_a_field_may_be_keyed():
    still_scene()
    obj = add_field("WIND", strength=0.0)
    obj.rotation_euler = (0.0, 0.0, 0.0)
    for frame, strength, angle in ((1, 0.0, 0.0), (FRAMES, 5.0, math.pi / 2)):
        obj.field.strength, obj.rotation_euler.x = strength, angle
        obj.field.keyframe_insert("strength", frame=frame)
        obj.keyframe_insert("rotation_euler", frame=frame)
    add_box("box", START)
    bpy.context.scene.frame_set(1)
    field = read_scene(bpy.context, []).scene.forces[0]
    assert isinstance(field, Field)
    assert field.strength.values[0] == 0.0 and field.strength.values[-1] == pytest.approx(5.0)
    assert field.motion[3].values[-1] == pytest.approx(math.pi / 2)


def test_bones_bodies_and_flesh_feel_fields_as_strongly_as_their_settings_say():
    rig = make_chain(2)
    make_physical(rig, bpy.context.scene, Choices(root="FREE"))
    bpy.ops.object.mode_set(mode="OBJECT")
    first, second = add_box("first", (3.0, 0.0, 0.0)), add_box("second", (6.0, 0.0, 0.0))
    field = add_field("WIND", strength=1.0)
    rig.redmax.fields.wind, rig.redmax.fields.weight = 0.5, 0.5
    first.redmax.fields.spread = False
    second.redmax.fields.use = False
    bpy.context.view_layer.update()
    forces = [force for force in read_scene(bpy.context, [rig]).scene.forces if isinstance(force, Field)]
    found = {
        name: (weight, f.spread) for f in forces for name, weight in zip(f.bodies, f.weights, strict=True)
    }
    assert found == {"Rig/bone0": (0.25, True), "Rig/bone1": (0.25, True), "first": (1.0, False)}
    other = bpy.data.collections.new("other")
    first.redmax.fields.collection = rig.redmax.fields.collection = other
    assert not [f for f in read_scene(bpy.context, [rig]).scene.forces if isinstance(f, Field)]
    other.objects.link(field)
    assert len([f for f in read_scene(bpy.context, [rig]).scene.forces if isinstance(f, Field)]) == 2


def test_a_change_of_a_field_outdates_the_simulation_and_what_cannot_act_is_named():
    add_box("box", START)
    obj = add_field("WIND", strength=1.0)
    bpy.context.view_layer.update()
    before = fingerprint(bpy.context.scene)
    obj.field.strength = 2.0
    assert fingerprint(bpy.context.scene) != before
    obj.field.type = "CHARGE"
    reading = read_scene(bpy.context, [])
    assert not reading.scene.forces
    assert any("'field'" in text for text in reading.warnings)
    assert force_fields(bpy.context.scene) == [obj]


def test_a_thruster_pushes_along_its_own_axis_and_only_while_it_is_keyed():
    still_scene()
    box = add_box("box", (0.0, 0.0, 0.0))
    box.redmax.body.mass_from, box.redmax.body.mass = "MASS", 2.0
    box.rotation_euler = (0.0, math.pi / 2, 0.0)  # its z axis is the world's x
    bpy.context.view_layer.objects.active = box
    box.select_set(True)
    bpy.context.view_layer.update()
    assert bpy.ops.redmax.add_thruster(force=6.0) == {"FINISHED"}
    thruster = next(obj for obj in bpy.data.objects if obj.redmax.thruster.use)
    spec = read_scene(bpy.context, []).scene
    assert isinstance(spec.forces[0], PointForce)
    model = compile_scene(spec)
    end = Result.from_frames(model, simulate(model, scene_options(spec), end=spec.time.end)).q[-1]
    np.testing.assert_allclose(end[:3], (0.0, 0.0, 0.5 * 3.0 * 1.0**2), atol=2e-2)
    np.testing.assert_allclose(end[3:], 0.0, atol=1e-6)
    for frame, force in ((1, 6.0), (2, 0.0)):
        thruster.redmax.thruster.force[2] = force
        thruster.redmax.thruster.keyframe_insert("force", frame=frame)
    bpy.context.scene.frame_set(1)
    force = read_scene(bpy.context, []).scene.forces[0].force[2]
    assert force.values[0] == pytest.approx(6.0) and force.values[1] == pytest.approx(0.0)
    thruster.parent = None
    bpy.context.view_layer.update()
    with pytest.raises(SceneError, match="it is on no body"):
        read_scene(bpy.context, [])
