"""A run without an end that somebody takes hold of: a point of a body is drawn towards a place that moves.

The pull is a spring and damper in every direction, implicit in the step: within one link it is a 6x6 block that joins
the inertia, so that it costs nothing and is stable at any stiffness. Stiffness and damping follow from the mass that
the point may have to move, so that a finger and an elephant come along alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..compile.scene import compile_scene
from ..errors import FAILURES, DivergedError, InputError
from ..integrators.euler import euler, euler_midway
from ..joints.kinds import Kind
from ..model.curves import Curves, pack
from ..model.records import Floats, Guides, Ints, Model
from ..model.state import State
from ..scene import Polynomial, SceneSpec
from ..tree.kinematics import Kinematics, forward_kinematics
from .simulate import next_states, scene_options

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


@dataclass(frozen=True)
class LiveFrame:
    """What there is to show."""

    t: float
    """[s]"""
    joint_pose: Floats
    """World pose of each joint's frame, which moves with the body, shape (nj, 12)."""
    x: Floats
    """Positions of the vertices of flesh [m], shape (nv, 3)."""


class LiveRun:
    """A scene that plays on for ever, a frame at a time, and can be pulled at."""

    def __init__(self, spec: SceneSpec, response: float = RESPONSE) -> None:
        """`response`: of the pull [s]. Shorter is firmer."""
        options = scene_options(spec)
        self.begin = (
            euler if options.integrator == "euler" else euler_midway
        )  # no other takes a hand that appears
        self.model = compile_scene(spec)
        self.steps = self.begin(self.model, self.model.initial_state(), options)
        kinds = np.repeat(self.model.tree.kind, np.diff(self.model.tree.dof))
        self.angular = np.isin(kinds, ANGULAR)
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

    @property
    def t(self) -> float:
        """[s]"""
        return float(self.steps.state.t)

    def advance(self) -> LiveFrame:
        """Take the steps of one frame.

        Where somebody has whirled things about too fast for the step, they stop dead and go on from where they were
        a frame before, and the hand becomes slower. Raises DivergedError when it happens from rest, or untouched.
        """
        if self.held is not None:
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
            before = at_rest(before)
            self.go_on(self.steps.model, before)
            if self.held is not None:
                self.held.calm_down(before, forward_kinematics(self.model, before))
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
        return LiveFrame(state.t, kin.E_wj[self.model.bodies.link], state.x)

    def grab(self, body: str, place: Sequence[float]) -> float:
        """Take hold of the point of a body that is at a place of the world [m]; the mass that hangs on it [kg].

        Lets go of what was held before. Raises InputError for a body that nothing can pull away, because its
        animation alone moves it.
        """
        if body not in self.model.bodies.names:
            raise InputError(
                f"body '{body}'", "there is none of this name", "Give the name of a body of the scene."
            )
        link = int(self.model.bodies.link[self.model.bodies.names.index(body)])
        mass = pulled_mass(self.model, link)
        if mass == 0.0:
            raise InputError(
                f"body '{body}'", "nothing moves it but its animation", "Let it, or what carries it, be free."
            )
        kin = forward_kinematics(self.model, self.steps.state)
        x = _in_link(kin, link, np.array(place, float))
        held = _guides(link, x, np.array(place, float), mass, self.response)
        guides = held if self.model.guides is None else _joined(self.model.guides, held)
        reach = max(float(np.linalg.norm(x)), _gyration(self.model, link))
        h = self.steps.options.h
        self.touched = True
        self.held = Hand(
            link=link,
            x=x,
            line=guides.curves.data[-held.curves.data.size :].reshape(3, 3),
            target=np.array(place, float),
            slack=reach * (0.5 + self.response / h),
            speed=TURN * reach / h,
        )
        self.go_on(replace(self.model, guides=guides), self.steps.state)
        return mass

    def pull(self, target: Sequence[float]) -> None:
        """Draw what is held towards a place of the world [m]. The hand is there within a frame unless that is far."""
        if self.held is not None:
            self.held.target[:] = target

    def let_go(self) -> None:
        """What was held flies on as it is."""
        self.held = None
        self.go_on(self.model, self.steps.state)

    def go_on(self, model: Model, state: State) -> None:
        """Step on with another model from a state, which wakes what sleeps."""
        self.steps = self.begin(model, state, self.steps.options)


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
