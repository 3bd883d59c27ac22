"""Objectives: what is wanted of a run, with derivatives by its states and by the arrays of the model.

A `Moment` is one state of a run. A measure reads it, returns a number, and adds `factor` times the derivatives of that
number to the moment's bars.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..algebra import se3
from ..compile.poses import pose_numbers
from ..errors import InputError
from ..model.curves import Curves, evaluate, pack
from ..model.records import Floats, Ints, Model
from ..model.state import State
from ..run.energy import energies
from ..scene import Constant
from ..scene.base import Pose
from ..scene.task import (
    CentreGoal,
    CentreVelocityGoal,
    CoordinatesGoal,
    EffortGoal,
    EnergyGoal,
    ExcitationGoal,
    GoalSpec,
    PointGoal,
    PoseGoal,
    RatesGoal,
    RotationGoal,
    SmoothnessGoal,
    SpinGoal,
    Target,
    VelocityGoal,
)
from ..tree.kinematics import Kinematics, forward_kinematics
from .bars import ModelBars
from .curves import add_curves
from .points import add_points, points_of, zero_points
from .tree import (
    CoordinateBars,
    LinkBars,
    Motion,
    TreeArrays,
    coordinate_bars,
    link_bars,
    motion_at,
    sweep,
    tree_arrays,
)


@dataclass
class Moment:
    """A state of a run, and the derivatives of the objective by it so far."""

    model: Model
    state: State
    before: State | None
    """The state a step earlier."""
    h: float
    """Length of the step between them [s]."""
    kin: Kinematics
    motion: Motion
    links: LinkBars
    out: CoordinateBars
    bars: ModelBars
    before_rates: Floats
    """By the velocities a step earlier, shape (nr,)."""
    residual: Floats | None = None
    """What the last measure has squared and halved; null where it was not that."""


Measure = Callable[[Moment, float], float]
"""Returns a number, and adds a factor times its derivatives to the moment."""


@dataclass(frozen=True)
class Term:
    """One objective: when it counts, how much, and what it measures."""

    name: str
    weight: float
    first: int
    last: int
    """Steps at whose ends it counts; the initial state is step 0."""
    is_range: bool
    measure: Measure


class Objective:
    """The weighted sum of a task's objectives over the states of a run of `steps` steps of h [s]."""

    def __init__(self, goals: Sequence[GoalSpec], model: Model, h: float, steps: int) -> None:
        self.model, self.h, self.steps = model, h, steps
        self.terms = [_term(goal, i, model, h, steps) for i, goal in enumerate(goals)]
        self._tree: TreeArrays = tree_arrays(model, np.zeros((model.nl, 21)), np.zeros((model.nl, 21)))

    @property
    def last(self) -> int:
        """The last step that anything depends on."""
        return max(term.last for term in self.terms)

    @property
    def needed(self) -> list[int]:
        """The steps whose ends it looks at."""
        counts = {n for term in self.terms for n in range(term.first, term.last + 1)}
        return sorted(counts | {max(n - 1, 0) for n in counts})

    def measure(
        self, states: Sequence[State], bars: ModelBars
    ) -> tuple[Floats, dict[int, tuple[Floats, Floats]]]:
        """The weighted terms, and the derivatives of their sum by q and qdot of each step that has any."""
        values = np.zeros(len(self.terms))
        found: dict[int, tuple[Floats, Floats]] = {}
        for n in sorted({n for term in self.terms for n in range(term.first, term.last + 1)}):
            moment = self._moment(states, n, bars)
            for i, term in enumerate(self.terms):
                if term.first <= n <= term.last:
                    values[i] += self._factor(term) * term.measure(moment, self._factor(term))
            sweep(self._tree, moment.motion, moment.links, moment.out, bars.tree)
            _add(found, n, moment.out.q, moment.out.qdot)
            if moment.before_rates.any():
                _add(found, n - 1, np.zeros(self.model.nr), moment.before_rates)
        return values, found

    def values(self, states: Sequence[State]) -> Floats:
        """The weighted terms alone."""
        return self.measure(states, ModelBars.of(self.model))[0]

    def residuals(self, states: Sequence[State]) -> Floats:
        """All that the weighted terms square and halve, one after the other: half the sum of their squares is the
        objective."""
        bars = ModelBars.of(self.model)
        found: list[Floats] = []
        for n in sorted({n for term in self.terms for n in range(term.first, term.last + 1)}):
            moment = self._moment(states, n, bars)
            for term in self.terms:
                if term.first <= n <= term.last:
                    moment.residual = None
                    term.measure(moment, 0.0)
                    if moment.residual is None or term.weight < 0.0:
                        raise InputError(
                            f"task objective '{term.name}'",
                            "it is no sum of squares",
                            "Choose another method than 'least-squares', or another objective.",
                        )
                    found.append(np.sqrt(self._factor(term)) * moment.residual)
        return np.concatenate(found)

    def _factor(self, term: Term) -> float:
        return term.weight * (self.h if term.is_range else 1.0)

    def _moment(self, states: Sequence[State], n: int, bars: ModelBars) -> Moment:
        model, s = self.model, states[n]
        kin = forward_kinematics(model, s)
        still: Floats = np.zeros(model.nr)
        return Moment(
            model, s, states[n - 1] if n else None, self.h, kin,
            motion_at(self._tree, kin, s.chart, s.q, s.qdot, still, still),
            link_bars(model.nl), coordinate_bars(model.nr), bars, np.zeros(model.nr),
        )  # fmt: skip


def _add(found: dict[int, tuple[Floats, Floats]], n: int, q: Floats, qdot: Floats) -> None:
    if n in found:
        found[n] = (found[n][0] + q, found[n][1] + qdot)
    else:
        found[n] = (q, qdot)


# When a goal counts, and what it measures. ----------------------------------------------------------------------


def _term(goal: GoalSpec, i: int, model: Model, h: float, steps: int) -> Term:
    tag = str(goal.__struct_config__.tag)
    place = f"task.objectives[{i}]"
    first, last, is_range = _when(goal, place, model.t0, h, steps)
    about = getattr(goal, "body", None) or getattr(goal, "joint", None)
    name = goal.name or (f"{tag} of {about}" if about else tag)
    return Term(name, goal.weight, first, last, is_range, _measure(goal, place, model))


def _when(goal: GoalSpec, place: str, t0: float, h: float, steps: int) -> tuple[int, int, bool]:
    whole = isinstance(goal, (EffortGoal, ExcitationGoal, SmoothnessGoal))
    if goal.time is not None and (goal.start is not None or goal.until is not None):
        raise InputError(place, "it has a time and a range", "Give either 'time', or 'start' and 'until'.")
    if goal.time is not None or (goal.start is None and goal.until is None and not whole):
        n = steps if goal.time is None else _step(goal.time, f"{place}.time", t0, h, steps)
        return n, n, False
    first = 0 if goal.start is None else _step(goal.start, f"{place}.start", t0, h, steps)
    last = steps if goal.until is None else _step(goal.until, f"{place}.until", t0, h, steps)
    if last < first:
        raise InputError(place, f"it ends at {goal.until} s, before it starts", "Let it end after it starts.")
    return (max(first, 1) if whole else first), last, True


def _step(t: float, place: str, t0: float, h: float, steps: int) -> int:
    """The step nearest to a time."""
    n = round((t - t0) / h)
    if not 0 <= n <= steps:
        raise InputError(
            place,
            f"{t:.6g} s is outside of the scene, which runs from {t0:.6g} to {t0 + steps * h:.6g} s",
            "Choose a time within it, or let the scene end later (time.end).",
        )
    return n


def _measure(goal: GoalSpec, place: str, model: Model) -> Measure:
    match goal:
        case PointGoal() | VelocityGoal():
            body = _body(model, goal.body, f"{place}.body")
            target = _Targets(goal.target, 3, f"{place}.target")
            return _point(body, np.array(goal.position), target, isinstance(goal, VelocityGoal))
        case SpinGoal():
            return _spin(
                _body(model, goal.body, f"{place}.body"), _Targets(goal.target, 3, f"{place}.target")
            )
        case RotationGoal():
            pose = pose_numbers(Pose(rotation=goal.target), f"{place}.target")
            return _rotation(_body(model, goal.body, f"{place}.body"), np.array(pose[:9]).reshape(3, 3))
        case CentreGoal() | CentreVelocityGoal():
            names = goal.bodies
            bodies = range(len(model.bodies.names)) if names is None else [
                _body(model, name, f"{place}.bodies[{k}]") for k, name in enumerate(names)
            ]  # fmt: skip
            target = _Targets(goal.target, 3, f"{place}.target")
            chosen = np.array(list(bodies), np.int64)
            if not model.bodies.inertia[chosen, 3].sum() > 0.0:
                raise InputError(f"{place}.bodies", "they have no mass", "Name bodies that have a mass.")
            return _centre(chosen, target, isinstance(goal, CentreVelocityGoal))
        case CoordinatesGoal() | RatesGoal():
            span = _joint(model, goal.joint, f"{place}.joint")
            target = _Targets(goal.target, len(span), f"{place}.target")
            return _coordinates(span, target, isinstance(goal, RatesGoal))
        case PoseGoal():
            return _pose(goal, model, place)
        case EnergyGoal():
            return _energy(goal.of, goal.target)
        case EffortGoal():
            return _effort(model, _coordinates_of(model, goal.joints, f"{place}.joints"), place)
        case ExcitationGoal():
            return _excitation(model, goal.muscles, place)
        case SmoothnessGoal():
            return _smoothness(_coordinates_of(model, goal.joints, f"{place}.joints"))


def _pose(goal: PoseGoal, model: Model, place: str) -> Measure:
    if len(goal.targets) != len(goal.joints):
        raise InputError(
            f"{place}.targets",
            f"there are {len(goal.targets)} for {len(goal.joints)} joints",
            "Give one for each.",
        )
    spans, given = [], []
    for k, (name, target) in enumerate(zip(goal.joints, goal.targets, strict=True)):
        span = _joint(model, name, f"{place}.joints[{k}]")
        if len(target) != len(span):
            raise InputError(
                f"{place}.targets[{k}]",
                f"there are {len(target)} components",
                f"Give {len(span)}; null for any that is free.",
            )
        spans.append(span)
        given += target
    return _coordinates(np.concatenate(spans), _Targets(given, len(given), f"{place}.targets"), False)


def _body(model: Model, name: str, place: str) -> int:
    if name not in model.bodies.names:
        raise InputError(
            place, f"there is no body '{name}'", f"Choose one of {', '.join(model.bodies.names)}."
        )
    return model.bodies.names.index(name)


def _joint(model: Model, name: str, place: str) -> Ints:
    if name not in model.joints.names:
        raise InputError(
            place, f"there is no joint '{name}'", f"Choose one of {', '.join(model.joints.names)}."
        )
    a, b = model.joints.dof[model.joints.names.index(name)]
    if a == b:
        raise InputError(place, f"the joint '{name}' has no coordinates", "Choose one that moves.")
    return np.arange(a, b)


def _coordinates_of(model: Model, joints: list[str] | None, place: str) -> Ints:
    if joints is None:
        return np.arange(model.nr)
    return np.concatenate([_joint(model, name, f"{place}[{k}]") for k, name in enumerate(joints)])


class _Targets:
    """Numbers or curves that components are to have; those that are null do not matter."""

    def __init__(self, given: list[Target], count: int, place: str) -> None:
        if len(given) != count:
            raise InputError(
                place, f"there are {len(given)} components", f"Give {count}; null for any that is free."
            )
        self.matters: Floats = np.array([float(x is not None) for x in given])
        if not self.matters.any():
            raise InputError(place, "no component is given", "Give at least one number.")
        curves = [Constant(float(x)) if isinstance(x, (int, float)) else x for x in given]
        self.curves: Curves = pack((k, c or Constant(0.0), f"{place}[{k}]") for k, c in enumerate(curves))

    def off(self, x: Floats, t: float) -> Floats:
        """How much x is off at time t [s], where that matters."""
        return np.asarray((x - evaluate(self.curves, t)[:, 0]) * self.matters)


# The measures. --------------------------------------------------------------------------------------------------


def _in_shape(model: Model, body: int, x: Floats) -> Floats:
    """A place in a body's shape frame, in its link's frame, shape (1, 3)."""
    E = model.bodies.E_js[body]
    return np.asarray((E[:9].reshape(3, 3) @ x + E[9:])[None])


def _add_frame(frame: Floats, out: Floats, x: Floats, bar: Floats) -> None:
    """Derivatives by the displacement of a frame, from that by the place of its point x, both in its link's frame."""
    b = frame[:9].reshape(3, 3).T @ bar
    out[:3] += np.cross(x, b)
    out[3:] += b


def _point(body: int, x: Floats, target: _Targets, is_velocity: bool) -> Measure:
    def measure(m: Moment, factor: float) -> float:
        link = m.model.bodies.link[body : body + 1]
        place = _in_shape(m.model, body, x)
        points, b, places = points_of(m.motion, link, place), zero_points(1), np.zeros((1, 3))
        off = target.off((points.v if is_velocity else points.x)[0], m.state.t)
        (b.v if is_velocity else b.x)[0] = factor * off
        add_points(m.motion, link, place, b, m.links, places)
        _add_frame(m.model.bodies.E_js[body], m.bars.shape_frame[body], x, places[0])
        m.residual = off
        return 0.5 * float(off @ off)

    return measure


def _spin(body: int, target: _Targets) -> Measure:
    def measure(m: Moment, factor: float) -> float:
        link = m.model.bodies.link[body]
        R, own = m.kin.E_wj[link, :9].reshape(3, 3), m.kin.V[link, :3]
        off = target.off(R @ own, m.state.t)
        b = R.T @ (factor * off)
        m.links.V[link, :3] += b
        m.links.xi[link, :3] += np.cross(own, b)
        m.residual = off
        return 0.5 * float(off @ off)

    return measure


def _rotation(body: int, target: Floats) -> Measure:
    def measure(m: Moment, factor: float) -> float:
        link = m.model.bodies.link[body]
        R_j = m.kin.E_wj[link, :9].reshape(3, 3)
        R_s = m.model.bodies.E_js[body, :9].reshape(3, 3)
        turned = target.T @ R_j @ R_s
        # the trace changes by -[turned, σ]: its derivative by the rotation of the shape's frame is twice the axial part
        skew = 0.5 * np.array(
            [turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]
        )
        m.bars.shape_frame[body, :3] += factor * skew
        m.links.xi[link, :3] += factor * (R_s @ skew)
        m.residual = _chord(turned)
        return 0.5 * (3.0 - float(np.trace(turned)))

    return measure


def _chord(R: Floats) -> Floats:
    """Axis of a rotation times twice the sine of half its angle."""
    axial = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = float(np.linalg.norm(axial)), 0.5 * (float(np.trace(R)) - 1.0)
    length = float(np.sqrt(max(2.0 - 2.0 * cosine, 0.0)))
    if sine > 1e-9:
        return np.asarray(axial * (length / sine))
    if cosine > 0.0:
        return axial
    i = int(np.argmax(np.diag(R)))  # half a turn: a column of R + 1 is along the axis
    column = R[:, i] + np.eye(3)[i]
    return np.asarray(column * (length / np.linalg.norm(column)))


def _centre(bodies: Ints, target: _Targets, is_velocity: bool) -> Measure:
    def measure(m: Moment, factor: float) -> float:
        B = m.model.bodies
        link, place = B.link[bodies], B.E_jb[bodies, 9:]
        mass = B.inertia[bodies, 3]
        share = mass / mass.sum()
        points, b, places = points_of(m.motion, link, place), zero_points(len(link)), np.zeros((len(link), 3))
        x = points.v if is_velocity else points.x
        mean = share @ x
        off = target.off(mean, m.state.t)
        (b.v if is_velocity else b.x)[:] = factor * share[:, None] * off
        add_points(m.motion, link, place, b, m.links, places)
        m.bars.body_inertia[bodies, 3] += factor * ((x - mean) @ off) / mass.sum()
        for i, body in enumerate(bodies):
            _add_frame(B.E_jb[body], m.bars.body_frame[body], np.zeros(3), places[i])
        m.residual = off
        return 0.5 * float(off @ off)

    return measure


def _coordinates(span: Ints, target: _Targets, are_rates: bool) -> Measure:
    def measure(m: Moment, factor: float) -> float:
        off = target.off((m.state.qdot if are_rates else m.state.q)[span], m.state.t)
        (m.out.qdot if are_rates else m.out.q)[span] += factor * off
        m.residual = off
        return 0.5 * float(off @ off)

    return measure


def _energy(of: str, target: float | None) -> Measure:
    def measure(m: Moment, factor: float) -> float:
        kinetic, gravity, springs = energies(m.model, m.state, m.kin)
        parts = {
            "kinetic": kinetic,
            "gravity": gravity,
            "springs": springs,
            "total": kinetic + gravity + springs,
        }
        value, slope = float(parts[of]), factor
        if target is not None:
            slope *= value - target
        if of in ("kinetic", "total"):
            _add_kinetic(m, slope)
        if of in ("gravity", "total"):
            _add_gravity(m, slope)
        if of in ("springs", "total"):
            _add_springs(m, slope)
        if target is None:
            return value
        m.residual = np.array([value - target])
        return 0.5 * (value - target) ** 2

    return measure


def _add_kinetic(m: Moment, slope: float) -> None:
    M = se3.symmetric(m.model.tree.inertia)
    V = m.kin.V
    m.links.V[:] += slope * np.einsum("lij,lj->li", M, V)
    m.bars.tree.inertia[:] += 0.5 * slope * np.einsum("li,lj->lij", V, V)


def _add_gravity(m: Moment, slope: float) -> None:
    B, g = m.model.bodies, m.model.gravity
    place = np.ascontiguousarray(B.E_jb[:, 9:])
    points, b, places = points_of(m.motion, B.link, place), zero_points(len(B.link)), np.zeros_like(place)
    b.x[:] = -slope * B.inertia[:, 3:4] * g
    add_points(m.motion, B.link, place, b, m.links, places)
    m.bars.body_inertia[:, 3] -= slope * (points.x @ g)
    m.bars.tree.gravity[:] -= slope * (B.inertia[:, 3] @ points.x)
    for i in range(len(B.link)):
        _add_frame(B.E_jb[i], m.bars.body_frame[i], np.zeros(3), places[i])


def _add_springs(m: Moment, slope: float) -> None:
    joints, stretch = m.model.joints, m.state.q - m.model.joints.rest
    if joints.profile is not None or len(m.model.springs.rest):
        raise InputError(
            "task.objectives",
            "the energy of springs between bodies, or of spring curves, cannot be an objective",
            "Choose the kinetic energy or that in gravity.",
        )
    m.out.q[:] += slope * joints.stiffness * stretch
    m.bars.joints.rest -= slope * joints.stiffness * stretch
    m.bars.joints.stiffness += 0.5 * slope * stretch**2
    for row, (dof, lower, upper, k, _) in enumerate(joints.stops):
        i = int(dof)
        low, high = min(m.state.q[i] - lower, 0.0), max(m.state.q[i] - upper, 0.0)
        m.out.q[i] += slope * k * (low + high)
        m.bars.joints.stops[row, 1] -= slope * k * low
        m.bars.joints.stops[row, 2] -= slope * k * high
        m.bars.joints.stops[row, 3] += 0.5 * slope * (low + high) ** 2


def _effort(model: Model, coordinates: Ints, place: str) -> Measure:
    torque = model.joints.torque
    which = np.isin(torque.target, coordinates)
    if not which.any():
        raise InputError(
            place, "no torque is applied in these joints", "Name joints with a torque, or let one change."
        )

    def measure(m: Moment, factor: float) -> float:
        curves = m.model.joints.torque
        # several curves may drive one coordinate: it is their sum that counts
        total = np.zeros(m.model.nr)
        np.add.at(total, curves.target[which], evaluate(curves, m.state.t)[which, 0])
        add_curves(curves, m.state.t, factor * total[curves.target] * which, None, m.bars.joints.torque)
        m.residual = total
        return 0.5 * float(total @ total)

    return measure


def _smoothness(coordinates: Ints) -> Measure:
    def measure(m: Moment, factor: float) -> float:
        if m.before is None or not np.array_equal(m.before.chart, m.state.chart):
            m.residual = np.zeros(len(coordinates))
            return 0.0
        change = (m.state.qdot - m.before.qdot)[coordinates] / m.h
        m.out.qdot[coordinates] += factor * change / m.h
        m.before_rates[coordinates] -= factor * change / m.h
        m.residual = change
        return 0.5 * float(change @ change)

    return measure


def _excitation(model: Model, names: list[str] | None, place: str) -> Measure:
    if model.muscles is None:
        raise InputError(place, "the scene has no muscles", "Choose another objective, or add muscles.")
    known = list(model.muscles.names)
    for name in names or []:
        if name not in known:
            raise InputError(
                f"{place}.muscles", f"there is no muscle '{name}'", f"Choose one of {', '.join(known)}."
            )
    chosen = np.arange(len(known)) if names is None else np.array([known.index(name) for name in names])

    def measure(m: Moment, factor: float) -> float:
        assert m.model.muscles is not None
        curves, given = m.model.muscles.excitation, np.zeros(len(known))
        given[curves.target] = evaluate(curves, m.state.t)[:, 0]
        m.residual = given = given[chosen]
        return 0.5 * float(given @ given)

    return measure
