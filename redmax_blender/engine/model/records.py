"""The constant arrays that a scene compiles to.

A body hangs on one joint, and a joint is one *link*, or several for a composite joint: supplement §5.1 reads a
composite as a chain of simple joints with massless bodies between, and that is how it is compiled. Links are sorted
parents first. Every link moves with its *joint frame*; the body sits at a constant pose `E_jb` in it. Poses are rows
of twelve numbers, the rotation matrix row by row and then the origin; spatial inertias are rows of 21 (`spatial.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..friction.joints.sources import Sources, sources_of
from ..tree.aligned import AlignedTree, align
from ..tree.centres import Centres, find_centres
from .curves import Curves
from .state import State

if TYPE_CHECKING:
    from ..constraints.ropes import Ropes
    from ..contact.shapes.surfaces import Surfaces
    from ..fem.flesh import Flesh
    from ..friction.joints.arrays import Friction
    from ..muscles.compiled import Muscles
    from ..scene import SceneSpec

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """The links of a forest, parents before children. nl links, nr reduced coordinates."""

    parent: Ints
    """Parent link, -1 for the world, shape (nl,)."""
    kind: Ints
    """`joints.Kind` of each link, shape (nl,)."""
    dof: Ints
    """Link l owns the coordinates dof[l]:dof[l+1], shape (nl+1,)."""
    at: Ints
    """Where each link's parameters begin in `params`, shape (nl,)."""
    params: Floats
    """Axes and spline controls of all links."""
    E_pj0: Floats
    """Joint frame at q = 0 in the parent link's joint frame, shape (nl, 12)."""
    inertia: Floats
    """Spatial inertia in the joint frame [kg·m², kg·m, kg], shape (nl, 21); zero for massless links."""
    damping: Floats
    """Viscous drag on the twist, in the joint frame, shape (nl, 21)."""
    chart: Ints
    """Initial Euler chart of each link, shape (nl,); zero where there is none."""
    centred: NDArray[np.bool_]
    """Links that turn, and whose coordinates Euler's steps centre where they can (`centres.py`), shape (nl,)."""
    links: Ints = field(init=False)
    """Parent, kind, first coordinate, number of coordinates and parameter offset of each link, shape (nl, 5)."""
    constants: Floats = field(init=False)
    """E_pj0 and inertia side by side, shape (nl, 33)."""
    all_free: NDArray[np.bool_] = field(init=False)
    """True for every coordinate, shape (nr,)."""

    def __post_init__(self) -> None:
        # A kernel call costs about a tenth of a microsecond an array, which a ten-joint chain feels: pack them.
        links = np.stack([self.parent, self.kind, self.dof[:-1], np.diff(self.dof), self.at], axis=1)
        object.__setattr__(self, "links", np.ascontiguousarray(links, np.int64).reshape(-1, 5))
        object.__setattr__(self, "constants", np.ascontiguousarray(np.hstack([self.E_pj0, self.inertia])))
        object.__setattr__(self, "all_free", np.ones(int(self.dof[-1]), bool))


@dataclass(frozen=True)
class Bodies:
    """nb bodies, in the order of the scene."""

    names: tuple[str, ...]
    link: Ints
    """The link that carries each body, shape (nb,)."""
    E_jb: Floats
    """Body frame (centre of mass, principal axes) in the link's joint frame, shape (nb, 12)."""
    inertia: Floats
    """Principal moments and mass [Ixx, Iyy, Izz, m, m, m], shape (nb, 6)."""
    damping: Floats
    """Drag coefficient on all six twist components, shape (nb,)."""
    E_js: Floats
    """Shape frame in the link's joint frame, shape (nb, 12)."""
    explicit: NDArray[np.bool_] | None = None
    """Bodies whose damping is not in the matrix of the implicit step, shape (nb,); null for none."""


@dataclass(frozen=True)
class Joints:
    """nj joints, one a body and in the same order, and what acts in their coordinates."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    """The kind as the scene file spells it."""
    dof: Ints
    """Joint j owns the coordinates dof[j, 0]:dof[j, 1], shape (nj, 2)."""
    stiffness: Floats
    """[N·m/rad, N/m], shape (nr,)."""
    damping: Floats
    """[N·m·s/rad, N·s/m], shape (nr,)."""
    rest: Floats
    """[rad, m], shape (nr,)."""
    torque: Curves
    """Applied torques: the curves and the coordinate each of them drives."""
    motion: Curves
    """Prescribed coordinates: the curves and the coordinate each of them drives."""
    free: NDArray[np.bool_]
    """False for coordinates that `motion` prescribes throughout, shape (nr,)."""
    switches: tuple[tuple[tuple[float, int, float], ...], ...] = ()
    """For each curve of `motion`, from when on which mode holds (`PRESCRIBED`, `GUIDED`, `FREE`), and over which time
    the joint comes back onto the curve [s]; empty: prescribed."""
    guide: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """Stiffness and damping of the guide of each curve of `motion`, shape (n, 2)."""
    profile: Curves | None = None
    """Nonlinear springs: restoring force over distance from rest, and the coordinate of each."""
    stops: Floats = field(default_factory=lambda: np.zeros((0, 5)))
    """Springy stops: coordinate, lower, upper, stiffness and damping, shape (n, 5)."""
    explicit: NDArray[np.bool_] | None = None
    """Coordinates whose spring and damper are not in the matrix of the implicit step, shape (nr,); null for none."""


PRESCRIBED, GUIDED, FREE = 0, 1, 2
"""How a joint relates to its motion (`scene_constraints.Mode`)."""
MODES = {"prescribed": PRESCRIBED, "guided": GUIDED, "free": FREE}


@dataclass(frozen=True)
class External:
    """Forces and torques on bodies over time, and wind."""

    link: Ints
    """The link that each force pushes, shape (nf,)."""
    x: Floats
    """Where, in its joint frame [m], shape (nf, 3)."""
    axes: Floats
    """Axes of the components in the joint frame, shape (nf, 3, 3)."""
    in_world: NDArray[np.bool_]
    """Whether the components are along world axes instead, shape (nf,)."""
    curves: Curves
    """Six curves a force: three of the force, three of the torque."""
    wind_link: Ints
    """The links that feel wind, shape (nw,)."""
    wind_x: Floats
    """Their centres of mass in the joint frame [m], shape (nw, 3)."""
    wind_drag: Floats
    """Linear and quadratic drag, and 1 where it is implicit, shape (nw, 3)."""
    wind_curves: Curves
    """Three curves an entry: the velocity of the air."""


@dataclass(frozen=True)
class Fields:
    """Fields of force, nf of them, and the np points of links that feel them (`forces.fields` has the columns)."""

    kind: Ints
    """What each is, shape (nf, 7)."""
    number: Floats
    """Its constants, shape (nf, 12)."""
    order: Ints
    """What its noise follows from, shape (nf, 256)."""
    curves: Curves
    """Seven of each: strength, position [m], rotation vector [rad]."""
    link: Ints
    """The link of each point, shape (np,)."""
    at: Floats
    """Where in its joint frame [m], its share of the force, and of the mass [kg], shape (np, 5)."""
    weight: Floats
    """How strongly each point feels each field, shape (nf, np)."""
    flesh_of: Ints
    """The flesh of each vertex, -1 for none, shape (nv,)."""
    flesh_mass: Floats
    """[kg], shape (n flesh,)."""
    flesh_weight: Floats
    """Shape (nf, n flesh)."""


@dataclass(frozen=True)
class Guides:
    """Springs and dampers that lead a point along one direction of the world towards a curve, ng of them."""

    point: Ints
    """Number of the point, from 0 on, that each leads: up to three are of one, shape (ng,)."""
    link: Ints
    """The link of each point, shape (ng,)."""
    x: Floats
    """The point in its joint frame [m], shape (ng, 3)."""
    direction: Floats
    """Unit vector in the world, shape (ng, 3)."""
    stiffness: Floats
    """[N/m], shape (ng,)."""
    damping: Floats
    """[N·s/m], shape (ng,)."""
    active: tuple[tuple[tuple[float, float], ...], ...]
    """When each of them leads: from and until [s]."""
    curves: Curves
    """Where along its direction each is to be [m]."""
    reach: Floats
    """Lever [m] by which a step tells how far it may turn the link, shape (ng,); infinite to let it."""
    influence: Curves | None = None
    """How much some of them count over time, 0 to 1, by their numbers; null where all count as they are."""


@dataclass(frozen=True)
class Springs:
    """ns springs, each a polyline of nodes; nn nodes in all."""

    names: tuple[str, ...]
    first: Ints
    """Spring s has the nodes first[s]:first[s+1], shape (ns+1,)."""
    link: Ints
    """The link that carries each node, -1 for the world, shape (nn,)."""
    x: Floats
    """Each node in its link's joint frame, or in the world [m], shape (nn, 3)."""
    stiffness: Floats
    """[N/m], shape (ns,)."""
    damping: Floats
    """[N·s/m], shape (ns,)."""
    rest: Floats
    """Rest length [m], shape (ns,)."""
    tension_only: Ints
    """1 for cables, shape (ns,)."""
    tangent: Ints
    """How each enters the implicit system (`forces.springs`), shape (ns,)."""

    @cached_property
    def links(self) -> Ints:
        """The links that implicit springs touch, each once."""
        implicit = np.repeat(self.tangent != 0, np.diff(self.first))
        return np.asarray(np.unique(self.link[implicit & (self.link >= 0)]))


@dataclass(frozen=True)
class Rows:
    """Constraint rows in maximal coordinates, m of them (`constraints/rows.py` says what each type means)."""

    type: Ints
    """shape (m,)."""
    owner: Ints
    """Number of the constraint that each row belongs to, shape (m,)."""
    link: Ints
    """Links of the two sides, -1 for the world, shape (m, 2)."""
    x: Floats
    """Points of the two sides in joint frames, or in the world [m], shape (m, 2, 3)."""
    axis: Floats
    """Directions of the two sides, likewise, shape (m, 2, 3)."""
    part: Ints
    """Which one of several rows this is, shape (m,)."""
    value: Floats
    """A constant: the length of a rod [m], shape (m,)."""
    path: Ints
    """First of the three target curves of the world's side, -1 for none, shape (m,)."""
    turn: Ints
    """First of the three curves of the rotation vector of the world's side, -1 for none, shape (m,)."""
    targets: Curves
    lever: Floats
    """What turns an error of the row into a length: 1, or the scene's size [m] for an angle, shape (m,)."""


@dataclass(frozen=True)
class Gears:
    """Linear equations between coordinates: Σ factor · q = offset; ng of them."""

    owner: Ints
    """Number of the constraint that each belongs to, shape (ng,)."""
    first: Ints
    """Gear i has the terms first[i]:first[i+1], shape (ng+1,)."""
    dof: Ints
    factor: Floats
    offset: Floats
    """shape (ng,)."""
    lever: Floats
    """What turns an error into a length, as for `Rows`, shape (ng,)."""


@dataclass(frozen=True)
class Limits:
    """Hard stops of coordinates, one a side: side · (q - bound) >= 0; nh of them."""

    dof: Ints
    side: Floats
    """+1 for a lower bound, -1 for an upper one, shape (nh,)."""
    bound: Floats
    """[rad, m], shape (nh,)."""
    restitution: Floats
    """shape (nh,)."""


@dataclass(frozen=True)
class Constraints:
    """All constraints of a scene."""

    names: tuple[str, ...]
    active: tuple[tuple[tuple[float, float, float], ...], ...]
    """When each constraint holds: from, until, and over which time it takes hold [s]; empty for always."""
    rows: Rows
    gears: Gears
    limits: Limits
    size: float
    """Length [m] against which position errors are judged: the extent of the scene."""

    @property
    def is_empty(self) -> bool:
        return not (len(self.rows.type) or len(self.gears.offset) or len(self.limits.dof))

    @cached_property
    def always(self) -> bool:
        """Whether all constraints hold all the time."""
        return not any(self.active)


@dataclass(frozen=True)
class Wakes:
    """Groups of joints that leave their motions together when one of their bodies is struck (`wake.py`)."""

    count: int
    threshold: Floats
    """Impulse that wakes each link's group [N·s], infinite where there is none, shape (nl,)."""
    of_link: Ints
    """Group of each link, -1 for none, and -1 for the world at the end, shape (nl+1,)."""
    of_motion: Ints
    """Group of each motion, -1 for none, in the order of `joints.motion`."""


@dataclass(frozen=True)
class Model:
    """All that does not change during a run."""

    gravity: Floats
    """[m/s²], shape (3,)."""
    tree: Tree
    bodies: Bodies
    joints: Joints
    q0: Floats
    """Initial coordinates [rad, m], shape (nr,)."""
    qdot0: Floats
    """Initial velocities [rad/s, m/s], shape (nr,)."""
    springs: Springs
    constraints: Constraints
    external: External | None = None
    fields: Fields | None = None
    """Fields of force; null for none."""
    guides: Guides | None = None
    ropes: Ropes | None = None
    """Distances that are bounded on one side; null for none."""
    reduction: Floats | None = None
    """Hyper-reduced coordinates: qdot = B zdot (paper, Eq. 8), shape (nr, nR); null for none."""
    t0: float = 0.0
    """Time at which the initial state holds [s]."""
    flesh: Flesh | None = None
    """Finite elements that links carry; the masses of carried vertices are part of `tree.inertia`."""
    contact: Surfaces | None = None
    """What can touch; null for nothing."""
    friction: Friction | None = None
    """Friction and motors inside joints; null for none."""
    wakes: Wakes | None = None
    """Joints that leave their motions when they are struck; null for none."""
    muscles: Muscles | None = None
    """What muscles run over, weigh and pull with; null for none."""
    told: SceneSpec | None = None
    """The scene itself where it changes while it runs, or hands pull at it (`run/take.py`); null elsewhere."""

    @property
    def nr(self) -> int:
        """Number of reduced coordinates."""
        return int(self.tree.dof[-1])

    @property
    def nl(self) -> int:
        """Number of links."""
        return len(self.tree.parent)

    @cached_property
    def aligned(self) -> AlignedTree:
        """The tree packed for forward dynamics."""
        return align(self.tree, self.gravity)

    @cached_property
    def sources(self) -> Sources:
        """Friction, motors and stops by coordinate."""
        return sources_of(self)

    @cached_property
    def centres(self) -> Centres:
        """Ball joints and free bodies that Euler's steps move along their velocities."""
        return find_centres(self)

    @cached_property
    def tree_of_coordinate(self) -> Ints:
        """Number of the tree that each coordinate is in, shape (nr,)."""
        roots = self.tree.parent < 0
        number = np.cumsum(roots) - 1
        for j, p in enumerate(self.tree.parent):
            if p >= 0:
                number[j] = number[p]
        return np.repeat(number, np.diff(self.tree.dof)).astype(np.int64)

    @cached_property
    def trees(self) -> int:
        """Number of trees."""
        return int(np.count_nonzero(self.tree.parent < 0))

    @cached_property
    def longest_path(self) -> int:
        """Most coordinates between a link and the world, its own included."""
        count = np.diff(self.tree.dof)
        for j, p in enumerate(self.tree.parent):
            if p >= 0:
                count[j] += count[p]
        return int(count.max(initial=0))

    @cached_property
    def movable(self) -> NDArray[np.bool_]:
        """Links that are not held to the world by fixed joints all the way, shape (nl,)."""
        out = np.diff(self.tree.dof) > 0
        for j, p in enumerate(self.tree.parent):
            if p >= 0 and out[p]:
                out[j] = True
        return out

    @cached_property
    def springs_within_links(self) -> bool:
        """Whether every implicit spring has all its moving nodes on one link."""
        s = self.springs
        for i in range(len(s.rest)):
            nodes = s.link[s.first[i] : s.first[i + 1]]
            nodes = nodes[nodes >= 0]
            if s.tangent[i] != 0 and len(np.unique(nodes[self.movable[nodes]])) > 1:
                return False
        return True

    @cached_property
    def switchable(self) -> NDArray[np.bool_]:
        """Links whose Euler chart may be switched: nothing refers to their coordinates as such, shape (nl,)."""
        j, c = self.joints, self.constraints
        named = (j.stiffness != 0.0) | (j.damping != 0.0)
        for dofs in (
            j.torque.target,
            j.motion.target,
            c.gears.dof,
            c.limits.dof,
            j.stops[:, 0].astype(np.int64),
        ):
            named[dofs] = True
        if j.profile is not None:
            named[j.profile.target] = True
        if self.reduction is not None:
            named |= (self.reduction != 0.0).sum(axis=0)[np.argmax(self.reduction != 0.0, axis=1)] > 1
        t = self.tree
        return np.array([not named[a:b].any() for a, b in zip(t.dof[:-1], t.dof[1:], strict=True)], bool)

    @cached_property
    def turn_limit(self) -> Floats:
        """Length [rad] from which the rotation vector of a link is shortened by a turn, shape (nl,).

        A motion keeps its numbers, so that it is never; but see `let_go`.
        """
        prescribed = np.zeros(self.nr, bool)
        prescribed[self.joints.motion.target] = True
        spans = zip(self.tree.dof[:-1], self.tree.dof[1:], strict=True)
        return np.where([prescribed[a:b].any() for a, b in spans], np.inf, self._turn_limit_alone)

    @cached_property
    def let_go(self) -> tuple[Ints, Floats, Floats]:
        """Links with a motion while it is left: the link, from when and until when [s], and the limit meanwhile.

        Shapes (n,), (n, 2) and (n,).
        """
        link, span, limit = [], [], []
        owner = np.repeat(np.arange(self.nl), np.diff(self.tree.dof))
        for curve, target in enumerate(self.joints.motion.target.tolist()):
            j = int(owner[target])
            if not self.joints.switches or target != self.tree.dof[j]:
                continue
            switches = self.joints.switches[curve]
            ends = [*(time for time, _, _ in switches[1:]), np.inf][: len(switches)]
            for (time, mode, _), end in zip(switches, ends, strict=True):
                if mode == FREE:
                    link.append(j)
                    span.append((time, end))
                    limit.append(self._turn_limit_alone[j])
        return np.array(link, np.int64), np.array(span, float).reshape(-1, 2), np.array(limit, float)

    @cached_property
    def _turn_limit_alone(self) -> Floats:
        """The same without motions: a spring or a limit feels the turn, so that it is at the last moment before the
        singularity at 2π."""
        j, c = self.joints, self.constraints
        felt = j.stiffness != 0.0
        for dofs in (c.gears.dof, c.limits.dof, j.stops[:, 0].astype(np.int64)):
            felt[dofs] = True
        if j.profile is not None:
            felt[j.profile.target] = True
        spans = zip(self.tree.dof[:-1], self.tree.dof[1:], strict=True)
        return np.array([(1.95 if felt[a:b].any() else 1.5) * np.pi for a, b in spans], float)

    def joint_of(self, coordinate: int) -> str:
        """Name of the joint that owns a reduced coordinate."""
        spans = self.joints.dof
        owner = np.flatnonzero((spans[:, 0] <= coordinate) & (coordinate < spans[:, 1]))
        if len(owner):
            return self.joints.names[int(owner[0])]
        after = np.where(spans[:, 0] > coordinate, spans[:, 0], np.inf)
        return self.joints.names[
            int(np.argmin(after))
        ]  # a moving base comes before the joint's own coordinates

    def initial_state(self) -> State:
        state = State(self.t0, self.q0.copy(), self.qdot0.copy(), self.tree.chart.copy())
        if self.muscles is not None:
            state = replace(state, muscle=self.muscles.start.copy())
        if self.flesh is None:
            return state
        return replace(state, x=self.flesh.x0.copy(), v=self.flesh.v0.copy())
