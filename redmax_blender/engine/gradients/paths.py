"""Numbers of a scene by their paths: `bodies.arm.joint.q.0`, or ["bodies", "arm", "joint", "q", 0]."""

from __future__ import annotations

from typing import Any

import msgspec

from ..errors import InputError
from ..scene.base import Constant

Path = list[str | int] | str


def shown(path: Path) -> str:
    return path if isinstance(path, str) else ".".join(str(step) for step in path)


def split(path: Path) -> list[str | int]:
    steps: list[str | int] = list(path.split(".")) if isinstance(path, str) else list(path)
    return [int(s) if isinstance(s, str) and s.lstrip("-").isdigit() else s for s in steps]


def entry(thing: Any, path: Path, place: str) -> Any:
    """What is at a path."""
    for step in split(path):
        thing = _inner(thing, step, path, place)
    return thing


def put_entry(thing: Any, path: Path, value: Any, place: str) -> None:
    """Put something where a path leads."""
    *before, last = split(path)
    holder = entry(thing, before, place)
    if isinstance(holder, list):
        holder[_index(holder, last, path, place)] = value
    else:
        setattr(holder, str(last), value)


def get(thing: Any, path: Path, place: str) -> float:
    """The number at a path."""
    value = entry(thing, path, place)
    if isinstance(value, Constant):
        value = value.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        what = "nothing" if value is None else "not one number"
        raise InputError(
            place, f"'{shown(path)}' leads to {what}", "Give the path of a number that the scene has."
        )
    return float(value)


def put(thing: Any, path: Path, value: float, place: str) -> None:
    """Put a number where another one is."""
    steps = split(path)
    for step in steps[:-1]:
        thing = _inner(thing, step, path, place)
    last = steps[-1]
    inner = _inner(thing, last, path, place)
    if isinstance(inner, Constant):
        inner.value = value
    elif isinstance(thing, list):
        thing[_index(thing, last, path, place)] = value
    elif isinstance(thing, tuple):
        raise InputError(place, f"'{shown(path)}' cannot change", "Choose another number.")
    else:
        setattr(thing, str(last), value)


def mutable(thing: Any) -> Any:
    """A deep copy in which tuples of numbers are lists, so that any number can be put."""
    if isinstance(thing, msgspec.Struct):
        return type(thing)(**{name: mutable(getattr(thing, name)) for name in thing.__struct_fields__})
    if isinstance(thing, (list, tuple)):
        return [mutable(x) for x in thing]
    return thing


def _inner(thing: Any, step: str | int, path: Path, place: str) -> Any:
    if isinstance(thing, (list, tuple)):
        return thing[_index(thing, step, path, place)]
    if isinstance(thing, msgspec.Struct) and str(step) in thing.__struct_fields__:
        return getattr(thing, str(step))
    fields = (
        ", ".join(thing.__struct_fields__) if isinstance(thing, msgspec.Struct) else "a number has no parts"
    )
    raise InputError(place, f"there is no '{step}' on the path '{shown(path)}'", f"What is there: {fields}.")


def _index(entries: Any, step: str | int, path: Path, place: str) -> int:
    if isinstance(step, int):
        if -len(entries) <= step < len(entries):
            return step
        raise InputError(
            place,
            f"there is no entry {step} on the path '{shown(path)}'",
            f"There are {len(entries)}, from 0 on.",
        )
    names = [str(getattr(entry, "name", "")) for entry in entries]
    if step in names:
        return names.index(step)
    raise InputError(
        place,
        f"there is no '{step}' on the path '{shown(path)}'",
        f"What is there: {', '.join(n for n in names if n) or f'{len(entries)} entries, from 0 on'}.",
    )
