"""The engine's process: it stays between simulations, is replaced when it dies or hangs, and ends with Blender."""

import os
import signal
import subprocess
import sys
import time

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, set_range

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.recording.frame_file import load_frames
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run import engine_process
from redmax_blender.bridge.run.engine_process import PACKAGE, engine
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene
from redmax_blender.engine.errors import InputError


def chain(frames: int = 12) -> bpy.types.Object:
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene)
    set_range(1, frames, substeps=4)
    return obj


def begun(frames: int = 1) -> Simulation:
    """A simulation in the engine's process of which some frames have arrived."""
    simulation = Simulation(bpy.context, apart=True)
    until = time.monotonic() + 200.0
    while simulation.done < frames:
        assert simulation.advance() and time.monotonic() < until
        time.sleep(0.001)
    return simulation


def whole(simulation: Simulation) -> list[np.ndarray]:
    until = time.monotonic() + 200.0
    while simulation.advance():
        assert time.monotonic() < until
        time.sleep(0.001)
    return simulation.joint_poses


def test_it_stays_and_what_it_did_before_changes_nothing(tmp_path):
    obj = chain()
    bone = obj.pose.bones[-1].redmax
    bpy.context.scene.redmax.cache_folder = str(tmp_path / "here")
    here = [simulate_poses()]
    bone.mass_from, bone.mass = "MASS", 3.0
    here.append(simulate_poses())
    ids, apart = set(), []
    for k, mass_from in enumerate(("DENSITY", "MASS", "DENSITY")):
        bone.mass_from = mass_from
        bpy.context.scene.redmax.cache_folder = str(tmp_path / f"apart {k}")  # nothing comes from disk
        apart.append(np.stack(whole(begun())))
        ids.add(engine.process_id)
    assert len(ids) == 1 and None not in ids
    np.testing.assert_array_equal(apart[0], here[0])
    np.testing.assert_array_equal(apart[1], here[1])
    np.testing.assert_array_equal(apart[2], here[0])
    assert np.abs(here[1] - here[0]).max() > 1e-4


def simulate_poses() -> np.ndarray:
    """Joint poses of a simulation in this process."""
    simulation = Simulation(bpy.context)
    while simulation.advance():
        pass
    return np.stack(simulation.joint_poses)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_one_that_died_is_told_of_and_replaced():
    chain(4000)
    simulation = begun(2)
    died = engine.process_id
    os.kill(died, signal.SIGKILL)
    with pytest.raises(
        InputError, match=r"ended unexpectedly \(exit code -9\).*simulating again starts a new one"
    ):
        whole(simulation)
    set_range(1, 6, substeps=4)
    assert len(whole(begun())) == 6
    assert engine.process_id not in (died, None)


def test_one_that_is_stopped_keeps_its_frames_and_goes_on_with_the_next():
    chain(4000)
    simulation = begun(3)
    there = engine.process_id
    simulation.stop()
    simulation.stop()
    done = simulation.done
    recording = simulation.finish(bpy.context, cancelled=True).recording
    set_range(1, 5, substeps=4)
    assert len(whole(begun())) == 5
    assert engine.process_id == there
    frames = load_frames(cache.frames_path(recording.key, bpy.context.scene))
    assert done <= len(frames) < 4000


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_one_that_hangs_is_replaced_when_something_else_is_wanted(monkeypatch):
    monkeypatch.setattr(engine_process, "PATIENCE", 0.1)
    chain(4000)
    simulation = begun(2)
    hung = engine.process_id
    os.kill(hung, signal.SIGSTOP)
    simulation.stop()
    set_range(1, 5, substeps=4)
    again = Simulation(bpy.context, apart=True)
    assert len(whole(again)) == 5
    assert engine.process_id != hung


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_it_ends_with_the_program_that_started_it():
    code = (
        "import os, signal\n"
        "from redmax_blender.bridge.run.engine_process import engine\n"
        "engine.prepare()\n"
        "print(engine.process_id, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, stdout=subprocess.PIPE, text=True, timeout=60
    )
    process, until = int(done.stdout), time.monotonic() + 100.0
    while running(process):
        assert time.monotonic() < until, "it goes on although nobody can ask it for anything"
        time.sleep(0.05)


def running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat", encoding="ascii") as file:  # one that nobody waits for has ended, too
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_simulating_in_a_script_needs_no_process_of_its_own():
    chain(3)
    engine.close()
    simulate_scene(bpy.context)
    assert engine.process_id is None
