"""What a person did in a live run, frame by frame, as changes and pulls of the scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from ..model.records import Floats
from ..scene import Change, Pull, SceneSpec
from ..scene.base import Vec3
from ..scene.change_values import difference, plain, with_values


@dataclass
class _Hold:
    """A hand at work: frames, and where it goes in each."""

    body: str
    place: Vec3
    begin: int
    frames: list[int] = field(default_factory=list)
    places: list[Vec3] = field(default_factory=list)
    end: int | None = None


class TakeLog:
    """Notes of a live run that began with a scene at a time [s], a frame taking so long [s]."""

    def __init__(self, spec: SceneSpec, start: float, duration: float) -> None:
        self.spec, self.start, self.duration = spec, start, duration
        self.changes: list[tuple[int, Change]] = []
        self.holds: list[_Hold] = []

    def time(self, frame: int) -> float:
        """[s]"""
        return self.start + frame * self.duration

    def change(self, frame: int, before: SceneSpec, after: SceneSpec, over: float) -> None:
        values = difference(plain(before), plain(after))
        self.changes.append((frame, Change(self.time(frame), values, over)))

    def grab(self, frame: int, body: str, place: Sequence[float]) -> None:
        self.holds.append(_Hold(body, _vec(place), frame))

    def pull(self, frame: int, target: Floats) -> None:
        """The hand goes there in this frame."""
        hold = self.holds[-1]
        place = _vec(target.tolist())
        if place != (hold.places[-1] if hold.places else hold.place):
            hold.frames.append(frame)
            hold.places.append(place)

    def let_go(self, frame: int) -> None:
        if self.holds and self.holds[-1].end is None:
            self.holds[-1].end = frame

    def forget(self, frame: int, then: SceneSpec) -> None:
        """What was done from a frame on; the run goes on from there as after a change."""
        self.holds = [hold for hold in self.holds if hold.begin < frame]
        for hold in self.holds:
            kept = sum(n < frame for n in hold.frames)
            del hold.frames[kept:], hold.places[kept:]
            hold.end = frame if hold.end is None else min(hold.end, frame)
        self.changes = [(n, change) for n, change in self.changes if n < frame]
        now = plain(self.spec)
        for _, change in self.changes:
            now = with_values(now, change.set)
        self.changes.append((frame, Change(self.time(frame), difference(now, plain(then)), 0.0)))

    def scene(self, end: int) -> SceneSpec:
        """The scene with all of it, up to a frame."""
        time = msgspec.structs.replace(self.spec.time, end=self.time(end))
        pulls = []
        for hold in self.holds:
            last = end if hold.end is None else min(hold.end, end)
            if hold.begin >= last:
                continue
            kept = sum(n < last for n in hold.frames)
            times = [self.time(n) for n in (hold.begin, *hold.frames[:kept], last)]
            pulls.append(Pull(hold.body, hold.place, times, hold.places[:kept]))
        changes = [change for n, change in self.changes if n < end]
        return msgspec.structs.replace(self.spec, time=time, changes=changes, pulls=pulls)


def _vec(place: Sequence[float]) -> Vec3:
    x, y, z = (float(c) for c in place)
    return (x, y, z)
