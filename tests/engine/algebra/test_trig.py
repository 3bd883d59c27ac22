"""Sine and cosine together, against the C library."""

from __future__ import annotations

import math

import numpy as np
import pytest

from redmax_blender.engine.algebra.trig import sin_cos
from redmax_blender.engine.jit.decorators import njit


@njit
def both(angles: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(angles)):
        out[i, 0], out[i, 1] = sin_cos(angles[i])


@pytest.mark.parametrize("largest", [1e-6, 1.0, 100.0, 1e5, 1e9])
def test_they_are_right_to_the_last_digit(largest: float) -> None:
    angles = np.concatenate(
        [np.random.default_rng(0).uniform(-largest, largest, 2000), 0.5 * math.pi * np.arange(-8, 9), [0.0]]
    )
    out = np.empty((len(angles), 2))
    both(angles, out)
    np.testing.assert_allclose(out[:, 0], [math.sin(x) for x in angles], atol=3e-16, rtol=0)
    np.testing.assert_allclose(out[:, 1], [math.cos(x) for x in angles], atol=3e-16, rtol=0)


def test_small_angles_keep_their_digits() -> None:
    angles = 10.0 ** np.arange(-300.0, 0.0, 7.0)
    out = np.empty((len(angles), 2))
    both(angles, out)
    np.testing.assert_allclose(out[:, 0], np.sin(angles), rtol=4e-16)


def test_what_is_no_number_stays_none() -> None:
    out = np.empty((1, 2))
    both(np.array([np.nan]), out)
    assert np.isnan(out).all()
