"""Every text that the interface shows, with the context that Blender looks its translation up in."""

import ast
from collections.abc import Iterator
from functools import cache
from inspect import get_annotations
from pathlib import Path

import bpy

from redmax_blender import properties
from redmax_blender.bridge.bake.linked import LINKED
from redmax_blender.bridge.recording.figures import PARTS
from redmax_blender.control_properties import MODES
from redmax_blender.operators.add_shot import SHOTS
from redmax_blender.panels import friction

PACKAGE = Path(__file__).resolve().parents[2] / "redmax_blender"
SOURCES = ("panels/*.py", "operators/*.py", "bridge/**/*.py", "examples/**/*.py")

BUTTONS = ("operator", "operator_menu_enum")
"""What draws a text in the context of operators."""
TRANSLATORS = ("iface_", "rpt_", "tip_")
TITLED = ("VIEW3D_PT_redmax_", "VIEW3D_MT_redmax_", "REDMAX_PT_")
"""How the names of our panels and menus begin."""

Texts = set[tuple[str, str]]


def settings() -> dict[tuple[str, str], bpy.types.Property]:
    """Every property of ours, with the group that it is in."""
    groups, found = [group.bl_rna for _, group in properties.OWNERS], {}
    while groups:
        rna = groups.pop()
        for prop in rna.properties:
            if prop.identifier in ("rna_type", "name"):
                continue
            if prop.type == "COLLECTION" or (prop.type == "POINTER" and prop.is_readonly):
                groups.append(prop.fixed_type)
            found[rna.identifier, prop.identifier] = prop
    return found


def operators() -> dict[str, bpy.types.Struct]:
    return {name: getattr(bpy.ops.redmax, name).get_rna_type() for name in dir(bpy.ops.redmax)}


def _properties() -> Iterator[bpy.types.Property]:
    yield from settings().values()
    for name in ("redmax_control", "redmax_influence", "redmax_torque", "redmax_push"):
        yield bpy.types.PoseBone.bl_rna.properties[name]
    yield bpy.types.Object.bl_rna.properties["redmax_push"]
    for name, rna in operators().items():
        ours = get_annotations(getattr(bpy.types, f"REDMAX_OT_{name}"))  # without those of Blender's classes
        yield from (prop for prop in rna.properties if prop.identifier in ours and not prop.is_hidden)


def _items() -> Iterator[tuple[bpy.types.Property, bpy.types.EnumPropertyItem]]:
    for prop in _properties():
        if prop.type == "ENUM":
            yield from ((prop, item) for item in prop.enum_items)


def setting_names() -> Texts:
    return {(prop.translation_context, prop.name) for prop in _properties()}


def choice_names() -> Texts:
    return {(prop.translation_context, item.name) for prop, item in _items()}


def titles() -> Texts:
    """Of panels and menus, from their source: a preset that is chosen gives its name to the panel of all presets."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef) or not node.name.startswith(TITLED):
                continue
            rna = getattr(bpy.types, node.name).bl_rna
            for line in node.body:
                if isinstance(line, ast.Assign) and getattr(line.targets[0], "id", "") == "bl_label":
                    found.add((rna.translation_context, ast.literal_eval(line.value)))
    return found


def buttons() -> Texts:
    """Names of operators, and texts that stand in for them."""
    found = {(rna.translation_context, rna.name) for rna in operators().values()}
    found |= {("Operator", text) for kind, text in drawn() if kind in BUTTONS}
    return found | {("Operator", label) for _, label, *_ in (*SHOTS, *MODES)}


def labels() -> Texts:
    """What panels say, patterns among it."""
    found = {text for kind, text in drawn() if kind not in (*BUTTONS, "rpt_", "tip_", "report")}
    return {("*", text) for text in found | _said_elsewhere()}


def messages() -> Texts:
    """What buttons say when they are pressed, or why they are grey."""
    found = {text for kind, text in drawn() if kind in ("rpt_", "tip_", "report")}
    return {("*", text) for text in found | {LINKED}}


def tips() -> Texts:
    """Descriptions, which Blender shows as tooltips."""
    found = {prop.description for prop in _properties()} | {item.description for _, item in _items()}
    found |= {rna.description for rna in operators().values()}
    return {("*", text) for text in found if text}


def _said_elsewhere() -> set[str]:
    """Texts that panels get from elsewhere before they have them translated."""
    return {
        *PARTS,
        *friction.SHAPES.values(),
        *(kind.lower() for kind, *_ in properties.JOINTS),
        "Ground", "Passive rigid body", "Anchored body", "Collider", "Collision modifier",  # why_solid
        "It diverged", "A step could not be solved", "Its constraints cannot all hold",  # diagnose
        "helper: no skin follows it", "left out by hand",  # decisions about bones that are not physical
    }  # fmt: skip


@cache
def drawn() -> frozenset[tuple[str, str]]:
    """(what is called, text) of all that the sources draw, report or have translated."""
    found = set()
    for pattern in SOURCES:
        for path in PACKAGE.glob(pattern):
            module = ast.parse(path.read_text())
            given = _assigned(module)
            for call in (node for node in ast.walk(module) if isinstance(node, ast.Call)):
                name = (
                    call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                )
                nodes = []
                if name in TRANSLATORS:
                    nodes = call.args[:1]
                elif name == "report" and len(call.args) == 2:
                    nodes = call.args[1:]
                elif "bridge" not in pattern:
                    nodes = [k.value for k in call.keywords if k.arg in ("text", "heading")]
                found |= {(name, text) for node in nodes for text in _texts(node, given)}
    return frozenset((name, text) for name, text in found if text)


def _assigned(module: ast.Module) -> dict[str, list[ast.expr]]:
    """What is assigned to each name."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return found


def _texts(node: ast.expr, given: dict[str, list[ast.expr]]) -> set[str]:
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return _texts(node.body, given) | _texts(node.orelse, given)
    if isinstance(node, ast.Name):
        return {text for value in given.get(node.id, ()) for text in _texts(value, {})}
    return set()
