"""Tables of the manual, from what is registered in Blender: settings, buttons and presets describe themselves.

Needs bpy and the add-on registered. A group of settings is named by its class, as REDMAX_PG_bone; settings that can be
keyed are on Blender's own PoseBone.
"""

from __future__ import annotations

import ast
import re
from math import degrees, isfinite
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parent.parent
PANELS = ROOT / "redmax_blender" / "panels"
PRESETS = ROOT / "redmax_blender" / "presets" / "redmax"

OWNERS = {"PoseBone": "pose_bone", "Object": "object", "Scene": "scene", "WindowManager": "window_manager"}
"""Blender's types that have settings of ours, and what a script calls one of them."""
PANEL_OF = {
    "REDMAX_PG_friction": "friction.py",
    "REDMAX_PG_surface": "contact.py",
    "REDMAX_PG_collider": "contact.py",
    "REDMAX_PG_joint": "mechanism.py",
    "REDMAX_PG_flesh": "flesh.py",
    "REDMAX_PG_overlay": "overlay.py",
}
"""Where labels may differ from the settings' names, which have to be understood in a search too."""
UNITS = {"LENGTH": " m", "TIME_ABSOLUTE": " s", "TIME": " frames"}
INFINITE = 1e9
"""From here on a bound is none: Blender's default bounds are the largest numbers of their type."""
INHERITED = {"filepath", "check_existing", "filter_glob", "name", "remove_name", "remove_active"}
"""Options that Blender's own base classes give to operators."""


def groups() -> dict[str, bpy.types.Struct]:
    """All groups of settings by name, PoseBone among them for the settings that can be keyed."""
    found, waiting = {"PoseBone": bpy.types.PoseBone.bl_rna}, []
    for owner in OWNERS:
        waiting.append(getattr(bpy.types, owner).bl_rna.properties["redmax"].fixed_type)
    while waiting:
        rna = waiting.pop(0)
        if rna.identifier not in found:
            found[rna.identifier] = rna
            waiting += [prop.fixed_type for prop in settings_of(rna) if is_group(prop)]
    return found


def settings_of(rna: bpy.types.Struct) -> list[bpy.types.Property]:
    """The settings of a group, in the order in which they are registered; ours only."""
    ours = [prop for prop in rna.properties if prop.identifier not in ("rna_type", "name")]
    if rna.identifier in OWNERS:
        ours = [prop for prop in ours if prop.identifier.startswith("redmax_")]
    return ours


def is_group(prop: bpy.types.Property) -> bool:
    """Or a list of groups."""
    return prop.type in ("POINTER", "COLLECTION") and prop.fixed_type.identifier.startswith("REDMAX_PG_")


def all_settings() -> set[tuple[str, str]]:
    """(group, setting) of everything that can be set; groups inside groups are no settings."""
    return {
        (name, prop.identifier)
        for name, rna in groups().items()
        for prop in settings_of(rna)
        if not is_group(prop)
    }


def all_buttons() -> set[str]:
    """redmax.bake and so on."""
    return {f"redmax.{name}" for name in dir(bpy.ops.redmax)}


def paths(group: str) -> list[str]:
    """How a script gets to a group: pose_bone.redmax.friction, object.redmax.friction."""
    if group in OWNERS:
        return [OWNERS[group]]
    found = []
    for owner, name in OWNERS.items():
        waiting = [(f"{name}.redmax", getattr(bpy.types, owner).bl_rna.properties["redmax"].fixed_type)]
        while waiting:
            path, rna = waiting.pop(0)
            if rna.identifier == group:
                found.append(path)
            inner = [prop for prop in settings_of(rna) if is_group(prop)]
            entry = {"COLLECTION": "[0]"}
            waiting += [(f"{path}.{p.identifier}{entry.get(p.type, '')}", p.fixed_type) for p in inner]
    return found


def settings_table(group: str, names: list[str]) -> str:
    """Markdown of some settings of a group, or of all of them when `names` is empty."""
    rna = groups()[group]
    chosen = [rna.properties[name] for name in names] if names else settings_of(rna)
    labels = panel_labels(group)
    rows = [_row(prop, labels.get(prop.identifier, prop.name)) for prop in chosen if not is_group(prop)]
    where = ", ".join(f"`{path}`" for path in paths(group))
    return "\n".join([*_head("setting"), *rows, "", f"From Python: {where}."])


def button_table(name: str) -> str:
    """Markdown of an operator: what it does, and its options when it has some."""
    rna = getattr(bpy.ops.redmax, name.removeprefix("redmax.")).get_rna_type()
    lines = [f"**{rna.name}** (`bpy.ops.{name}`): {_sentence(rna.description)}"]
    options = [p for p in rna.properties if p.identifier not in INHERITED | {"rna_type"} and not p.is_hidden]
    if options:
        lines += ["", *_head("option"), *(_row(prop, prop.name) for prop in options)]
    return "\n".join(lines)


def preset_table(kind: str) -> str:
    """Markdown of the presets of one kind: what each of them sets."""
    rows, columns = {}, []
    for path in sorted((PRESETS / kind).glob("*.py")):
        values = dict(re.findall(r"^settings\.\w+\.(\w+) = (.+)$", path.read_text(), re.MULTILINE))
        rows[path.stem.replace("_", " ")] = values
        columns += [name for name in values if name not in columns]
    rna = groups()[f"REDMAX_PG_{kind}"]
    names = [panel_labels(rna.identifier).get(name, rna.properties[name].name) for name in columns]
    lines = [f"| preset | {' | '.join(names)} |", f"| --- |{' --- |' * len(columns)}"]
    lines += [f"| {name} | {' | '.join(v.get(c, '') for c in columns)} |" for name, v in rows.items()]
    return "\n".join(lines)


def panel_labels(group: str) -> dict[str, str]:
    """Setting -> what the panel calls it, where that differs; units in brackets are left out."""
    if group not in PANEL_OF:
        return {}
    found = {}
    for call in ast.walk(ast.parse((PANELS / PANEL_OF[group]).read_text())):
        if (
            not isinstance(call, ast.Call)
            or not isinstance(call.func, ast.Attribute)
            or call.func.attr != "prop"
        ):
            continue
        text = next((keyword.value for keyword in call.keywords if keyword.arg == "text"), None)
        name = call.args[1].value if isinstance(call.args[1], ast.Constant) else None
        texts = [text.body, text.orelse] if isinstance(text, ast.IfExp) else [text]
        shown = [str(t.value) for t in texts if isinstance(t, ast.Constant) and t.value]
        plain = [re.sub(r" \(.*\)$", "", label) for label in shown]
        if name and plain:
            found.setdefault(name, " / ".join(dict.fromkeys(plain)))
    return found


def _head(what: str) -> list[str]:
    return [f"| {what} | what it does | range | default |", "| --- | --- | --- | --- |"]


def _row(prop: bpy.types.Property, label: str) -> str:
    text = _sentence(prop.description)
    if prop.type == "ENUM":
        choices = [f"*{item.name}*: {_sentence(item.description)}" for item in prop.enum_items]
        text = "<br>".join([text, *choices] if text else choices)
    cells = [f"**{label}** `{prop.identifier}`", text, _range(prop), _default(prop)]
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."


def _range(prop: bpy.types.Property) -> str:
    """What can be typed in, and how far the slider goes when that is less."""
    if prop.type not in ("FLOAT", "INT"):
        return ""
    hard, soft = (prop.hard_min, prop.hard_max), (prop.soft_min, prop.soft_max)
    low, high = (abs(bound) < INFINITE for bound in hard)
    if low and high:
        text = f"{_number(prop, hard[0])} to {_number(prop, hard[1])}"
    else:
        text = f"≥ {_number(prop, hard[0])}" if low else f"≤ {_number(prop, hard[1])}" if high else ""
    if prop.type == "INT" and abs(hard[1]) > 1e6:  # Blender's last frame says nothing to anybody
        text = "any frame" if hard[0] < 0 else text
    slider = [_number(prop, a) if abs(a) < INFINITE and a != b else "" for a, b in zip(soft, hard)]
    if any(slider):
        ends = (
            f"{slider[0]} to {slider[1]}"
            if all(slider)
            else f"from {slider[0]}"
            if slider[0]
            else f"to {slider[1]}"
        )
        text += f"{'; ' if text else ''}slider {ends}"
    return text


def _default(prop: bpy.types.Property) -> str:
    if prop.type == "ENUM":
        return next((item.name for item in prop.enum_items if item.identifier == prop.default), "")
    if prop.type == "BOOLEAN":
        return "off" if prop.is_array or not prop.default else "on"
    if prop.type == "STRING":
        return f"`{prop.default}`" if prop.default else "empty"
    if prop.type == "POINTER":
        return "none"
    if prop.is_array:
        values = list(dict.fromkeys(_number(prop, value) for value in prop.default_array))
        return ", ".join(values if len(values) == 1 else (_number(prop, v) for v in prop.default_array))
    return _number(prop, prop.default)


def _number(prop: bpy.types.Property, value: float) -> str:
    """As the field shows it, without the noise of single precision."""
    if not isfinite(value):
        return ""
    if prop.unit == "ROTATION":
        return f"{degrees(value):.4f}".rstrip("0").rstrip(".") + "°"
    text = f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:.6f}".rstrip("0").rstrip(".")
    return text + UNITS.get(prop.unit, "")
