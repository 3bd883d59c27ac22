"""What the next step finds, foreseen from the last ones."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.friction.joints.extrapolate import CHANGES, foresee, remember
from redmax_blender.engine.jit.decorators import njit


@njit
def told(seen, out):
    """Foreseen after each row of `seen` (m, n), into the rows of `out`."""
    last, changes = seen[0].copy(), np.zeros((CHANGES, seen.shape[1]))
    for i in range(len(seen)):
        remember(seen[i], last, changes)
        foresee(last, changes, out[i])


def foreseen(seen: np.ndarray) -> np.ndarray:
    """Of every row after the fourth."""
    out = np.empty_like(seen)
    told(seen, out)
    return out[3:-1]


def test_what_swings_together_is_foreseen() -> None:
    """Damped oscillations of one frequency, around any centre and in any phase."""
    rng = np.random.default_rng(1)
    t = np.arange(40.0)[:, None]
    seen = rng.normal(size=5) + np.exp(-0.05 * t) * np.cos(0.7 * t + rng.uniform(0.0, 6.0, 5))
    np.testing.assert_allclose(foreseen(seen), seen[4:], atol=1e-9)


@pytest.mark.parametrize("n", [1, 4])
def test_a_parabola_goes_on(n: int) -> None:
    """Changes along a single direction tell no two weights."""
    t = np.arange(20.0)[:, None]
    seen = (3.0 + 0.5 * t - 0.02 * t * t) * np.linspace(1.0, 2.0, n)
    np.testing.assert_allclose(foreseen(seen), seen[4:], rtol=1e-9)


def test_chance_is_not_taken_for_a_trend() -> None:
    """Foreseen numbers stay within a few of the last changes."""
    seen = np.random.default_rng(2).normal(size=(200, 6))
    assert np.abs(foreseen(seen)).max() < 6.0 * np.abs(np.diff(seen, axis=0)).max()


def test_at_rest_it_stays() -> None:
    seen = np.full((10, 3), 0.25)
    np.testing.assert_array_equal(foreseen(seen), seen[4:])
