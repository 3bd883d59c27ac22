"""A scene with other values, by paths; and the paths in which two scenes differ."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import msgspec

from ..errors import SceneError
from .changes import Change
from .spec import SceneSpec

LEFT_ALONE = ("changes", "pulls", "time", "task", "format", "version", "name")
"""What a change may not touch."""


def plain(spec: SceneSpec) -> dict[str, Any]:
    """A scene as dictionaries, lists and numbers, without its changes and pulls."""
    out: dict[str, Any] = msgspec.to_builtins(spec)
    out.pop("changes", None)
    out.pop("pulls", None)
    return out


def with_values(scene: dict[str, Any], values: Mapping[str, Any], place: str = "changes") -> dict[str, Any]:
    """The same scene, as `plain` gives it, with other values by their paths."""
    out = deepcopy(scene)
    for path, value in values.items():
        steps = path.split("/")
        if steps[0] in LEFT_ALONE or len(steps) < 1:
            raise SceneError(place, f"'{steps[0]}' cannot change in a run", "Set it before the run.")
        _put(out, steps, value, f"{place} '{path}'")
    return out


def spec_of(scene: dict[str, Any], place: str = "changes") -> SceneSpec:
    """A scene of what `plain` gives. Raises SceneError where a value is none that can be used."""
    try:
        return msgspec.convert(scene, SceneSpec)
    except msgspec.ValidationError as error:
        raise SceneError(
            place, str(error), "Give a value of the kind that the scene file has there."
        ) from None


def difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Paths and values that turn one scene into another."""
    out: dict[str, Any] = {}
    _differ(before, after, "", out)
    return {path: value for path, value in out.items() if path.split("/")[0] not in LEFT_ALONE}


def later(scene: dict[str, Any], change: Change) -> dict[str, Any]:
    """A scene after a change."""
    return with_values(scene, change.set, f"changes at {change.time:.6g} s")


def _names(items: list[Any]) -> list[str] | None:
    """Names of the things in a list, where all have one and no two the same."""
    if not all(isinstance(item, dict) and item.get("name") for item in items):
        return None
    names = [str(item["name"]) for item in items]
    return names if len(set(names)) == len(names) and not any("/" in name for name in names) else None


def _put(holder: Any, steps: list[str], value: Any, place: str) -> None:
    for at, step in enumerate(steps):
        last = at == len(steps) - 1
        if isinstance(holder, list):
            index = _index(holder, step)
            if last and index is None and isinstance(value, dict):
                holder.append({**value, "name": step})
                return
            if index is None:
                if last and value is None:
                    return  # it is gone already
                raise SceneError(place, f"there is no '{step}' at that time", "Check the name.")
            if last and value is None:
                del holder[index]
            elif last:
                holder[index] = value
            else:
                holder = holder[index]
        elif isinstance(holder, dict):
            if last and value is None:
                holder.pop(step, None)
            elif last:
                holder[step] = value
            else:
                holder = holder.setdefault(step, {})
        else:
            raise SceneError(place, f"nothing is within '{steps[at - 1]}'", "Check the path.")


def _index(items: list[Any], step: str) -> int | None:
    """Which thing of a list a name means, or a number."""
    for i, item in enumerate(items):
        if isinstance(item, dict) and item.get("name") == step:
            return i
    return int(step) if step.isdigit() and int(step) < len(items) else None


def _differ(before: Any, after: Any, path: str, out: dict[str, Any]) -> None:
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict) and before.get("kind") == after.get("kind"):
        for name in {**before, **after}:
            if before.get(name) != after.get(name):
                _differ(before.get(name), after.get(name), f"{path}/{name}" if path else name, out)
        return
    if path and isinstance(before, list) and isinstance(after, list):
        had, has = _names(before), _names(after)
        if (
            had is not None
            and has is not None
            and [n for n in had if n in has] == [n for n in has if n in had]
        ):
            for name in had:
                if name not in has:
                    out[f"{path}/{name}"] = None
            for name, item in zip(has, after, strict=True):
                old = before[had.index(name)] if name in had else None
                if old is None:
                    out[f"{path}/{name}"] = item
                else:
                    _differ(old, item, f"{path}/{name}", out)
            return
    out[path] = after
