"""Scenes as JSON: read with errors that say where and what to do, written, and described by a schema."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Any

import msgspec

from ..errors import SceneError
from ..finite import check_finite
from .file_types import allowed_at, value_at
from .spec import FORMAT, VERSION, SceneSpec

_NOT_A_SCENE = (
    f'A scene file is an object with "format": "{FORMAT}", "version": {VERSION} and a list of "bodies".'
)


def load_scene(path: str | Path) -> SceneSpec:
    """Read a scene file."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise SceneError(str(path), "there is no such file", "Check the path.") from None
    except IsADirectoryError:
        raise SceneError(str(path), "this is a folder", "Give the path of a scene file.") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise SceneError(str(path), f"the file cannot be read ({reason})", "Check its permissions.") from None
    return decode_scene(data, str(path))


def decode_scene(data: bytes | str, source: str = "scene") -> SceneSpec:
    """Decode a scene; `source` is the file's name or whatever else tells the user where it came from."""
    if isinstance(data, str):
        data = data.encode()
    raw = _parse(data, source)
    if not isinstance(raw, dict) or "format" not in raw:
        raise SceneError(f"{source} at $", "this is JSON, but not a scene", _NOT_A_SCENE)
    if raw["format"] != FORMAT:
        raise SceneError(
            f"{source} at $.format", f"this is JSON of another format, {_shown(raw['format'])}", _NOT_A_SCENE
        )
    if raw.get("version", VERSION) != VERSION:
        raise SceneError(
            f"{source} at $.version",
            f"the file has version {_shown(raw['version'])}, and version {VERSION} is what can be read",
            "Use the RedMax that wrote it, or a newer one.",
        )
    try:
        return msgspec.convert(raw, SceneSpec)
    except msgspec.ValidationError as error:
        raise _explained(str(error), raw, source) from None
    except RecursionError:
        raise SceneError(source, "joints are nested too deep", "Flatten the composite joints.") from None


def encode_scene(spec: SceneSpec) -> bytes:
    """The scene as indented JSON.

    Raises SceneError where a number is not finite, which JSON cannot express.
    """
    check_finite(spec)
    return msgspec.json.format(msgspec.json.encode(spec), indent=2) + b"\n"


def scene_schema() -> dict[str, Any]:
    """JSON schema of the scene file, made from the types."""
    return msgspec.json.schema(SceneSpec)


def _parse(data: bytes, source: str) -> Any:
    if not data.strip():
        raise SceneError(source, "the file is empty", _NOT_A_SCENE)
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        message = str(error)
        found = re.search(r"\(byte (\d+)\)", message)
        at = int(found.group(1)) if found else 0
        if "truncated" in message or not data[at:].strip():
            raise SceneError(
                f"{source}, {_line(data, len(data))}",
                "the file ends in the middle of the JSON: it is truncated",
                "Write or copy it again.",
            ) from None
        word = re.match(rb"NaN|Infinity|inf|nan", data[at:])
        if word:
            problem = f"{word.group().decode()} is not a number"
            remedy = "Give a finite number here."
        else:
            near = data[at : at + 20].decode(errors="replace").splitlines()
            problem = f"this is not JSON: {message.removeprefix('JSON is malformed: ').split(' (byte')[0]}"
            problem += f" before {near[0]!r}" if near else ""
            remedy = "Correct the file, or write it again."
        raise SceneError(f"{source}, {_line(data, at)}", problem, remedy) from None
    except UnicodeDecodeError:
        raise SceneError(source, "this is not text in UTF-8", "Give a JSON scene file.") from None
    except RecursionError:
        raise SceneError(source, "the JSON is nested too deep", "Flatten the composite joints.") from None


def _line(data: bytes, at: int) -> str:
    newline = b"\n"
    line = data.count(newline, 0, at) + 1
    return f"line {line}, column {at - data.rfind(newline, 0, at)}"


def _explained(message: str, raw: Any, source: str) -> SceneError:
    """Turn a message of the decoder, `problem - at `$.path``, into one with the value and a remedy."""
    problem, _, path = message.partition(" - at `")
    path = path.rstrip("`") or "$"
    place = f"{source} at {path}"
    name = re.search(r"field `(.+)`", problem)
    if name and "unknown" in problem:
        allowed = allowed_at(path, raw)
        return SceneError(place, f"there is no field '{name.group(1)}' here", _choose(name.group(1), allowed))
    if name and "missing" in problem:
        return SceneError(place, f"the field '{name.group(1)}' is missing", f"Add '{name.group(1)}' here.")
    value = value_at(path, raw)
    if problem.startswith("Invalid"):
        allowed = allowed_at(path, raw)
        what = path.rsplit(".", 1)[-1]
        return SceneError(place, f"{_shown(value)} is not a {what} that can be used", _choose(value, allowed))
    return SceneError(
        place, f"{problem[0].lower()}{problem[1:]}; the value is {_shown(value)}", "Correct the value."
    )


def _choose(word: Any, allowed: list[str]) -> str:
    if not allowed:
        return "Remove it."
    near = difflib.get_close_matches(str(word), allowed, 1)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    return f"{hint}What can stand here: {', '.join(allowed)}."


def _shown(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else f"{text[:57]}..."
