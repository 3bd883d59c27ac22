"""The joint kinds that the kernels know. Composite joints are compiled to chains of these (`compile.py`)."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    PLANAR = 3
    TRANSLATIONAL = 4
    UNIVERSAL = 5
    SPHERICAL = 6
    SPHERICAL_EULER = 7
    SPLINE_CURVE = 8
    SPLINE_SURFACE = 9


DOFS = {
    Kind.FIXED: 0,
    Kind.REVOLUTE: 1,
    Kind.PRISMATIC: 1,
    Kind.PLANAR: 2,
    Kind.TRANSLATIONAL: 3,
    Kind.UNIVERSAL: 2,
    Kind.SPHERICAL: 3,
    Kind.SPHERICAL_EULER: 3,
    Kind.SPLINE_CURVE: 1,
    Kind.SPLINE_SURFACE: 2,
}
"""Number of coordinates of each kind."""

CHARTS = ("XYX", "XZX", "YZY", "YXY", "ZXZ", "ZYZ", "XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")
"""Euler charts, in the order in which they are numbered and tried."""
