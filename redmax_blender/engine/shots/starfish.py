"""A starfish: a skeleton of twenty joints in flesh, on a springy floor (paper §6 and Fig. 1c, thesis §6.1.2).

Five arms of four bones hang on a disc that nothing holds. The first two joints of every arm are prescribed, and so are,
for a while, the tips of two arms: one greets, the other is lifted on the way. The outer joints and the flesh are
passive, and move only through each other and the floor.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..algebra import se3
from ..bodies.inertia import body_mass
from ..fem.cages.attach import attach_to_capsules
from ..fem.cages.cage import Cage, make_cage
from ..scene import (
    Attachment,
    BodySpec,
    Capsule,
    Cylinder,
    FleshSpec,
    Free,
    Interval,
    JointSpec,
    MaterialSpec,
    Point,
    Pose,
    PrescribedPoint,
    Sampled,
    SceneSpec,
    SpringFloor,
    TimeSpec,
    Universal,
    Vec3,
)
from .starfish_check import check
from .starfish_figure import (
    FPS,
    FRAMES,
    JOINTS,
    LED,
    PRESCRIBED,
    STEPS,
    TAKES_HOLD,
    Starfish,
    keyed_angles,
    keyed_path,
)
from .starfish_skin import ARMS

__all__ = ["Starfish", "cage", "check", "flesh", "floor", "mass", "spec"]

Floats = NDArray[np.float64]


def spec(
    starfish: Starfish | None = None, *, end: float = FRAMES / FPS, step: float = 1.0 / (FPS * STEPS)
) -> SceneSpec:
    """The starfish as a scene, lying on the floor."""
    starfish = starfish or Starfish()
    bodies = [_disc(starfish)]
    for arm in range(ARMS):
        bodies += [_bone(starfish, arm, joint) for joint in range(JOINTS)]
    return SceneSpec(
        name="starfish",
        bodies=bodies,
        constraints=[_led(starfish, arm) for arm in LED],
        flesh=[flesh(starfish)],
        integrator="euler",
        time=TimeSpec(end=end, step=step, record=STEPS),
    )


def _disc(starfish: Starfish) -> BodySpec:
    return BodySpec(
        name="disc",
        shape=Cylinder(radius=starfish.hub, height=2.0 * starfish.bone_radius),
        joint=JointSpec(type=Free(), frame=Pose(position=(0.0, 0.0, starfish.middle))),
        density=starfish.bone_density,
    )


def _bone(starfish: Starfish, arm: int, joint: int) -> BodySpec:
    """Its joint frame has z along the bone and y upwards, so that a universal joint bends down, then sideways."""
    r, length = starfish.bone_radius, starfish.bone
    z, y = starfish.along(arm), np.array([0.0, 0.0, 1.0])
    R = np.stack([np.cross(y, z), y, z], axis=1)
    frame = Pose(position=(0.0, 0.0, length))
    if joint == 0:
        frame = Pose(_three(starfish.hub * z), [float(c) for c in se3.quaternion(R)])
    carried = JointSpec(Universal(), frame=frame)
    if joint < PRESCRIBED:
        times, *angles = keyed_angles(arm, joint)
        carried.motion = [Sampled(times.tolist(), angle.tolist()) for angle in angles]
    else:
        carried.stiffness, carried.damping = starfish.joint_stiffness, starfish.joint_damping
    return BodySpec(
        name=starfish.name(arm, joint),
        parent=starfish.name(arm, joint - 1) if joint else "disc",
        shape=Capsule(radius=r, height=length - 2.0 * r),
        pose=Pose(position=(0.0, 0.0, 0.5 * length)),
        joint=carried,
        density=starfish.bone_density,
    )


def _led(starfish: Starfish, arm: int) -> PrescribedPoint:
    t, path = keyed_path(starfish, arm)
    begin, end = LED[arm]
    return PrescribedPoint(
        point=Point(body=starfish.name(arm, JOINTS - 1), position=(0.0, 0.0, 0.5 * starfish.bone)),
        path=[Sampled(t.tolist(), path[:, c].tolist()) for c in range(3)],
        active=[Interval(start=begin, end=end, over=TAKES_HOLD)],
        name=f"tip.{arm + 1}",
    )


@lru_cache(maxsize=4)
def cage(starfish: Starfish) -> Cage:
    """The tetrahedra around its skin."""
    vertices, quads = starfish.skin()
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return make_cage(vertices, triangles, count=starfish.cage_vertices, place="starfish")


def flesh(starfish: Starfish) -> FleshSpec:
    """Its flesh: what the bones run through is attached to them."""
    made = cage(starfish)
    bones = [(arm, joint) for arm in range(ARMS) for joint in range(JOINTS)]
    heads = np.array([starfish.head(*bone) for bone in bones])
    tails = np.array([starfish.head(arm, joint + 1) for arm, joint in bones])
    reach = np.full(len(bones), 0.6 * made.cell)
    held = attach_to_capsules(made.X, heads, tails, reach)
    attachments = [
        Attachment(starfish.name(*bone), held.vertex[held.body == n].tolist())
        for n, bone in enumerate(bones)
        if np.any(held.body == n)
    ]
    centre = np.hypot(made.X[:, 0], made.X[:, 1]) < starfish.hub - 0.5 * reach[0]
    centre &= np.abs(made.X[:, 2] - starfish.middle) < reach[0]
    centre[held.vertex] = False
    attachments.append(Attachment("disc", np.flatnonzero(centre).tolist()))
    return FleshSpec(
        name="flesh",
        vertices=[_three(x) for x in made.X],
        tets=[(int(a), int(b), int(c), int(d)) for a, b, c, d in made.corner],
        material=MaterialSpec(young=starfish.young, density=starfish.density, stiffness_damping=0.01),
        fill=made.fill.tolist(),
        attachments=attachments,
        floor=floor(starfish),
    )


def floor(starfish: Starfish) -> SpringFloor:
    """It feels every third vertex of the skin's underside; an eighth of them carry the weight 2 mm deep."""
    points = starfish.skin()[0]
    below = points[points[:, 2] < 0.3 * starfish.thickness][::3]
    each = 9.81 * mass(starfish) / (0.002 * 0.125 * len(below))
    return SpringFloor(
        stiffness=each, damping=0.02 * each, drag=0.1 * each, points=[_three(p) for p in below]
    )


def mass(starfish: Starfish) -> float:
    """Of bones and flesh [kg]."""
    bones = [
        _disc(starfish),
        *(_bone(starfish, arm, joint) for arm in range(ARMS) for joint in range(JOINTS)),
    ]
    skeleton = sum(body_mass(body.shape, body.density, body.mass, body.name).mass for body in bones)
    return skeleton + starfish.density * cage(starfish).solid_volume


def _three(p: Floats) -> Vec3:
    return (float(p[0]), float(p[1]), float(p[2]))
