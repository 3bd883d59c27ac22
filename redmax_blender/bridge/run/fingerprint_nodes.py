"""Trees of geometry nodes, which shape the meshes of colliders, bodies and flesh, for `fingerprint.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from .fingerprint_values import SHOWN_ONLY, animated_in, animation, custom_values, values

LAID_OUT = SHOWN_ONLY | {
    "location", "location_absolute", "width", "width_hidden", "height", "dimensions", "label", "use_custom_color",
    "show_options", "show_preview", "show_texture", "parent", "warning_propagation", "color_tag", "internal_links",
}  # fmt: skip
"""Properties of a node that say how it is drawn."""


def trees_in(group: bpy.types.NodeTree | None) -> list[bpy.types.NodeTree]:
    """A tree and the groups that are used in it, each once."""
    found: list[bpy.types.NodeTree] = []
    pending = [group]
    while pending:
        tree = pending.pop()
        if tree is None or tree in found:
            continue
        found.append(tree)
        pending += [node.node_tree for node in tree.nodes if hasattr(node, "node_tree")]
    return found


def node_trees(group: bpy.types.NodeTree | None) -> Iterator[Any]:
    """What the nodes of a tree do, with their links."""
    for tree in trees_in(group):
        yield from animation(tree.animation_data)
        animated = animated_in(tree)
        for node in tree.nodes:
            path = f'nodes["{bpy.utils.escape_identifier(node.name)}"]'
            yield node.bl_idname, node.name, tuple(values(node, LAID_OUT, animated, path))
            for i, socket in enumerate(node.inputs):
                if f"{path}.inputs[{i}].default_value" not in animated:
                    yield socket.identifier, _plain(getattr(socket, "default_value", None))
        for link in tree.links:
            yield link.from_node.name, link.from_socket.identifier, link.is_muted
            yield link.to_node.name, link.to_socket.identifier


def inputs_of(modifier: bpy.types.NodesModifier, animated: set[str], path: str) -> Iterator[Any]:
    """What the modifier gives to its tree."""
    if not hasattr(modifier, "properties"):
        yield from custom_values(modifier, animated, path)
        return
    for name, socket in _sockets(modifier):
        for prop in socket.bl_rna.properties:
            own = f"{path}.properties.inputs.{name}.{prop.identifier}"
            if prop.type != "COLLECTION" and prop.identifier not in SHOWN_ONLY and own not in animated:
                yield name, prop.identifier, _plain(getattr(socket, prop.identifier))


def _sockets(modifier: bpy.types.NodesModifier) -> Iterator[tuple[str, Any]]:
    """Blender 5.2 has the inputs as properties with types of their own, and no longer as custom ones."""
    inputs = modifier.properties.inputs
    for prop in inputs.bl_rna.properties:
        if prop.type == "POINTER" and prop.identifier != "rna_type":
            yield prop.identifier, getattr(inputs, prop.identifier)


def objects_in(modifier: bpy.types.NodesModifier) -> Iterator[bpy.types.Object]:
    """Objects that nodes read: given to the modifier, or named in a node."""
    if hasattr(modifier, "properties"):
        given = [getattr(socket, "value", None) for _, socket in _sockets(modifier)]
    else:
        given = list(modifier.values())
    yield from (value for value in given if isinstance(value, bpy.types.Object))
    for tree in trees_in(modifier.node_group):
        for node in tree.nodes:
            for socket in node.inputs:
                value = getattr(socket, "default_value", None)
                if isinstance(value, bpy.types.Object):
                    yield value


def _plain(value: Any) -> Any:
    if isinstance(value, bpy.types.ID):
        return value.name
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
