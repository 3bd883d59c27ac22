"""`make pictures`: take the manual's pictures anew, in a Blender with a window in which the extension is installed.

`make_pictures.py [panels] [recipes] [first-shot]`, all of them when none is named. $REDMAX_BLENDER_GUI names the
command that opens the window, as for the tests in tests/gui, whose scenarios are played here.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from build_extension import ROOT
from PIL import Image, ImageChops

sys.path.insert(0, str(ROOT / "tests" / "gui"))
import window_blender

PICTURES = ROOT / "docs" / "pictures"
SCENARIOS = ROOT / "tests" / "gui"
WINDOW = "2000x1560"
"""Of the window in which panels are shown, at a larger scale of the interface; the others are at Blender's own."""
TABS = 34
"""Width of the tabs at the right edge of the sidebar [px]."""
MARGIN = 12
"""What stays around something that was cut out [px]."""
STRIP = 1200
"""Width of four frames side by side [px]."""
SECONDS = 2400


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", nargs="*", choices=[*KINDS, []], help="some of the pictures only")
    parser.add_argument("--installed", action="store_true", help="the extension is installed there already")
    parser.add_argument("--keep", type=Path, help="folder for the pictures of the whole window")
    arguments = parser.parse_args()
    if not window_blender.COMMAND:
        sys.exit("Set REDMAX_BLENDER_GUI to a command that opens a Blender with a window.")
    with tempfile.TemporaryDirectory() as temporary:
        out = arguments.keep or Path(temporary)
        out.mkdir(parents=True, exist_ok=True)
        if not arguments.installed:
            with pytest.MonkeyPatch.context() as patch:
                window_blender.install(window_blender.build_for_window(out, patch), out)
        for kind in arguments.which or KINDS:
            KINDS[kind](out)
    return 0


def take_panels(out: Path) -> None:
    """Panels, each alone in the sidebar, and what comes up over the view."""
    for name, taken in play("panel_pictures.py", out, WINDOW).items():
        whole = Image.open(out / f"{name}.png").convert("RGB")
        found = whole.crop(tuple(taken["box"]))
        if "before" in taken:
            before = Image.open(out / f"{taken['before']}.png").convert("RGB").crop(tuple(taken["box"]))
            save(around_change(before, found), name)
        elif name == "overlay":
            save(found.resize((found.width // 2, found.height // 2), Image.Resampling.LANCZOS), name)
        else:
            save(without_empty_rows(found.crop((0, 0, found.width - TABS, found.height))), name)


def take_recipes(out: Path) -> None:
    """Frames of the recipes, side by side."""
    for name, taken in play("recipe_pictures.py", out).items():
        frames = [
            Image.open(out / f"{frame}.png").convert("RGB").crop(tuple(box))
            for frame, box in taken["frames"].items()
        ]
        save(side_by_side(frames), name)


def take_first_shot(out: Path) -> None:
    """The steps of the first shot, the whole window."""
    play("first_shot.py", out)
    for path in sorted(out.glob("[1-9]-*.png")):
        if not (PICTURES / f"first-shot-{path.name[0]}.png").exists():
            continue  # the page does without it
        whole = Image.open(path).convert("RGB")
        save(
            whole.resize((960, 960 * whole.height // whole.width), Image.Resampling.LANCZOS),
            f"first-shot-{path.name[0]}",
        )


KINDS = {"panels": take_panels, "recipes": take_recipes, "first-shot": take_first_shot}


def play(scenario: str, out: Path, size: str = "1600x1000") -> dict:
    os.environ["SIZE"] = size
    return window_blender.play(SCENARIOS / scenario, out, SECONDS)


def without_empty_rows(image: Image.Image) -> Image.Image:
    """The image down to its last row that is not of one colour."""
    pixels = np.asarray(image)
    busy = np.flatnonzero((pixels != pixels[:, :1]).any(axis=(1, 2)))
    return image.crop((0, 0, image.width, min(image.height, int(busy[-1]) + 1 + MARGIN)))


def around_change(before: Image.Image, after: Image.Image) -> Image.Image:
    """The block of an image that is new in it, with a margin; a word that changed elsewhere does not count."""
    new = np.asarray(ImageChops.difference(before, after)).any(axis=2)
    new[:MARGIN], new[-MARGIN:], new[:, :MARGIN], new[:, -MARGIN:] = (False,) * 4  # outline of an active area
    ends = []
    for count in (new.sum(axis=0), new.sum(axis=1)):
        among = np.flatnonzero(count > 0.5 * count.max())
        ends.append((int(among[0]) - MARGIN, int(among[-1]) + 1 + MARGIN))
    (left, right), (top, bottom) = ends
    return after.crop((left, top, right, bottom))


def side_by_side(frames: list[Image.Image], gap: int = 6) -> Image.Image:
    """The middles of some images in a row, each of them 4 wide and 3 high."""
    width = (STRIP - gap * (len(frames) - 1)) // len(frames)
    strip = Image.new("RGB", (STRIP, 3 * width // 4), "white")
    for k, frame in enumerate(frames):
        side = min(4 * frame.height // 3, frame.width)
        left = (frame.width - side) // 2
        middle = frame.crop((left, 0, left + side, frame.height))
        strip.paste(middle.resize((width, strip.height), Image.Resampling.LANCZOS), (k * (width + gap), 0))
    return strip


def save(image: Image.Image, name: str) -> None:
    """As a PNG of few colours, which is small and what the interface has."""
    path = PICTURES / f"{name}.png"
    few = image.quantize(192, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    print(
        f"{path.relative_to(ROOT)}: {image.width} x {image.height}, {path.stat().st_size / 1e3:.0f} kB",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
