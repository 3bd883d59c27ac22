"""The small state that steps, the choices of a run, and the inputs at one time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    x: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """Positions of the vertices of flesh, held ones too [m], shape (nv, 3)."""
    v: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """Their velocities [m/s], shape (nv, 3)."""
    muscle: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """Activation and fibre length [m] of each muscle, shape (nm, 2)."""


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
    """Rate [1/s] at which Euler removes position errors of constraints and prescribed motion. Null, the default:
    positions are projected onto the constraints at the end of each step."""
    solver: str = "auto"
    """Linear solver of the implicit step: `direct`, `pcg`, or `auto`."""
    tolerance: float = 1e-6
    """Relative residual at which PCG stops."""
    position_tolerance: float = 1e-6
    """Position error of constraints, as a fraction of the scene's size, that a step may leave; five times as much in a
    tree with loops where the next step takes it away."""
    feedback: float = 20.0
    """Rate [1/s] at which the adaptive integrators remove errors of constraints."""
    corrections: int = 0
    """How often an Euler step is solved again with Coriolis forces at the velocities midway through it."""
    friction_tolerance: float = 1e-5
    """Change of the friction bounds, as a fraction of the largest, at which the two projections end; in a tree with
    loops, up to a hundred times as much where the bounds change from step to step."""
    friction_enough: float = 1e-2
    """Change with which they end after a few rounds where contacts press on the joints: which of several contacts
    carries how much is not certain to such a digit, and changes from step to step."""
    friction_iterations: int = 100
    """How often friction and what presses the surfaces together are found in turn, at most."""
    sleep: bool = True
    """Whether trees that have come to rest on something are left alone until something moves them."""
    contact_tolerance: float = 1e-5
    """Residual of the impulses of contacts, as a fraction of the largest, at which their solver ends."""
    contact_enough: float = 1e-2
    """Residual with which it ends where a Newton step does not lead to that at once: what tumbles is solved roughly,
    step after step, and what rests, rolls or slides steadily is solved exactly."""
    boxed_friction: bool = False
    """Whether the friction of a contact is bounded along two tangents each, rather than by its size."""
    curved_loops: bool = True
    """Whether a step leads loops along their way, which is curved; otherwise along a tangent, as the paper has it."""
    limit_lookahead: bool = True
    """Whether a joint limit is seen in the step that would cross it; otherwise in the step after it was crossed."""

    def with_(self, **changes: object) -> Options:
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Control:
    """Inputs at one time."""

    t: float
    """[s]"""
    tau: Floats
    """Applied generalized forces [N·m, N], shape (nr,)."""
    motion: Floats
    """Value, rate and acceleration of each motion, shape (n, 3), in the order of `joints.motion`."""
