"""Lines that a shot plots beside its film."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.records import Floats


@dataclass(frozen=True)
class Figure:
    name: str
    """Of the file, after that of the shot."""
    title: str
    x_label: str
    y_label: str
    x: Floats
    """Shape (n,)."""
    lines: dict[str, Floats]
    """Each of shape (n,)."""
