"""Tubes of a scene -> arrays, and their contacts in a step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import SceneError
from ...model.records import Bodies, Floats, Ints
from ...scene.contact import Tube
from ...tree.kinematics import Kinematics
from ..narrow.tubes import span_boxes, tube_contacts
from ..near.carry import NEAR
from .bvh import build
from .surfaces import Tubes


def pack_tubes(tubes: Sequence[Tube], bodies: Bodies, first_surface: int, E_wj: Floats) -> Tubes | None:
    """All tubes of a scene; the surface of the first has the number `first_surface`. Null for none."""
    if not tubes:
        return None
    link: list[int] = []
    r: list[Floats] = []
    radius: list[float] = []
    length: list[float] = []
    arc: list[float] = []
    ends: list[int] = []
    spans: list[tuple[int, int, float, float]] = []
    number = {name: k for k, name in enumerate(bodies.names)}
    for i, tube in enumerate(tubes):
        place = f"tubes[{i}] '{tube.name}'"
        chain = _chain(tube, number, place)
        thick = _radii(tube, len(chain), place)
        at = [(int(bodies.link[b]), np.zeros(3)) for b in chain]
        at.append((at[-1][0], _tip(tube, bodies, chain[-1])))
        points = np.array([E_wj[l, :9].reshape(3, 3) @ x + E_wj[l, 9:] for l, x in at])
        bones = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if bones.min() < 1e-9 * max(bones.max(), 1e-300):
            name = tube.bodies[int(np.argmin(bones))]
            raise SceneError(
                f"{place}.bodies",
                f"the joints on both sides of '{name}' are in one place at the start",
                "Leave the body out, or give the tube a tip.",
            )
        for k in range(len(chain)):
            spans.append((len(link) + k, first_surface + i, tube.friction, tube.restitution))
        link += [l for l, _ in at]
        r += [x for _, x in at]
        radius += [*thick, thick[-1]]
        length += [*bones.tolist(), 1.0]
        arc += [0.0, *np.cumsum(bones).tolist()]
        ends += [1, *[0] * (len(chain) - 1), 2]
    return Tubes(
        link=np.array(link, np.int64),
        r=np.array(r, float),
        radius=np.array(radius, float),
        length=np.array(length, float),
        arc=np.array(arc, float),
        ends=np.array(ends, np.int64),
        span=np.array([s[0] for s in spans], np.int64),
        tube=np.array([s[1] for s in spans], np.int64),
        friction=np.array([s[2] for s in spans], float),
        restitution=np.array([s[3] for s in spans], float),
    )


def _chain(tube: Tube, number: dict[str, int], place: str) -> list[int]:
    if len(tube.bodies) < 2:
        raise SceneError(f"{place}.bodies", f"there are {len(tube.bodies)}", "Name at least two bodies.")
    for k, name in enumerate(tube.bodies):
        if name not in number:
            raise SceneError(
                f"{place}.bodies[{k}]", f"there is no body '{name}'", "Give the name of a body of the scene."
            )
        if name in tube.bodies[:k]:
            raise SceneError(f"{place}.bodies[{k}]", f"'{name}' comes twice", "Name every body once.")
    return [number[name] for name in tube.bodies]


def _radii(tube: Tube, count: int, place: str) -> list[float]:
    given = tube.radius if isinstance(tube.radius, list) else [tube.radius] * count
    if len(given) != count:
        raise SceneError(
            f"{place}.radius", f"there are {len(given)} numbers for {count} bodies", "Give one a body."
        )
    if not min(given) > 0.0:
        raise SceneError(f"{place}.radius", f"a radius is {min(given)} m", "Give lengths above zero.")
    return given


def _tip(tube: Tube, bodies: Bodies, last: int) -> Floats:
    """The end of the last body in its link's joint frame [m]."""
    if tube.tip is None:
        return np.asarray(2.0 * bodies.E_jb[last, 9:])
    E = bodies.E_js[last]
    return np.asarray(E[:9].reshape(3, 3) @ np.array(tube.tip, float) + E[9:])


def skin_contacts(t: Tubes, kin: Kinematics, V: Floats, fall: float, h: float) -> tuple[Floats, Ints]:
    """Contacts between spans: rows as for pairs, shape (nc, 10), and the two spans of each, shape (nc, 2)."""
    R, p = kin.E_wj[t.link, :9].reshape(-1, 3, 3), kin.E_wj[t.link, 9:]
    X = np.einsum("nij,nj->ni", R, t.r) + p
    W = np.einsum("nij,nj->ni", R, V[t.link, 3:] + np.cross(V[t.link, :3], t.r))
    slack = fall + NEAR * float(t.radius.max())
    low, high = np.empty((len(t.span), 3)), np.empty((len(t.span), 3))
    span_boxes(X, W, t.span, t.radius, t.length, slack, h, low, high)
    order, nodes = build(low, high)
    room = 8 * len(t.span)
    while True:
        rows, which = np.empty((room, 10)), np.empty((room, 2), np.int64)
        count = tube_contacts(
            nodes, order, low, high, t.span, t.tube, t.arc, X, W, t.radius, t.length, t.ends, slack, h,
            rows, which,
        )  # fmt: skip
        if count <= room:
            break
        room = count
    by_span = np.lexsort(which[:count].T[::-1])
    return rows[by_span], which[by_span]
