"""Result: all that a bake or a plot needs, as arrays with a leading frame axis, and where it came from."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from ..errors import InputError
from ..model.records import Floats, Ints, Model
from ..model.state import Options, State
from ..scene import SceneSpec
from ..scene.file import encode_scene
from .energy import ENERGIES

if TYPE_CHECKING:
    from .simulate import Frame

ENGINE_VERSION = "1"
"""Raised whenever the same scene and options may give other numbers."""

_FORMAT = "redmax-result"
_VERSION = 1


def run_key(spec: SceneSpec, options: Options) -> str:
    """What a result was computed from: sha256 of the scene, the options and the engine's version."""
    parts = (
        encode_scene(replace(spec, task=None)),  # a run does not depend on what is wanted of it
        json.dumps(asdict(options), sort_keys=True).encode(),
        ENGINE_VERSION.encode(),
    )
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


@dataclass(frozen=True)
class Result:
    """The recording of a run: nf frames of nb bodies, nj joints, nr coordinates and nl links."""

    t: Floats
    """[s], shape (nf,)."""
    step: Ints
    """Number of steps since the start, shape (nf,)."""
    q: Floats
    """[rad, m], shape (nf, nr)."""
    qdot: Floats
    """[rad/s, m/s], shape (nf, nr)."""
    chart: Ints
    """Euler chart of each link, shape (nf, nl)."""
    joint_pose: Floats
    """World pose of each joint's frame, which moves with the body, shape (nf, nj, 12)."""
    body_pose: Floats
    """World pose of each body's frame (centre of mass, principal axes), shape (nf, nb, 12)."""
    energy: Floats
    """[J], columns as in `diagnostics.ENERGIES`, shape (nf, 3)."""
    torque: Floats
    """Total generalized force in each coordinate [N·m, N], shape (nf, nr)."""
    constraint_force: Floats
    """Size of the force that each constraint exerted over the last step [N, N·m], shape (nf, nc)."""
    x: Floats
    """Positions of the vertices of flesh [m], shape (nf, nv, 3)."""
    v: Floats
    """Velocities of the vertices of flesh [m/s], shape (nf, nv, 3)."""
    muscle: Floats
    """Length [m], tension [N], activation and fibre length [m] of each muscle, shape (nf, nm, 4)."""
    dof: Ints
    """Joint j owns the coordinates dof[j, 0]:dof[j, 1], shape (nj, 2)."""
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    kinds: tuple[str, ...]
    """The kind of each joint as the scene file spells it."""
    constraints: tuple[str, ...] = ()
    muscles: tuple[str, ...] = ()
    key: str = ""
    """See `run_key`; empty when the caller did not say."""
    diagnostics: dict[str, Any] = field(default_factory=dict)
    """Wall time by phase and the like; what JSON can hold."""

    def __len__(self) -> int:
        return len(self.t)

    @staticmethod
    def from_frames(
        model: Model, frames: Iterable[Frame], key: str = "", diagnostics: dict[str, Any] | None = None
    ) -> Result:
        """Stack frames as `simulate` yields them; there must be at least one."""
        kept = list(frames)
        if not kept:
            raise InputError(
                "frames", "there are no frames", "Take at least the first frame of the simulation."
            )
        if len({f.state.q.shape for f in kept}) > 1:
            raise InputError(
                "changes",
                "joints come or go while the scene runs, so that its coordinates are not the same throughout",
                "Take the frames one by one, or let constraints come and go instead.",
            )
        return Result(
            t=np.array([f.state.t for f in kept]),
            step=np.array([f.step for f in kept], np.int64),
            q=np.stack([f.state.q for f in kept]),
            qdot=np.stack([f.state.qdot for f in kept]),
            chart=np.stack([f.state.chart for f in kept]),
            joint_pose=np.stack([f.joint_pose for f in kept]),
            body_pose=np.stack([f.body_pose for f in kept]),
            energy=np.stack([f.energy for f in kept]),
            torque=np.stack([f.torque for f in kept]),
            constraint_force=np.stack([f.constraint_force for f in kept]),
            x=np.stack([f.state.x for f in kept]),
            v=np.stack([f.state.v for f in kept]),
            muscle=np.stack([f.muscle for f in kept]),
            dof=model.joints.dof,
            bodies=model.bodies.names,
            joints=model.joints.names,
            kinds=model.joints.kinds,
            constraints=model.constraints.names,
            muscles=() if model.muscles is None else model.muscles.names,
            key=key,
            diagnostics=diagnostics or {},
        )

    def state(self, frame: int) -> State:
        """The state at a frame, from which `simulate` can go on."""
        return State(
            float(self.t[frame]),
            self.q[frame].copy(),
            self.qdot[frame].copy(),
            self.chart[frame].copy(),
            self.x[frame].copy(),
            self.v[frame].copy(),
            self.muscle[frame, :, 2:].copy(),
        )

    def coordinates(self, joint: str) -> slice:
        """The columns of q, qdot and torque that belong to a joint."""
        begin, end = self.dof[self.joints.index(joint)].tolist()
        return slice(begin, end)

    def energies(self, frame: int) -> dict[str, float]:
        """Each part of the energy at a frame [J], with `potential` and `total`."""
        parts = dict(zip(ENERGIES, self.energy[frame].tolist(), strict=True))
        potential = float(self.energy[frame, 1:].sum())
        return {**parts, "potential": potential, "total": parts["kinetic"] + potential}

    def save(self, path: str | Path) -> None:
        """Write an .npz file. A file of that name is replaced only when the new one is complete."""
        path = Path(path)
        texts = {name: getattr(self, name) for name in _TEXTS}
        header = json.dumps({"format": _FORMAT, "version": _VERSION, **texts}).encode()
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        try:
            handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    np.savez(file, header=np.frombuffer(header, np.uint8), **arrays)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(
                str(path), f"the result cannot be written ({reason})", "Choose another place."
            ) from None

    @staticmethod
    def load(path: str | Path) -> Result:
        """Read what `save` wrote."""
        if not Path(path).exists():
            raise InputError(str(path), "there is no such file", "Check the path.")
        try:
            with np.load(path, allow_pickle=False) as file:
                header = json.loads(file["header"].tobytes())
                if header["format"] != _FORMAT or header["version"] != _VERSION:
                    raise ValueError(header["format"])
                kept: dict[str, Any] = {name: file[name] for name in _ARRAYS if name != "muscle"}
                # older files know nothing of muscles
                kept["muscle"] = file["muscle"] if "muscle" in file else np.zeros((len(kept["t"]), 0, 4))
                header.setdefault("muscles", [])
            for name in _TEXTS:
                kept[name] = tuple(header[name]) if isinstance(header[name], list) else header[name]
        except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile):
            raise InputError(
                str(path),
                "this is not a complete RedMax result",
                "Run the simulation again to write it anew.",
            ) from None
        return Result(**kept)


_TEXTS = ("bodies", "joints", "kinds", "constraints", "muscles", "key", "diagnostics")
_ARRAYS = tuple(f.name for f in fields(Result) if f.name not in _TEXTS)
