"""Derivatives of an objective by everything of a model that is a number, array by array."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..model.curves import Curves
from ..model.records import External, Floats, Guides, Joints, Model
from .rows import RowBars
from .springs import SpringBars, spring_bars
from .tree import TreeBars, tree_bars


def _like(curves: Curves | None) -> Floats:
    return np.zeros(0 if curves is None else len(curves.data))


@dataclass
class ExternalBars:
    """By forces and wind; shapes as in `model.External`, curves as their data."""

    x: Floats
    axes: Floats
    curves: Floats
    wind_x: Floats
    drag: Floats
    wind: Floats

    @classmethod
    def of(cls, e: External) -> ExternalBars:
        return cls(
            np.zeros_like(e.x), np.zeros_like(e.axes), _like(e.curves), np.zeros_like(e.wind_x),
            np.zeros_like(e.wind_drag), _like(e.wind_curves),
        )  # fmt: skip


@dataclass
class GuideBars:
    """By guided points; shapes as in `model.Guides`."""

    x: Floats
    direction: Floats
    stiffness: Floats
    damping: Floats
    curves: Floats
    influence: Floats

    @classmethod
    def of(cls, g: Guides) -> GuideBars:
        n = len(g.link)
        return cls(
            np.zeros_like(g.x), np.zeros_like(g.direction), np.zeros(n), np.zeros(n), _like(g.curves),
            _like(g.influence),
        )  # fmt: skip


@dataclass
class JointBars:
    """By what acts in the joints' coordinates; shapes as in `model.Joints`."""

    stiffness: Floats
    damping: Floats
    rest: Floats
    torque: Floats
    motion: Floats
    guide: Floats
    profile: Floats
    stops: Floats

    @classmethod
    def of(cls, j: Joints) -> JointBars:
        nr = len(j.stiffness)
        return cls(
            np.zeros(nr), np.zeros(nr), np.zeros(nr), _like(j.torque), _like(j.motion), np.zeros_like(j.guide),
            _like(j.profile), np.zeros_like(j.stops),
        )  # fmt: skip


@dataclass
class ModelBars:
    """All of them. A wrench-like number times a change of an array is the change of the objective."""

    q0: Floats
    qdot0: Floats
    tree: TreeBars
    joints: JointBars
    springs: SpringBars
    body_frame: Floats
    """By the displacement of each body's frame in its link, in the body's frame, shape (nb, 6)."""
    shape_frame: Floats
    """The same for the frames of shapes."""
    body_inertia: Floats
    """By principal moments and masses, shape (nb, 6)."""
    rows: RowBars
    external: ExternalBars | None = None
    guides: GuideBars | None = None
    friction: Floats | None = None
    """By the coefficients of friction of the pieces of `model.Surfaces`."""
    limits: Floats = field(default_factory=lambda: np.zeros(0))
    """By the bounds of hard limits, shape (nh,)."""

    @classmethod
    def of(cls, model: Model) -> ModelBars:
        nb = len(model.bodies.link)
        return cls(
            np.zeros(model.nr),
            np.zeros(model.nr),
            tree_bars(model.nl),
            JointBars.of(model.joints),
            spring_bars(model.springs),
            np.zeros((nb, 6)),
            np.zeros((nb, 6)),
            np.zeros((nb, 6)),
            RowBars.of(model.constraints),
            None if model.external is None else ExternalBars.of(model.external),
            None if model.guides is None else GuideBars.of(model.guides),
            None if model.contact is None else np.zeros_like(model.contact.friction),
            np.zeros(len(model.constraints.limits.dof)),
        )
