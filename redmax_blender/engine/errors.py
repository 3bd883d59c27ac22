"""Errors a user can act on: each names the thing and says what to do."""

from __future__ import annotations


class InputError(ValueError):
    """Something that was given cannot be used.

    `place` says where: a file, an option, a path inside a scene.
    """

    def __init__(self, place: str, problem: str, remedy: str) -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{place}: {problem}. {remedy}")


class SceneError(InputError):
    """The scene cannot be compiled.

    `place` is a path such as `bodies[3] 'forearm'.joint.type.axis`, or a file.
    """


class SceneWarning(UserWarning):
    """A scene does what it says, which may not be what was meant."""

    def __init__(self, place: str, problem: str, remedy: str) -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{place}: {problem}. {remedy}")


class DivergedError(RuntimeError):
    """The simulation stopped being finite. The frames before it are good."""

    def __init__(self, time: float, step: int, joint: str) -> None:
        self.time = time
        self.step = step
        self.joint = joint
        super().__init__(
            f"the simulation diverged at t = {time:.6g} s (step {step}), first at joint '{joint}'. "
            "Use a smaller step (more substeps), less stiffness, masses that differ less, or an implicit integrator."
        )


class ConvergenceError(RuntimeError):
    """An implicit step could not be solved."""

    def __init__(self, time: float, joint: str, residual: float) -> None:
        self.time = time
        self.joint = joint
        self.residual = residual
        super().__init__(
            f"the implicit step to t = {time:.6g} s did not converge (residual {residual:.3g}, largest at joint "
            f"'{joint}'). Use a smaller step."
        )


class ConstraintError(RuntimeError):
    """Constraints contradict each other, or a loop cannot close."""

    def __init__(self, time: float, names: list[str], residual: float, unit: str) -> None:
        self.time = time
        self.names = names
        self.residual = residual
        listed = ", ".join(f"'{name}'" for name in names) or "joint limits"
        super().__init__(
            f"the constraints {listed} cannot all hold at t = {time:.6g} s (residual {residual:.3g} {unit}). "
            "Remove or relax one of them, begin closer to where they meet, or use a smaller step."
        )


FAILURES = (DivergedError, ConvergenceError, ConstraintError)
"""What ends a run before its time. Frames recorded before are good."""
