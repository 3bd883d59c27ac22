"""What may change to reach goals, as parameters of the engine, and how to find the settings again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import spec, task
from ..motion.sample_motion import first_frame
from ..read.scene import Reading
from .places import Bones, Places

Floats = NDArray[np.float64]

OF_BONES = ("TORQUE", "SPEEDS", "STIFFNESS", "DAMPING", "MASS", "PUSH")
"""Changes that may be of bones."""
OVER_TIME = ("TORQUE", "EXCITATION")
"""Changes of curves with knots."""


@dataclass(frozen=True)
class Change:
    """A setting that the search may change, and which of its numbers are the setting's."""

    kind: str
    object: str
    first: int
    """Number of its first parameter."""
    count: int
    axes: Floats = field(default_factory=lambda: np.eye(3))
    """Axes along which its numbers are, as columns in the world, shape (3, 3)."""
    bones: tuple[str, ...] = ()
    frames: tuple[int, ...] = ()
    """Frames of its knots, or of a push."""

    def of(self, values: Floats) -> Floats:
        return np.asarray(values[self.first : self.first + self.count])


def parameters_of(
    scene: bpy.types.Scene, reading: Reading, places: Places, change: Any, i: int, first: int
) -> list[tuple[Any, Change]]:
    """Parameters of one entry, the numbers of which begin at `first`, and what they are."""
    maker = _Maker(scene, reading, places, change, i, first)
    if not maker.largest > 0.0:
        raise SceneError(maker.place, "the largest value is zero", "Give one above zero.")
    return list(maker.make())


class _Maker:
    def __init__(
        self, scene: bpy.types.Scene, reading: Reading, places: Places, change: Any, i: int, first: int
    ) -> None:
        self.scene, self.reading, self.places, self.change = scene, reading, places, change
        self.place, self.kind, self.obj = f"Change {i + 1}", change.kind, change.object
        self.largest, self.at = float(change.largest), first
        self.bones = Bones(scene, reading, self.obj)

    def make(self) -> Iterator[tuple[Any, Change]]:
        of_bones = self.obj is not None and self.obj.type == "ARMATURE"
        match self.kind:
            case "EXCITATION":
                yield self.excitation()
            case "TORQUE":
                yield from self.torques()
            case "SPEEDS":
                yield from self.speeds()
            case "STIFFNESS" | "DAMPING" | "MASS" if of_bones:
                yield self.factor()
            case "STIFFNESS" | "DAMPING":
                raise self.error("only joints of bones have it", "Choose an armature.")
            case "PUSH" if of_bones:
                (bone,) = self.chosen(1)
                yield self.push(self.bones.bodies[bone], (bone,))
            case "PUSH":
                yield self.push(self.body().name, ())
            case "MASS":
                yield self.mass()
            case "FRICTION":
                yield self.friction()
            case _:
                yield self.start()

    def error(self, problem: str, remedy: str) -> SceneError:
        return SceneError(self.place, problem, remedy)

    def taken(self, parameter: Any, count: int, **more: Any) -> tuple[Any, Change]:
        found = Change(self.kind, self.obj.name, self.at, count, **more)
        self.at += count
        return parameter, found

    def chosen(self, most: int = 10**9) -> list[str]:
        """The bone, or all physical ones."""
        bones, name = self.bones, self.change.bone
        if bones.rig is None:
            raise self.error(
                "it is about no armature with physical bones", "Choose one, or press Make Physical for it."
            )
        if name and name not in bones.bodies:
            raise self.error(
                f"'{name}' is not a physical bone of '{self.obj.name}'", "Choose one of its physical bones."
            )
        if not name and most == 1:
            raise self.error("it is about no bone", "Choose one of the armature's physical bones.")
        return [name] if name else list(bones.bodies)

    def body(self) -> spec.BodySpec:
        """Of an object."""
        names = {each.name for each in self.reading.objects}
        if self.obj is None or self.obj.name not in names or self.obj.name not in self.places.bodies:
            about = "nothing" if self.obj is None else f"'{self.obj.name}', which is not an active body"
            raise self.error(f"it is about {about}", "Choose a mesh object that is an active body.")
        return self.places.bodies[self.obj.name]

    def knots(self) -> tuple[tuple[int, ...], list[float]]:
        """Frames and times [s] of the knots of a curve, evenly over the run."""
        first, last = first_frame(self.scene), self.reading.frame_end
        frames = np.unique(np.round(np.linspace(first, last, int(self.change.knots))).astype(int))
        return tuple(int(f) for f in frames), [float(f - first) / self.reading.fps for f in frames]

    def torques(self) -> Iterator[tuple[Any, Change]]:
        frames, times = self.knots()
        found = False
        for bone in self.chosen():
            body = self.places.bodies[self.bones.bodies[bone]]
            count = len(body.joint.q) if isinstance(body.joint.q, list) else 0
            if not 1 <= count <= 3:
                continue
            found = True
            yield self.taken(
                task.TorqueParameter(
                    joint=body.joint.name or body.name, times=times, interpolation="linear", lower=-self.largest,
                    upper=self.largest, scale=0.2 * self.largest, name=f"torque {bone}",
                ),
                count * len(times), bones=(bone,), frames=frames,
            )  # fmt: skip
        if not found:
            raise self.error("there is no joint that turns or slides", "Choose bones with other joints.")

    def speeds(self) -> Iterator[tuple[Any, Change]]:
        found = False
        for bone in self.chosen():
            body = self.places.bodies[self.bones.bodies[bone]]
            count = len(body.joint.q) if isinstance(body.joint.q, list) else 0
            if not count:
                continue
            found = True
            yield self.taken(
                task.StartVelocityParameter(
                    joint=body.joint.name or body.name, lower=-self.largest, upper=self.largest,
                    scale=0.25 * self.largest, name=f"start speed {bone}",
                ),
                count, bones=(bone,),
            )  # fmt: skip
        if not found:
            raise self.error("there is no joint that moves", "Choose bones with other joints.")

    def factor(self) -> tuple[Any, Change]:
        """One factor for all the bones."""
        bones = self.chosen()
        paths: list[list[str | int]] = []
        for bone in bones:
            body = self.places.bodies[self.bones.bodies[bone]]
            if self.kind == "MASS":
                paths.append(["bodies", body.name, "density" if body.mass is None else "mass"])
            else:
                number = body.joint.stiffness if self.kind == "STIFFNESS" else body.joint.damping
                if isinstance(number, float) and number > 0.0 and not isinstance(body.joint.type, spec.Fixed):
                    paths.append(["bodies", body.name, "joint", self.kind.lower()])
        if not paths:
            raise self.error("it is zero for all of the bones", "Give a value to begin with (Bone panel).")
        if self.largest <= 1.0:
            raise self.error("the largest factor is not above 1", "Give a larger one, such as 20.")
        return self.taken(self.scaled(list(paths), self.kind.lower()), 1, bones=tuple(bones))

    def scaled(self, paths: Any, what: str) -> Any:
        return task.FactorParameter(
            paths=paths, lower=1.0 / self.largest, upper=self.largest, scale=0.5, name=f"{self.place}: {what}"
        )

    def mass(self) -> tuple[Any, Change]:
        body = self.body()
        path: list[str | int] = ["bodies", body.name, "density" if body.mass is None else "mass"]
        return self.taken(self.scaled([path], "mass"), 1)

    def push(self, body: str, bones: tuple[str, ...]) -> tuple[Any, Change]:
        frame, long = int(self.change.frame), int(self.change.duration)
        first, fps = first_frame(self.scene), self.reading.fps
        if not first <= frame < self.reading.frame_end:
            raise self.error(
                f"frame {frame} is outside of the simulation, frames {self.reading.frame_start} to "
                f"{self.reading.frame_end}",
                "Choose a frame of the range, or change the range.",
            )
        # Keys are read with straight lines between frames: the same impulse, at the same time on average
        at = max((frame - first - 0.5) / fps, 0.0)
        parameter = task.PushParameter(
            body=body, time=at, duration=long / fps, lower=-self.largest, upper=self.largest,
            scale=0.25 * self.largest, name=f"push {body}",
        )  # fmt: skip
        return self.taken(parameter, 3, bones=bones, frames=(frame, frame + long))

    def excitation(self) -> tuple[Any, Change]:
        muscles = {each.name for each in self.reading.scene.muscles}
        if self.obj is None or self.obj.name not in muscles:
            raise self.error("it is about no muscle", "Choose a curve that is a muscle.")
        frames, times = self.knots()
        parameter = task.CurveParameter(
            path=["muscles", self.obj.name, "excitation"], times=times, lower=0.0, upper=min(self.largest, 1.0),
            scale=0.3, name=f"excitation {self.obj.name}",
        )  # fmt: skip
        return self.taken(parameter, len(times), frames=frames)

    def friction(self) -> tuple[Any, Change]:
        body = self.body()
        if body.surface is None:
            raise self.error(f"'{self.obj.name}' touches nothing", "Let it collide, in the Contact panel.")
        parameter = task.ValueParameter(
            path=["bodies", self.obj.name, "surface", "friction"], name=f"{self.place}: {self.obj.name}", lower=0.0,
            upper=self.largest, scale=0.5,
        )  # fmt: skip
        return self.taken(parameter, 1)

    def start(self) -> tuple[Any, Change]:
        """Where a free body starts, and how fast."""
        body = self.body()
        if not isinstance(body.joint.type, spec.Free) or body.joint.motion:
            raise self.error(
                f"'{self.obj.name}' does not move freely at the start",
                "Choose a body that hangs on nothing, or let something else change.",
            )
        if self.kind != "PLACE" and not self.scene.redmax.use_start_velocity:
            raise self.error(
                "simulations start at rest", "Switch on Inherit Velocity, in the Simulate panel."
            )
        joint, name = body.joint.name or body.name, f"{self.place}: {self.obj.name}"
        axes = self.places.axes(self.obj.name)
        if self.kind == "PLACE":
            now = [float(x) for x in np.broadcast_to(np.array(body.joint.q or 0.0, float), (6,))[:3]]
            parameter: Any = task.StartParameter(
                joint=joint, coordinates=[0, 1, 2], lower=[x - self.largest for x in now],
                upper=[x + self.largest for x in now], scale=0.25 * self.largest, name=name,
            )  # fmt: skip
            return self.taken(parameter, 3, axes=axes)
        own: list[int] = [0, 1, 2] if self.kind == "VELOCITY" else [3, 4, 5]
        parameter = task.StartVelocityParameter(
            joint=joint, coordinates=own, lower=-self.largest, upper=self.largest, scale=0.25 * self.largest, name=name,
        )  # fmt: skip
        return self.taken(parameter, 3, axes=axes)
