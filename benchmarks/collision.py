"""Collision detection: a pair of each kind, and scenes of more and more bodies, against MuJoCo's `mj_collision`.

Both sides get the same bodies at the same places, find the pairs that are near, and the points at which they touch.
Ours also looks ahead for what may touch within a step, and is called from Python.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.contact.find import find_contacts
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Cuboid,
    Cylinder,
    Ellipsoid,
    Free,
    Hull,
    JointSpec,
    Mesh,
    Plane,
    Pose,
    SceneSpec,
    Sphere,
    Surface,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics
from tests.engine.contact_scenes import GEOM, pose, signed_distance

from .timing import Row, race, row

BENCH = "collision"
PAIRS, PLACEMENTS = 400, 40
SIZES = (500, 1000, 2000)
SECONDS = 0.5
H = 0.002
"""Step [s]: what is looked ahead for."""
Placed = tuple[object, np.ndarray, np.ndarray]
"""Shape, position [m], rotation vector [rad]."""

_CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.4, 0.4) for z in (-0.3, 0.3)]
SHAPES = {
    "sphere": Sphere(radius=0.4),
    "capsule": Capsule(radius=0.2, height=0.8),
    "box": Cuboid(sides=(1.0, 0.8, 0.6)),
    "cylinder": Cylinder(radius=0.4, height=0.8),
    "ellipsoid": Ellipsoid(radii=(0.5, 0.4, 0.3)),
    "hull": Hull(vertices=[*_CORNERS, (0.0, 0.0, 0.5), (0.0, 0.0, -0.5), (0.7, 0.0, 0.0), (-0.7, 0.0, 0.0)]),
}
KINDS = (
    ("sphere", "sphere"),
    ("capsule", "capsule"),
    ("sphere", "box"),
    ("capsule", "box"),
    ("box", "box"),
    ("cylinder", "box"),
    ("ellipsoid", "ellipsoid"),
    ("hull", "hull"),
)


def rows() -> Iterator[Row]:
    for first, second in KINDS:
        yield _pairs(first, second)
    for kind in ("box", "hull"):
        yield _over_floor(kind, "plane")
    yield _over_floor("box", "mesh")
    for n in SIZES:
        yield _crowd(n)
    small, large = _processor_time(SIZES[0]), _processor_time(SIZES[-1])
    exponent = math.log(large / small) / math.log(SIZES[-1] / SIZES[0])
    yield row(BENCH, "growth", SIZES[-1], large, "n²", None, f"processor's time grows as n^{exponent:.2f}")


def _pairs(first: str, second: str) -> Row:
    """Pairs that overlap by a little or are just apart, each far from all others; all orientations."""
    rng = np.random.default_rng(1)
    places = []
    for _ in range(PLACEMENTS):
        a, b, d = rng.normal(size=(3, 3))
        d /= np.linalg.norm(d)
        places.append((a, b, d * _touching(SHAPES[first], a, SHAPES[second], b, d)))
    placed: list[Placed] = []
    for k in range(PAIRS):
        at = np.array([10.0 * k, 0.0, 0.0])
        a, b, away = places[k % PLACEMENTS]
        placed += [(SHAPES[first], at, a), (SHAPES[second], at + away, b)]
    model = _model(placed)
    times = race({"ours": _ours(model), **_mujoco(placed)}, SECONDS)
    return _row(f"{first}-{second}", PAIRS, times)


def _touching(a: object, ra: np.ndarray, b: object, rb: np.ndarray, d: np.ndarray) -> float:
    """How far along d the second is moved until the two are about to touch [m]: half overlap, half do not."""
    far = 2.0
    for _ in range(3):
        far -= signed_distance(a, pose(np.zeros(3), ra), b, pose(far * d, rb), -d)
    return far + 0.002 * math.sin(1e3 * far)


def _over_floor(kind: str, floor: str) -> Row:
    """Bodies that lie on one floor: a plane, or a mesh of two thousand triangles."""
    rng = np.random.default_rng(2)
    height = 0.3 if kind == "box" else 0.5
    placed: list[Placed] = []
    side = int(math.sqrt(PAIRS))
    for k in range(PAIRS):
        at = np.array([3.0 * (k % side), 3.0 * (k // side), height])
        placed.append((SHAPES[kind], at, np.array([0.0, 0.0, rng.uniform(0.0, 6.0)])))
    shape = Plane() if floor == "plane" else _grid(32, 3.0 * side + 3.0)
    model = _model(placed, [ColliderSpec(name="floor", shape=shape)])
    rival = _mujoco(placed, '<geom type="plane" size="100 100 1"/>') if floor == "plane" else {}
    return _row(f"{kind}-{floor}", PAIRS, race({"ours": _ours(model), **rival}, SECONDS))


def _grid(n: int, size: float) -> Mesh:
    at = np.linspace(-1.5, size - 1.5, n + 1)
    points = [(float(x), float(y), 0.0) for x in at for y in at]
    triangles = []
    for i in range(n):
        for j in range(n):
            a, b = i * (n + 1) + j, (i + 1) * (n + 1) + j
            triangles += [(a, b, b + 1), (a, b + 1, a + 1)]
    return Mesh(vertices=points, triangles=triangles)


def _thrown(n: int) -> list[Placed]:
    """Boxes, balls and capsules in a cube, as dense as gravel."""
    rng = np.random.default_rng(3)
    side = 0.95 * n ** (1.0 / 3.0)
    shapes = [SHAPES["box"], SHAPES["sphere"], SHAPES["capsule"]]
    return [(shapes[k % 3], rng.uniform(0.0, side, 3), rng.normal(size=3)) for k in range(n)]


def _processor_time(n: int) -> float:
    """Best of a few calls [s]: what else the machine does is left out, as calls are too long to slip in between."""
    ours, best = _ours(_model(_thrown(n))), math.inf
    for _ in range(20):
        begin = time.process_time()
        ours()
        best = min(best, time.process_time() - begin)
    return best


def _crowd(n: int) -> Row:
    placed = _thrown(n)
    times = race({"ours": _ours(_model(placed)), **_mujoco(placed)}, SECONDS)
    return row(
        BENCH,
        "crowd",
        n,
        times["ours"],
        "mujoco",
        times["mujoco"],
        f"{1e6 * times['ours'] / n:.2f} µs a body",
    )


def _model(placed: list[Placed], colliders: list[ColliderSpec] | None = None) -> Model:
    """Bodies that were apart when the scene was compiled, moved to their places."""
    bodies = []
    for k, (shape, _, _) in enumerate(placed):
        surface = Surface(shape=shape) if isinstance(shape, Hull) else Surface()
        own = Sphere(radius=0.3) if isinstance(shape, Hull) else shape
        joint = JointSpec(type=Free(), frame=Pose(position=(1e3 * k, 0.0, 1e3)))
        bodies.append(BodySpec(name=str(k), shape=own, joint=joint, surface=surface))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = compile_scene(SceneSpec(bodies=bodies, colliders=colliders or []))
    q = np.concatenate([[x - 1e3 * k, y, z - 1e3, *r] for k, (_, (x, y, z), r) in enumerate(placed)])
    object.__setattr__(model, "q0", q)
    return model


def _ours(model: Model) -> Callable[[], object]:
    state = model.initial_state()
    kin = forward_kinematics(model, state)
    return lambda: find_contacts(model, state, kin, H)


def _mujoco(placed: list[Placed], floor: str = "") -> dict[str, Callable[[], object]]:
    import mujoco

    meshes, bodies = "", ""
    for k, (shape, p, r) in enumerate(placed):
        q = se3.quaternion(se3.exp_so3(r))
        where = 'pos="{} {} {}" quat="{} {} {} {}"'.format(*p, *q)
        if isinstance(shape, Hull):
            if not meshes:
                points = " ".join(f"{x} {y} {z}" for x, y, z in shape.vertices)
                meshes = f'<asset><mesh name="hull" vertex="{points}"/></asset>'
            geom = 'type="mesh" mesh="hull"'
        else:
            geom = GEOM[type(shape)](shape)
        bodies += f'<body name="{k}" {where}><freejoint/><geom {geom}/></body>'
    xml = f'<mujoco><size memory="800M"/>{meshes}<worldbody>{floor}{bodies}</worldbody></mujoco>'
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    return {"mujoco": lambda: mujoco.mj_collision(m, d)}


def _row(case: str, n: int, times: dict[str, float]) -> Row:
    note = f"{1e6 * times['ours'] / n:.2f} µs a pair"
    return row(BENCH, case, n, times["ours"], "mujoco", times.get("mujoco"), note)
