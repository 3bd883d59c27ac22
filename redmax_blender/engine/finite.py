"""A walk over every number of a scene, to find the one that is not a number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import msgspec

from .errors import SceneError
from .scene import BodySpec, SceneSpec

_Path = tuple[Any, Any]
"""(path of what holds it, field name or index); built for every value but written out only for an error."""


@dataclass(frozen=True)
class _Key:
    """Of a dictionary."""

    key: str


def check_finite(spec: SceneSpec) -> None:
    """Raise a SceneError that names the first NaN or infinite number found anywhere in the scene."""
    stack: list[tuple[Any, _Path | None]] = [(spec, None)]
    while stack:
        value, path = stack.pop()
        if value is None or isinstance(value, str):
            continue
        if isinstance(value, (int, float)):
            if not math.isfinite(value):
                raise SceneError(
                    place_of(spec, path), f"the number is {float(value)}", "Give a finite number here."
                )
        elif isinstance(value, dict):
            stack.extend((value[key], (path, _Key(key))) for key in reversed(value))
        elif isinstance(value, msgspec.Struct):
            stack.extend((getattr(value, name), (path, name)) for name in reversed(value.__struct_fields__))
        elif value and all(isinstance(x, float) and math.isfinite(x) for x in value):
            continue  # long lists of good numbers are the common case
        else:
            stack.extend((value[i], (path, i)) for i in reversed(range(len(value))))


def place_of(spec: SceneSpec, path: _Path | None) -> str:
    """A path such as `bodies[3] 'forearm'.joint.q[0]`."""
    keys: list[Any] = []
    while path is not None:
        path, key = path
        keys.append(key)
    text, value = "", spec
    for key in reversed(keys):
        if isinstance(key, int):
            text += f"[{key}]"
            value = value[key]  # type: ignore[index]
            if isinstance(value, BodySpec):
                text += f" '{value.name}'"
        elif isinstance(key, _Key):
            text += f"['{key.key}']"
            value = value[key.key]  # type: ignore[index]
        else:
            text += f".{key}" if text else key
            value = getattr(value, key)
    return text
