"""Which surfaces never collide: neighbours in the skeleton, ignored groups, and what is fixed together."""

from __future__ import annotations

import difflib
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ...errors import SceneError
from ...model.records import Ints
from ...scene import BodySpec, SceneSpec

_BITS = 62
_FEW = 64
"""Ignored pairs of surfaces that are listed one by one; more become groups."""


@dataclass(frozen=True)
class Named:
    """A surface by name."""

    name: str
    groups: tuple[str, ...]


def near_bodies(spec: SceneSpec) -> set[tuple[str, str]]:
    """Pairs of bodies that are no more joints apart than `self_collision.neighbours`. Fixed joints do not count, and
    loops do."""
    if spec.self_collision.neighbours < 0:
        raise SceneError(
            "self_collision.neighbours", f"it is {spec.self_collision.neighbours}", "Give zero or more."
        )
    steps: dict[str, list[tuple[str, int]]] = {body.name: [] for body in spec.bodies}
    for body in spec.bodies:
        if body.parent is not None:
            _connect(steps, body.name, body.parent, 0 if _is_fixed(body) else 1)
    for constraint in spec.constraints:
        ends = [getattr(getattr(constraint, side, None), "body", None) for side in ("a", "b")]
        if None not in ends and ends[0] in steps and ends[1] in steps:
            _connect(steps, str(ends[0]), str(ends[1]), 1)
    touching = [body.name for body in spec.bodies if body.surface is not None]
    out: set[tuple[str, str]] = set()
    for name in touching:
        for other in _within(steps, name, spec.self_collision.neighbours):
            out.add((name, other))
    return out


def _is_fixed(body: BodySpec) -> bool:
    return body.joint.type.__struct_config__.tag == "fixed"


def _connect(steps: dict[str, list[tuple[str, int]]], a: str, b: str, length: int) -> None:
    steps[a].append((b, length))
    steps[b].append((a, length))


def _within(steps: dict[str, list[tuple[str, int]]], start: str, most: int) -> Iterable[str]:
    """Bodies at most so many joints from one: breadth first, fixed joints at once."""
    far = {start: 0}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for other, length in steps[here]:
            d = far[here] + length
            if d <= most and d < far.get(other, most + 1):
                far[other] = d
                if length:
                    queue.append(other)
                else:
                    queue.appendleft(other)
    return [name for name in far if name != start]


def never(
    spec: SceneSpec,
    named: Sequence[Named],
    more: Iterable[tuple[int, int]],
    crowds: Iterable[Sequence[int]] = (),
) -> tuple[Ints, Ints, Ints]:
    """Bits of the groups that surfaces are in, bits of those they ignore, and pairs that never collide, as `Surfaces`
    has them; `more` are pairs that are known already, and no two of a crowd collide."""
    number = {s.name: k for k, s in enumerate(named)}
    pairs = set(more)
    pairs |= {(number[a], number[b]) for a, b in near_bodies(spec) if a in number and b in number}
    group, ignores = np.zeros(len(named), np.int64), np.zeros(len(named), np.int64)
    bit: dict[object, int] = {}
    known = {g for s in named for g in s.groups}
    for k, entry in enumerate(spec.self_collision.ignore):
        sides = [_members(spec, named, known, name, f"self_collision.ignore[{k}]") for name in entry]
        for name in entry:
            if len(sides[0]) * len(sides[1]) > _FEW and len(bit) < _BITS:
                bit.setdefault(name, len(bit))
        if all(name in bit for name in entry):
            for name, other, members in (
                (entry[0], entry[1], sides[0]),
                (entry[1], entry[0], sides[1]),
            ):
                group[members] |= 1 << bit[name]
                ignores[members] |= 1 << bit[other]
        else:
            pairs |= set(product(sides[0], sides[1]))
    for k, crowd in enumerate(crowds):
        if len(bit) < _BITS:
            mark = 1 << bit.setdefault(k, len(bit))
            group[list(crowd)] |= mark
            ignores[list(crowd)] |= mark
        else:
            pairs |= set(product(crowd, crowd))
    codes = sorted({min(a, b) * len(named) + max(a, b) for a, b in pairs if a != b})
    return group, ignores, np.array(codes, np.int64)


def _members(spec: SceneSpec, named: Sequence[Named], known: set[str], name: str, place: str) -> list[int]:
    """The surfaces of a group, or the one of that name."""
    found = [k for k, s in enumerate(named) if s.name == name or name in s.groups]
    if found:
        return found
    names = {s.name for s in named} | known
    if name in {b.name for b in spec.bodies} | {f.name for f in spec.flesh}:
        return []  # without a surface it collides with nothing in any case
    near = difflib.get_close_matches(name, sorted(names), 1)
    raise SceneError(
        place,
        f"there is no group, body or collider named '{name}'",
        f"Did you mean '{near[0]}'?" if near else "Name a group of a surface, a body or a collider.",
    )
