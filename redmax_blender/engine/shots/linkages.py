"""Linkages of a thesis on spatial linkages: one chain of three beams described in four ways, and one of four beams
whose root or end is nailed to the world. They float without gravity.

Beams are 10 m long, 1 m by 0.5 m thick and weigh 1 kg; hinges are 4 m from their middles, about z.
"""

from __future__ import annotations

from ..scene import (
    BodySpec,
    Constant,
    Cuboid,
    Free,
    JointSpec,
    PointForce,
    Pose,
    Revolute,
    SceneSpec,
    TimeSpec,
)
from ..scene.spec import PrescribedPose

BEAM = Cuboid((10.0, 1.0, 0.5))
ARM = 4.0
"""From the middle of a beam to each hinge [m]."""
SPIN = 0.1
"""Of the last beam about its hinge at the start [rad/s]."""
WAYS = ("root left", "root right", "root middle, left first", "root middle, right first")


def _beam(name: str, x: float, parent: str | None = None, side: float = 0.0, rate: float = 0.0) -> BodySpec:
    """A beam with its middle at x [m]: free, or on a hinge at the end of its parent that is on this side (±1)."""
    if parent is None:
        free = JointSpec(type=Free(), frame=Pose((x, 0.0, 0.0)))
        return BodySpec(name, BEAM, joint=free, mass=1.0)
    # the joint frame of the parent is at its middle when it is the root, and at its own hinge otherwise
    reach = ARM if parent.startswith("root") else 2.0 * ARM
    hinge = JointSpec(type=Revolute(), frame=Pose((side * reach, 0.0, 0.0)), qdot=rate)
    return BodySpec(name, BEAM, parent, hinge, Pose((side * ARM, 0.0, 0.0)), mass=1.0)


def three_beams(way: str) -> SceneSpec:
    """The chain, whose right beam turns about its hinge at the start; its left, middle and right beam are the bodies
    that `beams_of` names."""
    match way:
        case "root left":
            bodies = [
                _beam("root", -8.0),
                _beam("second", 0.0, "root", 1.0),
                _beam("third", 8.0, "second", 1.0, SPIN),
            ]
        case "root right":
            root = _beam("root", 8.0)
            root.joint.qdot = [0.0, ARM * SPIN, 0.0, 0.0, 0.0, SPIN]  # about its hinge, at its left
            bodies = [root, _beam("second", 0.0, "root", -1.0, -SPIN), _beam("third", -8.0, "second", -1.0)]
        case _:
            left = _beam("left", -8.0, "root", -1.0)
            right = _beam("right", 8.0, "root", 1.0, SPIN)
            children = [left, right] if way.endswith("left first") else [right, left]
            bodies = [_beam("root", 0.0), *children]
    return SceneSpec(
        name=way, gravity=(0.0, 0.0, 0.0), bodies=bodies, time=TimeSpec(end=1.0), integrator="rk-recursive"
    )


def beams_of(way: str) -> tuple[str, str, str]:
    """Names of the left, the middle and the right beam."""
    names = {"root left": ("root", "second", "third"), "root right": ("third", "second", "root")}
    return names.get(way, ("left", "root", "right"))


def four_beams(nailed: str, torque: float = 1.0) -> SceneSpec:
    """A chain whose second beam is turned by a couple [N·m]; `nailed`: "nothing", "root" or "end", which stays where
    it is, orientation and all."""
    bodies = [_beam("root", 0.0)]
    for k in range(1, 4):
        bodies.append(_beam(f"beam {k}", 8.0 * k, bodies[-1].name, 1.0))
    held = {"root": ("root", 0.0), "end": ("beam 3", 24.0)}.get(nailed)
    nail = [] if held is None else [_nail(*held)]
    return SceneSpec(
        name=f"nailed {nailed}",
        gravity=(0.0, 0.0, 0.0),
        bodies=bodies,
        forces=[PointForce("beam 1", torque=[None, None, Constant(torque)])],
        constraints=[*nail],
        time=TimeSpec(end=15.0, step=0.01),
    )


def _nail(body: str, x: float) -> PrescribedPose:
    zero = Constant(0.0)
    return PrescribedPose(body, [Constant(x), zero, zero], [zero, zero, zero], name="nail")
