"""Flesh of a scene -> arrays, and a tree that carries what is attached to it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..bodies.inertia import spatial_rows
from ..errors import SceneError, SceneWarning
from ..fem.cages.attach import FREE, WORLD, attachment, loose_parts
from ..fem.cages.cage import connected_parts
from ..fem.flesh import Flesh, held_velocities
from ..fem.materials.materials import Material
from ..fem.solving.pattern import tet_pattern
from ..fem.tets import Tets, check_points, join_tets, make_tets, vertex_to_tet
from ..forces.floor import join_floors
from ..forces.ties import Ties
from ..model.records import Floats, Ints, Tree
from ..scene.base import Vec3
from ..scene.flesh import FleshSpec, StrandSpec
from ..tree.kinematics import Kinematics
from .floor import floor
from .forces import Places
from .strands import nodes_as_tets, numbered, strands, with_blocks


def flesh(
    specs: Sequence[FleshSpec], strand_specs: Sequence[StrandSpec], places: Places, kin: Kinematics
) -> Flesh | None:
    """All flesh and all strands of a scene, `kin` being its start; null for none."""
    if not specs and not strand_specs:
        return None
    seen: dict[str, int] = {}
    bodies: list[Tets] = []
    links: list[Ints] = []
    ties: list[list[tuple[int, int, float]]] = []
    x: list[Floats] = []
    v: list[Floats] = []
    for i, spec in enumerate(specs):
        place = f"flesh[{i}] '{spec.name}'"
        if spec.name in seen:
            raise SceneError(
                f"{place}.name", f"flesh[{seen[spec.name]}] has the same name", "Give each a name of its own."
            )
        seen[spec.name] = i
        tets = _tets(spec, place)
        bodies.append(tets)
        links.append(_links(spec, places, place))
        ties.append(_ties(spec, places, links[-1], place))
        _warn_of_loose_parts(tets, links[-1], ties[-1], place)
        x.append(tets.X if spec.start is None else _vectors(spec.start, tets.nv, f"{place}.start"))
        v.append(_vectors(spec.velocities or [(0.0, 0.0, 0.0)] * tets.nv, tets.nv, f"{place}.velocities"))
    strung, nodes = strands(strand_specs, places, seen)
    for strand, link in zip(strung, nodes, strict=True):
        bodies.append(nodes_as_tets(strand))
        links.append(link)
        x.append(strand.X)
        v.append(np.zeros_like(strand.X))
    joined = numbered(strung, sum(b.nv for b in bodies[: len(specs)])) if strung else None
    tets, link, x0, v0 = join_tets(bodies), np.concatenate(links), np.concatenate(x), np.concatenate(v)
    first = np.cumsum([0] + [b.nv for b in bodies]).astype(np.int64)
    tied = [(vertex + int(f), l, k) for f, rows in zip(first, ties, strict=False) for vertex, l, k in rows]
    ends = np.array([(vertex, tets.nv + n) for n, (vertex, _, _) in enumerate(tied)], np.int64).reshape(-1, 2)
    if tied:
        tets = _with_anchors(tets, ends[:, 0])
        link = np.concatenate([link, [l for _, l, _ in tied]])
        x0, v0 = np.concatenate([x0, x0[ends[:, 0]]]), np.concatenate([v0, v0[ends[:, 0]]])
    held = np.flatnonzero(link > FREE)
    pairs = ends if joined is None else np.concatenate([ends, joined.segment])
    pattern, block = tet_pattern(tets.nv, tets.corner, held, pairs)
    floors = [
        floor(spec.floor, bodies[i], int(first[i]), pattern, f"flesh[{i}] '{spec.name}'.floor")
        for i, spec in enumerate(specs)
        if spec.floor is not None
    ]
    found = Flesh(
        names=tuple(seen),
        first=first,
        tets=tets,
        pattern=pattern,
        block=block,
        link=link[held],
        r=_in_links(x0[held], link[held], places),
        x0=x0.copy(),
        v0=v0,
        floor=join_floors(floors) if floors else None,
        ties=_tie_arrays(ends, tied, pattern.blocks) if tied else None,
        strands=None if joined is None else with_blocks(joined, pattern),
    )
    v0[held] = held_velocities(found, kin, kin.V)
    return found


def carrying(tree: Tree, flesh: Flesh | None) -> Tree:
    """The tree with the masses and the drag of attached vertices as part of its links."""
    if flesh is None:
        return tree
    on = flesh.link >= 0
    vertex = flesh.pattern.held[on]
    inertia, damping = tree.inertia.copy(), tree.damping.copy()
    turn, still = np.tile(np.eye(3), (len(vertex), 1, 1)), np.zeros((len(vertex), 3))
    for rows, weight in ((inertia, flesh.tets.mass), (damping, flesh.tets.drag)):
        np.add.at(rows, flesh.link[on], spatial_rows(turn, flesh.r[on], still, weight[vertex]))
    return replace(tree, inertia=inertia, damping=damping)


def _tets(spec: FleshSpec, place: str) -> Tets:
    m = spec.material
    material = Material(m.young, m.poisson, m.density, m.kind, m.mass_damping, m.stiffness_damping)
    nv = len(spec.vertices)
    stiffness = None
    if spec.stiffness is not None:
        if len(spec.stiffness) != nv:
            raise SceneError(
                f"{place}.stiffness",
                f"there are {len(spec.stiffness)} numbers for {nv} vertices",
                "Give one for each vertex.",
            )
        bad = [k for k, s in enumerate(spec.stiffness) if s < 0.0]
        if bad:
            raise SceneError(
                f"{place}.stiffness[{bad[0]}]",
                f"the multiplier is {spec.stiffness[bad[0]]}",
                "Give zero or more.",
            )
        corner = np.array(spec.tets, np.int64).reshape(-1, 4)
        if len(corner) and corner.min() >= 0 and corner.max() < nv:  # else `make_tets` has the better message
            stiffness = vertex_to_tet(corner, spec.stiffness)
    return make_tets(
        np.array(spec.vertices, float).reshape(-1, 3),
        np.array(spec.tets, np.int64).reshape(-1, 4),
        material,
        fill=spec.fill,
        stiffness=stiffness,
        mass=spec.mass,
        place=place,
    )


def _links(spec: FleshSpec, places: Places, place: str) -> Ints:
    """The link of every vertex, `WORLD` where it is pinned and `FREE` where nothing but springs holds it."""
    nv = len(spec.vertices)
    out = np.full(nv, FREE, np.int64)
    groups = [
        (
            int(places.bodies.link[places.body(a.body, f"{place}.attachments[{k}].body")]),
            a.vertices,
            f"attachments[{k}].vertices",
        )
        for k, a in enumerate(spec.attachments)
        if a.stiffness is None
    ]
    for link, vertices, field in [*groups, (WORLD, spec.pinned, "pinned")]:
        for k, vertex in enumerate(vertices):
            where = f"{place}.{field}[{k}]"
            _check_vertex(vertex, nv, where)
            if out[vertex] not in (FREE, link):
                raise SceneError(
                    where, f"vertex {vertex} is held by something else already", "Attach or pin it only once."
                )
            out[vertex] = link
    return out


def _ties(spec: FleshSpec, places: Places, held: Ints, place: str) -> list[tuple[int, int, float]]:
    """Vertex, link and stiffness of each spring of the soft attachments."""
    out = []
    for k, a in enumerate(spec.attachments):
        if a.stiffness is None:
            continue
        where = f"{place}.attachments[{k}]"
        link = int(places.bodies.link[places.body(a.body, f"{where}.body")])
        if not a.stiffness > 0.0:
            raise SceneError(
                f"{where}.stiffness",
                f"it is {a.stiffness} N/m",
                "Give a positive number, or null to attach rigidly.",
            )
        for n, vertex in enumerate(a.vertices):
            _check_vertex(vertex, len(spec.vertices), f"{where}.vertices[{n}]")
            if held[vertex] != FREE:
                raise SceneError(
                    f"{where}.vertices[{n}]",
                    f"vertex {vertex} is attached rigidly or pinned already",
                    "Leave it out here.",
                )
            out.append((vertex, link, a.stiffness))
    return out


def _check_vertex(vertex: int, nv: int, place: str) -> None:
    if not 0 <= vertex < nv:
        raise SceneError(
            place, f"there is no vertex {vertex}; there are {nv}, counted from 0", "Correct the number."
        )


def _warn_of_loose_parts(tets: Tets, held: Ints, ties: list[tuple[int, int, float]], place: str) -> None:
    """A part that nothing holds beside others that something does is most likely a mistake."""
    body = held.copy()
    body[[vertex for vertex, _, _ in ties]] = 0
    if np.all(body == FREE):
        return
    for loose in loose_parts(tets.X, connected_parts(tets.nv, tets.corner), attachment(body)):
        x, y, z = loose.centre
        warnings.warn(
            SceneWarning(
                place,
                f"a part of {len(loose.vertices)} vertices around ({x:.3g}, {y:.3g}, {z:.3g}) m is attached to "
                "nothing and moves freely",
                "Attach some of its vertices to a body, or pin them.",
            ),
            stacklevel=2,
        )


def _with_anchors(tets: Tets, vertex: Ints) -> Tets:
    """The tetrahedra with one vertex more, without mass, at the place of each of these."""
    none: Floats = np.zeros(len(vertex))
    return replace(
        tets,
        X=np.concatenate([tets.X, tets.X[vertex]]),
        mass=np.concatenate([tets.mass, none]),
        drag=np.concatenate([tets.drag, none]),
    )


def _tie_arrays(ends: Ints, tied: list[tuple[int, int, float]], blocks: Callable[[Ints, Ints], Ints]) -> Ties:
    pairs = [blocks(ends[:, a], ends[:, b]) for a in (0, 1) for b in (0, 1)]
    return Ties(ends, np.array([k for _, _, k in tied]), np.stack(pairs, axis=1))


def _in_links(x: Floats, link: Ints, places: Places) -> Floats:
    """World positions (n, 3) in the joint frames of links, those of the world as they are."""
    r: Floats = x.copy()
    on = link >= 0
    E = places.E_wj[link[on]]
    r[on] = np.einsum("nji,nj->ni", E[:, :9].reshape(-1, 3, 3), r[on] - E[:, 9:])
    return np.ascontiguousarray(r)


def _vectors(given: Sequence[Vec3], nv: int, place: str) -> Floats:
    if len(given) != nv:
        raise SceneError(
            place, f"there are {len(given)} vectors for {nv} vertices", "Give one for each vertex."
        )
    out: Floats = np.array(given, float).reshape(-1, 3)
    check_points(out, place)
    return out
