"""A hanging chain of links whose hinge axes alternate, let go from a raised and slightly curled pose.

It swings in one plane and, through every second hinge, winds out of it. Nothing drives it, so its energy can
only go into the dampers of its hinges: without damping it is constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, radians, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..scene import BodySpec, Capsule, JointSpec, Revolute, SceneSpec, TimeSpec
from ..scene.base import Pose, Vec3

if TYPE_CHECKING:
    from ..run.result import Result

Floats = NDArray[np.float64]

DENSITY = 1000.0
"""[kg/m³]"""
GRAVITY = 9.81
"""[m/s²], downwards."""


@dataclass(frozen=True)
class Chain:
    """Its sizes and its start. Link i hangs on hinge i; y runs along each link, from hinge to hinge."""

    links: int = 8
    length: float = 0.2
    """From hinge to hinge [m]."""
    thick: float = 0.095
    """Radius of the first link [m]."""
    thin: float = 0.05
    """Radius of the last link [m]."""
    height: float = 1.8
    """Of the first hinge above the ground [m]."""
    raised: float = radians(100.0)
    """How far the first link starts from hanging straight down, towards +x [rad]."""
    curl: tuple[float, float] = (radians(8.0), radians(20.0))
    """Start angle of the other even and odd hinges [rad]."""
    damping: float = 0.1
    """Of every hinge [N·m·s/rad]."""

    def name(self, i: int) -> str:
        return f"link.{i + 1:03d}"

    def axis(self, i: int) -> Vec3:
        """Hinge axis in the link's frame; even hinges swing a straight chain in the world's xz plane."""
        return (0.0, 0.0, 1.0) if i % 2 == 0 else (1.0, 0.0, 0.0)

    def angle(self, i: int) -> float:
        """Start angle of hinge i [rad]."""
        return -self.raised if i == 0 else self.curl[i % 2]

    def radius(self, i: int) -> float:
        """Of link i [m]."""
        return self.thick + (self.thin - self.thick) * i / max(self.links - 1, 1)

    def mass(self, i: int) -> float:
        """Of link i, a capsule that ends at its hinges [kg]."""
        r = self.radius(i)
        return DENSITY * pi * r**2 * (self.length - 2 * r / 3)


def spec(
    chain: Chain | None = None, *, end: float = 4.0, step: float = 1.0 / 240.0, integrator: str = "sdirk2"
) -> SceneSpec:
    """The chain as a scene. Its first frame has y pointing down: link frames are those of Blender bones."""
    chain = chain or Chain()
    bodies = []
    for i in range(chain.links):
        root = i == 0
        radius = chain.radius(i)
        bodies.append(
            BodySpec(
                name=chain.name(i),
                parent=None if root else chain.name(i - 1),
                density=DENSITY,
                shape=Capsule(radius=radius, height=chain.length - 2 * radius),
                pose=Pose(position=(0.0, chain.length / 2, 0.0), rotation=[-pi / 2, 0.0, 0.0]),
                joint=JointSpec(
                    type=Revolute(axis=chain.axis(i)),
                    frame=Pose(position=(0.0, 0.0, chain.height), rotation=[-pi / 2, 0.0, 0.0])
                    if root
                    else Pose(position=(0.0, chain.length, 0.0)),
                    q=chain.angle(i),
                    damping=chain.damping,
                    rest=0.0,
                ),
            )
        )
    return SceneSpec(
        name="chain",
        gravity=(0.0, 0.0, -GRAVITY),
        bodies=bodies,
        time=TimeSpec(end=end, step=step),
        integrator=integrator,
    )


def check(result: Result, chain: Chain | None = None, *, drift: float = 0.005, gap: float = 1e-9) -> None:
    """Raise AssertionError when a run of the chain is not physical.

    drift: allowed error of the energy, in parts of what the weight yields from the start down to hanging
    straight; the default is for the integrator and the step of `spec`. gap: allowed error of the hinges [m,
    rad]; a rig in Blender has its sizes in single precision.
    """
    chain = chain or Chain()
    _check_hinges(result, chain, gap)
    _check_energy(result, chain, drift)
    fall = 2.0 * sqrt(chain.links * chain.length / GRAVITY)
    if result.t[-1] - result.t[0] > fall:
        _check_swing(result, chain)


def _check_hinges(result: Result, chain: Chain, gap: float) -> None:
    """Neighbours meet in their hinge, and turn about its axis only."""
    R = result.joint_pose[:, :, :9].reshape(len(result), chain.links, 3, 3)
    origin = result.joint_pose[:, :, 9:]
    axes = np.array([chain.axis(i) for i in range(chain.links)])
    y = np.array([0.0, chain.length, 0.0])
    gaps = np.abs(origin[:, :-1] + R[:, :-1] @ y - origin[:, 1:]).max(axis=2)
    _demand(gaps, gap, result, chain, "the hinge came apart", "m")
    lengths = np.linalg.norm(result.body_pose[:, :, 9:] - origin, axis=2)
    _demand(
        np.abs(lengths - chain.length / 2), gap, result, chain, "the centre left the middle of the link", "m"
    )
    tilts = np.abs(
        np.einsum("fnij,nj->fni", R[:, :-1], axes[1:]) - np.einsum("fnij,nj->fni", R[:, 1:], axes[1:])
    ).max(axis=2)
    _demand(tilts, gap, result, chain, "the link turned about another axis than its hinge's", "rad")


def _demand(error: Floats, bound: float, result: Result, chain: Chain, what: str, unit: str) -> None:
    """Name the worst frame and link when an error, shape (nf, links or hinges), exceeds its bound."""
    if error.size == 0 or error.max() <= bound:
        return
    frame, link = np.unravel_index(np.argmax(error), error.shape)
    raise AssertionError(
        f"chain: {what} by {error.max():.3g} {unit} (at most {bound:g}), near {chain.name(int(link))} "
        f"at t = {result.t[frame]:.4g} s"
    )


def _check_energy(result: Result, chain: Chain, drift: float) -> None:
    """It never grows, and what is lost went into the dampers."""
    total = result.energy.sum(axis=1)
    scale = swing_energy(result, chain)
    gain = float((np.maximum.accumulate(total[::-1])[::-1] - total).max()) / scale
    if gain > drift:
        raise AssertionError(f"chain: the energy grows by {gain:.2%} of the swing's (at most {drift:.2%})")
    every_step = bool(np.all(np.diff(result.step) == 1))
    if every_step or chain.damping == 0.0:
        # Trapezoid rule: only a recording of every step is fine enough to see what the dampers take.
        power = chain.damping * np.sum(result.qdot**2, axis=1)
        taken = np.concatenate([[0.0], np.cumsum(np.diff(result.t) * (power[1:] + power[:-1]) / 2)])
        error = float(np.abs(total + taken - total[0]).max()) / scale
        if error > drift:
            raise AssertionError(
                f"chain: energy and damper work disagree by {error:.2%} of the swing's (at most {drift:.2%})"
            )


def swing_energy(result: Result, chain: Chain) -> float:
    """What the weight yields from the first frame down to hanging straight [J]."""
    heights = result.body_pose[0, :, 11] - (chain.height - chain.length * (np.arange(chain.links) + 0.5))
    return float(GRAVITY * sum(chain.mass(i) * height for i, height in enumerate(heights)))


def _check_swing(result: Result, chain: Chain) -> None:
    """Let go on the +x side it passes the lowest point, rises on the other side, and leaves its plane."""
    reach = chain.links * chain.length
    last = result.joint_pose[:, -1]
    tip = last[:, 9:] + chain.length * last[:, [1, 4, 7]]
    below = tip[:, 2] < chain.height - 0.7 * reach
    passes = below & (np.abs(tip[:, 0]) < 0.35 * reach)
    if not passes.any():
        raise AssertionError("chain: its tip never passes the lowest point")
    if tip[:, 0].min() > -0.5 * reach:
        raise AssertionError(
            f"chain: it does not swing to the other side (x stays above {tip[:, 0].min():.3g} m)"
        )
    if np.ptp(tip[:, 1]) < 0.1 * reach:
        raise AssertionError("chain: it stays in one plane although every second hinge turns out of it")
