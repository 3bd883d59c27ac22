"""Halving the step halves the error of contact and friction: means over starts, as when a step sees a blow is luck."""

from __future__ import annotations

import numpy as np
import pytest
from contact_answers import ANSWERS, answer

RATES = (60, 120, 240, 480)
FINE = 3840
STARTS = np.linspace(0.0, 1.0, 11)


@pytest.mark.parametrize("make", ANSWERS, ids=[each.__name__ for each in ANSWERS])
def test_halving_the_step_halves_the_error(make) -> None:
    """The order that fits errors at 60 to 480 steps a second, against 3,840; root mean squares over starts."""
    right = [answer(make, s, FINE) for s in STARTS]
    errors = []
    for rate in RATES:
        off = [np.abs(answer(make, s, rate) - best).max() for s, best in zip(STARTS, right)]
        errors.append(float(np.sqrt(np.mean(np.square(off)))))
    order = -np.polyfit(np.log(RATES), np.log(np.maximum(errors, 1e-12)), 1)[0]
    exact = max(errors) < 1e-7
    assert exact or order > 0.85, f"order {order:.2f}: {', '.join(f'{1e3 * e:.3g}' for e in errors)} mm"
