"""Random impacts keep momentum, make no energy, and bounce as their coefficient says, asleep and awake.

`make impacts` tries a thousand: REDMAX_IMPACTS sets how many.
"""

from __future__ import annotations

import os

import pytest
from random_impacts import run_impact

IMPACTS = int(os.environ.get("REDMAX_IMPACTS", "24"))


SLACK = 1e-3
"""Energy that a blow may still lose, as a fraction, where friction keeps it from coming apart as its coefficient says:
Coulomb's law and a coefficient of restitution do not always go together, and energy comes first."""


@pytest.mark.timeout(max(600, 2 * IMPACTS))
def test_momentum_is_kept_energy_never_grows_and_bodies_bounce_as_they_should():
    found = [(seed, run_impact(seed)) for seed in range(IMPACTS)]
    happened = [(seed, impact) for seed, impact in found if impact.happened]
    assert len(happened) > 0.8 * IMPACTS
    assert sum(impact.slept for _, impact in happened) > 0.2 * IMPACTS
    for seed, impact in happened:
        assert impact.momentum < 1e-9, seed
        assert impact.energy < 1e-9, seed
        assert impact.restitution < 0.02 or (impact.rubs and impact.energy > -SLACK), seed
    worst = [
        max(happened, key=lambda one: getattr(one[1], name)) for name in ("momentum", "energy", "restitution")
    ]
    print(f"{len(happened)} impacts of {IMPACTS}; the worst: {worst}")
