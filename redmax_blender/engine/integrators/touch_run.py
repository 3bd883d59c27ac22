"""Steps of a run in which surfaces touch, by the kernels of `touch_kernel.py`: when these may take them, and reports.

The same step as `euler.step` for trees with contacts and stops, with as little as possible between the kernels. What
these do not know is left to the general route, one step at a time.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..charts import leave_singularities
from ..contact.contacts import Contacts
from ..contact.find import describe_contacts, find_points
from ..contact.placing import Placed, collider_poses, fallen
from ..control import control_at
from ..forces.joint import JointAction, joint_action
from ..friction.contact_rows import bounce_speed
from ..friction.dry import frozen
from ..friction.general import PART, SLOP
from ..friction.memory import DryMemory
from ..friction.parts import Friction
from ..friction.response import DOUBTFUL
from ..friction.row_solve import ROUGH
from ..friction.sleep import SPIN, Sleepers
from ..kinematics import Kinematics
from ..model import Floats, Ints, Model
from ..state import Options, State
from .touch_kernel import (
    COORDINATE_PARTS,
    LINK_PARTS,
    PIECE_PARTS,
    RESIDUAL,
    STOPS,
    answer,
    look,
)
from .touch_rub import InnerFriction
from .touch_step import TouchStep

_NO_KEYS: Ints = np.zeros(0, np.int64)
_NO_VALUES: Floats = np.zeros(0)
Mask = NDArray[np.bool_]


def suits(model: Model, options: Options) -> bool:
    """Whether contacts, stops and what acts in the joints is all there is, and the options ask for nothing else."""
    c, surfaces, f = model.constraints, model.contact, model.friction
    others = (
        model.flesh,
        model.ropes,
        model.reduction,
        model.external,
        model.guides,
        model.wakes,
    )
    return (
        surfaces is not None
        and surfaces.tubes is None
        and options.solver != "direct"
        and options.stabilisation is None
        and options.limit_lookahead
        and all(part is None for part in others)
        and not len(c.rows.type)
        and not len(c.gears.offset)
        and not len(model.springs.rest)
        and not model.joints.switches
        and (f is None or _suits(f))
    )


def _suits(friction: Friction) -> bool:
    """Whether friction is in single coordinates and balls, and nowhere else."""
    others = len(friction.loops) + len(friction.stops) + len(friction.motors.torque)
    return not others and not np.any(friction.rubs.dofs == 2)


class TouchRun:
    """The kernels for one model and one set of options, for which they must be suited."""

    def __init__(self, model: Model, options: Options, turning: Mask) -> None:
        """turning: coordinates that turn something, shape (nr,)."""
        assert model.contact is not None
        self.model, self.surfaces = model, model.contact
        nl, nr, n = model.nl, model.nr, len(model.contact)
        self.links: Floats = np.empty(nl * sum(LINK_PARTS))
        self.coordinates: Floats = np.empty(nr * sum(COORDINATE_PARTS))
        self.pieces: Floats = np.empty(n * sum(PIECE_PARTS))
        E_pj, E_wj, V, A, *_ = _parts(self.links, nl, LINK_PARTS)
        S, Sdot, *_, impulses = _parts(self.coordinates, nr, COORDINATE_PARTS)
        self.impulses = impulses.ravel()
        E, v, w, a, low, high, reach, slack = _parts(self.pieces, n, PIECE_PARTS)
        self.kin = Kinematics(E_pj, E_wj, V, S, Sdot, A)
        self.free = model.joints.free
        self.placed = Placed(E, v, w, a, low, high, reach.ravel(), slack.ravel(), self.surfaces.at_rest[0])
        self.room = 8 * n + 64
        self.turning = turning
        self.still: Floats = np.zeros(nr)
        self.calm: Mask = np.empty(model.trees, bool)
        self.limit_link = np.searchsorted(model.tree.dof, model.constraints.limits.dof, side="right") - 1
        j = model.joints
        acts = len(j.torque) or len(j.motion) or len(j.stops) or j.stiffness.any() or j.explicit is not None
        self.limp = not acts and j.profile is None
        """Whether nothing acts in the joints' own coordinates but implicit dampers."""
        self.other: TouchRun | None = None
        """The same for the last part of a step."""
        self._step_by(options)

    def _step_by(self, options: Options) -> None:
        """Take steps with these options: what follows from the length of a step."""
        model, s, h = self.model, self.surfaces, options.h
        self.options = options
        limits, tree, size = model.constraints.limits, model.tree, model.constraints.size
        mass, drag = _implicit_mass(model, h)
        self.dampers = h * model.joints.damping
        self.numbers = np.array(
            [
                h,
                bounce_speed(model.gravity, h),
                options.contact_tolerance,
                options.contact_enough,
                PART,
                SLOP * size,
                options.corrections,
            ]
        )
        self.enough = np.array(
            [options.friction_tolerance, options.friction_enough, options.friction_iterations, not self.limp]
        )
        joints = (tree.parent, tree.kind, tree.dof, tree.at, tree.params, tree.E_pj0)
        self.to_look = (
            *joints, model.switchable, model.turn_limit, s.link, s.collider, s.vertex, s.E, s.half, s.rounding,
            s.bounded, s.planes, s.members, s.owner, s.still, s.group, s.ignores, s.apart, s.parted, s.bodies_collide,
            h, fallen(model.gravity, h), size, SPIN, self.links, self.coordinates, self.pieces, self.calm,
        )  # fmt: skip
        self.to_answer = (
            *joints, tree.inertia, mass, drag, model.gravity, model.tree_of_coordinate, self.turning, model.trees,
            model.longest_path, limits.dof, self.limit_link, limits.side, limits.bound, limits.restitution, s.link,
            s.collider, s.moving, s.friction, s.restitution, options.boxed_friction, self.numbers, self.links,
            self.coordinates,
        )  # fmt: skip
        """What the kernels are always called with."""

    def by(self, options: Options) -> TouchRun:
        """The same with other options: for a part of a step. Both write to the same arrays."""
        if self.other is None or self.other.options != options:
            other = copy(self)
            other._step_by(options)
            self.other = other
        return self.other

    def describe(self, pairs: Ints, X: Floats, which: Ints) -> Contacts:
        return describe_contacts(self.surfaces, self.placed, pairs, X, which, self.options.h)

    def take(self, state: State, memory: DryMemory, t: float) -> TouchStep | None:
        """The step that ends at time t [s]; null where it needs the general route."""
        sleepers = memory.prepare(self.model)
        asleep = int(np.count_nonzero(sleepers.asleep))
        moved = sleepers.colliders_moved(t)
        if asleep == len(sleepers.asleep) and not moved:
            return None
        found = self._look(state, sleepers)
        if found is None:
            return None
        state, pairs, calm = found
        X, which = find_points(self.surfaces, self.placed, pairs, self.options.h)
        if self.options.sleep and not (calm or asleep):
            sleepers.calm.fill(0.0)
        elif asleep or self.options.sleep:
            contacts = self.describe(pairs, X, which)
            sleepers.wake(contacts, moved)
            if self.options.sleep:
                sleepers.settle(self.kin, contacts, self.options.h, state.v)
            asleep = int(np.count_nonzero(sleepers.asleep))
            if asleep:
                awake = np.append(~sleepers.asleep, False)[sleepers.of_link[contacts.link]].any(axis=1)
                X, which = X[awake], which[awake]
        if asleep == len(sleepers.asleep):
            return None
        action = None
        if not self.limp or asleep:
            action = joint_action(self.model, state, control_at(self.model, t), self.options.h)
            if asleep:
                action = frozen(action, sleepers.coordinates, state.q)
        return self._answer(state, memory, t, pairs, X, which, action, asleep)

    def _look(self, state: State, sleepers: Sleepers) -> tuple[State, Ints, bool] | None:
        """The state in coordinates that are safe for a step, pairs that are near each other, whether a tree is calm."""
        m, s = self.model, self.surfaces
        poses, twists = collider_poses(s, state.t, self.options.h)
        if poses is not self.placed.collider:
            self.placed = replace(self.placed, collider=poses)
        for _ in range(3):
            pairs: Ints = np.empty(self.room, np.int64)
            count, calm = look(
                *self.to_look, sleepers.of_link, sleepers.may, state.chart, state.q, state.qdot, poses, twists,
                state.x, pairs,
            )  # fmt: skip
            if 0 <= count <= self.room:
                return state, pairs[:count], calm
            if count > self.room:
                self.room = 2 * count
            elif count == -2:
                state, _ = leave_singularities(m, state)
            else:
                return None
        return None

    def _answer(
        self, state: State, memory: DryMemory, t: float, pairs: Ints, X: Floats, which: Ints,
        action: JointAction | None, asleep: int,
    ) -> TouchStep | None:  # fmt: skip
        m, h = self.model, self.options.h
        b_r = known = landing = self.still
        A_r, free = self.dampers, self.free
        if action is not None:
            b_r = h * (action.force - (action.damping - action.D) * state.qdot)
            A_r = h * action.D + h * h * np.maximum(action.K, 0.0)
            free, known, landing = action.free, action.known, action.landing
        nc, nh = len(X), len(m.constraints.limits.dof)
        end, stop_value, tell = np.empty((2, m.nr)), np.empty((2, nh)), np.empty(8)
        impulse, keys, kept, kept_at = (
            np.empty((nc, 3)),
            np.empty(nc, np.int64),
            np.empty((nc, 3)),
            np.empty((nc, 3)),
        )
        holding: Mask = np.empty(nh, bool)
        inner = self._inner(memory)
        good = answer(
            *self.to_answer, state.chart, self.placed.collider, b_r, A_r, free, known, landing, state.q, state.qdot,
            pairs, X, which, memory.keys, memory.impulse, memory.place, memory.owner, memory.row_value, end, impulse,
            keys, kept, kept_at, holding, stop_value, tell, inner,
        )  # fmt: skip
        enough = max(DOUBTFUL, self.options.contact_enough)
        if tell[STOPS]:
            enough = max(DOUBTFUL, min(ROUGH, self.options.contact_enough))
        if not (good and (inner is not None or tell[RESIDUAL] <= enough)):
            return None
        memory.keys, memory.impulse, memory.place = keys, kept, kept_at
        memory.owner, memory.row_value = _NO_KEYS, _NO_VALUES
        if inner is not None:
            memory.bound, memory.at_rest, memory.inner = inner.bound, inner.rests, inner.force
        if nh:
            memory.owner, memory.row_value = -1 - np.flatnonzero(holding), stop_value[1, : int(tell[STOPS])]
        after = State(t, end[0], end[1], state.chart, state.x, state.v)
        return TouchStep(
            self,
            state,
            after,
            pairs,
            X,
            which,
            impulse,
            holding,
            stop_value,
            action,
            tell,
            asleep,
            b_r,
            inner,
        )

    def _inner(self, memory: DryMemory) -> InnerFriction | None:
        """Friction inside the joints, for the kernel, and what the last step left of it."""
        if self.model.friction is None:
            return None
        f, n = self.model.friction.rubs, int(self.model.friction.rubs.dofs.sum())
        return InnerFriction(
            f.shape,
            f.link,
            f.dof,
            f.dofs,
            f.size,
            f.mu,
            f.points,
            self.enough,
            memory.bound.copy(),
            memory.at_rest.copy(),
            memory.inner.copy() if len(memory.inner) == n else np.zeros(n),
            np.zeros(2),
        )


def _parts(flat: Floats, n: int, columns: tuple[int, ...]) -> list[Floats]:
    """Views of a flat array, one for each part, shape (n, columns)."""
    ends = n * np.cumsum(columns)
    return [part.reshape(n, width) for part, width in zip(np.split(flat, ends[:-1]), columns)]


def _implicit_mass(model: Model, h: float) -> tuple[Floats, Floats]:
    """Inertia and implicit drag of each link, shape (nl, 21); and explicit drag, shape (nl, 21) or (0, 21) for none."""
    t = model.tree
    A_m, drag = h * t.damping, np.zeros((0, 21))
    if model.bodies.explicit is not None:
        drag = np.zeros_like(t.damping)
        links = model.bodies.link[model.bodies.explicit]
        drag[links] = t.damping[links]
        A_m[links] = 0.0
    return t.inertia + A_m, drag
