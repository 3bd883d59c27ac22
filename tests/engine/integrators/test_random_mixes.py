"""Three routes to one step: PCG, the direct solver, and a dense solve in maximal coordinates, on random scenes."""

from __future__ import annotations

from collections import Counter

import numpy as np
from dense_kkt import Oracle
from hypothesis import HealthCheck, given, note, settings
from msgspec.structs import replace
from random_scenes import CONSTRAINTS, FORCES, IN_JOINTS, KINDS, H, Mix, mixes

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import ConstraintError
from redmax_blender.engine.integrators.euler import Memory, step
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene.file import decode_scene, encode_scene
from redmax_blender.engine.solvers.choose import SolverChoice
from redmax_blender.engine.tree.jacobian import jacobian_times
from redmax_blender.engine.tree.kinematics import forward_kinematics

AGREE = 1e-6
"""Largest difference of velocities, over the largest velocity."""
SCENES = 500


def test_pcg_direct_and_a_dense_solve_in_maximal_coordinates_agree() -> None:
    counts: Counter[str] = Counter()

    @settings(
        max_examples=SCENES,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(mixes())
    def agree(mix: Mix) -> None:
        note(mix.picked)
        counts.update({*mix.what, "solved" if _agree(mix) else "impossible"})

    agree()
    assert {*KINDS, *IN_JOINTS, *FORCES, *CONSTRAINTS, "coupling"} <= set(counts), "something was never drawn"
    assert counts["solved"] > 0.7 * SCENES
    assert counts["impossible"] > 0  # contradictions are recognised by all routes as well


def _agree(mix: Mix) -> bool:
    """Whether the constraints can be met at all, on which the three routes have to agree too."""
    for body in mix.spec.bodies:
        if hasattr(body.joint.type, "centred"):  # the oracle has the papers' coordinates
            body.joint = replace(body.joint, type=replace(body.joint.type, centred=False))
    spec = decode_scene(encode_scene(mix.spec))  # and every such scene survives its file
    model = compile_scene(spec)
    state = model.initial_state()
    kin = forward_kinematics(model, state)
    expected = Oracle(mix.spec, mix.q, mix.qdot, H).solve()
    scale = max(float(np.abs(expected.v).max()), 1e-3)
    possible = expected.miss < 1e-7 * scale
    for solver in ("direct", "pcg"):
        options = Options(h=H, solver=solver, tolerance=1e-12, curved_loops=False)
        try:
            after = step(model, state, options, Memory(SolverChoice(options)))
        except ConstraintError as error:
            if str(error).count(" m).") and {"limit", "bounce"} & set(mix.what):
                continue  # positions that limits block, of which the oracle of velocities knows nothing
            assert not possible, f"{solver}: {error}, and the oracle misses by {expected.miss}"
            continue
        assert possible, f"{solver} found a motion where the oracle misses by {expected.miss}"
        V = jacobian_times(model, kin, after.qdot)[model.bodies.link]
        np.testing.assert_allclose(V, expected.v, atol=AGREE * scale, err_msg=solver)
    return possible
