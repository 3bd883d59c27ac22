"""Flesh of a scene -> arrays, and a tree that carries what is attached to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .compile_forces import Places
from .errors import SceneError
from .fem.attach import FREE, WORLD
from .fem.materials import Material
from .fem.pattern import tet_pattern
from .fem.tets import Tets, check_points, join_tets, make_tets, vertex_to_tet
from .flesh import Flesh, held_velocities
from .inertia import spatial_rows
from .kinematics import Kinematics
from .model import Floats, Ints, Tree
from .scene_base import Vec3
from .scene_flesh import FleshSpec


def flesh(specs: Sequence[FleshSpec], places: Places, kin: Kinematics) -> Flesh | None:
    """All flesh of a scene, `kin` being its start; null for none."""
    if not specs:
        return None
    seen: dict[str, int] = {}
    bodies: list[Tets] = []
    links: list[Ints] = []
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
        x.append(tets.X if spec.start is None else _vectors(spec.start, tets.nv, f"{place}.start"))
        v.append(_vectors(spec.velocities or [(0.0, 0.0, 0.0)] * tets.nv, tets.nv, f"{place}.velocities"))
    tets, link, x0, v0 = join_tets(bodies), np.concatenate(links), np.concatenate(x), np.concatenate(v)
    held = np.flatnonzero(link > FREE)
    pattern, block = tet_pattern(tets.nv, tets.corner, held)
    link = link[held]
    r = x0[held].copy()
    on = link >= 0
    E = places.E_wj[link[on]]
    r[on] = np.einsum("nji,nj->ni", E[:, :9].reshape(-1, 3, 3), r[on] - E[:, 9:])
    first = np.cumsum([0] + [b.nv for b in bodies]).astype(np.int64)
    found = Flesh(tuple(seen), first, tets, pattern, block, link, np.ascontiguousarray(r), x0.copy(), v0)
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
    """The link of every vertex, `WORLD` where it is pinned and `FREE` where nothing holds it."""
    nv = len(spec.vertices)
    out = np.full(nv, FREE, np.int64)
    groups = [
        (
            int(places.bodies.link[places.body(a.body, f"{place}.attachments[{k}].body")]),
            a.vertices,
            f"attachments[{k}].vertices",
        )
        for k, a in enumerate(spec.attachments)
    ]
    for link, vertices, field in [*groups, (WORLD, spec.pinned, "pinned")]:
        for k, vertex in enumerate(vertices):
            where = f"{place}.{field}[{k}]"
            if not 0 <= vertex < nv:
                raise SceneError(
                    where,
                    f"there is no vertex {vertex}; there are {nv}, counted from 0",
                    "Correct the number.",
                )
            if out[vertex] not in (FREE, link):
                raise SceneError(
                    where, f"vertex {vertex} is held by something else already", "Attach or pin it only once."
                )
            out[vertex] = link
    return out


def _vectors(given: Sequence[Vec3], nv: int, place: str) -> Floats:
    if len(given) != nv:
        raise SceneError(
            place, f"there are {len(given)} vectors for {nv} vertices", "Give one for each vertex."
        )
    out: Floats = np.array(given, float).reshape(-1, 3)
    check_points(out, place)
    return out
