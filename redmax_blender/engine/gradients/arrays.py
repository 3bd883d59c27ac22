"""A model as a dictionary of arrays, and the derivatives of an objective by each of them in the same form."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ..model.records import Floats, Model
from .bars import ModelBars

_DERIVED = {"constants", "links", "all_free", "reach", "size"}
"""Made from other arrays, or only measures for tolerances."""


def arrays_of(model: Model) -> dict[str, Any]:
    """Every array and number of a model, by its path."""
    out: dict[str, Any] = {}
    _walk(model, "", out)
    return out


def _walk(thing: Any, path: str, out: dict[str, Any]) -> None:
    if is_dataclass(thing) and not isinstance(thing, type):
        for each in fields(thing):
            if each.name not in _DERIVED:
                _walk(getattr(thing, each.name), f"{path}.{each.name}" if path else each.name, out)
    elif thing is not None:
        out[path] = thing


_ROWS = [(i, j) for i in range(3) for j in range(i, 3)]
_ROWS += [(i, j) for i in range(3) for j in range(3, 6)]
_ROWS += [(i, j) for i in range(3, 6) for j in range(i, 6)]


def _packed(full: Floats) -> Floats:
    """Derivatives by rows of 21, from those by full matrices."""
    return np.stack([full[:, i, j] + (full[:, j, i] if i != j else 0.0) for i, j in _ROWS], axis=1)


def _framed(E: Floats, sigma: Floats) -> Floats:
    """Derivatives by rows of twelve, from those by displacements of the frames."""
    R = E[:, :9].reshape(-1, 3, 3)
    out = np.zeros_like(E)
    skew = np.zeros((len(E), 3, 3))
    skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0] = (0.5 * sigma[:, c] for c in range(3))
    skew -= np.transpose(skew, (0, 2, 1))
    out[:, :9] = (R @ skew).reshape(-1, 9)
    out[:, 9:] = np.einsum("nij,nj->ni", R, sigma[:, 3:])
    return out


def bars_of(model: Model, bars: ModelBars) -> dict[str, Floats]:
    """The derivatives by all arrays for which they are known, under the same paths."""
    t, j, s, b = bars.tree, bars.joints, bars.springs, model.bodies
    out = {
        "q0": bars.q0,
        "qdot0": bars.qdot0,
        "gravity": t.gravity,
        "tree.E_pj0": _framed(model.tree.E_pj0, t.frame),
        "tree.inertia": _packed(t.inertia),
        "tree.damping": _packed(t.drag + t.late),
        "bodies.E_js": _framed(b.E_js, bars.shape_frame),
        "bodies.E_jb": _framed(b.E_jb, bars.body_frame),
        "bodies.inertia": bars.body_inertia,
        "bodies.damping": np.zeros(len(b.link)),
        "joints.stiffness": j.stiffness,
        "joints.damping": j.damping,
        "joints.rest": j.rest,
        "joints.torque.data": j.torque,
        "joints.motion.data": j.motion,
        "joints.guide": j.guide,
        "joints.stops": j.stops,
        "joints.profile.data": j.profile,
        "constraints.limits.bound": bars.limits,
        "constraints.rows.x": bars.rows.x,
        "constraints.rows.axis": bars.rows.axis,
        "constraints.rows.value": bars.rows.value,
        "constraints.rows.targets.data": bars.rows.targets,
        "constraints.rows.lever": np.zeros_like(model.constraints.rows.lever),
        "constraints.gears.factor": bars.rows.factor,
        "constraints.gears.offset": bars.rows.offset,
        "constraints.gears.lever": np.zeros_like(model.constraints.gears.lever),
        "springs.x": s.x,
        "springs.stiffness": s.stiffness,
        "springs.damping": s.damping,
        "springs.rest": s.rest,
    }
    if bars.friction is not None:
        out["contact.friction"] = bars.friction
    e, g = bars.external, bars.guides
    if e is not None:
        out |= {
            "external.x": e.x,
            "external.axes": e.axes,
            "external.curves.data": e.curves,
            "external.wind_x": e.wind_x,
            "external.wind_drag": e.drag,
            "external.wind_curves.data": e.wind,
        }
    if g is not None:
        out |= {
            "guides.x": g.x,
            "guides.direction": g.direction,
            "guides.stiffness": g.stiffness,
            "guides.damping": g.damping,
            "guides.curves.data": g.curves,
            "guides.influence.data": g.influence,
        }
    return out
