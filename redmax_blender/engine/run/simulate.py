"""The frame loop: one frame after the other, with whatever a recording needs derived from the state.

Progress and cancelling live with the caller, who takes as many frames as they like from the iterator.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..compile.scene import compile_scene
from ..errors import InputError
from ..friction.memory import DryReport
from ..integrators import INTEGRATORS
from ..integrators.euler import EulerSteps, StepReport
from ..model.records import Floats, Model
from ..model.state import Options, State
from ..muscles.accelerate import muscle_figures
from ..scene import BodySpec, JointSpec, Revolute, Sampled, SceneSpec, Sine, Sphere, SphericalEuler, TimeSpec
from ..tree.kinematics import body_poses, forward_kinematics
from .checkpoint import Checkpoint, capture, restore
from .diagnostics import joint_forces, step_forces
from .energy import energies, is_passive
from .stepping import check_options as check_options
from .stepping import diverged_at_the_fastest, next_states
from .stepping import scene_options as scene_options
from .take import replayed
from .tally import Tally, constraint_forces, contact_forces


@dataclass(frozen=True)
class Frame:
    """One recorded moment."""

    step: int
    """Number of steps since the start."""
    state: State
    joint_pose: Floats
    """World pose of each joint's frame, which moves with the body, shape (nj, 12)."""
    body_pose: Floats
    """World pose of each body's frame (centre of mass, principal axes), shape (nb, 12)."""
    energy: Floats
    """[J], in the order of `diagnostics.ENERGIES`, shape (3,)."""
    torque: Floats
    """Total generalized force in each coordinate [N·m, N], see `diagnostics.joint_forces`, shape (nr,)."""
    constraint_force: Floats
    """Size of the force that each constraint exerted over the last step [N, N·m], shape (nc,)."""
    friction: Floats = field(default_factory=lambda: np.zeros(0))
    """Friction in each coordinate over the last step, then its size in each pair of surfaces of joints that close loops
    [N·m, N], shape (nr + nl,); empty where there is none."""
    contact: Floats = field(default_factory=lambda: np.zeros((0, 6)))
    """Where surfaces pressed on each other over the last step [m], and the force there [N], shape (nc, 6)."""

    muscle: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    """Length [m], tension [N], activation and fibre length [m] of each muscle, shape (nm, 4)."""

    @property
    def x(self) -> Floats:
        """Positions of the vertices of flesh [m], shape (nv, 3)."""
        return self.state.x


@dataclass
class Stopwatch:
    """Wall time [s] that a run spent in stepping and in deriving what is recorded."""

    step: float = 0.0
    record: float = 0.0
    _since: float = field(default_factory=time.perf_counter)

    def lap(self) -> float:
        """Time since the last lap [s]."""
        now = time.perf_counter()
        passed, self._since = now - self._since, now
        return passed


def count_steps(start: float, end: float, h: float) -> int:
    """How many steps of h [s] lead from start to end [s].

    A span that is not a whole number of steps is an error: neither the step nor the end is changed behind the
    user's back. A millionth of a step is taken for rounding.
    """
    if not (end > start and np.isfinite(end)):
        raise InputError(
            "end", f"the run would start at {start} s and end at {end} s", "Let it end after it starts."
        )
    n = max(round((end - start) / h), 1)
    if abs(start + n * h - end) > 1e-6 * h:
        raise InputError(
            "h",
            f"the {end - start:.12g} s from start to end are not a whole number of steps of {h:.12g} s",
            f"Use a step of {(end - start) / n:.12g} s ({n} steps), or end at {start + n * h:.12g} s.",
        )
    return n


def simulate(
    model: Model,
    options: Options,
    *,
    end: float,
    record: int = 1,
    state: State | None = None,
    watch: Stopwatch | None = None,
    tally: Tally | None = None,
    checkpoint: Checkpoint | None = None,
) -> Iterator[Frame]:
    """Yield the initial frame, then one every `record` steps and the last one, until `end` [s].

    Starts from `state`, or from the scene's initial state. A `checkpoint` is brought up to date with every frame; one
    that was filled by a run of the same scene is where this run goes on, with the frame after it. Raises InputError at
    once where the options cannot be used, and DivergedError while running when a coordinate stops being finite; frames
    yielded before it are good.
    """
    check_options(options)
    if record < 1:
        raise InputError("record", f"a frame every {record} steps is asked for", "Give 1 or more.")
    if not options.integrator.startswith("euler"):
        _check_smooth(model, options.integrator)
    if model.told is not None:
        return _replayed(model, options, end, record, state, tally or Tally())
    start = model.initial_state() if state is None else state
    steps = count_steps(start.t, end, options.h)
    return _frames(model, options, start, steps, record, watch or Stopwatch(), tally or Tally(), checkpoint)


def _replayed(
    model: Model, options: Options, end: float, record: int, state: State | None, tally: Tally
) -> Iterator[Frame]:
    """The frames of a scene that changes while it runs. There is no place to go on from but its start."""
    assert model.told is not None
    if state is not None:
        raise InputError(
            "changes", "a scene that changes while it runs begins at its start", "Simulate from the start."
        )
    steps = count_steps(model.t0, end, options.h)
    yield _good_frame(model, model.initial_state(), 0)
    for now in replayed(model.told, options, steps, record):
        if now.report is not None:
            tally.add(now.report, now.state.t)
        yield _good_frame(now.model, now.state, now.step, now.report, options.h)


def _check_smooth(model: Model, integrator: str) -> None:
    """Raise InputError where a scene has what only Euler's step knows."""
    what = None
    if model.flesh is not None:
        what = f"move flesh ('{model.flesh.names[0]}')"
    elif model.friction is not None:
        what = "do friction and motors inside joints"
    elif model.contact is not None:
        what = "do contact"
    elif model.ropes is not None:
        what = f"hold ropes and struts ('{model.constraints.names[int(model.ropes.owner[0])]}')"
    if what is not None:
        raise InputError(
            "options.integrator", f"'{integrator}' cannot {what}", "Choose euler or euler-midway."
        )


def _frames(
    model: Model,
    options: Options,
    state: State,
    steps: int,
    record: int,
    watch: Stopwatch,
    tally: Tally,
    saved: Checkpoint | None,
) -> Iterator[Frame]:
    watch.lap()
    goes_on = saved is not None and bool(saved.arrays)
    passive = is_passive(model)
    if not goes_on:
        frame = _good_frame(model, state, 0)
        tally.growth.add(frame.energy, state.t)
        watch.record += watch.lap()
        yield frame
        watch.lap()
    states = INTEGRATORS[options.integrator](model, state, options)
    first = 1
    if saved is not None and goes_on:
        restore(states, saved.arrays)
        first = saved.step + 1
    step = first - 1
    while step < steps:
        state, taken = next_states(model, states, state, step, min(record - step % record, steps - step))
        step += taken
        if isinstance(states, EulerSteps):
            tally.add(states.memory.latest, state.t)
        if step % record and step < steps:
            continue
        watch.step += watch.lap()
        report = states.memory.report if isinstance(states, EulerSteps) else None
        frame = _good_frame(model, state, step, report, options.h)
        if passive:
            tally.growth.add(frame.energy, state.t)
        if saved is not None:
            saved.step, saved.arrays = step, capture(states)
        watch.record += watch.lap()
        yield frame
        watch.lap()  # what the caller does with a frame is not the engine's time


def make_frame(
    model: Model, state: State, step: int = 0, report: StepReport | None = None, h: float = 1.0
) -> Frame:
    """A state with everything that a recording keeps of it; `report` is that of the step of h [s] that led to it."""
    kin = forward_kinematics(model, state)
    torque = joint_forces(model, state, kin) if report is None else step_forces(model, state, report)
    return Frame(
        step=step,
        state=state,
        joint_pose=kin.E_wj[model.bodies.link],
        body_pose=body_poses(model.bodies, kin),
        energy=energies(model, state, kin),
        torque=torque,
        constraint_force=constraint_forces(model, report, h),
        friction=np.zeros(0) if report is None or report.dry is None else _friction(report.dry),
        contact=contact_forces(report, h),
        muscle=muscle_figures(model, state, kin),
    )


def _friction(dry: DryReport) -> Floats:
    return np.concatenate([dry.force, dry.loop]) if len(dry.loop) else dry.force


def _good_frame(
    model: Model, state: State, step: int, report: StepReport | None = None, h: float = 1.0
) -> Frame:
    """A frame that is finite throughout: velocities whose squares overflow are as good as infinite."""
    with np.errstate(all="ignore"):
        frame = make_frame(model, state, step, report, h)
    if not (np.isfinite(frame.energy).all() and np.isfinite(frame.torque).all()):
        raise diverged_at_the_fastest(model, state, step)
    return frame


def warm_up(options: Options) -> float:
    """Compile or load every kernel that a run with these options needs, on a tiny scene; wall time [s].

    The first time on a machine this takes long (Numba compiles); later it loads what was compiled then.
    """
    check_options(options)
    begin = time.perf_counter()
    keys = Sampled([0.0, 1.0, 2.0], [0.0, 0.1, 0.0])
    spec = SceneSpec(
        bodies=[
            BodySpec(
                name="upper",
                shape=Sphere(1.0),
                damping=0.1,
                joint=JointSpec(type=SphericalEuler(), torque=[Sine(1.0, 1.0), None, None], stiffness=1.0),
            ),
            BodySpec(
                name="lower",
                parent="upper",
                shape=Sphere(1.0),
                joint=JointSpec(type=Revolute(), motion=[keys]),
            ),
        ],
        time=TimeSpec(end=0.01),
    )
    h = min(options.h, 0.01)
    for _ in simulate(compile_scene(spec), options.with_(h=h), end=2.0 * h):
        pass
    return time.perf_counter() - begin
