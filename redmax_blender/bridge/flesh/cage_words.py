"""Size and quality of a cage, as its mesh keeps them, in the user's language."""

from __future__ import annotations

import re

from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_

KEPT = re.compile(
    r"(?P<vertices>\d+) vertices, (?P<tetrahedra>\d+) tetrahedra, angles (?P<least>\d+)° to (?P<greatest>\d+)°"
)
"""What `PlacedCage.text` says."""


def cage_lines(text: str) -> list[str]:
    """Two lines that fit into a panel."""
    found = KEPT.fullmatch(text)
    if found is None:
        return [text]
    lines = iface_("{vertices} vertices, {tetrahedra} tetrahedra"), iface_("Angles {least}° to {greatest}°")
    return [line.format(**found.groupdict()) for line in lines]


def cage_report(text: str) -> str:
    """Part of a sentence."""
    found = KEPT.fullmatch(text)
    if found is None:
        return text
    said = rpt_("{vertices} vertices, {tetrahedra} tetrahedra, angles {least}° to {greatest}°")
    return said.format(**found.groupdict())
