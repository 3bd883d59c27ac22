"""Stiffness and damping of guides from their response times: measured by what they move, so that mass needs no tuning.

What a coordinate or a point moves changes with the pose. A guide that is too strong for what it moves still closes a
gap in its time, since its damping grows as well; one that is too weak does not. So the largest inertia counts: of all
that a joint carries, stretched out from it; and for a point all bodies from the world to it, and those that it carries.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..joints.kinds import Kind
from ..model.records import GUIDED, Floats, Guides, Joints, Model
from ..scene import SceneSpec
from ..scene.constraints import Guide, PrescribedPoint
from ..tree.kinematics import forward_kinematics
from .constraints import mode_spans

_ANGULAR = [int(kind) for kind in (Kind.REVOLUTE, Kind.UNIVERSAL, Kind.SPHERICAL, Kind.SPHERICAL_EULER)]


def with_gains(model: Model, spec: SceneSpec) -> Model:
    """The model with the gains of all guides that have a response time."""
    joints = {
        coordinate: body.joint.guide
        for body, (begin, end) in zip(spec.bodies, model.joints.dof.tolist(), strict=True)
        for coordinate in range(begin, end)
        if body.joint.guide is not None and body.joint.guide.response is not None
    }
    points = _point_guides(spec)
    if not joints and all(guide is None for guide in points):
        return model
    guides = None if model.guides is None else _of_points(model, model.guides, points)
    return replace(model, joints=_of_joints(model, joints), guides=guides)


def gains(guide: Guide, inertia: float) -> tuple[float, float]:
    """Stiffness and damping of a guide that moves this inertia [kg·m², kg]."""
    assert guide.response is not None
    return inertia / guide.response**2, 2.0 * guide.ratio * inertia / guide.response


def carried(model: Model) -> tuple[Floats, Floats]:
    """Mass [kg] that each link carries, itself included, and its moment when stretched out [kg·m²], shapes (nl,)."""
    tree, bodies = model.tree, model.bodies
    reach = np.linalg.norm(forward_kinematics(model, model.initial_state()).E_pj[:, 9:], axis=1)
    mass, first, moment = np.zeros((3, model.nl))
    arm = np.linalg.norm(bodies.E_jb[:, 9:], axis=1)
    m = bodies.inertia[:, 3]
    np.add.at(mass, bodies.link, m)
    np.add.at(first, bodies.link, m * arm)
    np.add.at(moment, bodies.link, m * arm**2 + bodies.inertia[:, :3].max(axis=1))
    for j in range(model.nl - 1, -1, -1):
        p, d = int(tree.parent[j]), float(reach[j])
        if p >= 0:
            mass[p] += mass[j]
            first[p] += first[j] + d * mass[j]
            moment[p] += moment[j] + 2.0 * d * first[j] + d * d * mass[j]
    return mass, moment


def _of_joints(model: Model, guides: dict[int, Guide]) -> Joints:
    mass, moment = carried(model)
    link = np.repeat(np.arange(model.nl), np.diff(model.tree.dof))
    guide: Floats = model.joints.guide.copy()
    for i, coordinate in enumerate(model.joints.motion.target.tolist()):
        if coordinate in guides:
            j = link[coordinate]
            turns = int(model.tree.kind[j]) in _ANGULAR
            guide[i] = gains(guides[coordinate], float(moment[j] if turns else mass[j]))
    return replace(model.joints, guide=guide)


def _point_guides(spec: SceneSpec) -> list[Guide | None]:
    """For each row of `Model.guides` the guide that has a response time, or null."""
    found: list[Guide | None] = []
    for constraint in spec.constraints:
        if isinstance(constraint, PrescribedPoint) and any(
            mode == GUIDED for _, _, mode, _ in mode_spans(constraint.modes)
        ):
            guide = constraint.guide
            own = guide if guide is not None and guide.response is not None else None
            found += [own for curve in constraint.path if curve is not None]
    return found


def _of_points(model: Model, guides: Guides, given: list[Guide | None]) -> Guides:
    mass, _ = carried(model)
    own = np.zeros(model.nl)
    np.add.at(own, model.bodies.link, model.bodies.inertia[:, 3])
    stiffness, damping = guides.stiffness.copy(), guides.damping.copy()
    for i, guide in enumerate(given):
        if guide is not None:
            link = int(guides.link[i])
            moved, above = float(mass[link]), int(model.tree.parent[link])
            while above >= 0:
                moved, above = moved + float(own[above]), int(model.tree.parent[above])
            stiffness[i], damping[i] = gains(guide, moved)
    return replace(guides, stiffness=stiffness, damping=damping)
