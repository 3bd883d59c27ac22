"""The oracle sees what changes, and nothing where nothing does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from oracle.cases import all_cases
from oracle.compare import compare, table
from oracle.files import read, record, write

CASES = ("four-bar, planar", "an arm, hard limits")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cases = all_cases()
    path = tmp_path_factory.mktemp("oracle") / "reference.npz"
    write(path, {name: record(replace(cases[name], at=(0, 30, 59))) for name in CASES})
    return path


def test_the_same_engine_takes_the_same_steps_to_the_last_bit(kept: Path) -> None:
    for name, old in read(kept):
        found = compare(old, record(old.case, old.states))
        assert len(old.states) == 3 and len(found.largest) == 9, name
        assert set(found.largest.values()) == {0.0}
        assert not found.said and found.routes[0] == found.routes[1] and found.routes[0]


def test_another_damper_is_noticed(kept: Path) -> None:
    for name, old in read(kept):
        old.case.spec.bodies[1].joint.damping = 0.1
        found = compare(old, record(old.case, old.states))
        assert found.largest["tight", "qdot"] > 1e-6, name
        assert name in table({name: found})


def test_a_step_that_fails_is_said(kept: Path) -> None:
    name, old = next(read(kept))
    new = record(old.case, old.states)
    new.results[30, "step"], new.told["30 step"] = {}, {"error": "it diverged"}
    assert "step 30 (step): None -> it diverged" in table({name: compare(old, new)})
