"""The constant arrays that a scene compiles to, the small state that steps, and the choices of a run.

A body hangs on one joint, and a joint is one *link*, or several for a composite joint: supplement §5.1 reads a
composite as a chain of simple joints with massless bodies between, and that is how it is compiled. Links are sorted
parents first. Every link moves with its *joint frame*; the body sits at a constant pose `E_jb` in it. Poses are rows
of twelve numbers, the rotation matrix row by row and then the origin; spatial inertias are rows of 21 (`spatial.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from .curves import Curves

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """The links of a forest, parents before children. nl links, nr reduced coordinates."""

    parent: Ints
    """Parent link, -1 for the world, shape (nl,)."""
    kind: Ints
    """`joints.Kind` of each link, shape (nl,)."""
    dof: Ints
    """Link l owns the coordinates dof[l]:dof[l+1], shape (nl+1,)."""
    at: Ints
    """Where each link's parameters begin in `params`, shape (nl,)."""
    params: Floats
    """Axes and spline controls of all links."""
    E_pj0: Floats
    """Joint frame at q = 0 in the parent link's joint frame, shape (nl, 12)."""
    inertia: Floats
    """Spatial inertia in the joint frame [kg·m², kg·m, kg], shape (nl, 21); zero for massless links."""
    damping: Floats
    """Viscous drag on the twist, in the joint frame, shape (nl, 21)."""
    chart: Ints
    """Initial Euler chart of each link, shape (nl,); zero where there is none."""
    links: Ints = field(init=False)
    """Parent, kind, first coordinate, number of coordinates and parameter offset of each link, shape (nl, 5)."""
    constants: Floats = field(init=False)
    """E_pj0 and inertia side by side, shape (nl, 33)."""
    all_free: NDArray[np.bool_] = field(init=False)
    """True for every coordinate, shape (nr,)."""

    def __post_init__(self) -> None:
        # A kernel call costs about a tenth of a microsecond an array, which a ten-joint chain feels: pack them.
        links = np.stack([self.parent, self.kind, self.dof[:-1], np.diff(self.dof), self.at], axis=1)
        object.__setattr__(self, "links", np.ascontiguousarray(links, np.int64).reshape(-1, 5))
        object.__setattr__(self, "constants", np.ascontiguousarray(np.hstack([self.E_pj0, self.inertia])))
        object.__setattr__(self, "all_free", np.ones(int(self.dof[-1]), bool))


@dataclass(frozen=True)
class Bodies:
    """nb bodies, in the order of the scene."""

    names: tuple[str, ...]
    link: Ints
    """The link that carries each body, shape (nb,)."""
    E_jb: Floats
    """Body frame (centre of mass, principal axes) in the link's joint frame, shape (nb, 12)."""
    inertia: Floats
    """Principal moments and mass [Ixx, Iyy, Izz, m, m, m], shape (nb, 6)."""
    damping: Floats
    """Drag coefficient on all six twist components, shape (nb,)."""
    E_js: Floats
    """Shape frame in the link's joint frame, shape (nb, 12)."""


@dataclass(frozen=True)
class Joints:
    """nj joints, one a body and in the same order, and what acts in their coordinates."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    """The kind as the scene file spells it."""
    dof: Ints
    """Joint j owns the coordinates dof[j, 0]:dof[j, 1], shape (nj, 2)."""
    stiffness: Floats
    """[N·m/rad, N/m], shape (nr,)."""
    damping: Floats
    """[N·m·s/rad, N·s/m], shape (nr,)."""
    rest: Floats
    """[rad, m], shape (nr,)."""
    torque: Curves
    """Applied torques: the curves and the coordinate each of them drives."""
    motion: Curves
    """Prescribed coordinates: the curves and the coordinate each of them drives."""
    free: NDArray[np.bool_]
    """False for coordinates that `motion` prescribes, shape (nr,)."""


@dataclass(frozen=True)
class Model:
    """All that does not change during a run."""

    gravity: Floats
    """[m/s²], shape (3,)."""
    tree: Tree
    bodies: Bodies
    joints: Joints
    q0: Floats
    """Initial coordinates [rad, m], shape (nr,)."""
    qdot0: Floats
    """Initial velocities [rad/s, m/s], shape (nr,)."""
    t0: float = 0.0
    """Time at which the initial state holds [s]."""

    @property
    def nr(self) -> int:
        """Number of reduced coordinates."""
        return int(self.tree.dof[-1])

    @property
    def nl(self) -> int:
        """Number of links."""
        return len(self.tree.parent)

    def joint_of(self, coordinate: int) -> str:
        """Name of the joint that owns a reduced coordinate."""
        spans = self.joints.dof
        owner = np.flatnonzero((spans[:, 0] <= coordinate) & (coordinate < spans[:, 1]))
        return self.joints.names[int(owner[0])]

    def initial_state(self) -> State:
        return State(self.t0, self.q0.copy(), self.qdot0.copy(), self.tree.chart.copy())


@dataclass(frozen=True)
class State:
    """What steps. Nothing that can be derived is kept here."""

    t: float
    """[s]"""
    q: Floats
    """Reduced coordinates [rad, m], shape (nr,)."""
    qdot: Floats
    """Reduced velocities [rad/s, m/s], shape (nr,)."""
    chart: Ints
    """Euler chart of each link, shape (nl,)."""


@dataclass(frozen=True)
class Options:
    """The choices of a run that are not part of the scene."""

    h: float = 0.01
    """Step of the fixed-step integrators [s]."""
    integrator: str = "euler"
    rtol: float = 1e-6
    """Relative tolerance of the adaptive integrators."""
    atol: float = 1e-9
    """Absolute tolerance of the adaptive integrators."""
    newton_tolerance: float = 1e-9
    """A Newton solve of the BDF and SDIRK steps ends when the residual's norm is below this."""
    newton_iterations: int = 50
    stabilisation: float | None = None
    """Rate [1/s] at which Euler removes position errors of prescribed motion; null: within one step."""

    def with_(self, **changes: object) -> Options:
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass
class Control:
    """Inputs at one time."""

    tau: Floats
    """Applied generalized forces [N·m, N], shape (nr,)."""
    motion: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """Value, rate and acceleration of each prescribed coordinate, shape (np, 3), in the order of `joints.motion`."""
