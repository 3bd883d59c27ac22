"""A task ready to be solved: values of parameters in, objective and gradient out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..compile.scene import compile_scene
from ..errors import InputError, SceneError
from ..model.records import Floats, Model
from ..model.state import State
from ..run.simulate import count_steps, scene_options
from ..scene import SceneSpec
from .objectives import Objective
from .parameters import Parameters
from .run import Progress, differentiate, run, what_prevents

DIFFERENCE = 1e-4
"""Step of the check by differences, as a fraction of a parameter's value or scale."""
COARSE = 1e-3
"""The same where differences are all there is: contact is solved to 1e-5, which a short step would show."""
FINE = 1e-5
"""The same where contact is solved to rounding, and what touches may change within a longer one."""
FEW = 40
"""Parameters below which differences of runs with contact, two a parameter, are faster than the way back: a figure of
nine bodies that falls takes 18 ms, and its way back 2.3 s."""

Stencil = tuple[tuple[int, ...], tuple[float, ...]]
"""Where to look, in steps, and the weights of what is found there."""
STENCILS: tuple[Stencil, ...] = (
    ((-2, -1, 1, 2), (1 / 12, -8 / 12, 8 / 12, -1 / 12)),
    ((0, 1, 2, 3, 4), (-25 / 12, 4.0, -3.0, 4 / 3, -1 / 4)),
    ((0, -1, -2, -3, -4), (25 / 12, -4.0, 3.0, -4 / 3, 1 / 4)),
)
"""Of fourth order; on one side where the other cannot be."""
_COARSE: tuple[Stencil, ...] = (
    ((-1, 1), (-0.5, 0.5)),
    ((0, 1, 2), (-1.5, 2.0, -0.5)),
    ((0, -1, -2), (1.5, -2.0, 0.5)),
)
"""Of second order."""


def _moved(values: Floats, i: int, d: float) -> Floats:
    out = values.copy()
    out[i] += d
    return out


@dataclass(frozen=True)
class Evaluation:
    """A task at some values of its n parameters."""

    values: Floats
    objective: float
    terms: dict[str, float]
    """The weighted objectives by name, and the regularisation."""
    gradient: Floats
    """By the values, shape (n,)."""


class Problem:
    """The `task` of a scene. Raises InputError where it cannot be differentiated or says something impossible."""

    def __init__(self, spec: SceneSpec) -> None:
        if spec.task is None:
            raise InputError(
                "task", "the scene has no task", "Add 'task' with parameters and objectives to it."
            )
        self.spec, self.task = spec, spec.task
        self.options = scene_options(spec)
        model = compile_scene(spec)
        reason = what_prevents(model, self.options)
        if reason is not None and self.task.derivatives == "adjoint":
            raise InputError("task.derivatives", reason, "Choose 'auto' or 'differences', or leave that out.")
        self.parameters = Parameters(spec, self.task.parameters, model)
        rough = any(thing is not None for thing in (model.contact, model.friction, model.flesh))
        self._is_rough = rough and reason is not None
        self._is_quick = (
            self.task.derivatives == "auto"
            and reason is None
            and model.contact is not None
            and len(self.parameters) < FEW
        )
        if self._is_quick:
            reason = f"where bodies touch, differences are faster for fewer than {FEW} parameters"
        self.by_adjoint = reason is None and self.task.derivatives != "differences"
        self.reason = reason
        """Why the gradient is by differences where nobody has asked for that."""
        self.by_differences: list[str] = []
        """Names of parameters by which an adjoint knows no derivative."""
        self.steps = count_steps(model.t0, spec.time.end, self.options.h)
        # Everything in it is looked up once, before the work.
        self._objective(self.parameters.initial)
        self.simulations = 0
        """Runs so far, each with or without its adjoint."""

    def _objective(self, values: Floats) -> Objective:
        model = self.parameters.model(values)
        return Objective(self.task.objectives, model, self.options.h, self.steps)

    def evaluate(self, values: Floats, progress: Progress | None = None) -> Evaluation:
        """The objective and its gradient."""
        if not self.by_adjoint:
            here = self.measure(values)
            way = (COARSE, _COARSE) if self._is_rough else (DIFFERENCE, STENCILS)
            if self._is_quick:
                way = (FINE, _COARSE)
            return replace(here, gradient=self.differences(values, *way))
        objective = self._objective(values)
        path = run(objective.model, self.options, objective.last, progress)
        self.simulations += 1
        found = differentiate(objective.model, self.options, objective, path)
        gradient, unknown = self.parameters.gradient(values, objective.model, found.arrays)
        here = self._regularised(values, objective, found.terms, gradient)
        if unknown:
            names = self.parameters.names
            if self.task.derivatives == "adjoint":
                first, changed = next(iter(unknown.items()))
                raise InputError(
                    f"task parameter '{names[first]}'",
                    f"there is no adjoint of what it changes ({changed})",
                    "Choose another parameter, or 'auto' for 'derivatives'.",
                )
            self.by_differences = [names[i] for i in unknown]
            apart = self.differences(values, which=list(unknown))
            here.gradient[list(unknown)] = apart[list(unknown)]
        return here

    def objective(self, values: Floats) -> float:
        """The objective alone."""
        return self.measure(values).objective

    def measure(self, values: Floats) -> Evaluation:
        """The objective without its gradient, which is zero then."""
        objective, states = self._run(values)
        return self._regularised(values, objective, objective.values(states), np.zeros(len(values)))

    def residuals(self, values: Floats) -> tuple[Evaluation, Floats]:
        """The same, and what is squared in it: half the sum of squares is the objective."""
        objective, states = self._run(values)
        found = objective.residuals(states)
        if self.task.regularisation:
            scaled = values / self.parameters.scale
            found = np.concatenate([found, np.sqrt(self.task.regularisation) * scaled])
        here = self._regularised(values, objective, objective.values(states), np.zeros(len(values)))
        return here, found

    @property
    def last_step(self) -> int:
        """The last one that the objective depends on."""
        return self._objective(self.parameters.initial).last

    def states(self, values: Floats, needed: Sequence[int]) -> tuple[Model, list[State]]:
        """The model with these values, and its states by the numbers of steps, of which those `needed` are meant."""
        model = self.parameters.model(values)
        path = run(
            model, self.options, max(needed), keep_starts=False, exact=not self._is_rough, needed=needed
        )
        return model, path.states

    @property
    def distance(self) -> float:
        """How far apart values of differences are, as a fraction of a value or its scale."""
        return COARSE if self._is_rough else DIFFERENCE

    def _run(self, values: Floats) -> tuple[Objective, list[State]]:
        objective = self._objective(values)
        path = run(
            objective.model,
            self.options,
            objective.last,
            keep_starts=False,
            exact=not self._is_rough,
            needed=objective.needed,
        )
        self.simulations += 1
        return objective, path.states

    def differences(
        self,
        values: Floats,
        step: float = DIFFERENCE,
        stencils: Sequence[Stencil] | None = None,
        which: Sequence[int] | None = None,
    ) -> Floats:
        """The gradient by central differences of fourth order, four runs a parameter; zero but for those of `which`."""
        out: Floats = np.zeros(len(values))
        for i in range(len(values)) if which is None else which:
            x = float(values[i])
            d = step * max(abs(x), float(self.parameters.scale[i]))
            for steps, weights in stencils or STENCILS:
                try:
                    f = [self.objective(_moved(values, i, k * d)) for k in steps]
                except SceneError:
                    continue  # the scene cannot have what is on that side
                out[i] = float(np.dot(weights, f)) / d
                break
        return out

    def _regularised(
        self, values: Floats, objective: Objective, terms: Floats, gradient: Floats
    ) -> Evaluation:
        named: dict[str, float] = {}
        for i, (term, value) in enumerate(zip(objective.terms, terms, strict=True)):
            name = term.name if term.name not in named else f"{term.name} ({i})"
            named[name] = float(value)
        total = float(terms.sum())
        if self.task.regularisation:
            scaled = values / self.parameters.scale
            named["regularisation"] = 0.5 * self.task.regularisation * float(scaled @ scaled)
            total += named["regularisation"]
            gradient = gradient + self.task.regularisation * scaled / self.parameters.scale
        return Evaluation(values.copy(), total, named, gradient)
