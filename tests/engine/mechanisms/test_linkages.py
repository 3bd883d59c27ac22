"""Four descriptions of one linkage are one motion; what is nailed stays where it is, with the force that it takes."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.inquire.inquiry import inquire
from redmax_blender.engine.model.records import Floats
from redmax_blender.engine.run.simulate import scene_options, simulate
from redmax_blender.engine.shots.linkages import SPIN, WAYS, beams_of, four_beams, three_beams
from redmax_blender.engine.tree.kinematics import body_poses, body_twists, forward_kinematics

NAILED = float(os.environ.get("REDMAX_NAILED", "15"))
"""How long the nails hold [s]."""
SIZE = 34.0
"""Of four beams from end to end [m]."""


def beams_after(way: str, end: float) -> Floats:
    """Pose and velocity of the left, the middle and the right beam in the world, a row each."""
    spec = three_beams(way)
    model = compile_scene(spec)
    options = replace(scene_options(spec), rtol=1e-12, atol=1e-13)
    *_, last = simulate(model, options, end=end, record=1000)
    kin = forward_kinematics(model, last.state)
    poses, twists = body_poses(model.bodies, kin), body_twists(model.bodies, kin.V)
    rows = []
    for name in beams_of(way):
        b = model.bodies.names.index(name)
        R = poses[b, :9].reshape(3, 3)
        rows.append(np.concatenate([R.ravel(), poses[b, 9:], R @ twists[b, :3], R @ twists[b, 3:]]))
    return np.array(rows)


def test_all_descriptions_begin_with_the_same_motion() -> None:
    first = [beams_after(way, 0.01) for way in WAYS]
    for other in first[1:]:
        np.testing.assert_allclose(other, first[0], atol=1e-12)
    assert first[0][2, 14] == pytest.approx(SPIN, rel=1e-3)


@pytest.mark.parametrize(("end", "apart"), [(1.0, 1e-9), (60.0, 1e-6)])
def test_four_descriptions_of_a_linkage_agree(end: float, apart: float) -> None:
    """Where the thesis's differ in the third digit after a second."""
    after = [beams_after(way, end) for way in WAYS]
    for way, other in zip(WAYS[1:], after[1:], strict=True):
        assert np.abs(other - after[0]).max() < apart, way


@pytest.mark.parametrize("nailed", ["root", "end"])
def test_what_is_nailed_does_not_drift(nailed: str) -> None:
    """The thesis: a centimetre in 40 m. The nail takes what the couple and the motion of the beams ask for."""
    spec = four_beams(nailed)
    model, options = compile_scene(spec), replace(scene_options(spec), position_tolerance=1e-11)
    name = "root" if nailed == "root" else "beam 3"
    drift = 0.0
    b = model.bodies.names.index(name)
    first = None
    for frame in simulate(model, options, end=NAILED, record=10):
        pose = body_poses(model.bodies, forward_kinematics(model, frame.state))[b]
        first = pose if first is None else first
        drift = max(drift, float(np.abs(pose - first).max()))
    told = inquire(model, frame.state, options)
    assert drift < 1e-9 * SIZE
    assert np.linalg.norm(told.loops["nail"].force) > 1e-3
    assert (
        np.linalg.norm(told.bodies[name].velocity) < 0.01
    )  # of the first order in the step; positions are put right
