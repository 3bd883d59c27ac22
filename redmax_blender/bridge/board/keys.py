"""Keys of the control board: what was done live, as ordinary keys; and as changes of the scene that is simulated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import bpy
import msgspec

from ...engine.errors import SceneError
from ...engine.scene import Change, Pull, SceneSpec
from ...engine.scene.change_values import difference, plain
from ..bake.actions import assign, curves_in, ensure_bag, new_curve, slot_identifier, slot_of
from ..motion.sample_motion import first_frame
from .controls import meant, put, setting

if TYPE_CHECKING:
    from ..read.scene import Reading

OVER = 0.2
"""Time in which a connection that comes closes [s], as in a live run."""
GROUP = "Control Board"


def path_of(index: int) -> str:
    """The data path of a control's value, in the scene."""
    return f"redmax.board[{index}].value"


def curves(scene: bpy.types.Scene) -> dict[int, bpy.types.FCurve]:
    """Keys of controls, by their numbers on the board."""
    data = scene.animation_data
    if data is None or data.action is None:
        return {}
    paths = {path_of(i): i for i in range(len(scene.redmax.board))}
    return {
        paths[curve.data_path]: curve
        for curve in curves_in(data.action, slot_of(scene))
        if curve.data_path in paths and len(curve.keyframe_points)
    }


@contextmanager
def settings_kept(scene: bpy.types.Scene) -> Iterator[None]:
    """Settings that are on the board are afterwards as they were."""
    before = [
        (control.owner, control.path, setting(control.owner, control.path)) for control in scene.redmax.board
    ]
    try:
        yield
    finally:
        for owner, path, value in before:
            if value is not None:
                put(owner, path, value)


def put_at(scene: bpy.types.Scene, frame: float) -> tuple[float, ...]:
    """Let the settings of controls with keys be what these say at a frame; where the controls stand."""
    places = []
    for i, curve in curves(scene).items():
        control = scene.redmax.board[i]
        places.append(curve.evaluate(frame))
        put(control.owner, control.path, meant(control, places[-1]))
    return tuple(places)


def read_changes(context: bpy.types.Context, armatures: Sequence[bpy.types.Object], reading: Reading) -> None:
    """Add to a scene that was read with the board at its first frame what the keys of the board change later, and what
    the mouse did in the take that was kept. The scene is at its first frame."""
    from ..read.scene import read_scene  # which loads Numba

    scene, first = context.scene, first_frame(context.scene)
    reading.scene.pulls = stored_pulls(scene)
    if not curves(scene):
        return
    before, places = plain(reading.scene), put_at(scene, first)
    for frame in range(first + 1, reading.frame_end + 1):
        here = put_at(scene, frame)
        if here == places:
            continue
        places = here
        context.view_layer.update()
        again = read_scene(context, list(armatures)).scene
        check_same_bodies(reading.scene, again)
        after = plain(again)
        values = difference(before, after)
        if values:
            reading.scene.changes.append(Change((frame - first) / reading.fps, values, OVER))
        before = after


def check_same_bodies(before: SceneSpec, after: SceneSpec) -> None:
    """Bodies and the joints that carry them cannot come and go while it runs; all that acts on them can."""

    def shape(spec: SceneSpec) -> dict[str, Any]:
        return {b.name: (b.parent, b.joint.type, b.joint.frame, b.pose) for b in spec.bodies}

    was, now = shape(before), shape(after)
    changed = [name for name in {**was, **now} if was.get(name) != now.get(name)]
    if changed:
        raise SceneError(
            f"Body '{changed[0]}'",
            "its joint, or what carries it, is another than at the start",
            "Change joints before the run; springs, ropes, motors, targets, gravity and contact may change in it.",
        )


def write_keys(
    scene: bpy.types.Scene,
    first: int,
    played: Sequence[tuple[float, Sequence[float]]],
    only: int | None = None,
) -> None:
    """Where the controls stood from each frame on, as keys that hold; instead of those that there were.

    played: frames counted from `first`, the first one being 0, and the places of all controls. only: this control.
    """
    for i in range(len(scene.redmax.board)) if only is None else [only]:
        rows = [(first + number, places[i]) for number, places in played]
        kept = [row for k, row in enumerate(rows) if k == 0 or row[1] != rows[k - 1][1]]
        old = curves(scene).get(i)
        if old is not None:
            ensure_bag(scene.animation_data.action, slot_of(scene)).fcurves.remove(old)
        if len(kept) < 2:
            continue
        curve = new_curve(ensure_bag(_action(scene), slot_of(scene)), path_of(i), 0, GROUP)
        latest = dict(kept)  # of several in a frame the last one holds
        for frame, place in latest.items():
            curve.keyframe_points.insert(frame, place).interpolation = "CONSTANT"
        curve.update()


def _action(scene: bpy.types.Scene) -> bpy.types.Action:
    data = scene.animation_data or scene.animation_data_create()
    if data.action is None:
        action = bpy.data.actions.new(f"{scene.name} Action")
        slot = ""
        if hasattr(action, "slots"):
            slot = action.slots.new(id_type="SCENE", name=scene.name).identifier
        assign(scene, action, slot)
    elif hasattr(data.action, "slots") and not slot_identifier(scene):
        assign(scene, data.action, data.action.slots.new(id_type="SCENE", name=scene.name).identifier)
    return data.action


def store_pulls(scene: bpy.types.Scene, pulls: Sequence[Pull]) -> None:
    """Keep what the mouse did."""
    scene.redmax.pulls = json.dumps(msgspec.to_builtins(list(pulls))) if pulls else ""


def stored_pulls(scene: bpy.types.Scene) -> list[Pull]:
    """What the mouse did in the take that was kept."""
    if not scene.redmax.pulls:
        return []
    try:
        return msgspec.json.decode(scene.redmax.pulls.encode(), type=list[Pull])
    except msgspec.DecodeError:
        raise SceneError(
            "Control Board", "what the mouse did cannot be read", "Press Forget Pulls."
        ) from None
