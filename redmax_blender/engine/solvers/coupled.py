"""Bones and flesh in one implicit system (paper §4, by the Jacobian of attached vertices: thesis §4.6.3).

With J_h taking reduced velocities to those of held vertices, and B = h D - h² K of the flesh, the unknowns (qdot, v_f)
obey

    [A + J_hᵀ B_hh J_h   J_hᵀ B_hf ] [qdot]   [b + h J_hᵀ f_h     ]
    [B_fh J_h            M + B_ff  ] [v_f ] = [M v_f + h (f + m g)]

which is symmetric and positive definite, being a congruence; A and b are those of the tree (`implicit_system`), masses
of held vertices included. Constraints, limits, motions and hyper-reduced coordinates speak of qdot alone, and to them
flesh is one more term of the matrix: the solvers here answer for its Schur complement C, once the free vertices are
eliminated, so that C qdot = c takes the place of A qdot = b. The velocities of the flesh follow from the bones'.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from ..fem.elements import linearise
from ..fem.flesh import Flesh, add_masses, held_places, held_velocities, held_wrenches, link_blocks
from ..fem.solving.assemble import add_blocks
from ..fem.solving.cholesky import backwards, cholesky
from ..fem.solving.solve import solve_pcg
from ..fem.solving.sweeps import BlockMatrix
from ..fem.strand import add_strand_blocks, add_strand_forces
from ..forces.fields import push_flesh
from ..forces.floor import add_floor
from ..forces.ties import add_ties
from ..model.records import Fields, Floats, Model
from ..model.state import Options, State
from ..tree.jacobian import jacobian_times, jacobian_transpose_times
from ..tree.kinematics import forward_kinematics
from ..tree.recursive import TreeFactor, factor, solve
from .condense import combine, condense, held_jacobian
from .direct import assemble_upper
from .flesh_sweep import symmetric_sweep
from .implicit_system import ImplicitSystem
from .pcg import times

_DIRECT_VERTICES, _DIRECT_COORDINATES = 8000, 400
"""Beyond so many free vertices or coordinates nothing speaks for a factor, and its symbolic work is not begun."""
_PCG_BLOCK, _PCG_JOINTS, _COLUMN_BLOCK = 6600.0, 40.0, 30.0
"""What a block costs in a run of PCG on flesh alone, how many coordinates of bones double that, and what a block of the
factor costs in one more column; in multiplications of a factorization, measured on bars, cubes and the Starfish."""


@dataclass(frozen=True)
class FleshSystem:
    """What flesh adds to the system of a step."""

    tree: ImplicitSystem
    """The tree's own part; its right side includes the elastic forces on held vertices."""
    flesh: Flesh
    A: BlockMatrix
    """B with the masses of free vertices on its diagonal; rows and columns of all vertices."""
    b: Floats
    """Right side of the free vertices [N·s], zero for held ones, shape (nv, 3)."""
    pull: Floats
    """h f_h: what flesh as it is at the step's start does to held vertices [N·s], shape (nh, 3)."""
    x: Floats
    """Positions at the step's start, held vertices in their places [m], shape (nv, 3)."""
    v: Floats
    """Velocities at the step's start [m/s], shape (nv, 3)."""

    @property
    def model(self) -> Model:
        return self.tree.model

    @cached_property
    def preconditioner(self) -> TreeFactor:
        """The tree's own, with all that stays within one link of what held vertices feel."""
        t = self.tree
        A_m = t.A_m + t.spring_blocks + link_blocks(self.flesh, t.kin, self.A.value)
        return factor(t.model, t.kin, A_m, t.A_r, t.free)

    def motion(self, qdot: Floats, v_free: Floats | None = None) -> Floats:
        """Velocities of all vertices, those of free ones being taken from v_free (nv, 3), or zero."""
        p = self.flesh.pattern
        v = np.zeros((p.nv, 3)) if v_free is None else v_free.copy()
        v[p.held] = held_velocities(
            self.flesh, self.tree.kin, jacobian_times(self.model, self.tree.kin, qdot)
        )
        return v

    def push(self, y: Floats) -> Floats:
        """J_hᵀ of the held rows of y (nv, 3), shape (nr,)."""
        kin = self.tree.kin
        return jacobian_transpose_times(
            self.model, kin, held_wrenches(self.flesh, kin, y[self.flesh.pattern.held])
        )

    def times(self, qdot: Floats, v: Floats) -> tuple[Floats, Floats]:
        """The product with (qdot, v_f): its two parts; rows of held vertices are zero."""
        y = self.A.times(self.motion(qdot, v))
        out = times(self.tree, qdot) + self.push(y)
        y[self.flesh.pattern.held] = 0.0
        return out, y


def flesh_system(tree: ImplicitSystem, flesh: Flesh, state: State, h: float) -> FleshSystem:
    """The coupled system at a state, for a step of h [s]."""
    p, kin = flesh.pattern, tree.kin
    x = state.x.copy()
    x[p.held] = held_places(flesh, kin)
    f: Floats = np.zeros((p.nv, 3))
    A = BlockMatrix(p, p.zeros())
    add_blocks(linearise(flesh.tets, x, h, f), flesh.block, A.value)
    if flesh.floor is not None:
        add_floor(flesh.floor, x, h, f, A.value)
    if flesh.strands is not None:
        add_strand_forces(flesh.strands.strands, x, f)
        add_strand_blocks(flesh.strands.strands, x, h, flesh.strands.block, A.value)
    if flesh.ties is not None:
        add_ties(flesh.ties, x, h, f, A.value)
    fields = tree.model.fields
    if fields is not None and len(fields.flesh_mass):
        _add_fields(fields, flesh, x, state.v, state.t + h, h, f, A)
    b = add_masses(
        flesh, tree.model.gravity, h, state.v, f, A.value
    )  # the tree has the masses of held vertices
    pull = h * f[p.held]
    pushed = jacobian_transpose_times(tree.model, kin, held_wrenches(flesh, kin, pull))
    return FleshSystem(tree.with_b(tree.b + pushed), flesh, A, b, pull, x, state.v)


def _add_fields(
    fields: Fields, flesh: Flesh, x: Floats, v: Floats, t: float, h: float, f: Floats, A: BlockMatrix
) -> None:
    """Fields of force on vertices: their damping is implicit where a vertex is free."""
    drag = push_flesh(fields, flesh.tets.mass, x, v, t, h, f)
    held = flesh.pattern.held
    f[held] -= drag[held, None] * v[held]
    drag[held] = 0.0
    A.add_to_diagonal(h * drag)


class Coupled(ABC):
    """Solves with C for any number of right-hand sides; and how a step ends. `iterations` has one entry a solve."""

    c: Floats
    """The right-hand side [N·m·s, N·s], shape (nr,)."""

    def __init__(self, whole: FleshSystem) -> None:
        self.whole = whole
        self.iterations: list[int] = []
        self.pushed: Floats | None = None
        """What contacts add to the velocities of free vertices [m/s], shape (nv, 3)."""

    @property
    @abstractmethod
    def alone(self) -> Floats:
        """How the free vertices would move if bones stood still [m/s], zero for held ones, shape (nv, 3)."""

    @abstractmethod
    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        """x with C x = b on the free coordinates; the others are `known`, or zero."""

    @abstractmethod
    def response(self, qdot: Floats) -> Floats:
        """How free vertices follow velocities of the bones, without forces; shape (nv, 3), zero for held ones."""

    def times(self, qdot: Floats) -> Floats:
        """C qdot."""
        return self.whole.times(qdot, self.response(qdot))[0]

    def follow(self, qdot: Floats) -> Floats:
        """How free vertices move with velocities of the bones [m/s], zero for held ones, shape (nv, 3)."""
        return self.alone + self.response(qdot)

    def link_impulses(self, qdot: Floats, pushed: Floats | None, held: Floats | None) -> Floats:
        """What flesh does to the links in a step that ends with velocities qdot, in joint frames [N·m·s, N·s], (nl, 6).

        It is h f_h - B_hh v_h - B_hf v_f on the held vertices: the forces of the step's start and what motion makes of
        them. `pushed` is what contacts add to the velocities of free vertices (nv, 3), `held` their impulses on held
        ones (nh, 3). Weight and inertia of held vertices are the links' own.
        """
        whole = self.whole
        v = self.follow(qdot)
        if pushed is not None:
            v = v + pushed
        impulse = whole.pull - whole.A.times(whole.motion(qdot, v))[whole.flesh.pattern.held]
        if held is not None:
            impulse += held
        return held_wrenches(whole.flesh, whole.tree.kin, impulse)

    def advance(self, end: State, h: float) -> State:
        """The end of a step of h [s] with its flesh, which follows from the bones."""
        flesh = self.whole.flesh
        held = flesh.pattern.held
        v = self.follow(end.qdot)
        if self.pushed is not None:
            v = v + self.pushed
        x = self.whole.x + h * v
        kin = forward_kinematics(self.whole.model, end)
        x[held], v[held] = held_places(flesh, kin), held_velocities(flesh, kin, kin.V)
        return State(end.t, end.q, end.qdot, end.chart, x, v)


class CoupledDirect(Coupled):
    """A sparse factor of the free vertices, and C as a dense matrix."""

    def __init__(self, whole: FleshSystem) -> None:
        super().__init__(whole)
        tree, flesh = whole.tree, whole.flesh
        self.elimination = flesh.elimination
        self.L = cholesky(self.elimination, whole.A.value)
        J_h = held_jacobian(tree.model.tree, tree.kin, flesh, whole.x[flesh.pattern.held])
        self.C = assemble_upper(tree)
        self.c = tree.b.copy()
        self.Z = condense(flesh, self.elimination, self.L, whole.A.value, J_h, whole.b, self.C, self.c)
        # what is left of qdot once motions are prescribed: coordinates, or combinations of them (paper, Eq. 8-10)
        B = tree.model.reduction
        self.basis: Floats | None = None
        small: Floats
        if B is None:
            self.kept = np.flatnonzero(tree.free)
            small = self.C if tree.all_free else self.C[np.ix_(self.kept, self.kept)]
        else:
            self.basis = B[:, ~np.any((B != 0.0) & ~tree.free[:, None], axis=0)]
            small = self.basis.T @ self.C @ self.basis
        self.small: Floats = small
        info = 0
        if len(small):
            self.small, info = dpotrf(small.T, lower=0, clean=0)
        if info:
            raise np.linalg.LinAlgError("the matrix is not positive definite")

    @cached_property
    def alone(self) -> Floats:
        return self._at_vertices(np.zeros(len(self.c)), 1.0)

    def _at_vertices(self, qdot: Floats, share: float) -> Floats:
        return backwards(self.elimination, self.L, combine(self.Z, qdot, share))

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        self.iterations.append(1)
        x: Floats = np.zeros(len(b))
        r = b
        if known is not None and not self.whole.tree.all_free:
            x = np.where(self.whole.tree.free, 0.0, known)
            r = b - self.C @ x
        if not len(self.small):
            return x
        if self.basis is None:
            x[self.kept] = dpotrs(self.small, r[self.kept], lower=0)[0]
            return x
        return np.asarray(x + self.basis @ dpotrs(self.small, self.basis.T @ r, lower=0)[0])

    def response(self, qdot: Floats) -> Floats:
        return self._at_vertices(qdot, 0.0)

    def follow(self, qdot: Floats) -> Floats:
        return self._at_vertices(qdot, 1.0)

    def times(self, qdot: Floats) -> Floats:
        return np.asarray(self.C @ qdot)


class CoupledPCG(Coupled):
    """Conjugate gradients on (qdot, v_f) together, matrix-free for the bones and by blocks for the flesh.

    The preconditioner is the factored tree with all that flesh does within a link, beside symmetric Gauss-Seidel on
    the free vertices.
    """

    def __init__(self, whole: FleshSystem, tolerance: float = 1e-6, most: int = 5000) -> None:
        super().__init__(whole)
        self.tolerance, self.most = tolerance, most
        start = whole.v.copy()
        start[whole.flesh.pattern.held] = 0.0
        self._alone = solve_pcg(whole.A, whole.b, start, tolerance, most)[0]
        self.c = whole.tree.b - whole.push(whole.A.times(self._alone))
        self.D_inv = whole.A.inverse_diagonal()
        self.last = start - self.alone
        """The last response of the flesh, where the next solve begins."""

    @property
    def alone(self) -> Floats:
        return self._alone

    def _precondition(self, r: Floats, s: Floats) -> tuple[Floats, Floats]:
        whole = self.whole
        return solve(whole.model, whole.preconditioner, r), symmetric_sweep(whole.A, self.D_inv, s)

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        whole = self.whole
        free = whole.tree.free
        x = np.zeros(len(b)) if known is None else np.where(free, 0.0, known)
        v = np.zeros_like(whole.b)
        moved, dragged = (b, v) if known is None else whole.times(x, v)
        r, s = np.where(free, b - moved if known is not None else b, 0.0), -dragged
        y, z = self._precondition(r, s)
        stop = self.tolerance**2 * (float(r @ y) + float(np.vdot(s, z)))
        if stop == 0.0:  # nothing is asked
            self.iterations.append(0)
            self.last = v
            return x
        if guess is not None:  # what is asked, measured without the guess, sets the tolerance
            x, v = np.where(free, guess, x), self.last.copy()
            moved, dragged = whole.times(x, v)
            r, s = np.where(free, b - moved, 0.0), -dragged
            y, z = self._precondition(r, s)
        p, w = y, z
        now = float(r @ y) + float(np.vdot(s, z))
        count = 0
        while now > stop and count < self.most:
            count += 1
            Ap, Aw = whole.times(p, w)
            Ap = np.where(free, Ap, 0.0)
            curvature = float(p @ Ap) + float(np.vdot(w, Aw))
            if not curvature > 0.0:
                raise np.linalg.LinAlgError("the matrix is not positive definite")
            alpha = now / curvature
            x, v = x + alpha * p, v + alpha * w
            r, s = r - alpha * Ap, s - alpha * Aw
            y, z = self._precondition(r, s)
            before, now = now, float(r @ y) + float(np.vdot(s, z))
            p, w = y + (now / before) * p, z + (now / before) * w
        self.iterations.append(count)
        if guess is not None:
            self.last = v
        return x

    def response(self, qdot: Floats) -> Floats:
        # In one tolerance with `alone`, where the bones' velocities need not be small against it.
        whole = self.whole
        v, _ = solve_pcg(
            whole.A, whole.b, whole.motion(qdot, self.alone + self.last), self.tolerance, self.most
        )
        v[whole.flesh.pattern.held] = 0.0
        return v - self.alone


def couple(tree: ImplicitSystem, flesh: Flesh, state: State, options: Options) -> Coupled:
    """The solver for a step of a model with flesh."""
    whole = flesh_system(tree, flesh, state, options.h)
    direct = options.solver == "direct" or (options.solver == "auto" and prefers_factor(flesh, tree.model.nr))
    if direct or tree.model.reduction is not None:
        return CoupledDirect(whole)
    return CoupledPCG(whole, options.tolerance)


def prefers_factor(flesh: Flesh, nr: int) -> bool:
    """Whether a factor is likely the faster route, from the structure alone, so that every run chooses alike."""
    if len(flesh.pattern.free) > _DIRECT_VERTICES or nr > _DIRECT_COORDINATES:
        return False
    e = flesh.elimination
    factor_cost = e.products + _COLUMN_BLOCK * nr * len(e.row)
    return factor_cost < _PCG_BLOCK * (1.0 + nr / _PCG_JOINTS) * flesh.pattern.nb
