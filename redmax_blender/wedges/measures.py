"""What a table says of a run: a few numbers, found frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..bridge.recording.frame_file import StoredFrame

Floats = NDArray[np.float64]

MEASURES = {
    "kinetic_most": "largest kinetic energy [J]",
    "energy_end": "energy at the end [J]",
    "torque_most": "largest torque or force in a joint [N·m, N]",
    "contact_most": "largest force of a contact [N]",
    "travel": "how far the middle of all joints is from where it began [m]",
    "height_end": "height of the middle of all joints at the end [m]",
    "rest_time": "from when on nothing moves by more than a thousandth of the size a second [s]; the end where it does",
}
"""Name -> what it is."""
STILL = 1e-3
"""Of the scene's size, a second."""


@dataclass
class Measured:
    """The measures of a run so far."""

    kinetic: float = 0.0
    torque: float = 0.0
    contact: float = 0.0
    moving: float = 0.0
    """Last time at which something moved [s]."""
    begin: Floats | None = None
    """Middle of the joints at first [m], shape (3,)."""
    size: float = 1.0
    """Of the whole at first [m]."""
    last: StoredFrame | None = None
    origins: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    def add(self, frame: StoredFrame) -> None:
        """Take one more frame."""
        origins = frame.joint_pose[:, 9:]
        points = np.concatenate([origins, frame.x.reshape(-1, 3)])
        if self.begin is None:
            self.begin = points.mean(axis=0)
            self.size = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
        elif self.last is not None:
            dt = float(frame.t) - float(self.last.t)
            moved = np.linalg.norm(points - self.origins, axis=1).max(initial=0.0)
            turned = np.abs(frame.joint_pose[:, :9] - self.last.joint_pose[:, :9]).max(initial=0.0)
            if max(moved / self.size, turned) > STILL * dt:
                self.moving = float(frame.t)
        self.origins, self.last = points, frame
        self.kinetic = max(self.kinetic, float(frame.energy[0]))
        self.torque = max(self.torque, float(np.abs(frame.torque).max(initial=0.0)))
        forces = np.linalg.norm(frame.contact.reshape(-1, 6)[:, 3:], axis=1)
        self.contact = max(self.contact, float(forces.max(initial=0.0)))

    def numbers(self) -> dict[str, float]:
        """By the names of `MEASURES`."""
        if self.last is None or self.begin is None:
            return {}
        middle = self.origins.mean(axis=0)
        return {
            "kinetic_most": self.kinetic,
            "energy_end": float(self.last.energy.sum()),
            "torque_most": self.torque,
            "contact_most": self.contact,
            "travel": float(np.linalg.norm(middle - self.begin)),
            "height_end": float(middle[2]),
            "rest_time": self.moving,
        }
