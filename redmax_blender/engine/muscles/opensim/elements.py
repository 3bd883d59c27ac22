"""Reading values out of elements of a model, with errors that name the thing, and defaults as the format has them.

A property that an object does not have is that of the object of the same class among the file's `defaults`, or else
what the format says.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np

from ...errors import InputError


class Reader:
    """A file's defaults and its list of what was not understood."""

    def __init__(self, place: str, defaults: ET.Element | None) -> None:
        self.place = place
        self.notes: list[str] = []
        self.defaults = {} if defaults is None else {child.tag: child for child in defaults}

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def error(self, element: ET.Element | None, problem: str, remedy: str) -> InputError:
        return InputError(
            f"{self.place}: {title(element)}" if element is not None else self.place, problem, remedy
        )

    def find(self, element: ET.Element, name: str) -> ET.Element | None:
        found = element.find(name)
        if found is None and element.tag in self.defaults:
            found = self.defaults[element.tag].find(name)
        return found

    def text(self, element: ET.Element, name: str, default: str | None = None) -> str:
        found = self.find(element, name)
        if found is None or found.text is None or not found.text.strip():
            if default is None:
                raise self.error(element, f"it has no <{name}>", "The file is incomplete.")
            return default
        return found.text.strip()

    def numbers(self, element: ET.Element, name: str, count: int | None, default: Any = None) -> Any:
        found = self.find(element, name)
        words = (found.text or "").split() if found is not None else []
        if not words:
            if default is None:
                raise self.error(element, f"it has no <{name}>", "The file is incomplete.")
            return np.array(default, float)
        try:
            values = np.array([float(word) for word in words])
        except ValueError:
            raise self.error(
                element, f"<{name}> is '{' '.join(words)[:60]}'", "Numbers are needed."
            ) from None
        if not np.isfinite(values).all():
            raise self.error(element, f"<{name}> is not finite ({' '.join(words)[:60]})", "Give it numbers.")
        if count is not None and len(values) != count:
            raise self.error(element, f"<{name}> has {len(values)} numbers", f"It needs {count}.")
        return values

    def number(self, element: ET.Element, name: str, default: float | None = None) -> float:
        return float(self.numbers(element, name, 1, None if default is None else [default])[0])

    def positive(self, element: ET.Element, name: str, default: float | None = None) -> float:
        value = self.number(element, name, default)
        if not value > 0.0 or math.isinf(value):
            raise self.error(element, f"<{name}> is {value:g}", "It has to be larger than zero.")
        return value

    def flag(self, element: ET.Element, name: str, default: bool) -> bool:
        word = self.text(element, name, "true" if default else "false").lower()
        if word not in ("true", "false", "1", "0"):
            raise self.error(element, f"<{name}> is '{word}'", "It is true or false.")
        return word in ("true", "1")


def title(element: ET.Element) -> str:
    name = element.get("name")
    return f"{element.tag} '{name}'" if name else element.tag


def objects(parent: ET.Element | None, name: str) -> list[ET.Element]:
    """Members of a set: <name><objects>...</objects></name>."""
    found = None if parent is None else parent.find(name)
    inner = None if found is None else found.find("objects")
    return [] if inner is None else list(inner)


def last_word(path: str) -> str:
    """Name at the end of a path such as /bodyset/femur_r."""
    return path.strip().rstrip("/").rsplit("/", 1)[-1]
