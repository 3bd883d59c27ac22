"""Kernels of flesh, compiled or loaded ahead of a run."""

from __future__ import annotations

import time

from ..compile.scene import compile_scene
from ..fem.bar import bar
from ..fem.cages.cage import make_cage
from ..fem.cages.outline import border
from ..model.state import Options
from ..scene import (
    Attachment,
    BodySpec,
    Capsule,
    Constant,
    FleshSpec,
    JointSpec,
    MaterialSpec,
    Point,
    PrescribedPoint,
    SceneSpec,
    Spherical,
    SpringFloor,
)
from .simulate import simulate, warm_up


def warm_up_flesh(options: Options) -> float:
    """As `warm_up`, and what cages, flesh and floors need on top of it; wall time [s]."""
    begin = time.perf_counter()
    warm_up(options)
    X, corner = bar((1, 1, 1), (1.0, 1.0, 1.0))
    made = make_cage(X, border(corner), count=30, place="cube")
    flesh = FleshSpec(
        name="cube",
        vertices=[(float(x), float(y), float(z)) for x, y, z in made.X],
        tets=[(int(a), int(b), int(c), int(d)) for a, b, c, d in made.corner],
        material=MaterialSpec(young=1e5),
        fill=made.fill.tolist(),
        attachments=[Attachment("bone", [0, 1, 2])],
        floor=SpringFloor(stiffness=1.0, height=0.1, points=[(0.5, 0.5, 0.0)]),
    )
    spec = SceneSpec(
        bodies=[BodySpec(name="bone", shape=Capsule(0.1, 0.5), joint=JointSpec(type=Spherical()))],
        flesh=[flesh],
        constraints=[PrescribedPoint(Point(body="bone"), path=[Constant(0.0), None, None])],
    )
    model = compile_scene(spec)
    h = min(options.h, 0.01)
    for _ in simulate(model, options.with_(h=h), end=2.0 * h):
        pass
    return time.perf_counter() - begin
