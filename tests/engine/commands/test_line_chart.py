"""The chart that a shot draws of its torques."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from redmax_blender.commands.line_chart import HEIGHT, LEFT, RIGHT, WIDTH, line_chart, ticks


def test_lines_are_where_their_values_are() -> None:
    """A rising line ends at the right, higher than it began; equal values are equally high; names are in the file."""
    x = np.linspace(0.0, 2.0, 11)
    lines = {"rise": 3.0 * x, "<level>": np.full(11, 3.0)}
    root = ElementTree.fromstring(line_chart(x, lines, title="both", x_label="s", y_label="N·m"))
    drawn = [
        np.array([point.split(",") for point in line.get("points", "").split()], float)
        for line in root.iter("{http://www.w3.org/2000/svg}polyline")
    ]
    rise, level = drawn
    assert rise[[0, -1], 0] == pytest.approx([LEFT, WIDTH - RIGHT], abs=0.1)
    assert rise[5, 1] == pytest.approx(level[5, 1], abs=0.1)
    assert (np.diff(rise[:, 1]) < 0.0).all() and rise[:, 1].max() < HEIGHT
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"rise", "<level>", "both", "N·m"} <= texts


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.2, 17.0), (0.0, 1e-4), (-2.0, -1.0)])
def test_ticks_are_round_and_reach_around(low: float, high: float) -> None:
    found = ticks(low, high)
    assert found[0] <= low and found[-1] >= high and 3 <= len(found) <= 10
    assert np.ptp(np.diff(found)) < 1e-9 * (high - low)


def test_nothing_at_all_can_be_drawn() -> None:
    assert line_chart(np.array([0.0, 1.0]), {"none": np.zeros(2)}, title="", x_label="", y_label="")
