"""Shots of muscles with mass: what the thesis reports of each, and that their checks see what is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.commands.line_chart import write_figures
from redmax_blender.engine.scene import Constant
from redmax_blender.engine.shots import figures
from redmax_blender.engine.shots.inertia import energy, flick, knee, pai, pendulums, rat_knee, running
from redmax_blender.engine.shots.inertia.bones import play


def test_two_bones_are_straight_when_the_work_of_the_muscle_says():
    """By an integral that knows nothing of the engine; lumped masses are straight at another time."""
    result = play(pai.spec())
    pai.check(result)
    assert pai.straight_at(result) == pytest.approx(pai.STRAIGHT_AT, abs=1e-5)
    lumped = play(pai.spec(lumped=True))
    assert abs(pai.straight_at(lumped) - pai.STRAIGHT_AT) > 0.01
    with pytest.raises(AssertionError, match="straight"):
        pai.check(lumped)


def test_share_of_the_muscle_in_the_knee_converges_with_the_points():
    counts = (2, 4, 8, 16, 32)
    middles, ends = rat_knee.shares(counts)
    below, above = rat_knee.SHARE - middles, ends - rat_knee.SHARE
    assert below == pytest.approx(rat_knee.SHARE / (4.0 * np.array(counts) ** 2), rel=1e-6)
    assert np.all(np.diff(above) < 0.0) and above[-1] < 0.01
    assert rat_knee.shares((29,))[1][0] == pytest.approx(0.458, abs=5e-4)


def test_pendulums_over_cylinders_lose_little_energy_and_move_differently():
    result = play(pendulums.spec(count=3, end=0.5))
    pendulums.check(result)
    assert len(result.muscles) == 3
    same = result.q.copy()
    same[:, 2:4] = same[:, :2]
    with pytest.raises(AssertionError, match="move alike"):
        pendulums.check(replace(result, q=same))


@pytest.mark.parametrize("path", energy.PATHS)
def test_energy_needs_the_quadratic_velocity_vector(path):
    scene = energy.spec(path, end=0.6, step=4e-3)
    kept, lost = play(scene), energy.without_velocity(scene)
    energy_check = np.abs(energy.drift(kept)).max()
    assert energy_check < (2e-3 if path == "over a cylinder" else 0.02)
    assert np.abs(energy.drift(lost)).max() > 4.0 * energy_check


def test_flexors_hold_a_flicked_finger_by_their_inertia():
    far = {
        inertia: flick.farthest_back(play(flick.spec(20.0, inertia, end=0.08))) for inertia in (True, False)
    }
    assert far[False] > far[True] + 0.1
    forces = (20.0, 30.0, 40.0, 50.0)
    assert flick.first_apart(False, forces) < flick.first_apart(True, forces)


def test_torque_of_a_running_ankle_changes_in_proportion_to_the_mass_in_muscles():
    torque = {}
    for fraction in (0.0, 0.4, 0.8):
        result = play(running.spec(fraction))
        running.check(result)
        torque[fraction] = running.ankle_torque(result)[2:]
    change = torque[0.8] - torque[0.0]
    assert np.abs(change - 2.0 * (torque[0.4] - torque[0.0])).max() < 1e-9
    assert 0.1 < np.abs(change).max() / np.abs(torque[0.0]).max() < 0.5


def test_knee_on_a_spline_extends_and_flexes_while_the_ankle_is_held():
    scene = knee.spec(end=0.65, step=1.0 / 240.0)
    result = play(scene)
    knee.check(result)
    lax = knee.spec(end=0.65, step=1.0 / 240.0)
    lax.muscles[0].excitation = Constant(0.02)
    assert scene.muscles[0].name == "rectus femoris"
    assert knee.knee_bend(play(lax))[-1] > knee.knee_bend(result)[-1] + 0.3
    with pytest.raises(AssertionError, match="ankle"):
        q = result.q.copy()
        q[-1, -1] += 1.0
        knee.check(replace(result, q=q))


def test_figures_are_written_beside_the_film(tmp_path):
    result = play(rat_knee.spec())
    rat_knee.check(result)
    files = write_figures(tmp_path, "rat-knee", figures("rat-knee", result))
    assert [file.name for file in files] == ["rat-knee_share.svg"]
    assert "from end to end" in files[0].read_text()
    assert figures("chain", result) == []
