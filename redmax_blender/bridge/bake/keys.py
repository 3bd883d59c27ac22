"""Keyframes as arrays: what Blender keeps of each key, read and written in bulk."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

PAIRS = ("co", "handle_left", "handle_right")
ENUMS = ("handle_left_type", "handle_right_type", "interpolation", "easing", "type")
FLOATS = ("amplitude", "back", "period")


def enum_value(field: str, name: str) -> int:
    return int(bpy.types.Keyframe.bl_rna.properties[field].enum_items[name].value)


@dataclass(frozen=True)
class Keys:
    """n keys: field name -> array of n values, or of (n, 2) for `co` and the handles."""

    fields: dict[str, NDArray]

    @property
    def frames(self) -> NDArray[np.float32]:
        return self.fields["co"][:, 0]

    def __len__(self) -> int:
        return len(self.frames)

    def __getitem__(self, rows: NDArray | slice) -> Keys:
        return Keys({name: values[rows].copy() for name, values in self.fields.items()})

    def __add__(self, other: Keys) -> Keys:
        return Keys({name: np.concatenate([mine, other.fields[name]]) for name, mine in self.fields.items()})

    @staticmethod
    def linear(frames: NDArray, values: NDArray) -> Keys:
        """Keys joined by straight lines."""
        n = len(frames)
        co = np.column_stack([frames, values]).astype(np.float32)
        fields: dict[str, NDArray] = {name: co.copy() for name in PAIRS}
        fields |= {name: np.zeros(n, dtype=np.int32) for name in ENUMS}
        fields |= {name: np.zeros(n, dtype=np.float32) for name in FLOATS}
        fields["interpolation"][:] = enum_value("interpolation", "LINEAR")
        fields["handle_left_type"][:] = fields["handle_right_type"][:] = enum_value(
            "handle_left_type", "AUTO_CLAMPED"
        )
        return Keys(fields)

    @staticmethod
    def cubic(frames: NDArray, values: NDArray, tangents: NDArray) -> Keys:
        """Keys joined by cubics with these slopes [a frame]; the last one leaves in a straight line."""
        keys = Keys.linear(frames, values)
        keys.fields["interpolation"][:-1] = enum_value("interpolation", "BEZIER")
        span = np.diff(frames)
        for field, side, thirds in (
            ("handle_left", -1.0, np.append(span[:1], span) / 3.0),
            ("handle_right", 1.0, np.append(span, span[-1:]) / 3.0),
        ):
            keys.fields[field] = np.column_stack(
                [frames + side * thirds, values + side * thirds * tangents]
            ).astype(np.float32)
            keys.fields[f"{field}_type"][:] = enum_value(f"{field}_type", "FREE")
        return keys

    @staticmethod
    def read(curve: bpy.types.FCurve) -> Keys:
        points, n = curve.keyframe_points, len(curve.keyframe_points)
        fields: dict[str, NDArray] = {}
        for names, shape, kind in (
            (PAIRS, (n, 2), np.float32),
            (ENUMS, (n,), np.int32),
            (FLOATS, (n,), np.float32),
        ):
            for name in names:
                flat = np.empty(int(np.prod(shape)), dtype=kind)
                points.foreach_get(name, flat)
                fields[name] = flat.reshape(shape)
        return Keys(fields)

    def write(self, curve: bpy.types.FCurve) -> None:
        """Fill an empty curve."""
        curve.keyframe_points.add(len(self))
        for name, values in self.fields.items():
            curve.keyframe_points.foreach_set(name, values.ravel())
        curve.update()


def sampled(curve: bpy.types.FCurve, frames: NDArray) -> Keys:
    """What a curve says at these frames, as keys joined by straight lines."""
    return Keys.linear(frames, np.array([curve.evaluate(float(f)) for f in frames], dtype=np.float32))


def before(curve: bpy.types.FCurve, start: int, samples: range) -> Keys:
    """Keys that keep what a curve says at whole frames before `start`.

    Keys stay as they are; only the piece of the curve that the start cuts is sampled. Where a curve goes on without
    keys (cycles and other modifiers, linear extrapolation), all whole frames of its keys and of `samples` are.
    """
    keys = Keys.read(curve)
    if goes_on(curve):
        return sampled(curve, np.arange(min(samples.start, *np.ceil(keys.frames)), start))
    kept = keys[keys.frames < start]
    if not len(kept) or len(kept) == len(keys):
        return kept
    # Blender places automatic handles by the neighbours: this key's left one must stay where it is.
    kept.fields["handle_left_type"][-1] = enum_value("handle_left_type", "FREE")
    kept.fields["handle_right_type"][-1] = enum_value("handle_right_type", "FREE")
    kept.fields["interpolation"][-1] = enum_value("interpolation", "LINEAR")
    return kept + sampled(curve, np.arange(np.floor(kept.frames[-1]) + 1.0, start))


def after(curve: bpy.types.FCurve, last: int, samples: range) -> Keys:
    """Keys that keep what a curve says at whole frames after `last`; like `before`."""
    keys = Keys.read(curve)
    if goes_on(curve):
        return sampled(curve, np.arange(last + 1.0, max(samples.stop, *np.floor(keys.frames) + 1.0)))
    kept = keys[keys.frames > last]
    if not len(kept) or len(kept) == len(keys):
        return kept
    kept.fields["handle_left_type"][0] = enum_value("handle_left_type", "FREE")
    kept.fields["handle_right_type"][0] = enum_value("handle_right_type", "FREE")
    return sampled(curve, np.arange(last + 1.0, np.ceil(kept.frames[0]))) + kept


def goes_on(curve: bpy.types.FCurve) -> bool:
    """True for a curve that moves beyond its keys."""
    return bool(curve.modifiers) or curve.extrapolation != "CONSTANT" or bool(curve.sampled_points)
