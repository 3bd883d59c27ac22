"""The user's own pose of bones and objects, kept in the file while their channels show a simulation."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bake.channels import CHANNELS, WIDTH, read_channels, write_channels
from ..mechanism.parts import Part, channel_path, parts_of

Floats = NDArray[np.float64]


def is_on(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether the object shows a recording, if there is one."""
    settings = obj.redmax
    if not settings.result or settings.is_baked:
        return False
    return bool(scene.redmax.show_simulation and settings.show_simulation)


def hold(part: Part) -> bool:
    """Keep the part's channels before a simulation is shown in them; False where they are kept already."""
    if part.redmax.is_shown:
        return False
    hold_row(part, read_channels([part])[0])
    return True


def hold_row(part: Part, row: Floats) -> None:
    """Keep a row of `channels.read_channels` as the part's own pose; its channels show a simulation."""
    part.redmax.own_pose = row
    part.redmax.is_shown = True


def own_row(part: Part) -> Floats:
    """The part's own pose, a row of `channels.read_channels`."""
    if part.redmax.is_shown:
        return np.array(part.redmax.own_pose, dtype=float)
    return read_channels([part])[0]


def write_own(part: Part, but: Collection[str] = frozenset()) -> None:
    """Give the channels their own values for a while; the part counts as showing a simulation all the same.

    but: data paths of channels that are left as they are.
    """
    if not part.redmax.is_shown:
        return
    row, now = own_row(part), read_channels([part])[0]
    at = 0
    for channel, size in CHANNELS:
        if channel_path(part, channel) in but:
            row[at : at + size] = now[at : at + size]
        at += size
    write_channels(part, row)


def give_back(part: Part) -> None:
    """The channels have their own values again."""
    if part.redmax.is_shown:
        write_own(part)
        release(part)


def release(part: Part) -> None:
    """What the channels say now is the part's own pose."""
    if part.redmax.is_shown:
        part.redmax.is_shown = False
        part.redmax.own_pose = (0.0,) * WIDTH


def shown_parts(obj: bpy.types.Object) -> list[Part]:
    """Parts of an object whose channels show a simulation."""
    return [part for part in parts_of(obj) if part.redmax.is_shown]


def states(parts: Iterable[Part]) -> list[Floats | None]:
    """The own pose of each part that shows a simulation, None for the others: for `restore`."""
    return [own_row(part) if part.redmax.is_shown else None for part in parts]


def restore(parts: Iterable[Part], before: Iterable[Floats | None]) -> None:
    """As it was when `states` was called; channels are left alone."""
    for part, row in zip(parts, before):
        if row is None:
            release(part)
        else:
            hold_row(part, row)
