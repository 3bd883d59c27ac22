"""Linear relations between joint coordinates -> arrays: gears as constraint rows, couplings as fewer coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..model.records import Floats, Gears, Joints
from ..scene.constraints import CouplingSpec, Term


def coordinate(term: Term, joints: Joints, place: str) -> tuple[int, float]:
    if term.joint not in joints.names:
        raise SceneError(
            f"{place}.joint", f"there is no joint '{term.joint}'", "Give the name of a joint of the scene."
        )
    first, end = joints.dof[joints.names.index(term.joint)]
    if not 0 <= term.index < end - first:
        raise SceneError(
            f"{place}.index",
            f"joint '{term.joint}' has {end - first} coordinates, and the index is {term.index}",
            f"Give a number from 0 to {end - first - 1}."
            if end > first
            else "A joint without coordinates cannot take part.",
        )
    return int(first + term.index), term.factor


def gears(
    found: Sequence[tuple[int, list[tuple[int, float]], float]], is_angle: NDArray[np.bool_], size: float
) -> Gears:
    """Pack (constraint, [(coordinate, factor)], offset); an error counts in the unit of the first coordinate."""
    first = np.concatenate([[0], np.cumsum([len(g[1]) for g in found])]).astype(np.int64)
    terms = [t for g in found for t in g[1]]
    lever = [(size if is_angle[g[1][0][0]] else 1.0) / (abs(g[1][0][1]) or 1.0) for g in found]
    return Gears(
        owner=np.array([g[0] for g in found], np.int64),
        first=first,
        dof=np.array([t[0] for t in terms], np.int64),
        factor=np.array([t[1] for t in terms], float),
        offset=np.array([g[2] for g in found], float),
        lever=np.array(lever, float),
    )


def reduction(couplings: Sequence[CouplingSpec], joints: Joints, nr: int) -> Floats | None:
    """B of qdot = B zdot (paper, Eq. 8): a column a coupling, and one for each coordinate in none; null for none."""
    if not couplings:
        return None
    columns: list[Floats] = []
    taken: dict[int, str] = {}
    for i, coupling in enumerate(couplings):
        place = f"couplings[{i}]" + (f" '{coupling.name}'" if coupling.name else "")
        column = np.zeros(nr)
        for k, term in enumerate(coupling.terms):
            dof, factor = coordinate(term, joints, f"{place}.terms[{k}]")
            if dof in taken:
                raise SceneError(
                    f"{place}.terms[{k}].joint",
                    f"that coordinate of '{term.joint}' is already in {taken[dof]}",
                    "A coordinate can be in one coupling only.",
                )
            if factor == 0.0:
                raise SceneError(
                    f"{place}.terms[{k}].factor",
                    "the factor is zero",
                    "Leave the term out, or fix the joint.",
                )
            if not joints.free[dof] or dof in joints.motion.target:
                raise SceneError(
                    f"{place}.terms[{k}].joint",
                    f"the motion of '{term.joint}' is prescribed and coupled at once",
                    "Remove the coupling or the motion.",
                )
            taken[dof] = place
            column[dof] = factor
        columns.append(column)
    columns += [np.eye(nr)[d] for d in range(nr) if d not in taken]
    return np.array(columns).T.copy()
