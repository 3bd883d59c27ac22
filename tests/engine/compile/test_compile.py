"""From scene to model: any order, any forest, any joint; and every mistake is named."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.links import joint_links
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.joints.kinds import DOFS, Kind
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    Composite,
    CompositeJoint,
    Constant,
    Cuboid,
    Cylinder,
    Ellipsoid,
    Fixed,
    Free,
    FreePlanar,
    Inertia,
    JointKind,
    JointSpec,
    Logistic,
    Mesh,
    Part,
    Piece,
    Piecewise,
    Planar,
    Polynomial,
    Pose,
    Prismatic,
    Revolute,
    Sampled,
    SceneSpec,
    Sine,
    SmoothStep,
    Sphere,
    Spherical,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
    TimeSpec,
    Translational,
    Universal,
)
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics

BALL = Sphere(0.1)
TETRAHEDRON = Mesh(
    [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)],
    [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
)
RAIL = SplineCurve(
    [Pose((math.cos(a), math.sin(a), 0.1 * a), [0.0, 0.0, a]) for a in (0.0, 1.0, 2.5, 4.0, 5.5)]
)
SHEET = SplineSurface([[[i, j, 0.1 * i * j, 0.1, 0.02 * i, 0.03] for j in range(4)] for i in range(5)])
JOINTS: list[tuple[JointKind, int]] = [
    (Fixed(), 0),
    (Revolute((1.0, 2.0, -1.0)), 1),
    (Prismatic((0.0, 3.0, 0.0)), 1),
    (Planar(), 2),
    (Translational(), 3),
    (Universal(), 2),
    (Spherical(), 3),
    (SphericalEuler("ZXZ"), 3),
    (Free(), 6),
    (Free("euler", "rotation-translation"), 6),
    (FreePlanar(), 3),
    (RAIL, 1),
    (SHEET, 2),
    (CompositeJoint([Revolute(), CompositeJoint([Prismatic(), Fixed()]), Universal()]), 4),
]


def body(name: str, parent: str | None = None, joint: JointKind | None = None, **fields: Any) -> BodySpec:
    spec = JointSpec(type=joint or Revolute(), frame=Pose((0.0, 0.0, -0.5)), **fields)
    return BodySpec(name=name, parent=parent, shape=BALL, joint=spec, pose=Pose((0.1, 0.0, -0.2)))


def everything() -> SceneSpec:
    """A good scene with every kind of joint, shape and curve in it."""
    curves = [
        Constant(1.0),
        Sine(1.0, 2.0, 0.3, 0.1),
        SmoothStep(t0=0.0, t1=1.0, start=0.5, end=1.5),
        Logistic(t0=0.0, t1=1.0, height=2.0, steepness=3.0),
        Polynomial([0.0, 1.0], t0=0.5),
        Sampled([0.0, 0.5, 1.0], [0.0, 1.0, 0.0]),
        Piecewise([Piece(Sine(1.0, 1.0), until=0.5), Piece(Constant(0.0))]),
    ]
    shapes = [
        Cuboid((0.1, 0.2, 0.3)),
        Sphere(0.2),
        Cylinder(0.1, 0.4),
        Capsule(0.1, 0.3),
        Ellipsoid((0.1, 0.2, 0.3)),
        TETRAHEDRON,
        Inertia(2.0, (0.1, 0.1, 0.15)),
        Composite([Part(Sphere(0.1), Pose((0.1, 0.0, 0.0)), density=200.0), Part(Cuboid((0.1, 0.1, 0.1)))]),
    ]
    bodies = []
    for i, (joint, n) in enumerate(JOINTS):
        shape = shapes[i % len(shapes)]
        bodies.append(
            BodySpec(
                name=f"body {i}",
                parent=f"body {i - 1}" if i % 5 else None,
                shape=shape,
                pose=Pose((0.1, 0.2, 0.3), [0.1, 0.2, 0.3]),
                density=None if isinstance(shape, Inertia) else 900.0,
                damping=0.1,
                joint=JointSpec(
                    type=joint,
                    name=f"joint {i}",
                    frame=Pose((0.3, 0.0, 0.1)),
                    q=[0.1 * (k + 1) for k in range(n)],
                    qdot=0.3,
                    stiffness=[1.0] * n,
                    damping=0.2,
                    rest=0.05,
                    torque=[curves[(i + k) % 7] for k in range(n)],
                    motion=[curves[i % 7]] + [None] * (n - 1) if n and i % 3 == 0 else [],
                ),
            )
        )
    return SceneSpec(name="everything", bodies=bodies, time=TimeSpec(start=0.1, end=0.9, step=0.01))


def poses_by_name(model: Model) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    # Coordinates by joint name, so that the same joint gets the same ones wherever the file has it.
    order = sorted(range(len(model.joints.names)), key=lambda j: model.joints.names[j])
    state = model.initial_state()
    for j in order:
        begin, end = model.joints.dof[j]
        state.q[begin:end] = rng.uniform(-1.0, 1.0, end - begin)
    poses = body_poses(model.bodies, forward_kinematics(model, state))
    return dict(zip(model.bodies.names, poses, strict=True))


def test_everything_compiles() -> None:
    model = compile_scene(everything())
    assert model.nr == sum(n for _, n in JOINTS)
    assert set(model.tree.kind) == set(Kind)
    assert model.t0 == 0.1
    assert all(p < i for i, p in enumerate(model.tree.parent))


def test_the_order_of_bodies_in_the_file_does_not_matter() -> None:
    spec = everything()
    expected = poses_by_name(compile_scene(spec))
    for seed in range(5):
        np.random.default_rng(seed).shuffle(spec.bodies)  # type: ignore[arg-type]
        model = compile_scene(spec)
        assert model.bodies.names == tuple(b.name for b in spec.bodies)
        for name, pose in poses_by_name(model).items():
            assert pose == pytest.approx(expected[name], abs=1e-12)


def test_a_chain_of_ten_thousand_joints_compiles_in_seconds() -> None:
    n = 10_000
    bodies = [body(f"b{i}", f"b{i - 1}" if i else None) for i in reversed(range(n))]
    begin = time.perf_counter()
    model = compile_scene(SceneSpec(bodies=bodies))
    assert time.perf_counter() - begin < 10.0
    assert model.tree.parent.tolist() == list(range(-1, n - 1))
    pose = poses_by_name(compile_scene(SceneSpec(bodies=[body("a"), body("c", "b"), body("b", "a")])))
    assert len(pose) == 3


def test_composites_nested_a_thousand_deep_are_flattened() -> None:
    joint: JointKind = Revolute((1.0, 0.0, 0.0))
    for _ in range(1000):
        joint = CompositeJoint([joint, Fixed()])
    links = joint_links(joint, "joint")
    assert [link.kind for link in links] == [Kind.REVOLUTE] + [Kind.FIXED] * 1000


@pytest.mark.parametrize(("joint", "count"), JOINTS, ids=lambda x: type(x).__name__)
def test_every_joint_has_its_coordinates(joint: JointKind, count: int) -> None:
    model = compile_scene(SceneSpec(bodies=[body("a", joint=joint)]))
    assert model.nr == count == sum(DOFS[Kind(k)] for k in model.tree.kind)
    assert model.joints.dof.tolist() == [[0, count]]
    assert model.joints.kinds == (joint.__struct_config__.tag,)
    # Only the last link of a chain has mass.
    assert np.all(model.tree.inertia[:-1] == 0.0) and model.tree.inertia[-1, 15] > 0.0
    assert model.bodies.link.tolist() == [model.nl - 1]


def pose_of(joint: JointKind, q: list[float]) -> np.ndarray:
    spec = BodySpec(name="a", shape=BALL, joint=JointSpec(type=joint, q=q))
    model = compile_scene(SceneSpec(bodies=[spec]))
    return se3.pose_matrix(forward_kinematics(model, model.initial_state()).E_wj[-1])


def test_free_joint_is_a_translation_and_a_rotation_in_the_order_asked_for() -> None:
    p, w = [0.5, -1.0, 2.0], [0.3, 0.8, -0.4]
    T, R = np.eye(4), np.eye(4)
    T[:3, 3] = p
    R[:3, :3] = se3.exp_so3(w)
    assert pose_of(Free(), [*p, *w]) == pytest.approx(T @ R, abs=1e-14)
    assert pose_of(Free(order="rotation-translation"), [*w, *p]) == pytest.approx(R @ T, abs=1e-14)
    R[:3, :3] = se3.exp_so3([w[0], 0, 0]) @ se3.exp_so3([0, w[1], 0]) @ se3.exp_so3([0, 0, w[2]])
    assert pose_of(Free("euler"), [*p, *w]) == pytest.approx(T @ R, abs=1e-14)


def test_free_planar_joint_moves_in_the_plane_and_turns_about_z() -> None:
    E = np.eye(4)
    E[:3, :3] = se3.exp_so3([0.0, 0.0, 0.7])
    E[:3, 3] = [1.0, 2.0, 0.0]
    assert pose_of(FreePlanar(), [1.0, 2.0, 0.7]) == pytest.approx(E, abs=1e-15)


def test_composite_joint_is_the_product_of_its_joints() -> None:
    parts: list[tuple[JointKind, list[float]]] = [
        (Revolute((1.0, 1.0, 0.0)), [0.4]),
        (Universal(), [0.2, -0.9]),
        (Prismatic((0.0, 1.0, 0.0)), [0.3]),
        (Spherical(), [0.5, 0.1, 0.2]),
    ]
    whole = CompositeJoint(
        [parts[0][0], CompositeJoint([parts[1][0], CompositeJoint([parts[2][0]])]), parts[3][0]]
    )
    product = np.linalg.multi_dot([pose_of(joint, q) for joint, q in parts])
    assert pose_of(whole, [x for _, q in parts for x in q]) == pytest.approx(product, abs=1e-14)


@pytest.mark.parametrize("cyclic", [True, False])
def test_spline_steps_lead_from_control_frame_to_control_frame(cyclic: bool) -> None:
    (link,) = joint_links(SplineCurve(RAIL.frames, cyclic), "joint")
    n = len(RAIL.frames)
    assert link.params[:2] == (n, float(cyclic))
    rows = np.array(link.params[2:]).reshape(n, 18)
    for k in range(0 if cyclic else 1, n):
        C = se3.pose_matrix(rows[k - 1, :12]) @ se3.exp(rows[k, 12:])
        assert pytest.approx(se3.pose_matrix(rows[k, :12]), abs=1e-12) == C
    if not cyclic:
        assert np.all(rows[0, 12:] == 0.0)


def test_a_number_holds_for_all_coordinates_and_a_list_for_each() -> None:
    joint = body("a", joint=Spherical(), q=[0.1, 0.2, 0.3], qdot=2.0, stiffness=5.0, damping=[1.0, 2.0, 3.0])
    model = compile_scene(SceneSpec(bodies=[joint]))
    assert model.q0.tolist() == [0.1, 0.2, 0.3]
    assert model.qdot0.tolist() == [2.0] * 3
    assert model.joints.stiffness.tolist() == [5.0] * 3
    assert model.joints.damping.tolist() == [1.0, 2.0, 3.0]
    assert model.joints.rest.tolist() == [0.1, 0.2, 0.3], "a spring is at rest where the joint starts"
    joint.joint.rest = 0.0
    assert compile_scene(SceneSpec(bodies=[joint])).joints.rest.tolist() == [0.0] * 3


def test_a_prescribed_coordinate_starts_on_its_motion_unless_told_otherwise() -> None:
    motion = Polynomial([1.0, 2.0])
    time = TimeSpec(start=0.5, end=1.0)
    start = body("a", joint=Universal(), motion=[None, motion])
    model = compile_scene(SceneSpec(bodies=[start], time=time))
    assert model.q0.tolist() == [0.0, 2.0] and model.qdot0.tolist() == [0.0, 2.0]
    assert model.joints.free.tolist() == [True, False]
    given = body("a", joint=Universal(), motion=[None, motion], q=[0.3, 0.4], qdot=0.0)
    model = compile_scene(SceneSpec(bodies=[given], time=time))
    assert model.q0.tolist() == [0.3, 0.4] and model.qdot0.tolist() == [0.0, 0.0]


def test_a_nearly_unit_quaternion_is_normalised() -> None:
    spec = body("a", joint=Fixed())
    spec.pose = Pose((0.0, 0.0, 0.0), [0.70710, 0.0, 0.0, 0.70720])
    model = compile_scene(SceneSpec(bodies=[spec]))
    R = model.bodies.E_jb[0, :9].reshape(3, 3)
    assert pytest.approx(np.eye(3), abs=1e-15) == R.T @ R


def test_an_axis_need_not_be_a_unit_vector() -> None:
    assert pose_of(Revolute((0.0, 0.0, 7.0)), [0.3]) == pytest.approx(
        se3.exp([0.0, 0.0, 0.3, 0.0, 0.0, 0.0]), abs=1e-15
    )


def test_body_frame_is_at_the_centre_of_mass_and_the_shape_frame_where_it_was_put() -> None:
    spec = body("a", joint=Fixed())
    spec.shape, spec.pose = TETRAHEDRON, Pose((1.0, 2.0, 3.0), [0.0, 0.0, math.pi / 2])
    model = compile_scene(SceneSpec(bodies=[spec]))
    assert model.bodies.E_js[0, 9:] == pytest.approx([1.0, 2.0, 3.0])
    assert model.bodies.E_jb[0, 9:] == pytest.approx([1.0 - 0.25, 2.0 + 0.25, 3.25])
    assert model.tree.inertia[0, 15] == pytest.approx(1000.0 / 6.0)


# Mistakes ------------------------------------------------------------------------------------------------------


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every number in a scene."""
    if isinstance(value, float):
        yield path
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from numbers(getattr(value, name), (*path, name))
    elif isinstance(value, (list, tuple)):
        for i, x in enumerate(value):
            yield from numbers(x, (*path, i))


def replaced(value: Any, path: tuple[Any, ...], new: float) -> Any:
    if not path:
        return new
    key, *rest = path
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **{key: replaced(getattr(value, key), tuple(rest), new)})
    return type(value)(replaced(x, tuple(rest), new) if i == key else x for i, x in enumerate(value))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_found_anywhere(bad: float) -> None:
    spec = everything()
    paths = list(numbers(spec))
    assert len(paths) > 500
    for path in paths:
        with pytest.raises(SceneError) as caught:
            compile_scene(replaced(spec, path, bad))
        last = path[-1]
        assert caught.value.place.endswith(f"[{last}]" if isinstance(last, int) else str(last)), path
        assert str(bad) in caught.value.problem
        if path[0] == "bodies":
            assert caught.value.place.startswith(f"bodies[{path[1]}] 'body {path[1]}'.{path[2]}")


Change = Callable[[SceneSpec], object]


def _set(path: str, value: Any) -> Change:
    """Change a field of the first body."""

    def change(spec: SceneSpec) -> None:
        *holders, name = path.split(".")
        target: Any = spec.bodies[0]
        for holder in holders:
            target = getattr(target, holder)
        setattr(target, name, value)

    return change


BAD: dict[str, tuple[Change, str]] = {
    "empty scene": (lambda s: s.bodies.clear(), r"bodies: the scene has no bodies"),
    "negative mass": (_set("mass", -2.0), r"bodies\[0\] 'a'\.mass: the mass is -2"),
    "zero mass": (_set("mass", 0.0), r"bodies\[0\] 'a'\.mass: the mass is 0"),
    "negative density": (_set("density", -1.0), r"bodies\[0\] 'a'\.density"),
    "zero size": (_set("shape", Cuboid((1.0, 0.0, 1.0))), r"bodies\[0\] 'a'\.shape\.sides\[1\]"),
    "unknown parent": (
        lambda s: setattr(s.bodies[1], "parent", "aa"),
        r"bodies\[1\] 'b'\.parent: there is no body named 'aa'. Did you mean 'a'",
    ),
    "own parent": (_set("parent", "a"), "'a' → 'a'"),
    "cycle": (_set("parent", "c"), "circle: 'a' → 'c' → 'b' → 'a'"),
    "repeated body": (
        lambda s: setattr(s.bodies[2], "name", "a"),
        r"bodies\[2\] 'a'\.name: bodies\[0\] has the same name",
    ),
    "repeated joint": (_set("joint.name", "c"), r"bodies\[2\] 'c'\.joint\.name.*bodies\[0\] 'a'"),
    "zero axis": (_set("joint.type", Revolute((0.0, 0.0, 0.0))), r"bodies\[0\] 'a'\.joint\.type\.axis"),
    "zero axis inside": (
        _set("joint.type", CompositeJoint([Fixed(), Prismatic((0.0, 0.0, 0.0))])),
        r"joint\.type\.joints\[1\]\.axis",
    ),
    "empty composite": (_set("joint.type", CompositeJoint([])), r"joint\.type\.joints"),
    "quaternion too long": (
        _set("pose.rotation", [1.0, 0.0, 0.0, 0.1]),
        r"'a'\.pose\.rotation.*length 1\.00",
    ),
    "two numbers of rotation": (_set("joint.frame.rotation", [1.0, 0.0]), r"joint\.frame\.rotation.*not 2"),
    "too many q": (_set("joint.q", [0.0, 1.0]), r"joint\.q: there are 2 numbers.*revolute joint has 1"),
    "too few qdot": (_set("joint.qdot", []), r"joint\.qdot: there are 0 numbers"),
    "too many springs": (_set("joint.stiffness", [1.0, 2.0]), r"joint\.stiffness"),
    "too many dampers": (_set("joint.damping", [1.0, 2.0]), r"joint\.damping"),
    "too many rests": (_set("joint.rest", [1.0, 2.0]), r"joint\.rest"),
    "too many torques": (_set("joint.torque", [None, None]), r"joint\.torque: there are 2 curves"),
    "too many motions": (_set("joint.motion", [Constant(1.0)] * 2), r"joint\.motion: there are 2 curves"),
    "bad curve": (_set("joint.motion", [Sampled([1.0, 0.0], [0.0, 0.0])]), r"motion\[0\]\.times\[1\]"),
    "negative stiffness": (_set("joint.stiffness", -1.0), r"joint\.stiffness: the stiffness is -1"),
    "negative damping": (_set("joint.damping", -1.0), r"joint\.damping: the damping is -1"),
    "negative drag": (_set("damping", -1.0), r"bodies\[0\] 'a'\.damping"),
    "short open spline": (
        _set("joint.type", SplineCurve(RAIL.frames[:3], False)),
        "at least 4 control frames",
    ),
    "short cyclic spline": (_set("joint.type", SplineCurve(RAIL.frames[:2])), "at least 3 control frames"),
    "half a turn in a spline": (
        _set("joint.type", SplineCurve([Pose(rotation=[0.0, 0.0, a]) for a in (0.0, math.pi, 0.5, 0.2)])),
        r"frames\[1\].*half a turn",
    ),
    "small surface": (_set("joint.type", SplineSurface(SHEET.controls[:3])), "4 by 4 controls.*3 by 4"),
    "ragged surface": (
        _set("joint.type", SplineSurface([*SHEET.controls[:4], SHEET.controls[4][:3]])),
        r"controls\[4\]: it has 3",
    ),
    "surface of five numbers": (
        _set("joint.type", SplineSurface([[[0.0] * 5] * 4] * 4)),
        r"controls\[0\]\[0\]: a control has 6 numbers",
    ),
    "zero step": (lambda s: setattr(s.time, "step", 0.0), r"time\.step"),
    "no time": (lambda s: setattr(s.time, "end", 0.0), r"time\.end: the time span is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_is_refused_with_its_place(name: str) -> None:
    change, message = BAD[name]
    spec = SceneSpec(bodies=[body("a"), body("b", "a"), body("c", "b")])
    compile_scene(copy.deepcopy(spec))
    change(spec)
    with pytest.raises(SceneError, match=message) as caught:
        compile_scene(spec)
    assert caught.value.remedy.endswith((".", "?"))
