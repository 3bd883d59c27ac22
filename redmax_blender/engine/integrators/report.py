"""What a step tells about itself, and what its motions needed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..constraints.active import ActiveRows
from ..friction.dry import DryStep
from ..friction.memory import DryReport
from ..model.records import Floats
from ..solvers.coupled import Coupled
from ..solvers.implicit_system import ImplicitSystem
from ..solvers.pcg import times


@dataclass
class StepReport:
    """What a step did, for reports and for the forces that constraints and motions need."""

    iterations: list[int] = field(default_factory=list)
    """PCG iterations of each solve; 1 for the direct solver and for the exact recursion."""
    solver: str = ""
    residual: float = 0.0
    """Largest position error of the constraints, as a fraction of the scene's size."""
    rows: ActiveRows | None = None
    impulse: Floats | None = None
    """Multipliers of the rows [N·s, N·m·s]."""
    motor: Floats | None = None
    """Generalized forces that the prescribed coordinates needed over the step [N·m, N], shape (nr,), zero elsewhere."""
    dry: DryReport | None = None
    """Friction, motors and contacts; null where the model has none."""
    astray: bool = False
    """Whether forces midway through the step were not found, and those of its start were taken."""
    parts: int = 1
    """Into how many the step was divided (`divide.py`); impulses and contacts are those of the last."""
    share: float = 1.0
    """How long that was, as a fraction of the step."""
    cause: str = ""
    """Why."""


def motor_forces(
    system: ImplicitSystem,
    coupled: Coupled | None,
    qdot: Floats,
    rows: ActiveRows | None,
    impulse: Floats | None,
    h: float,
    dry: DryStep | None,
) -> Floats | None:
    """Forces in the prescribed coordinates: what A qdot lacks there."""
    if system.free.all():
        return None
    lack = (times(system, qdot) if coupled is None else coupled.times(qdot)) - system.b
    if rows is not None and impulse is not None:
        lack -= rows.G.T @ impulse
    if dry is not None:
        lack -= dry.pushed
        rubs = dry.rubs_when_led(system.free, qdot, lack)
        lack -= rubs
        dry.report.force = dry.report.force + rubs / h
    return np.where(system.free, 0.0, lack / h)
