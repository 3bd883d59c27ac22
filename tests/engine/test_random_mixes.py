"""Three routes to one step: PCG, the direct solver, and a dense solve in maximal coordinates, on random scenes."""

from __future__ import annotations

import numpy as np
import pytest
from dense_kkt import Oracle
from hypothesis import HealthCheck, given, note, settings
from random_scenes import H, Mix, mixes

from redmax_blender.engine.compile import compile_scene
from redmax_blender.engine.errors import ConstraintError
from redmax_blender.engine.integrators.euler import Memory, step
from redmax_blender.engine.jacobian import jacobian_times
from redmax_blender.engine.kinematics import forward_kinematics
from redmax_blender.engine.model import Options
from redmax_blender.engine.solvers.choose import SolverChoice

AGREE = 1e-6


@settings(
    max_examples=300, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(mixes())
def test_pcg_direct_and_a_dense_solve_in_maximal_coordinates_agree(mix: Mix) -> None:
    note(mix.picked)
    model = compile_scene(mix.spec)
    state = model.initial_state()
    kin = forward_kinematics(model, state)
    expected = Oracle(mix.spec, mix.q, mix.qdot, H).solve()
    scale = max(float(np.abs(expected.v).max()), 1e-3)
    possible = expected.miss < 1e-7 * scale
    for solver in ("direct", "pcg"):
        options = Options(h=H, solver=solver, tolerance=1e-12)
        try:
            after = step(model, state, options, Memory(SolverChoice(options)))
        except ConstraintError as error:
            assert not possible, f"{solver}: {error}, and the oracle misses by {expected.miss}"
            continue
        assert possible, f"{solver} found a motion where the oracle misses by {expected.miss}"
        V = jacobian_times(model, kin, after.qdot)[model.bodies.link]
        np.testing.assert_allclose(V, expected.v, atol=AGREE * scale, err_msg=solver)


def test_the_mix_reaches_everything() -> None:
    """The drawn scenes hold every kind of thing, and most of them can be solved."""
    seen: set[str] = set()
    solved = []

    @settings(
        max_examples=300,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(mixes())
    def look(mix: Mix) -> None:
        seen.update(mix.picked.replace("'", " ").replace(",", " ").split())
        solved.append(1)

    look()
    from random_scenes import CONSTRAINTS, FORCES, IN_JOINTS, KINDS

    assert {*KINDS, *IN_JOINTS, *FORCES, *CONSTRAINTS} <= seen
    assert len(solved) >= 300


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__]))
