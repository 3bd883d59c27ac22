"""Keys that are inserted while a simulation is shown hold the animation, not the simulation that covers it.

Blender keys what the channels say, and those show the simulation. So after a change of an action the keys of simulated
parts are compared with those from before: where a key at the current frame is new, or has another value, and this is
the simulated one, it gets the value that the animation has there. What the user has posed by hand differs from the
simulation, and stays.
"""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bake.actions import curves_of
from ..bake.channels import CHANNELS
from ..bake.keys import Keys
from ..mechanism.parts import Part, Transform, channel_path, name_of, part_of, rotation_channel
from ..motion.rotations import rotation_near
from ..recording import cache, playback
from ..recording.playback import SAME_FRAME
from . import own_pose

Floats = NDArray[np.float64]
Curves = dict[tuple[str, int], Keys]

SAME = 1e-5
"""Values that differ by less than this, absolutely and relatively, are one: Blender keeps them in single precision."""

_known: dict[tuple[int, str], Curves] = {}
"""Keys as they were last seen, by the object and its action."""


def look(scene: bpy.types.Scene) -> None:
    """Remember the keys of what shows a simulation, where they are not known."""
    for obj in scene.objects:
        if own_pose.is_on(obj, scene) and _name(obj) not in _known:
            _known[_name(obj)] = _keys(obj)


def forget() -> None:
    """Another file was opened."""
    _known.clear()


def keep(scene: bpy.types.Scene) -> dict[str, list[str]]:
    """Give keys that took over the simulated pose the value of the animation. Names of their parts, by object."""
    kept = {}
    for obj in scene.objects:
        found = cache.track_of(obj, scene) if own_pose.is_on(obj, scene) else None
        if found is None:
            continue
        before = _known.get(_name(obj), {} if _is_new(obj, scene.frame_current_final) else None)
        if before is not None:
            names = _keep(obj, scene, before, found)
            if names:
                kept[obj.name] = names
        _known[_name(obj)] = _keys(obj)
    return kept


def _name(obj: bpy.types.Object) -> tuple[int, str]:
    data = obj.animation_data
    action = data.action if data is not None else None
    return obj.session_uid, action.name if action is not None else ""


def _is_new(obj: bpy.types.Object, frame: float) -> bool:
    """Whether the object had no action, and got one with the keys that were inserted at this frame."""
    if _known.get((obj.session_uid, "")) is None:
        return False
    return all(
        len(curve.keyframe_points) == 1 and _point(curve, frame) is not None for curve in curves_of(obj)
    )


def _keys(obj: bpy.types.Object) -> Curves:
    return {(curve.data_path, curve.array_index): Keys.read(curve) for curve in curves_of(obj)}


def _keep(
    obj: bpy.types.Object,
    scene: bpy.types.Scene,
    before: Curves,
    found: tuple[cache.Recording, cache.Track],
) -> list[str]:
    now = {(curve.data_path, curve.array_index): curve for curve in curves_of(obj)}
    frame, names = scene.frame_current_final, []
    recording, track = found
    if not 0.0 <= frame - recording.frame_start <= recording.frame_count - 1:
        return []
    for i, name in enumerate(track.bones):
        part = part_of(obj, name)
        if part is None or not part.redmax.is_shown:
            continue
        transform = playback.transform_at(track, i, frame - recording.frame_start)
        changed = [
            _keep_channel(part, channel, size, (before, now), transform, frame) for channel, size in CHANNELS
        ]
        if any(changed):
            names.append(name_of(part) or obj.name)
    return names


def _keep_channel(
    part: Part,
    channel: str,
    size: int,
    curves: tuple[Curves, dict[tuple[str, int], bpy.types.FCurve]],
    transform: Transform,
    frame: float,
) -> bool:
    """Whether keys of a channel had taken over the simulated values, and have their own again."""
    before, now = curves
    path = channel_path(part, channel)
    changed = [
        k for k in range(size) if (path, k) in now and _changed(now[path, k], before.get((path, k)), frame)
    ]
    if not changed:
        return False
    values = np.array([_value(now[path, k], frame) for k in changed])
    shown = _shown(part, channel, transform)
    if shown is None or not _same(values, shown[changed], channel):
        return False
    own = np.array([_own(part, channel, k, now[path, k], before.get((path, k)), frame) for k in changed])
    if _same(values, own, channel):
        return False
    for k, value in zip(changed, own):
        _set(now[path, k], before.get((path, k)), frame, float(value))
    return True


def _changed(curve: bpy.types.FCurve, before: Keys | None, frame: float) -> bool:
    """Whether the curve has a key at the frame that is new, or has another value."""
    value = _value(curve, frame)
    if value is None:
        return False
    old = None if before is None else _old_row(before, frame)
    return old is None or float(before.fields["co"][old, 1]) != value


def _point(curve: bpy.types.FCurve, frame: float) -> bpy.types.Keyframe | None:
    return next((p for p in curve.keyframe_points if abs(p.co.x - frame) < SAME_FRAME), None)


def _value(curve: bpy.types.FCurve, frame: float) -> float | None:
    point = _point(curve, frame)
    return None if point is None else float(point.co.y)


def _old_row(before: Keys, frame: float) -> int | None:
    at = np.flatnonzero(np.abs(before.frames - frame) < SAME_FRAME)
    return int(at[0]) if len(at) else None


def _shown(part: Part, channel: str, transform: Transform) -> Floats | None:
    """Simulated values of a channel; None for a rotation channel that the part's mode does not use."""
    if channel == "location":
        return np.array(transform.location)
    if channel == "scale":
        return np.array(transform.scale)
    if channel != rotation_channel(part):
        return None
    near = list(getattr(part, channel))
    return np.array(rotation_near(part.rotation_mode, list(transform.rotation), near))


def _same(a: Floats, b: Floats, channel: str) -> bool:
    near = np.allclose(a, b, rtol=SAME, atol=SAME)
    return bool(near or (channel == "rotation_quaternion" and np.allclose(a, -b, rtol=SAME, atol=SAME)))


def _own(
    part: Part, channel: str, index: int, curve: bpy.types.FCurve, before: Keys | None, frame: float
) -> float:
    """What the animation said at the frame before there was this key; the part's own pose where it had none."""
    if before is None or not len(before):
        at = sum(size for name, size in CHANNELS[: [name for name, _ in CHANNELS].index(channel)])
        return float(own_pose.own_row(part)[at + index])
    row = _old_row(before, frame)
    if row is not None:
        return float(before.fields["co"][row, 1])
    keys = Keys.read(curve)
    curve.keyframe_points.remove(_point(curve, frame))
    value = float(curve.evaluate(frame))
    curve.keyframe_points.clear()
    keys.write(curve)
    return value


def _set(curve: bpy.types.FCurve, before: Keys | None, frame: float, value: float) -> None:
    """Give the key at the frame this value, and the handles that it had."""
    point = _point(curve, frame)
    row = None if before is None else _old_row(before, frame)
    if row is None:
        point.co_ui = point.co.x, value  # handles come along
    else:
        point.co.y = value
        for handle in ("handle_left", "handle_right"):
            setattr(point, handle, before.fields[handle][row].tolist())
    curve.update()
