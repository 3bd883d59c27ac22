"""Muscles as arrays: what a scene's muscles compile to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .hill.muscle import Records
from .paths.smooth.packed import Paths
from .records import MusclePath

if TYPE_CHECKING:
    from ..model.curves import Curves

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PlainMuscles:
    """Tension max_force · a + stiffness · (L - rest) + damping · dL/dt, never below zero; n of them."""

    muscle: Ints
    """Number of the muscle that each belongs to, shape (n,)."""
    force: Floats
    """Greatest active force [N], shape (n,)."""
    stiffness: Floats
    """[N/m], shape (n,)."""
    damping: Floats
    """[N·s/m], shape (n,)."""
    rest: Floats
    """[m], shape (n,)."""


@dataclass(frozen=True)
class Reflexes:
    """Excitation gain · (value - target) + rate_gain · rate; n of them."""

    muscle: Ints
    """Whose excitation it adds to, shape (n,)."""
    dof: Ints
    """The coordinate that is its value, -1 for the muscle's length, shape (n,)."""
    target: Floats
    """[rad, m], shape (n,)."""
    gain: Floats
    """[1/rad, 1/m], shape (n,)."""
    rate_gain: Floats
    """[s/rad, s/m], shape (n,)."""
    only_beyond: NDArray[np.bool_]
    """shape (n,)."""


@dataclass(frozen=True)
class Muscles:
    """nm muscles."""

    names: tuple[str, ...]
    paths: Paths
    """Their paths and mass points, in the same order; frames are links."""
    hill: Records
    """Musculotendons, of the muscles `of_hill`, shape (nh,)."""
    curves: Floats
    of_hill: Ints
    plain: PlainMuscles
    times: Floats
    """Activation and deactivation time constants [s] and smallest activation, shape (nm, 3)."""
    excitation: Curves
    """Curves; the target of each is the number of a muscle."""
    reflexes: Reflexes
    sources: tuple[MusclePath, ...]
    """The path of each muscle as it is defined; frames are links."""
    exact: tuple[int, ...]
    """Muscles that follow exact paths rather than smooth ones."""
    start: Floats
    """Activation and fibre length [m] of each at the beginning, shape (nm, 2)."""
    velocity_terms: bool = True
    """Whether their mass has a quadratic velocity vector; without it energy is not kept, as figures show."""

    @cached_property
    def has_mass(self) -> bool:
        return len(self.paths.masses) > 0

    @property
    def pulls(self) -> bool:
        """Whether any of them can do more than be moved."""
        return bool(len(self.of_hill) or len(self.plain.muscle))

    @cached_property
    def links(self) -> Ints:
        """Links that they are attached to or slide over, each once."""
        frames = np.concatenate([self.paths.points["frame"], self.paths.surfaces["frame"]])
        for path in (self.sources[i] for i in self.exact):
            used = {p.frame for p in path.points} | {path.surfaces[w.surface].frame for w in path.wraps}
            frames = np.concatenate([frames, sorted(used)])
        return np.asarray(np.unique(frames[frames >= 0]), np.int64)
