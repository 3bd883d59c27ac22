"""Steps of a run in which surfaces touch, by the kernel of `touch_steps.py`: when it may take them, and reports.

The same step as `euler.step` for trees with contacts and stops, with as little as possible between one and the next.
What the kernel does not know is left to the general route, one step at a time.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..charts import leave_singularities
from ..contact.contacts import Contacts
from ..contact.find import describe_contacts
from ..contact.placing import Placed, collider_poses, fallen
from ..control import control_at
from ..curves import evaluate
from ..forces.joint import JointAction, joint_action
from ..friction.contact_rows import bounce_speed
from ..friction.dry import frozen
from ..friction.general import PART, slop
from ..friction.memory import DryMemory
from ..friction.parts import Friction
from ..friction.sleep import SPIN, Sleepers
from ..kinematics import Kinematics
from ..model import Floats, Ints, Model
from ..state import Options, State
from .touch_kernel import COORDINATE_PARTS, LINK_PARTS, PIECE_PARTS, TOLD
from .touch_rub import InnerFriction
from .touch_step import TouchStep
from .touch_steps import ANSWER, CALM, LOOK, LOST, STEPS, WOUND, touch_steps

Mask = NDArray[np.bool_]
Found = tuple[Ints, Floats, Ints]
"""Pairs that are near each other, and contacts, as `contact/narrow.py` gives them."""
Blank = tuple[Mask, Floats, Floats, Floats]
"""Where the kernel writes what stops hold, their speeds and impulses, and what it tells about each step."""
Acts = tuple[Floats, Floats, Floats, Floats, Mask, Floats, Floats]
"""What acts in the joints, and which coordinates are led, as `touch_steps` has it from `stiffness` to `landing`."""
_NONE: Floats = np.zeros(0)
_NOTHING: Found = (np.zeros(0, np.int64), np.zeros((0, 10)), np.zeros((0, 2), np.int64))


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
        model.muscles,
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
        self.still: Floats = np.zeros((1, nr))
        self.calm: Mask = np.empty(model.trees, bool)
        self.limit_link = np.searchsorted(model.tree.dof, model.constraints.limits.dof, side="right") - 1
        j = model.joints
        self.plain = not len(j.stops) and j.explicit is None and j.profile is None
        """Whether only the time, straight springs and implicit dampers have a part in what acts in the joints."""
        self.limp = self.plain and not (len(j.torque) or len(j.motion) or j.stiffness.any())
        """Whether only the last have."""
        self.springs = (_NONE, _NONE) if self.limp else (j.stiffness, j.rest)
        if len(j.motion):
            self.free = np.ones(nr, bool)
            self.free[j.motion.target] = False  # where there are no switches of modes, all are prescribed
        self.resting = False
        """Whether a tree was calm in the last step, and may fall asleep."""
        self.other: TouchRun | None = None
        """The same for the last part of a step."""
        self._step_by(options)

    def _step_by(self, options: Options) -> None:
        """Take steps with these options: what follows from the length of a step."""
        model, s, h = self.model, self.surfaces, options.h
        self.options = options
        limits, tree, size = model.constraints.limits, model.tree, model.constraints.size
        mass, drag = _implicit_mass(model, h)
        self.resist = h * model.joints.damping + h * h * np.maximum(model.joints.stiffness, 0.0)
        self.numbers = np.array(
            [
                h,
                bounce_speed(model.gravity, h),
                options.contact_tolerance,
                options.contact_enough,
                PART,
                slop(model),
                options.corrections,
            ]
        )
        self.enough = np.array(
            [options.friction_tolerance, options.friction_enough, options.friction_iterations, not self.limp]
        )
        solids, meshes = s.solids, s.meshes
        self.constant = (
            tree.parent, tree.kind, tree.dof, tree.at, tree.params, tree.E_pj0, model.switchable, model.turn_limit,
            s.link, s.collider, s.vertex, s.E, s.half, s.rounding, s.bounded, s.planes, s.members, s.owner, s.still,
            s.group, s.ignores, s.apart, s.parted, s.bodies_collide, fallen(model.gravity, h), size, SPIN, self.links,
            self.coordinates, self.pieces, self.calm, solids.kind, solids.size, solids.first, solids.verts,
            solids.faces, solids.face_at, solids.face_vertex, solids.face_normal, solids.edge_at, solids.edge_to,
            meshes.of_piece, meshes.first, meshes.corner, meshes.normal, meshes.beside, meshes.edge, meshes.closed,
            meshes.order, meshes.node_first, meshes.nodes, tree.inertia, mass, drag, model.gravity,
            model.tree_of_coordinate, self.turning, model.trees, model.longest_path, limits.dof, self.limit_link,
            limits.side, limits.bound, limits.restitution, s.moving, s.friction, s.restitution, options.boxed_friction,
            self.numbers, model.centres.which, model.centres.of,
        )  # fmt: skip
        """What the kernel is always called with."""

    def by(self, options: Options) -> TouchRun:
        """The same with other options: for a part of a step. Both write to the same arrays."""
        if self.other is None or self.other.options != options:
            other = copy(self)
            other._step_by(options)
            self.other = other
        return self.other

    def describe(self, pairs: Ints, X: Floats, which: Ints) -> Contacts:
        return describe_contacts(self.surfaces, self.placed, pairs, X, which, self.options.h)

    def take(self, state: State, memory: DryMemory, times: Floats, far: float) -> TouchStep | None:
        """A step, and the next ones where nothing comes between them; null where the first needs the general route.

        times: when the first begins, and when each ends [s], shape (most + 1,). far: with velocities at which something
        turns by more [rad] in a step, there is no next one.
        """
        t = float(times[1])
        sleepers = memory.prepare(self.model)
        asleep = int(np.count_nonzero(sleepers.asleep))
        moved = sleepers.colliders_moved(t)
        if asleep == len(sleepers.asleep) and not moved:
            return None
        if self.plain and not (asleep or self.resting or len(self.surfaces.motion)):
            steps, why = self._steps(STEPS, state, memory, sleepers, times, far)
            if steps is not None:
                self.resting = why == CALM
                if self.options.sleep:
                    sleepers.calm.fill(0.0)
            if steps is not None or why == LOST:
                return steps
        seen = self._look(state, memory, sleepers)
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
        if asleep == len(sleepers.asleep):
            return None
        action = self.acting(state, t)
        if asleep:
            action = action or joint_action(self.model, state, control_at(self.model, t), self.options.h)
            action = frozen(action, sleepers.coordinates, state.q)
        return self._steps(ANSWER, state, memory, sleepers, times[:2], far, found, action, asleep)[0]

    def acting(self, state: State, t: float) -> JointAction | None:
        """What acts in the joints in a step from a state that ends at time t [s]; null for implicit dampers alone."""
        if self.limp:
            return None
        return joint_action(self.model, state, control_at(self.model, t), self.options.h)

    def _look(self, state: State, memory: DryMemory, sleepers: Sleepers) -> tuple[State, Found, bool] | None:
        """The state in coordinates that are safe for a step, what touches in it, and whether a tree is calm."""
        for _ in range(2):
            _, why, calm, *found = self._ask(LOOK, state, memory, sleepers, self._blank(1), np.inf)[:6]
            if why >= 0:
                return state, (found[0], found[1], found[2]), calm
            if why != WOUND:
                return None
            state, _ = leave_singularities(self.model, state)
        return None

    def _steps(
        self, what: int, state: State, memory: DryMemory, sleepers: Sleepers, times: Floats, far: float,
        found: Found = _NOTHING, action: JointAction | None = None, asleep: int = 0,
    ) -> tuple[TouchStep | None, int]:  # fmt: skip
        """Steps at these times, null for none, and why there are no more."""
        blank, inner = self._blank(len(times) - 1), self._inner(memory)
        acts = self._over(times) if action is None else self._by(action, state)
        out = self._ask(what, state, memory, sleepers, blank, far, inner, found, acts)
        done, why, _, pairs, X, which, q0, qdot0, q, qdot, impulse = out[:11]
        if not done:
            return None, why
        memory.keys, memory.impulse, memory.place, memory.owner, memory.row_value = out[11:]
        if inner is not None:
            memory.bound, memory.at_rest, memory.inner = inner.bound, inner.rests, inner.force
        before = state
        if done > 1:
            before = State(float(times[done - 1]), q0, qdot0, state.chart, state.x, state.v)
        after = State(float(times[done]), q, qdot, state.chart, state.x, state.v)
        holding, stop_value, tell, told = blank
        return (
            TouchStep(
                self, before, after, pairs, X, which, impulse, holding, stop_value, action, tell[:done], told[:done],
                asleep, inner, done < len(times) - 1,
            ),
            why,
        )  # fmt: skip

    def _blank(self, most: int) -> Blank:
        n = len(self.limit_link)
        return np.empty(n, bool), np.empty((2, n)), np.empty((most, TOLD)), np.zeros((most, 2))

    def _ask(
        self, what: int, state: State, memory: DryMemory, sleepers: Sleepers, blank: Blank, far: float,
        inner: InnerFriction | None = None, found: Found = _NOTHING, acts: Acts | None = None,
    ) -> Any:  # fmt: skip
        """What the kernel returns."""
        if what != ANSWER:
            poses, twists = collider_poses(self.surfaces, state.t, self.options.h)
            if poses is not self.placed.collider:
                self.placed = replace(self.placed, collider=poses)
        else:
            poses, twists = self.placed.collider, self.surfaces.at_rest[1]
        if acts is None:
            acts = (_NONE, _NONE, self.still, self.resist, self.free, self.still, self.still)
        if inner is None:
            inner = self._inner(memory)
        holding, stop_value, tell, told = blank
        out = touch_steps(
            *self.constant, sleepers.of_link, sleepers.may, what, len(tell), self.options.sleep, far, self.room,
            state.chart, state.q, state.qdot, poses, twists, state.x, *acts, *found, memory.keys, memory.impulse,
            memory.place, memory.owner, memory.row_value, holding, stop_value, tell, told, inner,
        )  # fmt: skip
        self.room = max(self.room, 2 * len(out[3]))
        return out

    def _over(self, times: Floats) -> Acts | None:
        """What acts in the joints in steps at these times."""
        if self.limp:
            return None
        j, h, n = self.model.joints, self.options.h, len(times) - 1
        pushed = known = landing = self.still
        if len(j.torque):
            pushed = h * np.array([control_at(self.model, t).tau for t in times[1:]])
        if len(j.motion):
            pushed = np.broadcast_to(pushed, (n, self.model.nr)).copy()
            known, landing = np.zeros_like(pushed), np.zeros_like(pushed)
            places = np.array([evaluate(j.motion, t)[:, 0] for t in times])
            known[:, j.motion.target] = (places[1:] - places[:-1]) / h
            landing[:, j.motion.target] = places[1:]
        elif len(j.torque):
            known = landing = np.zeros_like(pushed)
        return (*self.springs, pushed, self.resist, self.free, known, landing)

    def _by(self, action: JointAction, state: State) -> Acts:
        """The same in a step from a state, where it is known already."""
        h = self.options.h
        return (
            _NONE, _NONE, self.impulse_of(action, state)[None], h * action.D + h * h * np.maximum(action.K, 0.0),
            action.free, action.known[None], action.landing[None],
        )  # fmt: skip

    def impulse_of(self, action: JointAction, state: State) -> Floats:
        """What acts in the joints' own coordinates in a step from a state, shape (nr,)."""
        return self.options.h * (action.force - (action.damping - action.D) * state.qdot)

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
