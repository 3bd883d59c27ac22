"""A run without an end that somebody takes hold of: a point of a body is drawn towards a place that moves.

The pull is a spring and damper in every direction, implicit in the step: within one link it is a 6x6 block that joins
the inertia, so that it costs nothing and is stable at any stiffness. Stiffness and damping follow from the mass that
the point may have to move, so that a finger and an elephant come along alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..compile.scene import compile_scene
from ..errors import FAILURES, DivergedError, InputError
from ..integrators.euler import euler, euler_midway
from ..joints.kinds import Kind
from ..model.curves import Curves, pack
from ..model.records import Floats, Guides, Ints, Model
from ..model.state import Options, State
from ..scene import Polynomial, SceneSpec
from ..tree.kinematics import Kinematics, forward_kinematics
from .carry import Carried, carry_over
from .stepping import next_states, scene_options
from .take_log import TakeLog

RESPONSE = 0.04
"""Time [s] in which a critically damped pull closes a gap; a weight hangs g · RESPONSE² below the hand, 16 mm."""
SHORTEST = 4.0
"""Steps that a gap takes to close at least: a firmer hand would shake what it holds."""
TURN = 0.2
"""Angle [rad] by which a hand turns the link that it holds in a step, at most: it lags when the cursor jumps."""
SLOWEST = 1e-3
"""Speed [1/s], as slacks a second, below which a hand has nothing to do with it that things go wild."""
SPIN = 0.5
"""Angle [rad] that a joint may turn in a step before everything is stopped: beyond it steps gain energy."""
ANGULAR = (Kind.REVOLUTE, Kind.UNIVERSAL, Kind.SPHERICAL, Kind.SPHERICAL_EULER)
ALWAYS = ((-np.inf, np.inf),)
OVER = 0.2
"""Time [s] in which a connection that comes closes."""
KEPT_WHOLE = 2000
"""Frames of scenes with flesh that can be gone back to; of others, all."""


@dataclass(frozen=True)
class LiveFrame:
    """What there is to show."""

    t: float
    """[s]"""
    joint_pose: Floats
    """World pose of each joint's frame, which moves with the body, shape (nj, 12)."""
    x: Floats
    """Positions of the vertices of flesh [m], shape (nv, 3)."""
    bodies: tuple[str, ...] = ()
    """Which they are: a change may add some and take some away."""


class LiveRun:
    """A scene that plays on for ever, a frame at a time; it can be pulled at, changed, and set back.

    What was done to it is kept (`take`): the scene with these changes and pulls, simulated, is what was played.
    """

    def __init__(self, spec: SceneSpec, response: float = RESPONSE, options: Options | None = None) -> None:
        """`response`: of the pull [s]. Shorter is firmer. `options`: instead of the scene's own."""
        options = scene_options(spec) if options is None else options
        self.begin = (
            euler if options.integrator == "euler" else euler_midway
        )  # no other takes a hand that appears
        self.spec = self.meant = msgspec.structs.replace(spec, changes=[], pulls=[])
        """The scene as it is now, and as it was asked for: connections may still be on their way."""
        self.model = compile_scene(self.spec)
        self.waits: tuple[str, ...] = ()
        """Joints whose parts are on their way to each other."""
        self.patience = np.inf
        """When they are to be together [s]."""
        self.steps = self.begin(self.model, self.model.initial_state(), options)
        self.angular = _angular(self.model)
        """Which coordinates are angles, shape (nr,)."""
        self.per_frame = spec.time.record
        self.duration = options.h * spec.time.record
        """Of a frame [s]."""
        self.response = max(response, SHORTEST * options.h)
        self.held: Hand | None = None
        self.touched = False
        """Whether a hand was at work: from then on this is no longer the scene's own motion."""
        self.count = 0
        self.stopped = 0
        """How often everything was stopped because it had become too fast."""
        self.done = TakeLog(self.spec, float(self.model.t0), self.duration)
        self.past = [Past(self.spec, self.meant, self.steps.state, self.waits, self.patience)]
        """Every frame so far, the last one being the present."""

    @property
    def t(self) -> float:
        """[s]"""
        return float(self.steps.state.t)

    @property
    def number(self) -> int:
        """Of the present frame, from 0 on."""
        return len(self.past) - 1

    def advance(self) -> LiveFrame:
        """Take the steps of one frame.

        Where somebody has whirled things about too fast for the step, they stop dead and go on from where they were
        a frame before, and the hand becomes slower. Raises DivergedError when it happens from rest, or untouched.
        """
        if self.waits and self.t > self.patience:
            self._connect()
        if self.held is not None:
            self.done.pull(self.number, self.held.target)
            self.held.move_on(
                self.steps.state, forward_kinematics(self.model, self.steps.state), self.duration
            )
        before = self.steps.state
        try:
            left = self.per_frame
            while left > 0:
                left -= self._steps(left)
        except FAILURES:
            if not self.touched or (
                not before.qdot.any() and (self.held is None or self.held.speed < self.held.slack * SLOWEST)
            ):
                raise
            self.stopped += 1
            before = replace(at_rest(before), t=before.t + self.duration)  # time passes all the same
            self.go_on(self.steps.model, before)
            if self.held is not None:
                self.held.calm_down(before, forward_kinematics(self.model, before))
        self.past.append(Past(self.spec, self.meant, self.steps.state, self.waits, self.patience))
        if len(self.past) > KEPT_WHOLE and self.steps.state.x.size:
            self.past[-KEPT_WHOLE] = replace(self.past[-KEPT_WHOLE], state=None)
        return self.frame()

    def _steps(self, most: int) -> int:
        """Take up to so many steps; how many. Raises DivergedError when a coordinate stops being finite, or turns too
        far after a hand was at work."""
        state, taken = next_states(self.steps.model, self.steps, self.steps.state, self.count, most)
        self.count += taken
        if not self.touched:
            return taken
        turn = np.where(self.angular, np.abs(state.qdot), 0.0) * self.steps.options.h
        if turn.size and turn.max() > SPIN:
            raise DivergedError(state.t, self.count, self.model.joint_of(int(turn.argmax())))
        return taken

    def frame(self) -> LiveFrame:
        """The state as it is now."""
        state = self.steps.state
        kin = forward_kinematics(self.model, state)
        return LiveFrame(state.t, kin.E_wj[self.model.bodies.link], state.x, self.model.bodies.names)

    def change(self, spec: SceneSpec, over: float = OVER) -> None:
        """Go on with another scene from the present state, within the next frame: settings, connections and parts may
        be others. What is not concerned moves on as it did; a connection that comes closes over some time [s].

        Raises SceneError, and goes on as before, where the scene cannot be simulated.
        """
        spec = msgspec.structs.replace(spec, changes=[], pulls=[])
        carried = carry_over(self.spec, self.model, self.steps.state, self._with_coming(spec), over)
        self.done.change(self.number, self.meant, spec, over)
        self._take_over(carried, spec, self.t + over)

    def _with_coming(self, spec: SceneSpec) -> SceneSpec:
        """A scene in which constraints that came by hand hold from when they came."""
        came = {c.name: c.active for c in self.spec.constraints if c.name and c.active}
        constraints = [
            msgspec.structs.replace(c, active=came[c.name]) if c.name in came and not c.active else c
            for c in spec.constraints
        ]
        return msgspec.structs.replace(spec, constraints=constraints)

    def _connect(self) -> None:
        """Try the scene as it was meant, now that its parts should be together."""
        carried = carry_over(self.spec, self.model, self.steps.state, self._with_coming(self.meant), OVER)
        self._take_over(carried, self.meant, self.t + OVER)

    def _take_over(self, carried: Carried, meant: SceneSpec, patience: float) -> None:
        self.spec, self.meant, self.model = carried.spec, meant, carried.model
        self.waits, self.patience = carried.waits, patience
        self.angular = _angular(self.model)
        held, self.held = self.held, None
        self.go_on(self.model, carried.state)
        if held is not None and held.body in self.model.bodies.names:
            self._hold(held.body, held.place(self.t), held.point_of_shape, held.line.copy(), held.target)

    def set_back(self, number: int) -> LiveFrame:
        """Be at an earlier frame again, with the scene as it was then; what came after is forgotten."""
        number = min(max(number, 0), self.number)
        then = self.past[number]
        if then.state is None:
            raise InputError(
                f"frame {number}",
                f"only the last {KEPT_WHOLE} frames of flesh are kept",
                "Set back to a later one.",
            )
        del self.past[number + 1 :]
        self.held = None
        self.done.forget(number, then.meant)
        model = compile_scene(then.spec)
        self.spec = then.spec
        carried = carry_over(then.spec, model, then.state, self._with_coming(then.meant), 0.0)
        self._take_over(carried, then.meant, then.state.t)
        return self.frame()

    def take(self, end: int | None = None) -> SceneSpec:
        """The scene with all that was done to it up to a frame, or so far: simulated, it is what was played."""
        end = self.number if end is None else min(end, self.number)
        return self.done.scene(max(end, 1))

    def grab(self, body: str, place: Sequence[float]) -> float:
        """Take hold of the point of a body that is at a place of the world [m]; the mass that hangs on it [kg].

        Lets go of what was held before. Raises InputError for a body that nothing can pull away, because its
        animation alone moves it.
        """
        if body not in self.model.bodies.names:
            raise InputError(
                f"body '{body}'", "there is none of this name", "Give the name of a body of the scene."
            )
        if self.held is not None:
            self.let_go()
        mass = self._hold(body, np.array(place, float))
        self.done.grab(self.number, body, place)
        return mass

    def _hold(
        self,
        body: str,
        place: Floats,
        of_shape: Floats | None = None,
        line: Floats | None = None,
        target: Floats | None = None,
    ) -> float:
        """Hold a body at a place, or at a point in its shape's frame [m], with a hand that moves on along a line."""
        b = self.model.bodies.names.index(body)
        link = int(self.model.bodies.link[b])
        mass = pulled_mass(self.model, link)
        if mass == 0.0:
            raise InputError(
                f"body '{body}'", "nothing moves it but its animation", "Let it, or what carries it, be free."
            )
        kin = forward_kinematics(self.model, self.steps.state)
        R, p = self.model.bodies.E_js[b, :9].reshape(3, 3), self.model.bodies.E_js[b, 9:]
        x = _in_link(kin, link, place) if of_shape is None else R @ of_shape + p
        held = _guides(link, x, place, mass, self.response)
        guides = held if self.model.guides is None else _joined(self.model.guides, held)
        reach = max(float(np.linalg.norm(x)), _gyration(self.model, link))
        h = self.steps.options.h
        self.touched = True
        self.held = Hand(
            link=link,
            x=x,
            line=guides.curves.data[-held.curves.data.size :].reshape(3, 3),
            target=np.array(place if target is None else target, float),
            slack=reach * (0.5 + self.response / h),
            speed=TURN * reach / h,
            body=body,
            point_of_shape=R.T @ (x - p),
        )
        if line is not None:
            self.held.line[:] = line
        self.go_on(replace(self.model, guides=guides), self.steps.state)
        return mass

    def pull(self, target: Sequence[float]) -> None:
        """Draw what is held towards a place of the world [m]. The hand is there within a frame unless that is far."""
        if self.held is not None:
            self.held.target[:] = target

    def let_go(self) -> None:
        """What was held flies on as it is."""
        if self.held is None:
            return
        self.done.let_go(self.number)
        self.held = None
        self.go_on(self.model, self.steps.state)

    def go_on(self, model: Model, state: State) -> None:
        """Step on with another model from a state, which wakes what sleeps."""
        woken = self.steps.memory.woken
        self.steps = self.begin(model, state, self.steps.options)
        if len(woken) == len(self.steps.memory.woken):
            self.steps.memory.woken[:] = woken
            self.steps.rewake()


def _angular(model: Model) -> NDArray[np.bool_]:
    kinds = np.repeat(model.tree.kind, np.diff(model.tree.dof))
    return np.asarray(np.isin(kinds, ANGULAR))


@dataclass(frozen=True)
class Past:
    """A frame that can be gone back to."""

    spec: SceneSpec
    meant: SceneSpec
    state: State | None
    """Null where it was too much to keep."""
    waits: tuple[str, ...]
    patience: float


def at_rest(state: State) -> State:
    """The same place without any velocity."""
    return replace(state, qdot=np.zeros_like(state.qdot), v=np.zeros_like(state.v))


@dataclass
class Hand:
    """A hand that holds a point: how it moves now, and where it is going."""

    link: int
    x: Floats
    """The point in the link's joint frame [m], shape (3,)."""
    line: Floats
    """Start [s], place [m] and velocity [m/s] of its motion along each axis, shape (3, 3): the data of the curves of
    its guides, to be written to."""
    target: Floats
    """Where it shall be at the end of a frame [m], shape (3,)."""
    slack: float
    """How far it may be from the point [m]. The step knows how the pull changes with the distance, but not how it
    turns with the link: with d = reach + distance, one step is stable while d < 2 reach (1 + 2 response / h)."""
    speed: float
    """How fast it may be [m/s]."""
    body: str
    point_of_shape: Floats
    """The point in the frame of the body's shape [m], shape (3,)."""

    def place(self, t: float) -> Floats:
        """Where the hand is [m], shape (3,)."""
        return np.asarray(self.line[:, 1] + (t - self.line[:, 0]) * self.line[:, 2])

    def move_on(self, state: State, kin: Kinematics, duration: float) -> None:
        """Go straight on towards the target for a frame, as far as slack and speed let it."""
        point, velocity = self.point(kin)
        here, point = self.place(state.t), point + duration * velocity
        velocity = (point + _limited(self.target - point, self.slack) - here) / duration
        self.line[:] = np.stack([np.full(3, state.t), here, _limited(velocity, self.speed)], axis=1)

    def calm_down(self, state: State, kin: Kinematics) -> None:
        """Begin again at the point, half as fast."""
        self.speed *= 0.5
        self.line[:] = np.stack([np.full(3, state.t), self.point(kin)[0], np.zeros(3)], axis=1)

    def point(self, kin: Kinematics) -> tuple[Floats, Floats]:
        """Where the held point is [m], and its velocity [m/s], shape (3,) each."""
        E, V = kin.E_wj[self.link], kin.V[self.link]
        R = E[:9].reshape(3, 3)
        return E[9:] + R @ self.x, R @ (V[3:] + np.cross(V[:3], self.x))


def _limited(vector: Floats, longest: float) -> Floats:
    """The same direction, and no longer than that."""
    length = float(np.linalg.norm(vector))
    return vector if length <= longest else vector * (longest / length)


def _in_link(kin: Kinematics, link: int, place: Floats) -> Floats:
    """A place of the world [m] in a link's joint frame."""
    E = kin.E_wj[link]
    return np.asarray(E[:9].reshape(3, 3).T @ (place - E[9:]))


def _gyration(model: Model, link: int) -> float:
    """Radius of gyration of the body on a link [m]."""
    I = model.bodies.inertia[model.bodies.link == link][0]
    return float(np.sqrt(I[:3].max() / I[3]))


def _guides(link: int, x: Floats, place: Floats, mass: float, response: float) -> Guides:
    """Three guides that draw a point of a link towards a place along the world's axes."""
    return Guides(
        point=np.zeros(3, np.int64),
        link=np.full(3, link, np.int64),
        x=np.tile(x, (3, 1)),
        direction=np.eye(3),
        stiffness=np.full(3, mass / response**2),
        damping=np.full(3, 2.0 * mass / response),
        active=(ALWAYS,) * 3,
        curves=pack((c, Polynomial([float(place[c]), 0.0]), "hand") for c in range(3)),
        reach=np.full(3, np.inf),  # the hand itself keeps near
    )


def _joined(a: Guides, b: Guides) -> Guides:
    """Guides one after the other; those of a hand, the second ones, count as they are."""
    return Guides(
        point=np.concatenate([a.point, a.point.max() + 1 + b.point]),
        link=np.concatenate([a.link, b.link]),
        x=np.concatenate([a.x, b.x]),
        direction=np.concatenate([a.direction, b.direction]),
        stiffness=np.concatenate([a.stiffness, b.stiffness]),
        damping=np.concatenate([a.damping, b.damping]),
        active=a.active + b.active,
        curves=Curves(
            target=np.concatenate([a.curves.target, b.curves.target]),
            first=np.concatenate([a.curves.first, a.curves.first[-1] + b.curves.first[1:]]),
            until=np.concatenate([a.curves.until, b.curves.until]),
            formula=np.concatenate([a.curves.formula, b.curves.formula]),
            at=np.concatenate([a.curves.at, a.curves.at[-1] + b.curves.at[1:]]),
            data=np.concatenate([a.curves.data, b.curves.data]),
        ),
        reach=np.concatenate([a.reach, b.reach]),
        influence=a.influence,
    )


def pulled_mass(model: Model, link: int) -> float:
    """What may hang on a hand that holds a link [kg]: all that the highest free joint above it carries.

    With it come the trees that loops tie to its own, and flesh. Zero where nothing can move.
    """
    parent, dof = model.tree.parent, model.tree.dof
    free = [bool(model.joints.free[a:b].any()) for a, b in zip(dof[:-1], dof[1:], strict=True)]
    top = _highest_free(parent, free, link)
    if top < 0:
        return 0.0
    tops: set[int] = set()
    more = {top}
    while more:
        tops |= more
        carried = _carried(parent, tops)
        ties = [(a, b) for a, b in model.constraints.rows.link.tolist() if a >= 0 and b >= 0]
        outside = [b if carried[a] else a for a, b in ties if carried[a] != carried[b]]
        more = {_highest_free(parent, free, other) for other in outside} - tops - {-1}
    masses = np.zeros(model.nl)
    np.add.at(masses, model.bodies.link, model.bodies.inertia[:, 3])
    soft = 0.0 if model.flesh is None else float(model.flesh.tets.mass.sum())
    return float(masses[carried].sum()) + soft


def _highest_free(parent: Ints, free: list[bool], link: int) -> int:
    """The link nearest to the root, on the way there, whose joint may move; -1 for none."""
    top = -1
    while link >= 0:
        top = link if free[link] else top
        link = int(parent[link])
    return top


def _carried(parent: Ints, tops: set[int]) -> list[bool]:
    """Which links are carried by one of these, themselves too."""
    carried: list[bool] = []
    for link, above in enumerate(parent.tolist()):
        carried.append(link in tops or (above >= 0 and carried[above]))
    return carried
