"""Things that are not often beside each other in a scene."""

from __future__ import annotations

import numpy as np

from redmax_blender.engine import compile_scene, simulate
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Cuboid,
    Free,
    JointSpec,
    Plane,
    Point,
    Pose,
    SceneSpec,
    StrandSpec,
    Surface,
)


def test_a_strand_hangs_where_boxes_touch() -> None:
    box = BodySpec(
        "box",
        Cuboid((0.2, 0.2, 0.2)),
        joint=JointSpec(Free(), frame=Pose((0.0, 0.0, 0.1))),
        surface=Surface(),
    )
    strand = StrandSpec("strand", Point((0.1, 0.0, 0.0), "box"), Point((0.5, 0.0, 0.5)), 50.0, 0.1, 5)
    spec = SceneSpec(bodies=[box], strands=[strand], colliders=[ColliderSpec("ground", Plane())])
    *_, last = simulate(compile_scene(spec), Options(h=1 / 240), end=0.2)
    assert np.isfinite(last.state.x).all()
    assert abs(last.state.q[2]) < 1e-3
