"""Points where surfaces touch, or may touch within a step."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ..model.records import Floats, Ints


@dataclass(frozen=True)
class Contacts:
    """nc contact points. Side 0 is pushed along the normal, side 1 against it.

    A side is a point of a link (`link` >= 0), a point of the flesh (`tet` >= 0), or a collider or the world (both -1).
    """

    link: Ints
    """Link of each side, shape (nc, 2)."""
    tet: Ints
    """Tetrahedron of `Flesh.tets` in which each side lies, shape (nc, 2)."""
    weight: Floats
    """Its barycentric weights there, shape (nc, 2, 4)."""
    x: Floats
    """The two points in the world [m], shape (nc, 2, 3)."""
    normal: Floats
    """Unit vectors in the world, shape (nc, 3)."""
    gap: Floats
    """Distance along the normal that a step may close [m], negative where they overlap, shape (nc,)."""
    velocity: Floats
    """Of side 1 where it is a moving collider [m/s], shape (nc, 3); zero elsewhere."""
    friction: Floats
    """shape (nc,)."""
    restitution: Floats
    """shape (nc,)."""
    key: Ints
    """The same for the same contact in the next step, for warm starts, shape (nc,)."""
    pair: Ints
    """Numbers of the two surfaces, for names in messages (`Surfaces.names`), shape (nc, 2)."""

    def __len__(self) -> int:
        return len(self.gap)

    def only(self, which: NDArray[np.bool_]) -> Contacts:
        """Some of them."""
        if which.all():
            return self
        return Contacts(*(getattr(self, f.name)[which] for f in fields(self)))
