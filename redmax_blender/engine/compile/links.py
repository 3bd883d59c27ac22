"""A joint of the scene as a chain of simple links, which is what the kernels know."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..algebra import se3
from ..errors import SceneError
from ..joints.kinds import CHARTS, DOFS, Kind
from ..scene import (
    CompositeJoint,
    Fixed,
    Free,
    FreePlanar,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
    Translational,
    Universal,
    Vec3,
)
from .poses import pose_numbers


@dataclass(frozen=True)
class Link:
    """One simple joint."""

    kind: Kind
    params: tuple[float, ...] = ()
    """Axis or spline controls, as the kernel of the kind wants them."""
    chart: int = 0
    """Number of the Euler chart to begin with."""
    centred: bool = False
    """Whether Euler's steps centre the coordinates of its rotation (`centres.py`)."""

    @property
    def dofs(self) -> int:
        return DOFS[self.kind]


_PLAIN: dict[type, tuple[Link, ...]] = {
    Fixed: (Link(Kind.FIXED),),
    Planar: (Link(Kind.PLANAR),),
    Translational: (Link(Kind.TRANSLATIONAL),),
    Universal: (Link(Kind.UNIVERSAL),),
}


def joint_links(joint: JointKind, place: str) -> list[Link]:
    """The links of a joint, from the parent to the body. Nested composites are flattened, however deep."""
    links: list[Link] = []
    stack: list[tuple[JointKind, str]] = [(joint, place)]
    while stack:
        part, here = stack.pop()
        match part:
            case CompositeJoint():
                if not part.joints:
                    raise SceneError(
                        f"{here}.joints", "the list is empty", "Give joints, or use the kind 'fixed'."
                    )
                inner = [(j, f"{here}.joints[{i}]") for i, j in enumerate(part.joints)]
                stack.extend(reversed(inner))
            case Revolute():
                links.append(Link(Kind.REVOLUTE, _unit(part.axis, f"{here}.axis")))
            case Prismatic():
                links.append(Link(Kind.PRISMATIC, _unit(part.axis, f"{here}.axis")))
            case SphericalEuler():
                links.append(Link(Kind.SPHERICAL_EULER, chart=CHARTS.index(part.chart)))
            case Spherical():
                links.append(Link(Kind.SPHERICAL, centred=part.centred))
            case FreePlanar():
                turn = Link(Kind.REVOLUTE, (0.0, 0.0, 1.0), centred=part.centred)
                links.extend([Link(Kind.PLANAR), turn])
            case Free():
                links.extend(_free(part))
            case SplineCurve():
                links.append(_spline_curve(part, here))
            case SplineSurface():
                links.append(_spline_surface(part, here))
            case _:
                links.extend(_PLAIN[type(part)])
    return links


def _unit(axis: Vec3, place: str) -> tuple[float, ...]:
    length = math.hypot(*axis)
    if length == 0.0:
        raise SceneError(place, "the axis has no direction: all three numbers are 0", "Give a direction.")
    return tuple(x / length for x in axis)


def _free(joint: Free) -> list[Link]:
    if joint.rotation == "euler":
        turn = Link(Kind.SPHERICAL_EULER, chart=CHARTS.index("XYZ"), centred=joint.centred)
    else:
        turn = Link(Kind.SPHERICAL, centred=joint.centred)
    move = Link(Kind.TRANSLATIONAL)
    return [move, turn] if joint.order == "translation-rotation" else [turn, move]


def _spline_curve(joint: SplineCurve, place: str) -> Link:
    """[n, cyclic], then per control frame its pose C_k (12) and D_k = log(C_{k-1}⁻¹ C_k) (6)."""
    least = 3 if joint.cyclic else 4
    n = len(joint.frames)
    if n < least:
        kind = "cyclic" if joint.cyclic else "open"
        raise SceneError(
            f"{place}.frames",
            f"a {kind} cubic spline needs at least {least} control frames, and there are {n}",
            "Add control frames.",
        )
    rows = [pose_numbers(frame, f"{place}.frames[{k}]") for k, frame in enumerate(joint.frames)]
    C = [se3.pose_matrix(row) for row in rows]
    steps = [np.zeros(6)]
    for k, (before, after) in enumerate(pairwise([*C, C[0]] if joint.cyclic else C), start=1):
        step = se3.log(se3.inverse(before) @ after)
        if np.linalg.norm(step[:3]) > math.pi - 1e-6:
            raise SceneError(
                f"{place}.frames[{k % n}]",
                "it is half a turn away from the frame before it, and the way between them is ambiguous",
                "Add a control frame in between.",
            )
        steps.append(step)
    if joint.cyclic:
        steps[0] = steps.pop()
    params = [float(n), float(joint.cyclic)]
    for row, step in zip(rows, steps, strict=True):
        params += [*row, *step.tolist()]
    return Link(Kind.SPLINE_CURVE, tuple(params))


def _spline_surface(joint: SplineSurface, place: str) -> Link:
    """[n1, n2], then controls[i1][i2][0:6] row by row."""
    controls = joint.controls
    n1 = len(controls)
    n2 = len(controls[0]) if controls else 0
    if n1 < 4 or n2 < 4:
        raise SceneError(
            f"{place}.controls",
            f"a cubic spline surface needs at least 4 by 4 controls, and there are {n1} by {n2}",
            "Add controls.",
        )
    params = [float(n1), float(n2)]
    for i1, line in enumerate(controls):
        if len(line) != n2:
            raise SceneError(
                f"{place}.controls[{i1}]",
                f"it has {len(line)} controls where controls[0] has {n2}",
                "Give the same number of controls in every row.",
            )
        for i2, control in enumerate(line):
            if len(control) != 6:
                raise SceneError(
                    f"{place}.controls[{i1}][{i2}]",
                    f"a control has 6 numbers (translation x, y, z, rotation x, y, z), not {len(control)}",
                    "Correct the list.",
                )
            params += control
    return Link(Kind.SPLINE_SURFACE, tuple(params))
