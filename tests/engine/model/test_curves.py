"""Curves: what a user draws is what the engine sees, with derivatives that belong to it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.model.curves import evaluate, pack
from redmax_blender.engine.scene import (
    Constant,
    Curve,
    Logistic,
    Piece,
    Piecewise,
    Polynomial,
    Sampled,
    Sine,
    SmoothStep,
)

TIMES = [0.0, 0.3, 0.5, 1.1, 1.6, 2.0]
VALUES = [0.2, -0.4, 1.0, 0.3, 0.3, -1.0]
CURVES: dict[str, Curve] = {
    "constant": Constant(0.7),
    "sine": Sine(amplitude=2.0, frequency=0.8, phase=0.4, offset=-1.0),
    "smooth-step": SmoothStep(t0=0.4, t1=1.5, start=-1.0, end=3.0),
    "logistic": Logistic(t0=0.0, t1=2.0, height=math.pi / 2, steepness=7.0),
    "polynomial": Polynomial(coefficients=[1.0, -2.0, 0.5, 3.0, -0.7], t0=0.5),
    "cubic": Sampled(TIMES, VALUES),
    "linear": Sampled(TIMES, VALUES, "linear"),
    "step": Sampled(TIMES, VALUES, "step"),
    "piecewise": Piecewise(
        [
            Piece(Sine(1.0, 1.0), until=0.5),
            Piece(Sampled(TIMES, VALUES), until=1.3),
            Piece(SmoothStep(t0=0.0, t1=3.0), until=1.8),
            Piece(Constant(4.0)),
        ]
    ),
}


def at(curve: Curve, t: float) -> np.ndarray:
    return evaluate(pack([(0, curve, "curve")]), t)[0]


@pytest.mark.parametrize("name", CURVES)
def test_derivatives_belong_to_the_value(name: str) -> None:
    curve = CURVES[name]
    h = 1e-5
    checked = 0
    for t in np.linspace(-0.4931, 2.517, 61):
        if min(abs(t - b) for b in [*TIMES, 0.4, 1.3, 1.5, 1.8]) < 2 * h:
            continue  # a kink
        before, here, after = at(curve, t - h), at(curve, t), at(curve, t + h)
        assert here[1] == pytest.approx((after[0] - before[0]) / (2 * h), abs=1e-7)
        assert here[2] == pytest.approx((after[1] - before[1]) / (2 * h), abs=1e-7)
        checked += 1
    assert checked > 50


def test_logistic_is_its_formula_and_goes_on_beyond_its_ends() -> None:
    t0, t1, a, b = 1.0, 8.0, 7.0, 4.71238898038469
    curve = Logistic(t0=t0, t1=t1, height=b, steepness=a)
    for t in (-3.0, 1.0, 2.5, 4.5, 8.0, 20.0):
        s = 2.0 * ((t - t0) / (t1 - t0) - 0.5)
        assert at(curve, t)[0] == pytest.approx(b / (1.0 + math.exp(-a * s)), rel=1e-14)
    assert at(curve, -1e9) == pytest.approx([0.0, 0.0, 0.0], abs=1e-200)
    assert np.array_equal(at(curve, 1e9), [b, 0.0, 0.0])


def test_piecewise_holds_a_logistic_at_its_end() -> None:
    curve = Piecewise([Piece(Logistic(t0=0.0, t1=7.0, height=2.0), until=7.0), Piece(Constant(2.0))])
    assert at(curve, 7.0 - 1e-9)[0] < 2.0
    assert np.array_equal(at(curve, 7.0), [2.0, 0.0, 0.0])


def test_smooth_step_starts_and_ends_at_rest() -> None:
    curve = SmoothStep(t0=1.0, t1=3.0, start=2.0, end=5.0)
    assert np.array_equal(at(curve, 0.0), [2.0, 0.0, 0.0])
    assert np.array_equal(at(curve, 9.0), [5.0, 0.0, 0.0])
    for t in (1.0, 3.0 - 1e-9):
        assert at(curve, t)[1:] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert at(curve, 2.0)[0] == pytest.approx(3.5, rel=1e-15)


@pytest.mark.parametrize("interpolation", ["cubic", "linear", "step"])
def test_sampled_curve_goes_through_its_samples_and_is_held_outside(interpolation: str) -> None:
    curve = Sampled(TIMES, VALUES, interpolation)  # type: ignore[arg-type]
    for t, value in zip(TIMES, VALUES, strict=True):
        assert at(curve, t)[0] == pytest.approx(value, abs=1e-14)
    assert np.array_equal(at(curve, -1.0), [VALUES[0], 0.0, 0.0])
    assert np.array_equal(at(curve, 3.0), [VALUES[-1], 0.0, 0.0])


def test_cubic_samples_reproduce_a_cubic_and_its_derivatives_up_to_both_ends() -> None:
    exact = Polynomial(coefficients=[0.3, -1.0, 2.0, 0.7], t0=0.2)
    curve = Sampled(TIMES, [at(exact, t)[0] for t in TIMES])
    for t in np.linspace(0.0, 2.0, 41):
        assert at(curve, t) == pytest.approx(at(exact, t), abs=1e-11)


def test_cubic_samples_have_two_continuous_derivatives() -> None:
    curve = Sampled(TIMES, VALUES)
    for t in TIMES[1:-1]:
        assert at(curve, t - 1e-9) == pytest.approx(at(curve, t + 1e-9), abs=1e-5)


def test_rounding_at_the_last_sample_does_not_cost_the_velocity() -> None:
    dt = 1.0 / 24.0
    times = [k * dt for k in range(25)]
    curve = Sampled(times, [2.0 * t for t in times])
    t = 0.0
    for _ in range(240):
        t += dt / 10.0
    assert at(curve, max(t, np.nextafter(times[-1], 2.0)))[1] == pytest.approx(2.0)


def test_targets_and_order_are_kept() -> None:
    packed = pack([(7, Constant(1.0), "a"), (3, Sine(1.0, 1.0), "b"), (5, Constant(2.0), "c")])
    assert packed.target.tolist() == [7, 3, 5]
    assert evaluate(packed, 0.25)[:, 0] == pytest.approx([1.0, 1.0, 2.0])
    assert evaluate(pack([]), 0.0).shape == (0, 3)


BAD: dict[str, tuple[Curve, str]] = {
    "times that go back": (Sampled([0.0, 1.0, 1.0], [0.0, 1.0, 2.0]), r"curve\.times\[2\]"),
    "a value short": (Sampled([0.0, 1.0], [0.0]), r"curve\.values: there are 1 values for 2 times"),
    "no samples": (Sampled([], []), r"curve\.times"),
    "no coefficients": (Polynomial([]), r"curve\.coefficients"),
    "a step back in time": (SmoothStep(t0=1.0, t1=1.0), r"curve\.t1"),
    "a logistic back in time": (Logistic(t0=1.0, t1=0.0), r"curve\.t1"),
    "no pieces": (Piecewise([]), r"curve\.pieces"),
    "a piece after for ever": (
        Piecewise([Piece(Constant(1.0)), Piece(Constant(2.0))]),
        r"pieces\[0\]\.until",
    ),
    "an end without a successor": (Piecewise([Piece(Constant(1.0), until=1.0)]), r"pieces\[0\]\.until"),
    "pieces out of order": (
        Piecewise([Piece(Constant(1.0), until=1.0), Piece(Constant(1.0), until=0.5), Piece(Constant(2.0))]),
        r"pieces\[1\]\.until",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_curve_that_makes_no_sense_is_refused_with_its_place(name: str) -> None:
    curve, message = BAD[name]
    with pytest.raises(SceneError, match=message):
        pack([(0, curve, "curve")])
