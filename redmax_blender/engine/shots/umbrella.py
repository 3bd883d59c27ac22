"""An umbrella: eight ribs on a tube, eight stretchers from the runner to the ribs, a canopy of springs between ribs.

Ribs and stretchers are chains of rods on universal joints; the tip of every stretcher is held on its rib by a loop
closure. It opens by a force on the runner, as published, or by a runner that is moved along a curve. There is no
gravity. The published numbers have no units; lengths and times are read as metres and seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, cos, pi, radians, sin, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ..algebra import se3
from ..errors import InputError
from ..scene import (
    BodySpec,
    Constant,
    Cylinder,
    Fixed,
    ForceSpec,
    JointSpec,
    LoopPoint,
    Point,
    PointForce,
    Pose,
    Prismatic,
    SceneSpec,
    SmoothStep,
    Spring,
    TimeSpec,
    Universal,
    Vec3,
)

if TYPE_CHECKING:
    from ..run.result import Result

Floats = NDArray[np.float64]

RIBS = 8
DENSITY = 1.0
"""[kg/m³]"""
TUBE_HEIGHT = 60.0
"""The ribs hang on its top [m]."""
RUNNER_AT = 10.0
"""Height of the runner while the umbrella is closed [m]."""
RIB_LENGTH = 50.0
CLOSED = radians(80.0)
"""Angle of the closed ribs below the horizontal [rad]."""
OPEN = radians(20.0)
"""The same of the stiff mechanism, where the moved runner ends [rad]."""
PUSH = 5000.0
"""Force on the runner [N]."""
ROD_STIFFNESS, ROD_DAMPING = 1e5, 1.0
"""Of the joints within ribs and stretchers [N·m/rad, N·m·s/rad]."""
CANOPY = {"video": 6.0, "sim": 1.0}
"""Stiffness of the canopy's springs per strain [N], in the published settings."""
CANOPY_DAMPING = 1.0
"""Per strain rate [N·s]."""
STABILISATION = 0.0
"""Published rate at which Euler removes errors of the loops [1/s]: not at all. The default is to project positions."""


@dataclass(frozen=True)
class Umbrella:
    n: int = 4
    """Rods of each rib; a stretcher has half as many."""
    parameters: Literal["video", "sim"] = "video"
    driven: Literal["force", "runner"] = "force"
    """Whether a constant force pushes the runner, or a prescribed motion opens the umbrella smoothly."""
    up: Literal["y", "z"] = "y"
    """The upward axis: y as published, or Blender's z."""

    def __post_init__(self) -> None:
        if self.n < 2:
            raise InputError("umbrella", f"its ribs have {self.n} rods", "Give at least 2.")

    @property
    def half(self) -> int:
        """Rods of each stretcher."""
        return self.n // 2

    @property
    def rib_rod(self) -> float:
        """Length of a rib's rods [m]."""
        return RIB_LENGTH / self.n

    @property
    def held_at(self) -> float:
        """Where the stretcher holds the rib, from its pivot [m]: the middle of a rod."""
        return (self.half - 0.5) * self.rib_rod

    @property
    def stretcher(self) -> float:
        """Length of a stretcher [m]."""
        rise = TUBE_HEIGHT - RUNNER_AT - self.held_at * sin(CLOSED)
        return sqrt(rise**2 + (self.held_at * cos(CLOSED)) ** 2)

    @property
    def travel(self) -> float:
        """Way of the runner from closed to open [m]."""
        out = self.held_at * cos(OPEN)
        height = TUBE_HEIGHT - self.held_at * sin(OPEN) - sqrt(self.stretcher**2 - out**2)
        return height - RUNNER_AT

    def rib(self, k: int, i: int) -> str:
        return f"rib.{k + 1}.{i + 1:03d}"

    def strut(self, k: int, i: int) -> str:
        return f"stretcher.{k + 1}.{i + 1:03d}"


def spec(
    umbrella: Umbrella | None = None, *, end: float = 5.0, step: float = 0.01, opening: float = 3.0
) -> SceneSpec:
    """The umbrella as a scene, closed and at rest.

    opening: how long the moved runner takes [s]; it starts after 0.2 s.
    """
    umbrella = umbrella or Umbrella()
    upright = Pose() if umbrella.up == "y" else Pose(rotation=[pi / 2, 0.0, 0.0])
    lying = [pi / 2, 0.0, 0.0]  # takes the cylinders' axis from z to the tube's
    stands = JointSpec(Fixed(), frame=upright)
    slides = JointSpec(
        Prismatic(axis=(0.0, 1.0, 0.0)),
        frame=Pose(position=(0.0, RUNNER_AT, 0.0)),
        motion=[SmoothStep(t0=0.2, t1=0.2 + opening, end=umbrella.travel)]
        if umbrella.driven == "runner"
        else [],
    )
    bodies = [
        _body("tube", None, 0.5, TUBE_HEIGHT, Pose((0.0, 0.5 * TUBE_HEIGHT, 0.0), lying), stands),
        _body("runner", "tube", 1.0, 5.0, Pose(rotation=lying), slides),
    ]
    for k in range(RIBS):
        names = [umbrella.rib(k, i) for i in range(umbrella.n)]
        bodies += _rods(names, "tube", (0.0, TUBE_HEIGHT, 0.0), _turned(k, CLOSED), umbrella.rib_rod)
    lean = acos(umbrella.held_at * cos(CLOSED) / umbrella.stretcher)
    for k in range(RIBS):
        names = [umbrella.strut(k, i) for i in range(umbrella.half)]
        rod = umbrella.stretcher / umbrella.half
        bodies += _rods(names, "runner", (0.0, 0.0, 0.0), _turned(k, -lean), rod)
    forces: list[ForceSpec] = list(_canopy(umbrella))
    if umbrella.driven == "force":
        push: Vec3 = (0.0, PUSH, 0.0) if umbrella.up == "y" else (0.0, 0.0, PUSH)
        forces.append(PointForce(body="runner", force=[Constant(value) for value in push], name="push"))
    return SceneSpec(
        name="umbrella",
        gravity=(0.0, 0.0, 0.0),
        bodies=bodies,
        forces=forces,
        constraints=[_closure(umbrella, k) for k in range(RIBS)],
        integrator="euler",
        time=TimeSpec(end=end, step=step),
    )


def _body(
    name: str, parent: str | None, radius: float, height: float, pose: Pose, joint: JointSpec
) -> BodySpec:
    shape = Cylinder(radius=radius, height=height)
    return BodySpec(
        name=name, parent=parent, shape=shape, pose=pose, joint=joint, density=DENSITY, damping=1.0
    )


def _turned(k: int, tilt: float) -> list[float]:
    """Quaternion of rib k: about the tube by k eighths of a turn, after a tilt about x."""
    R = se3.exp_so3(np.array([0.0, 2.0 * pi * k / RIBS, 0.0])) @ se3.exp_so3(np.array([tilt, 0.0, 0.0]))
    return [float(x) for x in se3.quaternion(R)]


def _rods(names: list[str], parent: str, at: Vec3, rotation: list[float], length: float) -> list[BodySpec]:
    """A chain of rods along z, its first joint limp."""
    bodies = []
    for i, name in enumerate(names):
        if i:
            frame = Pose(position=(0.0, 0.0, length))
            joint = JointSpec(Universal(), frame=frame, stiffness=ROD_STIFFNESS, damping=ROD_DAMPING)
        else:
            joint = JointSpec(Universal(), frame=Pose(at, rotation))
        middle = Pose(position=(0.0, 0.0, 0.5 * length))
        bodies.append(_body(name, names[i - 1] if i else parent, 0.3, length, middle, joint))
    return bodies


def _canopy(umbrella: Umbrella) -> list[Spring]:
    """A spring between each rod's centre and that of the next rib's rod."""
    springs = []
    for k in range(RIBS):
        for i in range(umbrella.n):
            rest = 2.0 * (i + 0.5) * umbrella.rib_rod * cos(CLOSED) * sin(pi / RIBS)
            springs.append(
                Spring(
                    points=[Point(body=umbrella.rib(k, i)), Point(body=umbrella.rib((k + 1) % RIBS, i))],
                    stiffness=CANOPY[umbrella.parameters] / rest,
                    damping=CANOPY_DAMPING / rest,
                    rest_length=rest,
                    tangent="axial",
                    name=f"canopy.{k + 1}.{i + 1:03d}",
                )
            )
    return springs


def _closure(umbrella: Umbrella, k: int) -> LoopPoint:
    """The tip of stretcher k in the middle of a rod of rib k; the direction along its hinge is held by symmetry."""
    tip = (0.0, 0.0, 0.5 * umbrella.stretcher / umbrella.half)
    return LoopPoint(
        a=Point(body=umbrella.strut(k, umbrella.half - 1), position=tip),
        b=Point(body=umbrella.rib(k, umbrella.half - 1)),
        perpendicular_to=(1.0, 0.0, 0.0),
        name=f"closure.{k + 1}",
    )


def check(result: Result, umbrella: Umbrella | None = None, *, gap: float = 1e-4) -> None:
    """Raise AssertionError when a run of the umbrella is not physical.

    gap: how far a stretcher's tip may be from its rib, as a fraction of the tube's height.
    """
    umbrella = umbrella or Umbrella()
    if not np.isfinite(result.q).all():
        raise AssertionError("umbrella: a coordinate is not a number")
    _check_closures(result, umbrella, gap)
    tips = _tips(result, umbrella)
    turned = np.einsum("kij,fkj->fki", np.array([_turn(-k) for k in range(RIBS)]), tips)
    crooked = float(np.abs(turned - turned[:, :1]).max()) / RIB_LENGTH
    if crooked > 1e-3:
        raise AssertionError(
            f"umbrella: its ribs differ by {crooked:.2g} of their length, but it is symmetric"
        )
    runner = result.q[:, result.coordinates("runner")][:, 0]
    kinetic, stored = result.energy[:, 0], result.energy[:, 2]
    if umbrella.driven == "force":
        work = PUSH * (runner - runner[0])
        excess = float((kinetic + stored - work).max())
        if excess > 0.01 * max(float(work.max()), 1.0):
            raise AssertionError(f"umbrella: it holds {excess:.3g} J more than the push has given it")
        if not runner[-1] > runner[0]:
            raise AssertionError("umbrella: the push does not lift the runner")
        return
    spread = np.linalg.norm(tips[:, 0, [0, 2]], axis=1)
    if runner[-1] > 0.999 * umbrella.travel and not spread[-1] > 0.8 * RIB_LENGTH:
        raise AssertionError(f"umbrella: open, its tips are only {spread[-1]:.3g} m from the tube")


def _turn(k: int) -> Floats:
    return np.asarray(se3.exp_so3(np.array([0.0, 2.0 * pi * k / RIBS, 0.0])))


def _tips(result: Result, umbrella: Umbrella) -> Floats:
    """Where the ribs end, y being up [m], shape (frames, RIBS, 3)."""
    last = [result.bodies.index(umbrella.rib(k, umbrella.n - 1)) for k in range(RIBS)]
    pose = result.joint_pose[:, last]
    tips = pose[:, :, 9:] + umbrella.rib_rod * pose[:, :, [2, 5, 8]]
    if umbrella.up == "z":
        tips = tips[:, :, [0, 2, 1]] * np.array([1.0, 1.0, -1.0])
    return np.asarray(tips)


def _check_closures(result: Result, umbrella: Umbrella, gap: float) -> None:
    half = umbrella.half
    for k in range(RIBS):
        strut = result.body_pose[:, result.bodies.index(umbrella.strut(k, half - 1))]
        rib = result.body_pose[:, result.bodies.index(umbrella.rib(k, half - 1))]
        tip = strut[:, 9:] + 0.5 * umbrella.stretcher / half * strut[:, [2, 5, 8]]
        apart = float(np.linalg.norm(tip - rib[:, 9:], axis=1).max()) / TUBE_HEIGHT
        if apart > gap:
            raise AssertionError(
                f"umbrella: stretcher {k + 1} leaves its rib by {apart:.2g} of the tube's height"
            )
