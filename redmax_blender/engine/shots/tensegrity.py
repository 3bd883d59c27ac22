"""Five sticks and fifteen rubber strings that snap together, from the scattered start of a thesis to a structure that
stands by itself.

Sticks are 10 m long, 1 m by 0.5 m thick and weigh 1 kg. They float without gravity, and damping brings them to rest.
Corners are 4 m from the middle of a stick and half a metre to either side.
"""

from __future__ import annotations

import numpy as np

from ..compile.scene import compile_scene
from ..model.records import Floats
from ..model.state import State
from ..scene import BodySpec, Cuboid, Free, JointSpec, Point, Pose, SceneSpec, Spring, TimeSpec
from ..scene.base import Vec3
from ..tree.kinematics import forward_kinematics

PLACES: tuple[Vec3, ...] = (
    (6.0, -15.0, 10.0),
    (0.0, -12.0, 10.0),
    (-1.0, -17.0, 10.0),
    (0.0, -18.0, 10.0),
    (4.0, -18.0, 10.0),
)
"""Where the sticks lie at first [m], all turned by a right angle about y."""
REST = 4.0
"""Length of the strings without force [m]."""
COUNT = len(PLACES)


def tensegrity(stiffness: float = 20.0, damping: float = 10.0, *, step: float = 0.005) -> SceneSpec:
    """The sticks, and strings around one end, around the other, and across from each stick to the next; `damping` of
    the sticks [N·s/m, N·m·s/rad]."""
    turn = [float(np.sqrt(0.5)), 0.0, float(np.sqrt(0.5)), 0.0]
    bodies = [
        BodySpec(
            f"stick {i}",
            Cuboid((10.0, 1.0, 0.5)),
            joint=JointSpec(type=Free(), frame=Pose(place, turn)),
            mass=1.0,
            damping=damping,
        )
        for i, place in enumerate(PLACES)
    ]
    strings = []
    for i in range(COUNT):
        after, before = (i + 1) % COUNT, (i - 1) % COUNT
        ends = (
            ("first", i, (-4.0, -0.5, 0.0), after, (-4.0, -0.5, 0.0)),
            ("across", i, (-4.0, 0.5, 0.0), before, (4.0, -0.5, 0.0)),
            ("second", i, (4.0, 0.5, 0.0), after, (4.0, 0.5, 0.0)),
        )
        strings += [
            Spring(
                [Point(p, f"stick {a}"), Point(q, f"stick {b}")],
                stiffness,
                rest_length=REST,
                tension_only=True,
                name=f"{name} {a}",
            )
            for name, a, p, b, q in ends
        ]
    return SceneSpec(
        name="tensegrity",
        gravity=(0.0, 0.0, 0.0),
        bodies=bodies,
        forces=[*strings],
        time=TimeSpec(end=8.0, step=step),
        integrator="euler",
    )


def lengths(spec: SceneSpec, state: State) -> Floats:
    """Lengths of the strings [m]: around the first ends, across, and around the second ends, shape (3, 5)."""
    model = compile_scene(spec)
    kin = forward_kinematics(model, state)
    poses = kin.E_wj[model.bodies.link]
    at = {name: (E[:9].reshape(3, 3), E[9:]) for name, E in zip(model.bodies.names, poses, strict=True)}

    def place(point: Point) -> Floats:
        R, p = at[str(point.body)]
        return np.asarray(R @ point.position + p)

    found = [
        np.linalg.norm(place(s.points[0]) - place(s.points[1])) for s in spec.forces if isinstance(s, Spring)
    ]
    return np.array(found).reshape(COUNT, 3).T
