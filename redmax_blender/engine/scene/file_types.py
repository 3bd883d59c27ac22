"""What the types of a scene allow at a path of a JSON document, for error messages that list it."""

from __future__ import annotations

import re
from typing import Any

from msgspec import inspect

from .spec import SceneSpec


def _steps(path: str) -> list[str | int]:
    """`$.bodies[2].joint` -> ["bodies", 2, "joint"]."""
    return [int(i) if i else name for name, i in re.findall(r"\.([^.\[\]]+)|\[(\d+)\]", path)]


def value_at(path: str, raw: Any) -> Any:
    """The value at a path such as `$.bodies[2].joint.type`; None when there is none."""
    for step in _steps(path):
        try:
            raw = raw[step]
        except (KeyError, IndexError, TypeError):
            return None
    return raw


def allowed_at(path: str, raw: Any) -> list[str]:
    """Field names where the path leads to an object; kinds or names where it leads to a choice."""
    kind: inspect.Type = inspect.type_info(SceneSpec)
    value = raw
    steps = _steps(path)
    for i, step in enumerate(steps):
        choices = _structs(kind)
        if i == len(steps) - 1 and choices and step == choices[0].tag_field:
            return [str(choice.tag) for choice in choices]
        found = _member(kind, value, step)
        if found is None:
            return []
        kind = found
        value = value_at(f".{step}" if isinstance(step, str) else f"[{step}]", value)
    for option in _options(kind):
        if isinstance(option, inspect.LiteralType):
            return [str(v) for v in option.values]
    chosen = _chosen(_structs(kind), value)
    if chosen is None:
        return []
    tag = [chosen.tag_field] if chosen.tag_field else []
    return tag + [f.encode_name for f in chosen.fields]


def _options(kind: inspect.Type) -> list[inspect.Type]:
    return list(kind.types) if isinstance(kind, inspect.UnionType) else [kind]


def _structs(kind: inspect.Type) -> list[inspect.StructType]:
    return [option for option in _options(kind) if isinstance(option, inspect.StructType)]


def _chosen(choices: list[inspect.StructType], value: Any) -> inspect.StructType | None:
    """The struct that an object's tag selects."""
    if len(choices) == 1:
        return choices[0]
    return next((c for c in choices if isinstance(value, dict) and value.get(c.tag_field) == c.tag), None)


def _member(kind: inspect.Type, value: Any, step: str | int) -> inspect.Type | None:
    """The type of a field or an element."""
    if isinstance(step, str):
        chosen = _chosen(_structs(kind), value)
        fields = chosen.fields if chosen else ()
        return next((f.type for f in fields if f.encode_name == step), None)
    for option in _options(kind):
        if isinstance(option, inspect.ListType):
            return option.item_type
        if isinstance(option, inspect.TupleType) and step < len(option.item_types):
            return option.item_types[step]
    return None
