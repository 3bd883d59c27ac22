"""What muscles pull with over a step, in a stage of an implicit method, or at an instant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..jit.decorators import njit
from ..model.records import Floats
from .compiled import Muscles, PlainMuscles
from .hill.activation import activate, activation_rate
from .hill.equilibrium import fibre_velocities, implicit_fibre, rigid_force, tension, tensions
from .hill.muscle import Records
from .hill.step import hill_steps


@dataclass(frozen=True)
class Pull:
    tension: Floats
    """[N], shape (nm,)."""
    stiffness: Floats
    """How it changes with the length at the end [N/m], shape (nm,)."""
    damping: Floats
    """How it changes with the rate of the length at the end, beyond that [N·s/m], shape (nm,)."""
    state: Floats
    """Activation and fibre length at the end, shape (nm, 2)."""


@njit
def _activate(times: Floats, a: Floats, u: Floats, h: float, out: Floats) -> None:
    for i in range(len(a)):
        out[i] = activate(times[i, 0], times[i, 1], times[i, 2], a[i], u[i], h)


def activations(muscles: Muscles, a: Floats, u: Floats, h: float) -> Floats:
    """Activations a (nm,) after h [s] at excitations u."""
    out = np.empty(len(a))
    _activate(muscles.times, a, u, h, out)
    return out


@njit
def _activation_rates(times: Floats, a: Floats, u: Floats, out: Floats) -> None:
    for i in range(len(a)):
        if times[i, 0] > 0.0:
            out[i] = activation_rate(times[i, 0], times[i, 1], times[i, 2], a[i], max(u[i], times[i, 2]))


def _plain(p: PlainMuscles, a: Floats, length: Floats, rate: Floats, out: Pull) -> None:
    i = p.muscle
    if not len(i):
        return
    stretch = length[i] - p.rest
    taut = stretch > 0.0
    T = p.force * a[i] + np.where(taut, p.stiffness * stretch, 0.0) + p.damping * rate[i]
    pulls = T > 0.0
    out.tension[i] = np.where(pulls, T, 0.0)
    out.stiffness[i] = np.where(pulls & taut, p.stiffness, 0.0)
    out.damping[i] = np.where(pulls, p.damping, 0.0)


def _nothing(muscles: Muscles, a: Floats, l: Floats) -> Pull:
    n = len(muscles.names)
    return Pull(np.zeros(n), np.zeros(n), np.zeros(n), np.stack([a, l], axis=1))


def step_pull(muscles: Muscles, state: Floats, u: Floats, L0: Floats, L1: Floats, h: float) -> Pull:
    """Over a step of h [s] from activations and fibre lengths `state` (nm, 2), while lengths go from L0 to L1 [m].

    The stiffness counts what comes of the rate.
    """
    out = _nothing(muscles, activations(muscles, state[:, 0], u, h), state[:, 1].copy())
    _plain(muscles.plain, out.state[:, 0], L1, (L1 - L0) / h, out)
    out.stiffness[muscles.plain.muscle] += out.damping[muscles.plain.muscle] / h
    out.damping[:] = 0.0
    i = muscles.of_hill
    if len(i):
        found = np.empty((len(i), 4))
        hill_steps(muscles.hill, muscles.curves, state[i], u[i], L0[i], L1[i], h, found)
        out.state[i] = found[:, :2]
        out.tension[i], out.stiffness[i] = found[:, 2], found[:, 3]
    return out


@njit
def _stage(
    records: Records, curves: Floats, a: Floats, past: Floats, c: float, L: Floats, rate: Floats, out: Floats
) -> None:
    """Fibre length, tension, stiffness and damping of musculotendons; out has shape (n, 4)."""
    for i in range(len(records)):
        if records[i].rigid == 1:
            T, k, d, l = rigid_force(records, curves, i, a[i], L[i], rate[i])
            out[i, 0], out[i, 1], out[i, 2], out[i, 3] = l, T, k, d
        else:
            l, by_L, _ = implicit_fibre(records, curves, i, a[i], past[i], c, L[i])
            T, k, by_l = tension(records, curves, i, l, L[i])
            out[i, 0], out[i, 1], out[i, 2], out[i, 3] = l, T, k + by_l * by_L, 0.0


def stage_pull(muscles: Muscles, a: Floats, past: Floats, c: float, L: Floats, rate: Floats) -> Pull:
    """In a stage with step c [s] at whose end activations are a: fibres l with (l - past) / c = v(a, l, L)."""
    out = _nothing(muscles, a, past.copy())
    _plain(muscles.plain, a, L, rate, out)
    i = muscles.of_hill
    if len(i):
        found = np.empty((len(i), 4))
        _stage(muscles.hill, muscles.curves, a[i], past[i], c, L[i], rate[i], found)
        out.state[i, 1] = found[:, 0]
        out.tension[i], out.stiffness[i], out.damping[i] = found[:, 1], found[:, 2], found[:, 3]
    return out


def pull_now(muscles: Muscles, state: Floats, L: Floats, rate: Floats) -> Floats:
    """Tensions [N] at activations and fibre lengths `state` (nm, 2), lengths L [m] and rates [m/s], shape (nm,)."""
    out = _nothing(muscles, state[:, 0], state[:, 1])
    _plain(muscles.plain, state[:, 0], L, rate, out)
    i = muscles.of_hill
    if len(i):
        found = np.empty(len(i))
        tensions(muscles.hill, muscles.curves, state[i, 0], state[i, 1], L[i], rate[i], found)
        out.tension[i] = found
    return out.tension


def state_rates(muscles: Muscles, state: Floats, u: Floats, L: Floats, rate: Floats) -> Floats:
    """Rates of activations [1/s] and fibre lengths [m/s], shape (nm, 2). Fibres with rigid tendons have none."""
    out = np.zeros_like(state)
    _activation_rates(muscles.times, state[:, 0], u, out[:, 0])
    i = muscles.of_hill
    if len(i):
        found = np.empty(len(i))
        fibre_velocities(muscles.hill, muscles.curves, state[i, 0], state[i, 1], L[i], found)
        out[i, 1] = np.where(muscles.hill["rigid"] == 1, 0.0, found)
    return out
