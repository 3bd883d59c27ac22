"""Surfaces of bodies and flesh, and colliders -> arrays for collision detection."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from ..contact.find import touching
from ..contact.near.filters import Named, never
from ..contact.shapes.inner_balls import inner_ball
from ..contact.shapes.kinds import Solid
from ..contact.shapes.meshes import pack_meshes
from ..contact.shapes.pieces import Piece, pack_solids, placed_at, shape_pieces
from ..contact.shapes.skins import pack_tubes
from ..contact.shapes.surfaces import Surfaces
from ..errors import SceneError, SceneWarning
from ..fem.cages.outline import border
from ..fem.flesh import Flesh
from ..model.curves import pack
from ..model.records import Floats, Ints, Joints, Tree
from ..model.state import State
from ..scene import BodySpec, ColliderSpec, Curve, SceneSpec, Surface
from ..tree.kinematics import Kinematics
from .forces import Places
from .forest import body_place
from .poses import pose_numbers

THIN = 1e-3
"""Least thickness of flesh, as a fraction of its size: which side of a sheet a vertex is on must survive rounding."""
DEEP = 0.01
"""Bodies that overlap by more than this fraction of the smaller one at the start pass through each other."""


@dataclass
class _Pieces:
    """The pieces as they are laid down: bodies, colliders, and then flesh."""

    named: list[Named] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    owner: list[int] = field(default_factory=list)
    link: list[int] = field(default_factory=list)
    collider: list[int] = field(default_factory=list)
    vertex: list[int] = field(default_factory=list)
    friction: list[float] = field(default_factory=list)
    restitution: list[float] = field(default_factory=list)
    middle: list[tuple[int, int]] = field(default_factory=list)

    def add(
        self,
        piece: Piece,
        friction: float,
        restitution: float,
        link: int = -1,
        collider: int = -1,
        vertex: int = -1,
        centre: Floats | None = None,
    ) -> None:
        """A piece; centre: what turns with it turns about this point of its carrier, about its middle by default."""
        middle = np.array(piece.E[9:]) if centre is None else centre
        self.pieces.append(replace(piece, guard=inner_ball(piece, middle)))
        self.owner.append(len(self.named) - 1)
        self.link.append(link)
        self.collider.append(collider)
        self.vertex.append(vertex)
        self.friction.append(friction)
        self.restitution.append(restitution)

    def add_body(
        self, body: BodySpec, surface: Surface, place: str, link: int, E_js: Floats, centre: Floats
    ) -> None:
        """A body at the pose E_js (12,) in its joint frame, with its centre of mass (3,) there."""
        where = f"{place}.surface"
        _check_surface(surface, where)
        self.named.append(Named(body.name, tuple(surface.groups)))
        if surface.shape is None:
            found = shape_pieces(body.shape, f"{place}.shape")
        else:
            found = shape_pieces(surface.shape, f"{where}.shape")
        for piece in found:
            thick = replace(piece, rounding=piece.rounding + surface.margin)
            self.add(placed_at(E_js, thick), surface.friction, surface.restitution, link=link, centre=centre)

    def add_collider(self, spec: ColliderSpec, number: int, place: str) -> None:
        _check_coefficients(spec.friction, spec.restitution, place)
        self.named.append(Named(spec.name, tuple(spec.groups)))
        for piece in shape_pieces(spec.shape, f"{place}.shape", hollow=True):
            self.add(piece, spec.friction, spec.restitution, collider=number)

    def add_flesh(self, name: str, surface: Surface, place: str, soft: Flesh, number: int) -> None:
        where = f"{place}.surface"
        _check_surface(surface, where)
        if surface.shape is not None:
            raise SceneError(
                f"{where}.shape", "flesh collides with the outside of its own tetrahedra", "Leave it out."
            )
        self.named.append(Named(name, tuple(surface.groups)))
        begin, end = soft.first[number], soft.first[number + 1]
        outside = np.unique(border(soft.tets.corner))
        held = dict(zip(soft.pattern.held.tolist(), soft.link.tolist(), strict=True))
        size = float(np.linalg.norm(np.ptp(soft.tets.X[begin:end], axis=0)))
        point = Piece(Solid.SPHERE, (0.0, 0.0, 0.0), rounding=max(surface.margin, THIN * size))
        for v in outside[(begin <= outside) & (outside < end)].tolist():
            if held.get(v, 0) >= 0:  # a vertex that is pinned to the world cannot be pushed
                self.add(point, surface.friction, surface.restitution, link=held.get(v, -1), vertex=v)
        for a, b in _loose_edges(soft, held, int(begin), int(end)):
            self.add(point, surface.friction, surface.restitution, vertex=soft.nv + len(self.middle))
            self.middle.append((a, b))


def surfaces(
    spec: SceneSpec,
    places: Places,
    tree: Tree,
    joints: Joints,
    soft: Flesh | None,
    start: State,
    kin: Kinematics,
) -> Surfaces | None:
    """All surfaces of a scene that begins at `start`; null where nothing can touch."""
    out = _Pieces()
    for b, body in enumerate(spec.bodies):
        if body.surface is not None:
            place, own = body_place(spec.bodies, b), places.bodies
            out.add_body(body, body.surface, place, int(own.link[b]), own.E_js[b], own.E_jb[b, 9:])
    pose, moving, curves = _colliders(spec, out)
    if soft is not None:
        for f, flesh in enumerate(spec.flesh):
            if flesh.surface is not None:
                out.add_flesh(flesh.name, flesh.surface, f"flesh[{f}] '{flesh.name}'", soft, f)
    attached = _attached(spec, out.named)
    number = {s.name: k for k, s in enumerate(out.named)}
    skins = [[number[b] for b in tube.bodies if b in number] for tube in spec.tubes]
    tubes = pack_tubes(spec.tubes, places.bodies, len(out.named), places.E_wj)
    for i, tube in enumerate(spec.tubes):
        _check_coefficients(tube.friction, tube.restitution, f"tubes[{i}] '{tube.name}'")
        out.named.append(Named(tube.name, ()))
    group, ignores, apart = never(spec, out.named, attached, skins)
    if tubes is None and all(c >= 0 for c in out.collider):
        return None
    link, collider = np.array(out.link, np.int64), np.array(out.collider, np.int64)
    middle = np.array(out.middle, np.int64).reshape(-1, 2)
    tet, weight = _in_tets(soft, middle)
    made = Surfaces(
        names=tuple(s.name for s in out.named),
        solids=pack_solids(out.pieces),
        owner=np.array(out.owner, np.int64),
        link=link,
        collider=collider,
        vertex=np.array(out.vertex, np.int64),
        E=np.array([p.E for p in out.pieces], float).reshape(-1, 12),
        half=np.array([p.half for p in out.pieces], float).reshape(-1, 3),
        rounding=np.array([p.rounding for p in out.pieces], float),
        friction=np.array(out.friction, float),
        restitution=np.array(out.restitution, float),
        still=(collider >= 0) | ((link >= 0) & _driven(tree, joints, _wakeable(spec, places))[link]),
        group=group,
        ignores=ignores,
        apart=apart,
        parted=np.zeros(0, np.int64),
        bodies_collide=spec.self_collision.enabled,
        pose=pose,
        motion=pack(curves),
        moving=moving,
        meshes=pack_meshes(out.pieces),
        tet=tet,
        weight=weight,
        middle=middle,
        tubes=tubes,
    )
    if soft is not None:
        start = replace(start, x=soft.x0, v=soft.v0)
    return _without_overlaps(made, start, kin)


def _colliders(spec: SceneSpec, out: _Pieces) -> tuple[Floats, Ints, list[tuple[int, Curve, str]]]:
    """Poses (ncol, 12), the first curve of each or -1 (ncol,), and the curves."""
    taken = {body.name: f"bodies[{b}]" for b, body in enumerate(spec.bodies)}
    poses: list[tuple[float, ...]] = []
    moving: list[int] = []
    curves: list[tuple[int, Curve, str]] = []
    for c, collider in enumerate(spec.colliders):
        place = f"colliders[{c}] '{collider.name}'"
        if collider.name in taken:
            raise SceneError(
                f"{place}.name",
                f"{taken[collider.name]} has the same name",
                "Give every collider a name of its own.",
            )
        taken[collider.name] = f"colliders[{c}]"
        out.add_collider(collider, c, place)
        poses.append(pose_numbers(collider.pose, f"{place}.pose"))
        if len(collider.motion) not in (0, 6):
            raise SceneError(
                f"{place}.motion",
                f"there are {len(collider.motion)} curves",
                "Give six (position x, y, z and rotation vector x, y, z) or none.",
            )
        moving.append(len(curves) if collider.motion else -1)
        for k, curve in enumerate(collider.motion):
            curves.append((len(curves), curve, f"{place}.motion[{k}]"))
    return np.array(poses, float).reshape(-1, 12), np.array(moving, np.int64), curves


def _wakeable(spec: SceneSpec, places: Places) -> list[int]:
    """Links whose joints leave their motions when they are struck."""
    return [int(places.bodies.link[b]) for b, body in enumerate(spec.bodies) if body.joint.wake is not None]


def _driven(tree: Tree, joints: Joints, wakeable: list[int]) -> np.typing.NDArray[np.bool_]:
    """Links that contacts cannot move: every coordinate up to the world is prescribed throughout, shape (nl + 1,)."""
    out = np.ones(len(tree.parent) + 1, bool)  # the last is the world
    for j, p in enumerate(tree.parent):
        out[j] = out[p] and j not in wakeable and not joints.free[tree.dof[j] : tree.dof[j + 1]].any()
    return out


def _attached(spec: SceneSpec, named: list[Named]) -> list[tuple[int, int]]:
    """Flesh and the bodies that carry it: they overlap as they should."""
    number = {s.name: k for k, s in enumerate(named)}
    bodies = {b.name for b in spec.bodies if b.surface is not None}
    last = len(named) - 1
    soft = {
        f.name: last - k for k, f in enumerate(reversed([f for f in spec.flesh if f.surface is not None]))
    }
    return [
        (soft[f.name], number[a.body])
        for f in spec.flesh
        if f.surface is not None
        for a in f.attachments
        if a.body in bodies
    ]


def _loose_edges(soft: Flesh, held: dict[int, int], begin: int, end: int) -> list[tuple[int, int]]:
    """Edges of the outside of the flesh with the vertices begin:end that nothing holds at both ends."""
    faces = border(soft.tets.corner)
    faces = faces[(begin <= faces[:, 0]) & (faces[:, 0] < end)]
    pairs = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    each = np.unique(pairs, axis=0).tolist()
    return [(a, b) for a, b in each if not (a in held and b in held)]


def _in_tets(soft: Flesh | None, middle: Ints) -> tuple[Ints, Floats]:
    """A tetrahedron of each vertex of flesh and of the middle of each edge (ne, 2), shape (nv + ne,); and where in it
    they are by barycentric weights, shape (nv + ne, 4)."""
    if soft is None:
        return np.zeros(0, np.int64), np.zeros((0, 4))
    corner, nv = soft.tets.corner, soft.nv
    tet = np.full(nv + len(middle), -1, np.int64)
    weight: Floats = np.zeros((nv + len(middle), 4))
    vertex, first = np.unique(corner.reshape(-1), return_index=True)
    tet[vertex] = first // 4
    weight[vertex, first % 4] = 1.0
    number = {(int(a), int(b)): k for k, (a, b) in enumerate(middle)}
    for i, j in combinations(range(4), 2):
        for t, (a, b) in enumerate(np.sort(corner[:, [i, j]], axis=1).tolist()):
            k = nv + number.get((a, b), -1 - nv)
            if k >= nv and tet[k] < 0:
                tet[k], weight[k, [i, j]] = t, 0.5
    return tet, weight


def _without_overlaps(made: Surfaces, start: State, kin: Kinematics) -> Surfaces:
    """The same, with what overlaps at the start allowed to go on: bodies, and vertices of flesh inside bodies."""
    a, b, gap = touching(made, start, kin)
    n = len(made.names)
    loose = (made.collider[a] < 0) & (made.collider[b] < 0)
    soft = made.vertex[a] >= 0
    inside = loose & soft & (gap < 0.0)
    parted = np.unique(a[inside] * n + made.owner[b[inside]])
    size = np.linalg.norm(made.half, axis=1) + made.rounding
    deep = loose & ~soft & (gap < -DEEP * np.minimum(size[a], size[b]))
    pairs = sorted(
        {(int(min(p)), int(max(p))) for p in zip(made.owner[a[deep]], made.owner[b[deep]], strict=True)}
    )
    overlapping = tuple((made.names[p], made.names[q]) for p, q in pairs)
    if overlapping:
        listed = ", ".join(f"'{p}' and '{q}'" for p, q in overlapping[:8])
        more = f", and {len(overlapping) - 8} more pairs" if len(overlapping) > 8 else ""
        warnings.warn(
            SceneWarning(
                "bodies",
                f"some overlap at the start and will pass through each other: {listed}{more}",
                "Move them apart, or list them in self_collision.ignore.",
            ),
            stacklevel=2,
        )
    apart = np.union1d(made.apart, np.array([p * n + q for p, q in pairs], np.int64)).astype(np.int64)
    return replace(made, apart=apart, parted=parted, overlapping=overlapping)


def _check_surface(surface: Surface, place: str) -> None:
    _check_coefficients(surface.friction, surface.restitution, place)
    if surface.margin < 0.0:
        raise SceneError(f"{place}.margin", f"the margin is {surface.margin} m", "Give zero or more.")


def _check_coefficients(friction: float, restitution: float, place: str) -> None:
    if friction < 0.0:
        raise SceneError(f"{place}.friction", f"the friction is {friction}", "Give zero or more.")
    if not 0.0 <= restitution <= 1.0:
        raise SceneError(
            f"{place}.restitution", f"the restitution is {restitution}", "Give a number from 0 to 1."
        )
