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
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from ..fem.assemble import add_blocks
from ..fem.elements import linearise
from ..fem.solve import solve_pcg
from ..fem.sweeps import BlockMatrix
from ..flesh import Flesh, held_places, held_velocities, held_wrenches, link_blocks
from ..jacobian import dense_link_jacobian, jacobian_times, jacobian_transpose_times
from ..kinematics import forward_kinematics
from ..model import Floats, Model, Options, State
from ..recursive import TreeFactor, factor, solve
from .direct import assemble
from .flesh_sweep import symmetric_sweep
from .implicit_system import ImplicitSystem
from .pcg import times

_DIRECT_VERTICES, _DIRECT_COORDINATES = 2000, 400
"""Up to so many free vertices and coordinates the factor is the faster route."""


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
    tets, p, kin = flesh.tets, flesh.pattern, tree.kin
    x, v = state.x.copy(), state.v.copy()
    x[p.held] = held_places(flesh, kin)
    f: Floats = np.zeros((p.nv, 3))
    A = BlockMatrix(p, p.zeros())
    add_blocks(linearise(tets, x, h, f), flesh.block, A.value)
    weight = tets.mass + h * tets.drag
    weight[p.held] = 0.0  # the tree has it
    A.add_to_diagonal(weight)
    b = tets.mass[:, None] * (v + h * tree.model.gravity) + h * f
    system = FleshSystem(tree, flesh, A, b, x, v)
    pushed = replace(tree, b=tree.b + h * system.push(f))
    b[p.held] = 0.0
    return replace(system, tree=pushed)


class Coupled(ABC):
    """Solves with C for any number of right-hand sides; and how a step ends. `iterations` has one entry a solve."""

    def __init__(self, whole: FleshSystem, alone: Floats) -> None:
        """`alone` is how the free vertices would move if bones stood still, shape (nv, 3)."""
        self.whole, self.alone = whole, alone
        self.iterations: list[int] = []
        self.c = whole.tree.b - whole.push(whole.A.times(alone))
        """The right-hand side [N·m·s, N·s], shape (nr,)."""

    @abstractmethod
    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        """x with C x = b on the free coordinates; the others are `known`, or zero."""

    @abstractmethod
    def response(self, qdot: Floats) -> Floats:
        """How free vertices follow velocities of the bones, without forces; shape (nv, 3), zero for held ones."""

    def times(self, qdot: Floats) -> Floats:
        """C qdot."""
        return self.whole.times(qdot, self.response(qdot))[0]

    def advance(self, end: State, h: float) -> State:
        """The end of a step of h [s] with its flesh, which follows from the bones."""
        flesh = self.whole.flesh
        held = flesh.pattern.held
        v = self.alone + self.response(end.qdot)
        x = self.whole.x + h * v
        kin = forward_kinematics(self.whole.model, end)
        x[held], v[held] = held_places(flesh, kin), held_velocities(flesh, kin, kin.V)
        return replace(end, x=x, v=v)


class CoupledDirect(Coupled):
    """A sparse factor of the free vertices, and C as a dense matrix."""

    def __init__(self, whole: FleshSystem) -> None:
        tree, layout = whole.tree, whole.flesh.layout
        self.free, self.held = layout.free, layout.held
        self.factor = None
        if len(self.free):
            self.factor = scipy.sparse.linalg.splu(
                layout.inner_matrix(whole.A.value),
                permc_spec="NATURAL",  # the layout has the order
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        super().__init__(whole, self._apart(whole.b.reshape(-1)[self.free]))
        J_h = _held_jacobian(whole)
        A_q = layout.across_matrix(whole.A.value) @ J_h
        self.A_fq = A_q[: len(self.free)]
        C = assemble(tree) + J_h.T @ A_q[len(self.free) :] - self.A_fq.T @ self._inverse(self.A_fq)
        self.C = 0.5 * (C + C.T)
        # what is left of qdot once motions are prescribed: coordinates, or combinations of them (paper, Eq. 8-10)
        if tree.model.reduction is None:
            self.basis = np.eye(tree.model.nr)[:, tree.free]
        else:
            B = tree.model.reduction
            self.basis = B[:, ~np.any((B != 0.0) & ~tree.free[:, None], axis=0)]
        self.small = None
        if self.basis.shape[1]:
            self.small = scipy.linalg.cho_factor(self.basis.T @ self.C @ self.basis, check_finite=False)

    def _inverse(self, b: Floats) -> Floats:
        return b if self.factor is None else np.asarray(self.factor.solve(np.ascontiguousarray(b)))

    def _apart(self, b: Floats) -> Floats:
        """The free vertices that balance b (3 nf,), shape (nv, 3)."""
        out: Floats = np.zeros(len(self.free) + len(self.held))
        out[self.free] = self._inverse(b)
        return out.reshape(-1, 3)

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        self.iterations.append(1)
        x = np.zeros(len(b)) if known is None else np.where(self.whole.tree.free, 0.0, known)
        if self.small is None:
            return x
        r = self.basis.T @ (b - self.C @ x)
        return np.asarray(x + self.basis @ scipy.linalg.cho_solve(self.small, r, check_finite=False))

    def response(self, qdot: Floats) -> Floats:
        return self._apart(-(self.A_fq @ qdot))

    def times(self, qdot: Floats) -> Floats:
        return np.asarray(self.C @ qdot)


class CoupledPCG(Coupled):
    """Conjugate gradients on (qdot, v_f) together, matrix-free for the bones and by blocks for the flesh.

    The preconditioner is the factored tree with all that flesh does within a link, beside symmetric Gauss-Seidel on
    the free vertices.
    """

    def __init__(self, whole: FleshSystem, tolerance: float = 1e-6, most: int = 5000) -> None:
        self.tolerance, self.most = tolerance, most
        start = whole.v.copy()
        start[whole.flesh.pattern.held] = 0.0
        super().__init__(whole, solve_pcg(whole.A, whole.b, start, tolerance, most)[0])
        self.D_inv = whole.A.inverse_diagonal()
        self.last = start - self.alone
        """The last response of the flesh, where the next solve begins."""

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
    small = len(flesh.pattern.free) <= _DIRECT_VERTICES and tree.model.nr <= _DIRECT_COORDINATES
    direct = options.solver == "direct" or (options.solver == "auto" and small)
    if direct or tree.model.reduction is not None:
        return CoupledDirect(whole)
    return CoupledPCG(whole, options.tolerance)


def _held_jacobian(whole: FleshSystem) -> Floats:
    """J_h, shape (3 nh, nr)."""
    flesh, kin, nr = whole.flesh, whole.tree.kin, whole.model.nr
    J = dense_link_jacobian(whole.model, kin).reshape(-1, 6, nr)
    on = flesh.link >= 0
    link = flesh.link[on]
    R = kin.E_wj[link, :9].reshape(-1, 3, 3)
    out: Floats = np.zeros((len(flesh.link), 3, nr))
    out[on] = (R @ flesh.point_jacobian[on]) @ J[link]
    return out.reshape(-1, nr)
