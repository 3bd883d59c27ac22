"""What a run measured, frame by frame: energies, torques of joints, friction; and how its solver did.

The frames of a run have all of it; what is kept here is enough for graphs, for the overlay and for a report. It is
written beside the recording of the same key. No Blender here: the engine's own process uses it as well.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ...engine.scene import spec

Floats = NDArray[np.float64]

PARTS = ("kinetic", "gravity", "springs")
"""Columns of the energy."""


@dataclass(frozen=True)
class Figures:
    """Measured at nf frames of a run with nj joints and nr coordinates."""

    joints: tuple[str, ...]
    """Names of the joints in the engine: armature/bone, or the name of an empty or a body. Those that close loops and
    rub come last."""
    dof: NDArray[np.int64]
    """Joint j owns the coordinates dof[j, 0]:dof[j, 1], shape (nj, 2); in a loop, columns of friction."""
    energy: Floats
    """Kinetic, in gravity and in springs [J], shape (nf, 3)."""
    torque: Floats
    """Force in each coordinate, that of motors and motions included [N·m, N], shape (nf, nr)."""
    friction: Floats
    """Friction in each coordinate [N·m, N], shape (nf, nr)."""
    contacts: tuple[Floats, ...]
    """Where surfaces press on each other [m], and the force there [N], shape (nc, 6) for each frame."""
    muscles: tuple[str, ...] = ()
    """Names of the muscles."""
    muscle: Floats = field(default_factory=lambda: np.zeros((0, 0, 4)))
    """Length [m], tension [N], activation and fibre length [m] of each muscle, shape (nf, nm, 4)."""

    def joint_torque(self, joint: str) -> Floats:
        """Forces in the coordinates of a joint [N·m, N], shape (nf, n)."""
        begin, end = self.dof[self.joints.index(joint)]
        return self.torque[:, begin:end]

    def friction_torque(self, frame: int) -> dict[str, float]:
        """Size of the friction in each joint at a frame [N·m, N], by the joint's name."""
        frame = min(max(frame, 0), len(self.friction) - 1)
        return {
            name: float(np.linalg.norm(self.friction[frame, begin:end]))
            for name, (begin, end) in zip(self.joints, self.dof)
        }

    def largest_friction(self) -> float:
        """Of all joints and frames [N·m, N]."""
        return max(
            (float(np.linalg.norm(self.friction[:, b:e], axis=1).max()) for b, e in self.dof if e > b),
            default=0.0,
        )

    def muscle_at(self, name: str, frame: int) -> Floats | None:
        """Length, tension, activation and fibre length of a muscle at a frame; None of one that was not simulated."""
        if name not in self.muscles or not len(self.muscle):
            return None
        frame = min(max(frame, 0), len(self.muscle) - 1)
        return np.asarray(self.muscle[frame, self.muscles.index(name)])

    def since(self, frame: int) -> Figures:
        """The same from a frame on."""
        return Figures(
            self.joints,
            self.dof,
            self.energy[frame:],
            self.torque[frame:],
            self.friction[frame:],
            self.contacts[frame:],
            self.muscles,
            self.muscle[frame:],
        )

    def save(self, path: Path) -> None:
        header = np.frombuffer(json.dumps(self.joints).encode(), dtype=np.uint8)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez(
                file,
                joints=header,
                dof=self.dof,
                energy=self.energy,
                torque=self.torque,
                friction=self.friction,
                contact_counts=np.array([len(rows) for rows in self.contacts], dtype=np.int64),
                contacts=np.concatenate([np.zeros((0, 6)), *self.contacts]),
                muscles=np.frombuffer(json.dumps(self.muscles).encode(), dtype=np.uint8),
                muscle=self.muscle,
            )
        part.replace(path)

    @staticmethod
    def load(path: Path) -> Figures:
        """Read what `save` wrote; ValueError for anything else."""
        try:
            with np.load(path, allow_pickle=False) as file:
                ends = np.cumsum(file["contact_counts"])
                return Figures(
                    tuple(json.loads(file["joints"].tobytes())),
                    *(file[name] for name in ("dof", "energy", "torque", "friction")),
                    tuple(np.split(file["contacts"], ends[:-1])),
                    *(
                        (tuple(json.loads(file["muscles"].tobytes())), file["muscle"])
                        if "muscle" in file
                        else ()
                    ),
                )
        except (BadZipFile, KeyError, EOFError, OSError, TypeError, ValueError) as error:
            raise ValueError(f"{path} does not hold the figures of a run: {error}") from error


@dataclass
class FigureLog:
    """Collects figures while a run goes on."""

    made: spec.SceneSpec
    dof: NDArray[np.int64] | None = None
    """Which coordinates each joint owns, shape (nj, 2), once it is known."""
    tally: Any = None
    """Of a run in this process (`engine.run.tally.Tally`)."""
    frames: list[dict[str, Any]] = field(default_factory=list)
    begun: float = field(default_factory=time.perf_counter)
    prepared: float = 0.0
    """Time until the first frame was there [s]: reading, and compiling where that was needed."""

    def add(self, frame: Any) -> None:
        """A frame of the engine, or one that came through a pipe with its figures."""
        if not self.frames:
            self.prepared = self.seconds
        self.frames.append(getattr(frame, "figures", None) or frame_figures(frame, self.tally))

    @property
    def seconds(self) -> float:
        """Since the run began [s]."""
        return time.perf_counter() - self.begun

    @property
    def solver(self) -> dict[str, Any]:
        """What `Tally.summary` says of the run so far."""
        return self.frames[-1].get("solver", {}) if self.frames else {}

    def figures(self) -> Figures:
        """All of it as arrays; there is a frame at least."""
        names = tuple(body.joint.name or body.name for body in self.made.bodies)
        torque = np.array([frame["torque"] for frame in self.frames], float).reshape(len(self.frames), -1)
        loops, spans = loop_joints(self.made, torque.shape[1])
        wide = int(spans.max(initial=torque.shape[1]))
        friction = np.zeros((len(self.frames), wide))
        for row, frame in zip(friction, self.frames):
            known = frame["friction"][:wide]  # frames kept of an earlier run may know more loops
            row[: len(known)] = known
        return Figures(
            joints=(*names, *loops),
            dof=np.concatenate([spans[:0] if self.dof is None else self.dof, spans]),
            energy=np.array([frame["energy"] for frame in self.frames], float),
            torque=np.pad(torque, ((0, 0), (0, wide - torque.shape[1]))),
            friction=friction,
            contacts=tuple(np.array(frame["contact"], float).reshape(-1, 6) for frame in self.frames),
            muscles=tuple(muscle.name for muscle in self.made.muscles),
            muscle=np.array([frame["muscle"] for frame in self.frames], float).reshape(
                len(self.frames), len(self.made.muscles), 4
            ),
        )


def loop_joints(made: spec.SceneSpec, first: int) -> tuple[list[str], NDArray[np.int64]]:
    """Names of the joints that close loops and rub, and columns of their friction, from `first` on, shape (n, 2)."""
    names, spans = [], []
    for loop in made.constraints:
        friction: spec.JointFriction | None = getattr(loop, "friction", None)
        if friction is not None:
            pairs = 2 if isinstance(loop, spec.LoopPiston) and friction.radius > 0.0 else 1
            names.append(loop.name)
            spans.append((first, first + pairs))
            first += pairs
    return names, np.array(spans, np.int64).reshape(-1, 2)


def frame_figures(frame: Any, tally: Any = None) -> dict[str, Any]:
    """Figures of a frame of the engine, as JSON can hold them."""
    return {
        "step": int(frame.step),
        "energy": frame.energy.tolist(),
        "torque": frame.torque.tolist(),
        "friction": frame.friction.tolist(),
        "contact": frame.contact.tolist(),
        "muscle": frame.muscle.tolist(),
        "solver": tally.summary() if tally is not None else {},
    }
