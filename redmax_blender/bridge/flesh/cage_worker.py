"""The cage of a mesh, in this process or in one of its own. Needs no Blender.

Kernels must not be compiled in a Blender with a window (see `engine_run`), so there this file is run as
`python -m <package>.bridge.cage_worker`: arrays as .npz on standard input, the cage as .npz on standard output.
"""

from __future__ import annotations

import io
import json
import os
import sys
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine import errors
from ...engine.errors import InputError
from ..run.engine_process import start_process

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class BuiltCage:
    """A cage of nv vertices and nt tetrahedra, and ns vertices of a mesh in it."""

    X: Floats
    """Vertices [m], shape (nv, 3)."""
    corner: Ints
    """Vertices of each tetrahedron, shape (nt, 4)."""
    fill: Floats
    """Fraction of each tetrahedron that is solid, shape (nt,)."""
    part: Ints
    """Which connected part each vertex belongs to, shape (nv,)."""
    cell: float
    """Size of the lattice's cells [m]."""
    tet: Ints
    """The tetrahedron that holds each vertex of the mesh, shape (ns,)."""
    weight: Floats
    """Barycentric weights of the mesh's vertices in their tetrahedra, shape (ns, 4)."""
    least_angle: float
    """Smallest dihedral angle [deg]."""
    greatest_angle: float
    """Largest dihedral angle [deg]."""

    @property
    def volume(self) -> float:
        """Of what is solid [m³]."""
        a, b, c, d = (self.X[self.corner[:, k]] for k in range(4))
        return float(np.abs(np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a)) @ self.fill) / 6.0


def build_cage(
    points: Floats, triangles: Ints, cell: float | None, count: int | None, place: str
) -> BuiltCage:
    """A cage around a mesh, and the mesh in it; InputError where there can be none."""
    from ...engine.fem.cages.cage import make_cage
    from ...engine.fem.cages.embed import check_covered, embed
    from ...engine.fem.cages.quality import quality

    cage = make_cage(points, triangles, cell=cell, count=count, place=place)
    inside = embed(cage.X, cage.corner, points)
    check_covered(inside, 1e-6 * cage.cell, place)
    shape = quality(cage.X, cage.corner)
    return BuiltCage(
        X=cage.X,
        corner=cage.corner,
        fill=cage.fill,
        part=cage.part,
        cell=cage.cell,
        tet=inside.tet,
        weight=inside.weight,
        least_angle=shape.least_angle,
        greatest_angle=shape.greatest_angle,
    )


def build_cage_apart(
    points: Floats, triangles: Ints, cell: float | None, count: int | None, place: str
) -> BuiltCage:
    """The same in a process of its own."""
    process = start_process("flesh.cage_worker")
    asked = json.dumps({"cell": cell, "count": count, "place": place})
    answer, _ = process.communicate(_packed(asked, points=points, triangles=triangles))
    if process.returncode:
        raise InputError(place, "its cage could not be made", "See the system console for the reason.")
    text, arrays = _unpacked(answer)
    if text:
        kind, *said = json.loads(text)
        raise getattr(errors, kind)(*said)
    return BuiltCage(**{f.name: _plain(arrays[f.name]) for f in fields(BuiltCage)})


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up in the answer
    text, arrays = _unpacked(sys.stdin.buffer.read())
    asked = json.loads(text)
    try:
        cage = build_cage(
            arrays["points"], arrays["triangles"], asked["cell"], asked["count"], asked["place"]
        )
    except InputError as error:
        out.write(_packed(json.dumps([type(error).__name__, error.place, error.problem, error.remedy])))
    else:
        out.write(_packed("", **{f.name: getattr(cage, f.name) for f in fields(BuiltCage)}))
    out.flush()


def _packed(text: str, **arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, text=np.frombuffer(text.encode(), np.uint8), **arrays)
    return file.getvalue()


def _unpacked(data: bytes) -> tuple[str, dict[str, Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return file["text"].tobytes().decode(), {name: file[name] for name in file.files if name != "text"}


def _plain(array: Any) -> Any:
    return array.item() if array.ndim == 0 else array


if __name__ == "__main__":
    main()
