"""Steps of a run by the kernel of `steps.py`: when it may take them, and what it hands on.

The same step as `euler.step` for bodies with all that acts on them, with as little as possible between one step and the
next. What the kernel does not know (`gather.suits`) is left to the general route, one step at a time.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..constraints.active import is_active
from ..constraints.ropes import rope_contacts
from ..contact.contacts import Contacts
from ..contact.find import describe_contacts, joined
from ..contact.near.placing import Placed
from ..contact.shapes.surfaces import no_surfaces
from ..forces.joint import JointAction, joint_action
from ..friction.memory import DryMemory
from ..friction.sleep import Sleepers
from ..model.control import control_at
from ..model.records import FREE, PRESCRIBED, Floats, Ints, Model
from ..model.state import Options, State
from ..tree.charts import leave_singularities
from ..tree.kinematics import Kinematics
from . import gather
from .acting import LEAD
from .gather import suits
from .joint_friction import InnerFriction
from .parts import Kept, Work
from .step import COORDINATE_PARTS, LINK_PARTS, PIECE_PARTS, TOLD
from .steps import ANSWER, CALM, LOOK, LOST, STEPS, WOUND, take_steps
from .switching import Switching
from .taken import Taken

__all__ = ["StepRun", "suits"]

Mask = NDArray[np.bool_]
Found = tuple[Ints, Floats, Ints]
"""Pairs that are near each other, and contacts, as `contact/narrow/pieces.py` gives them."""
Blank = tuple[Mask, Floats, Floats, Floats]
"""Where the kernel writes what stops hold, their speeds and impulses, and what it tells about each step."""
_NOTHING: Found = (np.zeros(0, np.int64), np.zeros((0, 10)), np.zeros((0, 2), np.int64))


class StepRun:
    """The kernels for one model and one set of options, for which they must be suited."""

    def __init__(self, model: Model, options: Options, turning: Mask) -> None:
        """turning: coordinates that turn something, shape (nr,)."""
        self.model = model
        self.surfaces = no_surfaces() if model.contact is None else model.contact
        nl, nr, n = model.nl, model.nr, len(self.surfaces)
        poses, twists = (a.copy() for a in self.surfaces.at_rest)
        self.work = Work(
            np.empty(nl * sum(LINK_PARTS)), np.empty(nr * sum(COORDINATE_PARTS)), np.empty(n * sum(PIECE_PARTS)),
            np.empty(model.trees, bool), poses, twists,
        )  # fmt: skip
        E_pj, E_wj, V, A, *_ = _parts(self.work.links, nl, LINK_PARTS)
        S, Sdot, *_ = _parts(self.work.coordinates, nr, COORDINATE_PARTS)
        self.impulses = self.work.coordinates[22 * nr : 23 * nr]
        E, v, w, a, low, high, reach, slack = _parts(self.work.pieces, n, PIECE_PARTS)
        self.kin = Kinematics(E_pj, E_wj, V, S, Sdot, A)
        self.placed = Placed(E, v, w, a, low, high, reach.ravel(), slack.ravel(), poses)
        self.room = 8 * n + 64
        self.turning = turning
        self.shapes, self.solids = (
            gather.shapes_of(self.surfaces),
            gather.solids_of(self.surfaces),
        )
        self.stops, self.inputs = gather.stops_of(model), gather.inputs_of(model, self.surfaces)
        self.led = slice(0, 0)
        """Where the inputs have the curves of guides, which a hand moves while a run goes on (`live.py`)."""
        if model.guides is not None:
            begin = int(self.inputs.at[self.inputs.first[self.inputs.starts[LEAD]]])
            self.led = slice(begin, begin + len(model.guides.curves.data))
        self.pulls, self.bonds = gather.pulls_of(model), gather.bonds_of(model)
        self.free = model.joints.free
        self.resting = False
        """Whether a tree was calm in the last step, and may fall asleep."""
        self.other: StepRun | None = None
        """The same for the last part of a step."""
        self._step_by(options)

    def _step_by(self, options: Options) -> None:
        """Take steps with these options: what follows from the length of a step."""
        model, self.options = self.model, options
        self.switching = Switching(model, options.h)
        self.begun = False
        roots = np.append(np.cumsum(model.tree.parent < 0) - 1, -1).astype(np.int64)
        for j, p in enumerate(model.tree.parent):
            if p >= 0:
                roots[j] = roots[p]
        self.links = gather.links_of(model, options.h, self.turning, roots)
        self.numbers = gather.numbers_of(model, options, self.surfaces)
        self.acting = gather.acting_of(model, options.h)
        given = not (len(model.joints.torque) or len(model.joints.motion) or model.joints.stiffness.any())
        enough = options.friction_tolerance if model.contact is None else options.friction_enough
        self.enough = np.array([options.friction_tolerance, enough, options.friction_iterations, not given])

    def by(self, options: Options) -> StepRun:
        """The same with other options: for a part of a step. Both write to the same arrays."""
        if self.other is None or self.other.options != options:
            other = copy(self)
            other._step_by(options)
            self.other = other
        return self.other

    def describe(self, pairs: Ints, X: Floats, which: Ints) -> Contacts:
        return describe_contacts(self.surfaces, self.placed, pairs, X, which, self.options.h)

    def with_ropes(
        self, contacts: Contacts, impulse: Floats, bonds: Floats, t: float
    ) -> tuple[Contacts, Floats]:
        """Contacts and their impulses, with those of ropes at the end, of the impulses of all bonds."""
        ropes = rope_contacts(self.model, self.kin, t)
        if ropes is None:
            return contacts, impulse
        begin = len(self.bonds.type) + len(self.bonds.gear_offset)
        pulls = bonds[begin:][self.bonds.on[begin:], None] * ropes.normal
        if not len(contacts):
            return ropes, pulls
        return joined(contacts, ropes), np.concatenate([impulse, pulls])

    def take(self, state: State, memory: DryMemory, times: Floats, far: float) -> Taken | None:
        """A step, and the next ones where nothing comes between them; null where the first needs the general route.

        times: when the first begins, and when each ends [s], shape (most + 1,). far: with velocities at which something
        turns by more [rad] in a step, there is no next one.
        """
        t = float(times[1])
        left, changed = self.switching.until(state.t)
        if changed or not self.begun:
            self._set_modes(state.t)
        if left < 1:
            return None
        times = times[: left + 1]
        if self.model.guides is not None:
            self.inputs.data[self.led] = self.model.guides.curves.data
        sleepers = memory.prepare(self.model)
        asleep = int(np.count_nonzero(sleepers.asleep))
        moved = sleepers.colliders_moved(t)
        if asleep == len(sleepers.asleep) and not moved:
            return None
        self.acting.asleep[:] = False
        if not (asleep or self.resting):
            steps, why = self._steps(STEPS, state, memory, sleepers, times, far)
            if steps is not None:
                self.resting = why == CALM
                if self.options.sleep:
                    sleepers.calm.fill(0.0)
                if len(self.surfaces.motion):
                    sleepers.colliders_moved(steps.state.t)
            if steps is not None or why == LOST:
                return steps
        seen = self._look(state, memory, sleepers, times[:2])
        if seen is None:
            return None
        state, found, calm = seen
        self.resting = self.options.sleep and calm
        if self.options.sleep and not (calm or asleep):
            sleepers.calm.fill(0.0)
        elif asleep or self.options.sleep:
            contacts = self.describe(*found)
            sleepers.wake(contacts, moved, self.kin, state.v, self.options.h)
            if self.options.sleep:
                sleepers.settle(self.kin, contacts, self.options.h, state.v)
            asleep = int(np.count_nonzero(sleepers.asleep))
            if asleep:
                awake = np.append(~sleepers.asleep, False)[sleepers.of_link[contacts.link]].any(axis=1)
                found = (found[0], found[1][awake], found[2][awake])
                self.acting.asleep[:] = sleepers.coordinates
        if asleep == len(sleepers.asleep):
            return None
        return self._steps(ANSWER, state, memory, sleepers, times[:2], far, found, asleep)[0]

    def acting_at(self, state: State, t: float) -> JointAction:
        """What acts in the joints in a step from a state that ends at time t [s]."""
        return joint_action(self.model, state, control_at(self.model, t), self.options.h)

    def impulse_of(self, action: JointAction, state: State) -> Floats:
        """What acts in the joints' own coordinates in a step from a state, shape (nr,)."""
        return self.options.h * (action.force - (action.damping - action.D) * state.qdot)

    def _set_modes(self, t: float) -> None:
        """Which motions are followed how from time t [s] on."""
        m, self.begun = self.model, True
        self.links.turn_limit[:] = self.switching.turn_limits(t)
        c = m.constraints
        if not c.always:
            owners = [c.rows.owner, c.gears.owner]
            if m.ropes is not None:
                owners.append(m.ropes.owner)
            self.bonds.on[:] = is_active(c, t + self.options.h)[np.concatenate(owners)]
        if not len(m.joints.motion):
            return
        modes = self.switching.modes(t)
        self.acting.modes[:] = modes
        self.free = np.ones(m.nr, bool)
        self.free[m.joints.motion.target[modes == PRESCRIBED]] = False
        if m.wakes is not None:
            of_motion = m.wakes.of_motion[modes != FREE]
            following = np.isin(m.wakes.of_link[:-1], of_motion[of_motion >= 0])
            self.acting.threshold[:] = np.where(following, m.wakes.threshold, np.inf)

    def _look(
        self, state: State, memory: DryMemory, sleepers: Sleepers, times: Floats
    ) -> tuple[State, Found, bool] | None:
        """The state in coordinates that are safe for a step, what touches in it, and whether a tree is calm."""
        for _ in range(2):
            out = self._ask(LOOK, state, memory, sleepers, times, self._blank(1), np.inf)
            why, calm, *found = out[1:6]
            if why >= 0:
                return state, (found[0], found[1], found[2]), calm
            if why != WOUND:
                return None
            state, _ = leave_singularities(self.model, state)
        return None

    def _steps(
        self, what: int, state: State, memory: DryMemory, sleepers: Sleepers, times: Floats, far: float,
        found: Found = _NOTHING, asleep: int = 0,
    ) -> tuple[Taken | None, int]:  # fmt: skip
        """Steps at these times, null for none, and why there are no more."""
        blank, inner = self._blank(len(times) - 1), self._inner(memory)
        out = self._ask(what, state, memory, sleepers, times, blank, far, inner, found)
        done, why, _, pairs, X, which, q0, qdot0, q, qdot, impulse, bonds, kept, memory_bonds = out
        if not done:
            return None, why
        memory.keys, memory.impulse, memory.place, memory.owner, memory.row_value, memory.motor = kept
        memory.bonds = memory_bonds
        if self.model.friction is not None:
            memory.bound, memory.at_rest, memory.inner = inner.bound, inner.rests, inner.force
        before = state
        if done > 1:
            before = State(float(times[done - 1]), q0, qdot0, state.chart, state.x, state.v)
        after = State(float(times[done]), q, qdot, state.chart, state.x, state.v)
        holding, stop_value, tell, told = blank
        return (
            Taken(
                self, before, after, pairs, X, which, impulse, bonds, holding, stop_value, tell[:done], told[:done],
                asleep, inner, memory.motor, done < len(times) - 1,
            ),
            why,
        )  # fmt: skip

    def _blank(self, most: int) -> Blank:
        n = len(self.stops.dof)
        return np.empty(n, bool), np.empty((2, n)), np.empty((most, TOLD)), np.zeros((most, 2))

    def _ask(
        self, what: int, state: State, memory: DryMemory, sleepers: Sleepers, times: Floats, blank: Blank, far: float,
        inner: InnerFriction | None = None, found: Found = _NOTHING,
    ) -> Any:  # fmt: skip
        """What the kernel returns."""
        n = len(self.acting.motor_dof)
        motor = memory.motor.copy() if len(memory.motor) == n else np.zeros(n)
        kept = Kept(memory.keys, memory.impulse, memory.place, memory.owner, memory.row_value, motor)
        holding, stop_value, tell, told = blank
        out = take_steps(
            self.links, self.shapes, self.solids, self.stops, self.inputs, self.acting, self.pulls, self.bonds,
            self.numbers, self.work, what, self.options.sleep, far, self.room, sleepers.may, times, state.chart,
            state.q, state.qdot, state.x, *found, kept, memory.bonds, holding, stop_value, tell, told,
            self._inner(memory) if inner is None else inner,
        )  # fmt: skip
        self.room = max(self.room, 2 * len(out[3]))
        return out

    def _inner(self, memory: DryMemory) -> InnerFriction:
        """Friction inside the joints, for the kernel, and what the last step left of it."""
        told: Floats = np.zeros(2)
        if self.model.friction is None:
            ints = np.zeros(0, np.int64)
            return InnerFriction(
                ints, ints, ints, ints, np.zeros((0, 3)), np.zeros((0, 2)), 0, self.enough, np.zeros(0),
                np.zeros(0, bool), np.zeros(0), told,
            )  # fmt: skip
        f, n = self.model.friction.rubs, int(self.model.friction.rubs.dofs.sum())
        force = memory.inner.copy() if len(memory.inner) == n else np.zeros(n)
        return InnerFriction(
            f.shape, f.link, f.dof, f.dofs, f.size, f.mu, f.points, self.enough, memory.bound.copy(),
            memory.at_rest.copy(), force, told,
        )  # fmt: skip


def _parts(flat: Floats, n: int, columns: tuple[int, ...]) -> list[Floats]:
    """Views of a flat array, one for each part, shape (n, columns)."""
    ends = n * np.cumsum(columns)
    return [part.reshape(n, width) for part, width in zip(np.split(flat, ends[:-1]), columns)]
