"""All cases by name."""

from __future__ import annotations

from . import bonds, motions, soft, touching, trees
from .case import Case


def all_cases() -> dict[str, Case]:
    found = [each for room in (trees, bonds, motions, touching, soft) for each in room.cases()]
    found += touching.random_cases()
    cases = dict(found)
    if len(cases) != len(found):
        raise ValueError("two cases have the same name")
    return cases
