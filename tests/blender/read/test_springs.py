"""Springs and cables are curves whose ends are hooked: they pull where they are seen."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, set_range
from mechanism_fixtures import add_box, add_empty, off_cache, world

from redmax_blender.bridge.mechanism.add_spring import add_end, add_spring
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene


def run(frames: int, substeps: int = 10):
    set_range(1, frames, substeps)
    bpy.context.scene.redmax.integrator = "bdf2"
    return simulate_scene(bpy.context)


def hang(kind: str = "SPRING", length: float = 2.0, **settings) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A cube of 1000 kg below a point of the world; and what holds it."""
    bpy.context.scene.render.fps = 100
    block = add_box("block", (0.0, 0.0, -length))
    hook = add_empty("hook", (0.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    spring = add_spring([hook, block], bpy.context.scene.collection, kind=kind)
    for name, value in settings.items():
        setattr(spring.redmax.spring, name, value)
    return block, spring


def heights(obj: bpy.types.Object) -> np.ndarray:
    return cache.track_of(obj, bpy.context.scene)[1].pose[:, 0, 2, 3]


@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_a_block_on_a_spring_swings_with_its_frequency(unit):
    """m z'' = -k z - m g from rest length: z = -m g / k (1 - cos ωt), ω² = k / m."""
    block, _ = hang(stiffness=40000.0, damping=0.0)
    bpy.context.scene.unit_settings.scale_length = unit
    block.redmax.body.mass_from, block.redmax.body.mass = "MASS", 1000.0
    run(101)
    t = np.arange(101) / 100.0
    omega = np.sqrt(40.0)
    expected = -9.81 / 40.0 * (1.0 - np.cos(omega * t)) / unit
    np.testing.assert_allclose(heights(block) + 2.0, expected, atol=2e-3 / unit)
    assert off_cache(block, 50) < 1e-5


def test_a_spring_settles_at_its_rest_length_and_weight():
    block, _ = hang(stiffness=40000.0, damping=8000.0, rest_length=1.5)
    run(301)
    assert heights(block)[-1] == pytest.approx(-1.5 - 1000.0 * 9.81 / 40000.0, abs=2e-3)


def test_a_cable_does_not_push():
    """Both start compressed by half a metre: the spring throws the block down, below a cable it just falls."""
    falls = {}
    for kind in ("SPRING", "CABLE"):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        block, _ = hang(kind, stiffness=40000.0, damping=0.0, rest_length=2.5)
        run(21)
        falls[kind] = heights(block)[0] - heights(block)[-1]
    assert falls["CABLE"] == pytest.approx(0.5 * 9.81 * 0.2**2, rel=0.02)
    assert falls["SPRING"] > 1.5 * falls["CABLE"]


def test_the_curve_goes_from_end_to_end_while_it_plays_and_after_baking():
    block, spring = hang(stiffness=40000.0)
    corner = add_end(block, (0.5, 0.5, -2.5), bpy.context.scene.collection, name="corner")
    bpy.context.view_layer.update()
    other = add_spring([corner, bpy.data.objects["hook"]], bpy.context.scene.collection)
    other.redmax.spring.stiffness = 3000.0
    for curve in (spring, other):
        curve.data.bevel_depth = 0.0
    run(41)

    def check():
        for frame in (1, 20, 41):
            bpy.context.scene.frame_set(frame)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            for curve, ends in ((spring, ("hook", "block")), (other, ("corner", "hook"))):
                shown = curve.evaluated_get(depsgraph)
                mesh = shown.to_mesh()
                points = [np.array(shown.matrix_world @ v.co) for v in mesh.vertices]
                shown.to_mesh_clear()
                for point, end in zip((points[0], points[-1]), ends):
                    assert np.abs(point - world(bpy.data.objects[end])[:3, 3]).max() < 1e-5

    check()
    bpy.ops.redmax.bake()
    bpy.ops.redmax.free_cache()
    check()
    assert np.abs(world(corner)[:3, 3] - (0.5, 0.5, -2.5)).max() > 0.05


def test_ends_are_points_of_the_bodies_that_carry_them():
    block, _ = hang()
    near = add_end(block, (0.3, 0.0, -2.0), bpy.context.scene.collection, name="near")
    far = add_end(None, (3.0, 0.0, 0.0), bpy.context.scene.collection, name="far")
    between = add_empty("between", (1.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    add_spring([near, between, far], bpy.context.scene.collection, name="line", kind="CABLE")
    set_range(1, 3)
    (force,) = (f for f in Simulation(bpy.context).reading.scene.forces if f.name == "line")
    assert [point.body for point in force.points] == ["block", None, None]
    assert force.points[0].position == pytest.approx((0.3, 0.0, 0.0), abs=1e-6)
    assert force.points[2].position == pytest.approx((3.0, 0.0, 0.0))
    assert force.tension_only and force.rest_length is None


def test_a_spring_pulls_on_the_bone_that_carries_its_end():
    rig = make_chain(2)
    make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    bpy.ops.object.mode_set(mode="OBJECT")
    end = add_empty("end", (0.0, 0.0, 0.0))
    end.parent, end.parent_type, end.parent_bone = rig, "BONE", "bone1"  # at the bone's tail
    post = add_empty("post", (1.0, 0.0, 2.0))
    bpy.context.view_layer.update()
    assert np.array(end.matrix_world.translation) == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
    spring = add_spring([post, end], bpy.context.scene.collection)
    spring.redmax.spring.stiffness, spring.redmax.spring.damping = 1e6, 1e4
    run(20)
    for frame in (1, 10, 20):
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(world(end)[:3, 3] - [1.0, 0.0, 2.0]) == pytest.approx(2.0, abs=0.01)


def test_the_operator_makes_what_the_function_makes():
    block, hook = add_box("block", (0.0, 0.0, -2.0)), add_empty("hook", (0.0, 0.0, 0.0))
    for obj in (block, hook):
        obj.select_set(True)
    bpy.context.view_layer.objects.active = hook
    assert bpy.ops.redmax.add_spring(kind="CABLE", stiffness=7.0) == {"FINISHED"}
    made = bpy.context.object
    assert made.redmax.spring.kind == "CABLE" and made.redmax.spring.stiffness == 7.0
    set_range(1, 3)
    (force,) = Simulation(bpy.context).reading.scene.forces
    assert [point.body for point in force.points] == ["block", None]


def test_springs_that_cannot_be_are_named():
    block, spring = hang()
    spring.modifiers[0].object = None
    with pytest.raises(RuntimeError, match=r"Spring 'Spring': 1 of its points"):
        bpy.ops.redmax.simulate()
    spring.modifiers[0].object = add_end(block, (0.0, 0.0, 0.0), bpy.context.scene.collection, name="on it")
    with pytest.raises(RuntimeError, match=r"Spring 'Spring': all its ends are on 'block'"):
        bpy.ops.redmax.simulate()
