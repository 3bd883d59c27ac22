"""Musculotendons: their curves, activation, fibre against tendon, and the step that makes stiff tendons harmless."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from redmax_blender.engine.model.records import Floats
from redmax_blender.engine.muscles.hill.activation import activation_rates
from redmax_blender.engine.muscles.hill.bezier import evaluate_curve
from redmax_blender.engine.muscles.hill.curves import Shapes, undamped
from redmax_blender.engine.muscles.hill.equilibrium import fibre_velocities, resting_fibres, tensions
from redmax_blender.engine.muscles.hill.muscle import Hill, pack
from redmax_blender.engine.muscles.hill.step import hill_steps

SOLEUS = Hill(max_force=3549.0, optimal_length=0.05, slack_length=0.25, pennation=0.43633231)


def one(value: float) -> Floats:
    return np.array([value])


@pytest.mark.parametrize(
    ("number", "x", "y"),
    [  # of OpenSim 4.6's Millard2012EquilibriumMuscle
        (0, 0.671608040201005, 0.6968966161067),
        (0, 1.07361809045226, 0.9842591508121),
        (0, 1.63643216080402, 0.21196954772),
        (1, -0.717587939698492, 0.06103762880986),
        (1, 0.247236180904523, 1.282520792187),
        (1, 0.72964824120603, 1.366877568099),
        (2, 1.04120603015075, 0.004741582140912),
        (2, 1.52361809045226, 0.5163913901178),
        (3, 1.02879396984925, 0.4511334839499),
        (3, 1.07452261306533, 1.716195774792),
    ],
)
def test_curves_are_those_of_the_literature(number: int, x: float, y: float) -> None:
    assert evaluate_curve(Shapes().rows()[number], one(x))[0, 0] == pytest.approx(y, abs=1e-12)


@pytest.mark.parametrize("shapes", [Shapes(), undamped()])
@pytest.mark.parametrize("number", range(4))
def test_curves_are_smooth_everywhere(shapes: Shapes, number: int) -> None:
    row = shapes.rows()[number]
    x = np.linspace(row[1] - 0.05, row[4] + 0.05, 20001)
    y, slope = evaluate_curve(row, x).T
    d = x[1] - x[0]
    assert np.abs((y[2:] - y[:-2]) / (2.0 * d) - slope[1:-1]).max() < 2e-3
    assert np.abs(np.diff(slope)).max() < 2e4 * d * max(1.0, np.abs(slope).max() / 30.0)


def test_activation_rises_as_its_equation_says() -> None:
    records, curves = pack([SOLEUS])
    # (0.5 + 1.5 a) da / (1 - a) = dt / τ, integrated
    h, a0 = 0.013, 0.2
    out = np.empty((1, 4))
    hill_steps(records, curves, np.array([[a0, 0.05]]), one(1.0), one(0.3), one(0.3), h, out)
    a = out[0, 0]
    passed = -1.5 * (a - a0) - 2.0 * (log(1.0 - a) - log(1.0 - a0))
    assert passed * SOLEUS.activation_time == pytest.approx(h, rel=1e-4)
    rate = np.empty(1)
    activation_rates(records, one(0.5), one(0.1), rate)
    assert rate[0] == pytest.approx((0.1 - 0.5) * 1.25 / 0.04)


@pytest.mark.parametrize(
    ("a", "L", "l", "T"),
    [
        (0.01, 0.287385196268, 0.0424927688291, 28.1339594834),
        (0.1, 0.300979813092, 0.0529035480648, 349.760993249),
        (1.0, 0.304378467298, 0.047960581771, 3180.05296923),
    ],
)
def test_rest_agrees_with_opensim(a: float, L: float, l: float, T: float) -> None:
    records, curves = pack([SOLEUS])
    fibre, pull = np.empty(1), np.empty(1)
    resting_fibres(records, curves, one(a), one(L), fibre)
    tensions(records, curves, one(a), fibre, one(L), one(0.0), pull)
    assert fibre[0] == pytest.approx(l, abs=1e-9)
    assert pull[0] == pytest.approx(T, abs=1e-4)


@pytest.mark.parametrize(
    ("a", "l", "L", "v"),
    [
        (0.01, 0.035, 0.282901335413, 1.58292547017),
        (0.4, 0.025, 0.265859809798, 0.656740851917),
        (1.0, 0.025, 0.270859809798, 3.79572857448),
    ],
)
def test_fibre_velocity_agrees_with_opensim(a: float, l: float, L: float, v: float) -> None:
    records, curves = pack([SOLEUS])
    out = np.empty(1)
    fibre_velocities(records, curves, one(a), one(l), one(L), out)
    assert out[0] == pytest.approx(v, abs=1e-9)


@pytest.mark.parametrize(
    ("a", "L", "rate", "T"),
    [
        (0.01, 0.295315389415, 0.3, 217.950132152),
        (0.4, 0.313441545181, -0.06, 1041.51140399),
        (1.0, 0.295315389415, 0.3, 4479.16108327),
    ],
)
def test_rigid_tendon_agrees_with_opensim(a: float, L: float, rate: float, T: float) -> None:
    records, curves = pack([Hill(3549.0, 0.05, 0.25, 0.43633231, rigid_tendon=True)])
    out = np.empty(1)
    tensions(records, curves, one(a), one(0.0), one(L), one(rate), out)
    assert out[0] == pytest.approx(T, abs=1e-6)


def run(muscle: Hill, L: Floats, u: Floats, h: float, a: float) -> tuple[Floats, Floats]:
    """Tension and fibre length while the musculotendon has lengths L, one a step more than excitations."""
    records, curves = pack([muscle])
    l, out = np.empty(1), np.empty((1, 4))
    resting_fibres(records, curves, one(a), L[:1], l)
    state, found = np.array([[a, l[0]]]), []
    for k in range(len(u)):
        hill_steps(records, curves, state, u[k : k + 1], L[k : k + 1], L[k + 1 : k + 2], h, out)
        state = out[:, :2].copy()
        found.append(out[0, [2, 1]])
    return tuple(np.array(found).T)  # type: ignore[return-value]


def contraction(kind: str, n: int) -> tuple[Floats, Floats, float]:
    """Musculotendon lengths [m] over a second, excitations, and the activation at its start."""
    t = np.linspace(0.0, 1.0, n + 1)
    if kind == "isometric":
        return np.full(n + 1, 0.298268543309), np.where(t[:-1] < 0.5 - 1e-9, 1.0, 0.01), 0.01
    if kind == "shortening":
        return 0.3078 - 0.025 * t, np.ones(n), 1.0
    if kind == "stretched":
        return 0.2853 + 0.0225 * t, np.full(n, 0.5), 0.5
    return 0.3 + 0.006 * np.sin(9.0 * t), np.where(np.sin(20.0 * t[:-1]) > 0.0, 0.9, 0.05), 0.1


@pytest.mark.parametrize("kind", ["isometric", "shortening", "stretched", "cyclic"])
def test_large_steps_agree_with_small_ones(kind: str) -> None:
    few, many = 240, 24000
    L, u, a = contraction(kind, few)
    at = np.linspace(0.0, 1.0, many + 1)
    fine_L = np.interp(at, np.linspace(0.0, 1.0, few + 1), L)
    coarse = run(SOLEUS, L, u, 1.0 / few, a)
    fine = run(SOLEUS, fine_L, np.repeat(u, many // few), 1.0 / many, a)
    every = slice(many // few - 1, None, many // few)
    assert np.abs(coarse[0] - fine[0][every]).max() < 0.01 * fine[0].max()
    assert np.abs(coarse[1] - fine[1][every]).max() < 0.01 * SOLEUS.optimal_length


def test_isometric_contraction_agrees_with_opensim() -> None:
    L, u, a = contraction("isometric", 2000)
    T, l = run(SOLEUS, L, u, 1.0 / 2000.0, a)
    for t, fibre, pull in (
        (0.1, 0.04423629933, 2415.880481),
        (0.3, 0.04326733318, 2856.707639),
        (0.6, 0.05024092968, 391.2636665),
        (0.8, 0.05195440027, 65.73434751),
    ):
        k = round(t * 2000.0) - 1
        assert T[k] == pytest.approx(pull, abs=2e-4 * 3549.0)
        assert l[k] == pytest.approx(fibre, abs=2e-4 * 0.05)


@pytest.mark.parametrize("rigid", [False, True])
@pytest.mark.parametrize("h", [1.0 / 1000.0, 1.0 / 24.0])
def test_stiffness_is_the_derivative_of_the_tension(rigid: bool, h: float) -> None:
    records, curves = pack([Hill(3549.0, 0.05, 0.25, 0.43633231, rigid_tendon=rigid)])
    state = np.array([[0.3, 0.051]])
    d, L = 1e-7, 0.297

    def after(L1: float) -> Floats:
        out = np.empty((1, 4))
        hill_steps(records, curves, state, one(0.5), one(L - 1e-4), one(L1), h, out)
        return out[0]

    slope = (after(L + d)[2] - after(L - d)[2]) / (2.0 * d)
    assert after(L)[3] == pytest.approx(slope, rel=1e-5)


def test_slack_and_shortest_fibres_pull_with_nothing() -> None:
    T, l = run(SOLEUS, np.linspace(0.29, 0.15, 101), np.ones(100), 0.005, 1.0)
    assert T[-1] == 0.0
    assert 0.4441 * 0.05 <= l[-1] < 0.46 * 0.05
    assert np.isfinite(T).all()
