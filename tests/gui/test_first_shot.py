"""The zip in a Blender with its window: from a metarig to a baked shot, by mouse and keyboard."""

from pathlib import Path

import pytest
from window_blender import build_for_window, install, needs_window, play

PICTURES = (
    "1-metarig",
    "2-make-physical",
    "3-bones",
    "4-joint-friction",
    "5-range",
    "6-simulating",
    "7-simulated",
    "8-bake",
    "9-baked",
)


@needs_window
@pytest.mark.timeout(1800)  # kernels are compiled once after installing
def test_a_metarig_becomes_a_baked_shot_by_mouse_and_keyboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zip_path = build_for_window(tmp_path, monkeypatch)
    install(zip_path, tmp_path)
    result = play(Path(__file__).with_name("first_shot.py"), tmp_path, seconds=1200)
    assert result["physical"] == 29
    assert result["range"] == [1.0, 60.0]
    assert result["baked"] == pytest.approx(result["simulated"], abs=1e-5)
    assert "finished" in result["report"] and "1 joint with friction" in result["report"]
    for name in PICTURES:
        assert (tmp_path / f"{name}.png").stat().st_size > 50_000, f"{name} is blank"


@needs_window
@pytest.mark.timeout(1800)
def test_a_mouse_pulls_at_chains_that_play_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zip_path = build_for_window(tmp_path, monkeypatch)
    install(zip_path, tmp_path)
    result = play(Path(__file__).with_name("live_grab.py"), tmp_path, seconds=1500)
    for count, found in result["chains"].items():
        assert found["pulled"] > 0.01, count
        assert found["kept"], count
        # Drawing alone may take a second where there is no graphics card: a third of what it allows is asked for.
        assert found["frames_per_second"] > 0.33 / max(result["redraw_seconds"], 1.0 / 60.0), count


@needs_window
@pytest.mark.timeout(1800)
def test_every_example_can_be_added_and_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Building them uses the engine inside Blender, where nothing may be compiled beside the graphics driver."""
    zip_path = build_for_window(tmp_path, monkeypatch)
    install(zip_path, tmp_path)
    result = play(Path(__file__).with_name("add_examples.py"), tmp_path, seconds=1200)
    assert {"bridge", "umbrella", "starfish", "hand"} <= result.keys()
    for name, ended in result.items():
        assert ended == ["FINISHED"], name
        assert (tmp_path / f"{name}.png").stat().st_size > 50_000, f"{name} is blank"
