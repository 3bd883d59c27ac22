"""The scenarios that take the manual's pictures: every panel and every recipe in a Blender with its window."""

from pathlib import Path

import docs_pages
import pytest
from window_blender import build_for_window, install, needs_window, play


@needs_window
@pytest.mark.timeout(3000)  # kernels are compiled once after installing, those of contact and flesh too
def test_panels_and_recipes_can_be_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(build_for_window(tmp_path, monkeypatch), tmp_path)
    panels = play(Path(__file__).with_name("panel_pictures.py"), tmp_path, seconds=1200)
    recipes = play(Path(__file__).with_name("recipe_pictures.py"), tmp_path, seconds=1500)
    shown = {
        Path(target).stem for page in docs_pages.pages() for target in docs_pages.links(page.read_text())
    }
    assert panels.keys() | recipes.keys() <= shown
    frames = [name for taken in recipes.values() for name in taken["frames"]]
    for name in [*panels, *frames]:
        assert (tmp_path / f"{name}.png").stat().st_size > 50_000, f"{name} is blank"
