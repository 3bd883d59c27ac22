"""A simulation shown as it comes: what it has so far stands in for the recording that is shown, until it is finished.

Nothing of it is in the file but the pose that it started from, which is the user's own.
"""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ..mechanism.object_reading import object_motion, object_tracks
from ..motion.retarget import bone_poses, make_track
from ..recording import cache, playback
from ..recording.cache import Recording, Track
from .simulate_scene import Simulation, begin


class Coming:
    """The frames of a simulation so far. `show` takes in what has come; `end` lets the old recording be shown again."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.made = 0
        """Frames of the run that are in the tracks, those of the pre-roll included."""
        self.tracks: dict[str, Track] = {}

    def show(self, context: bpy.types.Context) -> bool:
        """Show what has come since the last time; False where that is nothing, or no recording is shown."""
        run, scene = self.simulation, context.scene
        if run.done < self.made:  # it has begun again
            self.made, self.tracks = 0, {}
        first, last = max(self.made, run.skipped), run.done
        if last <= first:
            return False
        names = [rig.name for rig in run.reading.rigs] + [thing.name for thing in run.reading.objects]
        shown = [scene.objects[name] for name in names if name in scene.objects]
        if len(shown) < len(names) or not all(obj.redmax.result for obj in shown):
            return False
        before = self.tracks
        came = self.make(scene, first, last)
        self.tracks = {name: _joined(before.get(name), track) for name, track in came.items()}
        self.made = last
        reading = run.reading
        for obj in shown:
            recording = Recording(obj.redmax.result, reading.frame_start, reading.frame_end, self.tracks)
            cache.stand_in(obj.redmax.result, recording)
        if not before:
            for obj in shown:
                begin(obj, scene, self.tracks[obj.name])
        playback.show_frame(scene)
        return True

    def make(self, scene: bpy.types.Scene, first: int, last: int) -> dict[str, Track]:
        """Tracks of the run's frames from `first` up to `last`."""
        run = self.simulation
        poses = np.stack(run.joint_poses[first:last])
        tracks: dict[str, Track] = {}
        at = 0
        for rig, chain in zip(run.reading.rigs, run.chains):
            samples = run.reading.samples[rig.name]
            still = samples.poses[samples.lead :, [samples.column[name] for name in rig.bones]]
            posed = bone_poses(rig, poses[:, at : at + len(rig.bones)], first)
            tracks[rig.name] = make_track(scene.objects[rig.name], rig, chain, posed, still, first)
            at += len(rig.bones)
        if run.reading.objects:
            column = {body.name: i for i, body in enumerate(run.reading.scene.bodies)}
            with_start = np.concatenate([run.joint_poses[0][None], poses])
            things = [
                thing
                if thing.parent_moves is None
                else replace(thing, parent_moves=thing.parent_moves[[0, *range(first, last)]])
                for thing in run.reading.objects
            ]
            motions = {
                thing.name: object_motion(with_start[:, column[thing.name]], run.unit) for thing in things
            }
            tracks |= {name: track.since(1) for name, track in object_tracks(things, motions).items()}
        return tracks

    def end(self, scene: bpy.types.Scene) -> None:
        """The recordings themselves are shown; harmless when they are."""
        if cache.stand_in_no_more():
            playback.show_frame(scene)


def _joined(before: Track | None, after: Track) -> Track:
    """One track after the other."""
    if before is None:
        return after
    turn = np.sum(before.quaternion[-1] * after.quaternion[0], axis=-1)
    quaternion = after.quaternion * np.where(turn < 0.0, -1.0, 1.0)[:, None]
    return replace(
        before,
        pose=np.concatenate([before.pose, after.pose]),
        location=np.concatenate([before.location, after.location]),
        quaternion=np.concatenate([before.quaternion, quaternion]),
        scale=np.concatenate([before.scale, after.scale]),
    )
