"""Bake to the controls of a rig: what the animator sees and edits is keyed, and the simulated bones follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..motion.rotations import quaternions
from ..recording.cache import Recording, Track
from ..rig.make_physical import is_selected
from ..run import own_pose
from .tracks import ControlTracks, track_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

CLOSE = 1e-4
"""Largest error of a simulated bone that nobody is told, as a fraction of the rig's size."""


def solve_controls(
    obj: bpy.types.Object, recording: Recording, track: Track, only_selected: bool
) -> ControlTracks:
    """Channels of the controls that show a recording, of the selected ones alone where that is wanted.

    Blender shows how far it is.
    """
    manager = bpy.context.window_manager
    manager.progress_begin(0, recording.frame_count)
    try:
        tracks = track_controls(
            bpy.context, obj, recording, track, lambda done, _: manager.progress_update(done)
        )
    finally:
        manager.progress_end()
    if only_selected:
        tracks.keep([name for name in tracks.names if is_selected(obj.pose.bones[name])])
    return tracks


def as_track(tracks: ControlTracks, names: Sequence[str]) -> Track:
    """Channels of controls as those of simulated bones."""
    rotation = np.stack([quaternions(tracks.rotation[name]) for name in names], axis=1)
    location = np.stack([tracks.location[name] for name in names], axis=1)
    scale = np.stack([tracks.scale[name] for name in names], axis=1)
    nothing = np.zeros((0, 0, 4, 4))
    return Track(tuple(names), nothing, location, rotation, scale, np.zeros((len(names), 0)))


def warnings_of(obj: bpy.types.Object, tracks: ControlTracks) -> list[str]:
    """What to tell about a bake to controls."""
    if tracks.error <= CLOSE:
        return []
    return [
        f"'{obj.name}': its controls cannot show all of the simulation: at frame {tracks.worst} a bone is off by "
        f"{100.0 * tracks.error:.2g} % of the rig's size. Bake without To Controls keys the bones themselves"
    ]


def give_back_controls(obj: bpy.types.Object) -> None:
    """Controls have the channels that they had before a bake; simulated bones are left alone."""
    for part in own_pose.shown_parts(obj):
        if isinstance(part, bpy.types.PoseBone) and not part.redmax.physical:
            own_pose.give_back(part)
