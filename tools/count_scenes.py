"""Counts how the random scenes of `make scenes` ended, and lists what a user is told by those that did not just end."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path


def main(path: Path) -> int:
    """The number of scenes that gained energy, or ended without a word."""
    scenes = {
        tuple(line[:3]): line[3:] for line in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    }
    counts = Counter((kind, divided > 0) for kind, _, _, divided in scenes.values())
    for (seed, h, integrator), (kind, told, grown, _) in sorted(scenes.items()):
        if kind != "ended":
            print(
                f"scene {seed}, {1 / h:.0f} steps a second, {integrator}: {kind}, energy {grown:+.2f}. {told}"
            )
    print(
        f"{len(scenes)} scenes:",
        ", ".join(f"{n} {kind}{' (divided)' * d}" for (kind, d), n in sorted(counts.items())),
    )
    return sum(n for (kind, _), n in counts.items() if kind in ("gained", "silent"))


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
