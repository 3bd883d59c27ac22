"""The interface in a Blender that has languages, which the `bpy` module has not."""

from pathlib import Path

import pytest
from window_blender import build_for_window, install, needs_window, play


@needs_window
@pytest.mark.timeout(900)
def test_a_german_blender_shows_german_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(build_for_window(tmp_path, monkeypatch), tmp_path)
    found = play(Path(__file__).with_name("german_panels.py"), tmp_path, seconds=300)
    assert found == {
        "button": "Physikalisch machen",
        "panel": "Gelenkreibung",
        "pattern": "Ein physikalischer Knochen, {mass} kg",
        "why": "Erst das Gebackene löschen",
    }
    assert (tmp_path / "german.png").exists()
