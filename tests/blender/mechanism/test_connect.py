"""Loose parts are picked, connected, assembled and simulated as the machine that they make."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from mechanism_fixtures import add_box, add_empty, add_joint, world

from redmax_blender.bridge.mechanism.assemble import assemble_objects
from redmax_blender.bridge.mechanism.connect import connect
from redmax_blender.bridge.mechanism.features import Feature, feature_at, sockets
from redmax_blender.bridge.mechanism.parts_kit import add_part, make_part
from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.scene import spec
from redmax_blender.operators.add_part import KINDS


def part(kind, at, turn=0.0, name="", **more):
    scene = bpy.context.scene
    pose = Matrix.Translation(at) @ Matrix.Rotation(turn, 4, "X")
    obj = add_part(scene, scene.collection, kind, more.pop("size", 1.0), pose, name=name, **more)
    bpy.context.view_layer.update()
    return obj


def pin(kind, first, i, second, k):
    """Connect sockets of two parts."""
    ends = sockets(first)[i], sockets(second)[k]
    return connect(kind, *ends, bpy.context.scene.collection)


def loose_four_bar():
    """Four links of the kit that lie about, and hinges at their ends: ground, crank, coupler, rocker."""
    ground = part("LINK", (0.0, 0.0, 0.0), np.pi / 2, "ground", size=2.0, anchored=True)
    crank = part("LINK", (-3.0, 2.0, 1.0), 0.7, "crank", size=1.0)
    coupler = part("LINK", (2.0, -3.0, 2.0), -0.4, "coupler", size=2.2)
    rocker = part("LINK", (4.0, 1.0, -1.0), 1.9, "rocker", size=1.5)
    made = [
        pin("HINGE", ground, 0, crank, 0),
        pin("HINGE", crank, 1, coupler, 0),
        pin("HINGE", coupler, 1, rocker, 1),
        pin("HINGE", ground, 1, rocker, 0),
    ]
    bpy.context.view_layer.update()
    return [ground, crank, coupler, rocker], made


def gap(joint):
    """Between the two ends of a joint, and the angle between their axes."""
    a, b = world(joint), world(joint.redmax.joint.other)
    return np.linalg.norm(a[:3, 3] - b[:3, 3]), np.linalg.norm(np.cross(a[:3, 2], b[:3, 2]))


def test_a_four_bar_of_loose_parts_is_assembled_and_swings():
    scene = bpy.context.scene
    parts, made = loose_four_bar()
    assert all(joint.redmax.joint.other is not None for joint in made)
    with pytest.raises(SceneError, match="Press Assemble"):
        read_scene(bpy.context, [])
    before = world(parts[0])
    assert bpy.ops.redmax.assemble() == {"FINISHED"}
    np.testing.assert_array_equal(world(parts[0]), before)
    for joint in made:
        assert max(gap(joint)) < 2e-6
    reading = read_scene(bpy.context, [])
    assert len(reading.cut) == 1 and len(reading.scene.constraints) == 1
    scene.redmax.frame_end = 24
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(24)
    assert np.abs(world(parts[1]) - world(parts[0])).max() > 0.1
    for joint in made:
        assert max(gap(joint)) < 1e-4


def test_what_is_together_stays():
    parts, _ = loose_four_bar()
    assemble_objects(bpy.context)
    places = [world(obj) for obj in parts]
    assert assemble_objects(bpy.context).moved == []
    for obj, place in zip(parts, places):
        np.testing.assert_array_equal(world(obj), place)


def test_parts_that_cannot_meet_stay_and_the_joints_are_named():
    parts, made = loose_four_bar()
    parts[2].scale = (3.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    places = [world(obj) for obj in parts]
    done = assemble_objects(bpy.context)
    assert {fight.name for fight in done.fights} == {joint.name for joint in made}
    assert sum(fight.distance for fight in done.fights) > 0.1
    for obj, place in zip(parts, places):
        np.testing.assert_array_equal(world(obj), place)
    with pytest.raises(RuntimeError, match="cannot all hold"):
        bpy.ops.redmax.assemble()


def test_connect_as_an_operator_makes_bodies_and_joints():
    box, ball = add_box("box", (0, 0, 0), role="NONE"), add_box("ball", (3, 0, 0), role="NONE")
    bpy.context.view_layer.update()
    bpy.ops.redmax.connect(
        kind="POINT",
        first="box",
        first_place=(0.5, 0, 0),
        second="ball",
        second_place=(2.5, 0, 0),
        assemble=True,
    )
    joint = bpy.context.object
    assert box.redmax.body.role == ball.redmax.body.role == "ACTIVE"
    assert gap(joint)[0] < 1e-6
    # the nearest: both halfway, as they weigh the same
    assert world(box)[0, 3] == pytest.approx(1.0, abs=1e-5) and world(ball)[0, 3] == pytest.approx(
        2.0, abs=1e-5
    )


def test_the_same_place_needs_no_second_end_and_the_same_part_is_refused():
    add_box("a", (0, 0, 0)), add_box("b", (1, 0, 0))
    ends = [Feature(name, Vector((0.5, 0, 0)), Vector((0, 0, 1)), "SOCKET") for name in "ab"]
    assert connect("HINGE", *ends, bpy.context.scene.collection).redmax.joint.other is None
    with pytest.raises(SceneError, match="same part"):
        connect("HINGE", ends[0], ends[0], bpy.context.scene.collection)


def test_faces_meet_face_to_face():
    """Two boxes that are welded at their tops stand on each other, one upside down."""
    add_box("a", (0, 0, 0)), add_box("b", (4, 0, 0))
    bpy.context.view_layer.update()
    up = Vector((0, 0, 1))
    ends = [Feature("a", Vector((0, 0, 0.5)), up, "FACE"), Feature("b", Vector((4, 0, 0.5)), up, "FACE")]
    connect("FIXED", *ends, bpy.context.scene.collection)
    bpy.context.view_layer.update()
    assert not assemble_objects(bpy.context).fights
    a, b = (world(bpy.data.objects[name]) for name in "ab")
    assert a[:3, 2] == pytest.approx(-b[:3, 2], abs=1e-5)
    assert np.linalg.norm(a[:3, 3] - b[:3, 3]) == pytest.approx(1.0, abs=1e-5)


def test_picking_takes_what_is_near_the_cursor_corners_first():
    obj = add_box("box", (0, 0, 0), (2.0, 2.0, 2.0))
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    top = next(p.index for p in obj.data.polygons if p.normal.z > 0.9)

    def pick(x, y):  # seen from above, a hundred pixels a unit
        return feature_at(
            obj,
            depsgraph,
            Vector((x, y, 1.0)),
            Vector((0, 0, 1)),
            top,
            lambda p: Vector((100 * p.x, 100 * p.y)),
            15,
        )

    corner = pick(0.95, 0.93)
    assert corner.kind == "VERTEX" and corner.place[:] == pytest.approx((1.0, 1.0, 1.0))
    middle = pick(0.95, 0.05)
    assert middle.kind == "EDGE" and middle.place[:] == pytest.approx((1.0, 0.0, 1.0))
    assert abs(middle.axis.y) == pytest.approx(1.0)
    edge = pick(0.95, 0.5)
    assert edge.kind == "EDGE" and edge.place[:] == pytest.approx((1.0, 0.5, 1.0))
    face = pick(0.05, 0.05)
    assert face.kind == "FACE" and face.axis[:] == pytest.approx((0.0, 0.0, 1.0))
    assert pick(0.5, 0.5).kind == "PLACE"


@pytest.mark.parametrize("kind", [kind for kind, *_ in KINDS])
def test_every_part_of_the_kit_is_a_closed_body_with_sockets(kind):
    made = make_part(kind, 0.5)
    edges = {}
    for face in made.surface.faces:
        for a, b in zip(face, face[1:] + face[:1]):
            edges[a, b] = edges.get((a, b), 0) + 1
    assert all(count == 1 and edges.get((b, a)) == 1 for (a, b), count in edges.items())
    assert made.sockets
    obj = part(kind, (1.0, 2.0, 3.0), size=0.5)
    assert max(obj.dimensions) == pytest.approx(np.ptp(made.surface.vertices, axis=0).max(), rel=1e-4)
    body = read_scene(bpy.context, []).scene.bodies[0]
    assert not isinstance(body.shape, spec.Cuboid) or kind in ("LINK", "PLATE")


def test_the_kit_becomes_an_asset_library():
    libraries = bpy.context.preferences.filepaths.asset_libraries
    before, objects = len(libraries), len(bpy.data.objects)
    try:
        assert bpy.ops.redmax.parts_library() == {"FINISHED"}
        assert len(libraries) == before + 1 and len(bpy.data.objects) == objects
        with bpy.data.libraries.load(f"{libraries[-1].path}/parts.blend", assets_only=True) as (there, here):
            assert len(there.objects) == len(KINDS)
            here.objects = [name for name in there.objects if name.startswith("Gear")]
        assert here.objects[0].redmax.sockets[0].radius == pytest.approx(0.5)
        assert bpy.ops.redmax.parts_library() == {"FINISHED"} and len(libraries) == before + 1
    finally:
        if len(libraries) > before:
            libraries.remove(libraries[-1])


# Kinds of joints. --------------------------------------------------------------------------------------------

KINDS_OF_JOINTS = {
    "UNIVERSAL": spec.Universal,
    "PLANAR": spec.Planar,
    "FREE_PLANAR": spec.FreePlanar,
    "TRANSLATIONAL": spec.Translational,
}


@pytest.mark.parametrize("kind", KINDS_OF_JOINTS)
def test_joints_of_every_kind_of_the_engine(kind):
    add_box("box", (1, 0, 0))
    add_joint("joint", kind, None, bpy.data.objects["box"], (0, 0, 0))
    bpy.context.view_layer.update()
    assert isinstance(read_scene(bpy.context, []).scene.bodies[0].joint.type, KINDS_OF_JOINTS[kind])


def add_ring(radius=2.0, cyclic=True):
    """A circle in the vertical plane x, z, or half of one."""
    curve = bpy.data.curves.new("ring", "CURVE")
    curve.dimensions = "3D"
    line = curve.splines.new("POLY")
    angles = (
        np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False) if cyclic else np.linspace(np.pi, 2 * np.pi, 25)
    )
    line.points.add(len(angles) - 1)
    for point, a in zip(line.points, angles):
        point.co = (radius * np.cos(a), 0.0, radius * np.sin(a), 1.0)
    line.use_cyclic_u = cyclic
    obj = bpy.data.objects.new("ring", curve)
    bpy.context.scene.collection.objects.link(obj)
    return obj


@pytest.mark.parametrize("turn", ["FREE", "FOLLOW", "KEEP"])
def test_a_body_slides_along_a_curve(turn):
    scene = bpy.context.scene
    ring, box = add_ring(), add_box("box", (2.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    joint = add_joint("rail", "CURVE", None, box, (2.0, 0.0, 0.0), (0, 0, 0))
    joint.redmax.joint.path, joint.redmax.joint.path_turn = ring, turn
    bpy.context.view_layer.update()
    scene.redmax.frame_end = 30
    simulate_scene(bpy.context)
    heights = []
    for frame in range(1, 31, 3):
        scene.frame_set(frame)
        E = world(box)
        assert np.hypot(E[0, 3], E[2, 3]) == pytest.approx(2.0, abs=0.01) and abs(E[1, 3]) < 1e-4
        heights.append(E[2, 3])
        if turn == "KEEP":
            np.testing.assert_allclose(E[:3, :3] / 0.2, np.eye(3), atol=1e-4)
        if turn == "FOLLOW":  # it looks along the ring
            at = np.arctan2(E[2, 3], E[0, 3])
            assert E[0, 0] / 0.2 == pytest.approx(np.cos(at), abs=0.02)
    assert min(heights) < -1.5


def test_it_stops_at_the_ends_of_an_open_curve_and_motors_move_it_in_metres():
    scene = bpy.context.scene
    ring, box = add_ring(cyclic=False), add_box("box", (-2.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    joint = add_joint("rail", "CURVE", None, box, (-2.0, 0.0, 0.0), (0, 0, 0))
    own = joint.redmax.joint
    own.path, own.path_turn, own.use_motor, own.motor_kind = ring, "KEEP", True, "KEYED"
    own.keyframe_insert("motor_distance", frame=1)
    own.motor_distance = 1.0
    own.keyframe_insert("motor_distance", frame=25)
    scene.redmax.frame_end = 25
    bpy.context.view_layer.update()
    body = read_scene(bpy.context, []).scene.bodies[0]
    assert body.joint.limits.lower[0] == 0.0 and body.joint.limits.upper[0] > 10.0
    simulate_scene(bpy.context)
    scene.frame_set(25)
    E = world(box)
    assert np.arctan2(-E[2, 3], -E[0, 3]) == pytest.approx(0.5, abs=0.01)  # a metre of an arc of two metres


def test_a_body_slides_over_a_surface():
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=6.0, location=(0, 0, 0))
    bowl = bpy.context.object
    for vertex in bowl.data.vertices:
        vertex.co.z = 0.15 * (vertex.co.x**2 + vertex.co.y**2)
    box = add_box("box", (2.0, 0.5, 0.15 * 4.25), (0.2, 0.2, 0.2))
    joint = add_joint("on", "SURFACE", None, box, (2.0, 0.5, 0.15 * 4.25), (0, 0, 0))
    joint.redmax.joint.path = bowl
    bpy.context.view_layer.update()
    scene.redmax.frame_end = 40
    simulate_scene(bpy.context)
    swung = []
    for frame in range(1, 41, 4):
        scene.frame_set(frame)
        x, y, z = world(box)[:3, 3]
        assert z == pytest.approx(0.15 * (x * x + y * y), abs=0.02)
        swung.append(x)
    assert min(swung) < -0.5


def test_a_curve_joint_without_a_curve_says_so():
    add_box("box", (1, 0, 0))
    add_joint("rail", "CURVE", None, bpy.data.objects["box"], (0, 0, 0))
    bpy.context.view_layer.update()
    with pytest.raises(SceneError, match="no curve to slide along"):
        read_scene(bpy.context, [])


def test_a_curve_that_moves_with_a_body_carries_what_slides_on_it():
    """A hoop that hangs on a hinge, with a bead on it: the bead stays on the hoop as this swings."""
    scene = bpy.context.scene
    hoop = add_box("hoop", (0.0, 0.0, -2.0), (0.1, 0.1, 0.1))
    add_joint("hinge", "HINGE", None, hoop, (1.0, 0.0, 0.0))
    ring, bead = add_ring(1.0), add_box("bead", (1.0, 0.0, -2.0), (0.1, 0.1, 0.1))
    ring.location = (0.0, 0.0, -2.0)
    wire = add_joint("wire", "CURVE", hoop, bead, (1.0, 0.0, -2.0), (0, 0, 0))
    wire.redmax.joint.path = ring
    bpy.context.view_layer.update()
    scene.redmax.frame_end = 24
    simulate_scene(bpy.context)
    start = world(hoop)
    scene.frame_set(24)
    moved = world(hoop)
    assert np.linalg.norm(moved[:3, 3] - start[:3, 3]) > 0.2
    assert np.linalg.norm(world(bead)[:3, 3] - moved[:3, 3]) == pytest.approx(1.0, abs=0.01)


def test_an_empty_of_another_kind_is_no_second_end_by_itself():
    add_box("a", (0, 0, 0)), add_box("b", (3, 0, 0))
    joint = add_joint("j", "HINGE", bpy.data.objects["a"], bpy.data.objects["b"], (1, 0, 0))
    joint.redmax.joint.other = add_empty("end", (2.0, 0.0, 0.0))
    with pytest.raises(SceneError, match=r"1 m and .* apart"):
        bpy.context.view_layer.update()
        read_scene(bpy.context, [])
