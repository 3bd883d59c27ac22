"""Smooth paths: they tend to the exact ones, and their motion is differentiable where exact paths have kinks."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.algebra.se3 import exp, pose_matrix, pose_row
from redmax_blender.engine.model.records import Floats
from redmax_blender.engine.muscles.paths import exact
from redmax_blender.engine.muscles.paths.smooth.evaluate import _motion, evaluate, room_for
from redmax_blender.engine.muscles.paths.smooth.follow import follow
from redmax_blender.engine.muscles.paths.smooth.pack import Given, MassPoint, pack_paths, put_anew
from redmax_blender.engine.muscles.paths.smooth.packed import Followed, Paths
from redmax_blender.engine.muscles.records import MusclePath, PathPoint, Side, Surface, Wrap, WrapSurface

AXES = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
TURNED = (0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6)
AT_REST = np.tile([*AXES, 0.0, 0.0, 0.0], (3, 1))
SIZES = {
    Surface.CYLINDER: (0.04, 0.0, 0.0),
    Surface.SPHERE: (0.04, 0.0, 0.0),
    Surface.ELLIPSOID: (0.03, 0.05, 0.04),
    Surface.TORUS: (0.06, 0.025, 0.0),
    Surface.CAPSULE: (0.04, 0.1, 0.0),
}


def over(kind: Surface, height: float) -> MusclePath:
    """From frame 0 to frame 2 over a surface of frame 1, at a height above its centre; a torus is passed through."""
    y = -0.065 + height if kind == Surface.TORUS else height
    ends = ((-0.15, y, 0.02), (0.12, y - 0.003, -0.01))
    if kind == Surface.TORUS:
        ends = ((0.005, y, -0.15), (-0.01, y - 0.003, 0.12))
    surface = WrapSurface("surface", kind, SIZES[kind], 1, AXES, (0.0, 0.0, 0.0))
    return MusclePath(
        "muscle", (PathPoint(0, ends[0]), PathPoint(2, ends[1])), (surface,), (Wrap(0, 0, -1, Side.SHORTEST),)
    )


def winding() -> MusclePath:
    """Through path points and over two surfaces on different frames, with mass that slides through all of it."""
    surfaces = (
        WrapSurface("first", Surface.CYLINDER, (0.03, 0.0, 0.0), 1, AXES, (0.0, 0.0, 0.0)),
        WrapSurface("second", Surface.ELLIPSOID, (0.03, 0.02, 0.05), 2, TURNED, (0.25, 0.0, 0.0)),
    )
    points = (
        PathPoint(0, (-0.2, 0.03, 0.01)),
        PathPoint(0, (-0.1, 0.02, -0.01)),
        PathPoint(1, (0.12, 0.01, 0.0)),
        PathPoint(2, (0.4, 0.005, 0.02)),
    )
    return MusclePath("muscle", points, surfaces, (Wrap(0, 1, 2), Wrap(1, 2, 3)))


PATHS = {
    **{kind.name.lower(): over(kind, 0.038) for kind in Surface},
    "lifting off": over(Surface.CYLINDER, 0.0403),
    "winding": winding(),
}
MASSES = [
    MassPoint(1.0, 0.3),
    MassPoint(1.0, 0.5),
    MassPoint(1.0, 0.81),
    MassPoint(1.0, 0.0, 0.07),  # at a fixed length from the origin, as on a tendon that does not stretch
    MassPoint(1.0, 0.4, 0.02),
]
TWISTS = np.array(
    [
        [0.7, -0.4, 0.9, 0.05, 0.1, -0.08],
        [-0.5, 0.8, 0.3, -0.04, 0.06, 0.02],
        [0.2, 0.6, -0.7, 0.1, -0.03, 0.05],
    ]
)


def at(t: float) -> Floats:
    return np.array([pose_row(pose_matrix(E) @ exp(t * V)) for E, V in zip(AT_REST, TWISTS, strict=True)])


class Follower:
    """A path with frames that move with constant twists."""

    def __init__(self, path: MusclePath, rounding: float = 0.002) -> None:
        self.path = path
        self.paths: Paths = pack_paths(
            [Given(path, MASSES, rounding)], AT_REST, np.zeros(0), lambda _: np.arange(18)
        )

    def __call__(self, poses: Floats, second: bool = False) -> Followed:
        motion = _motion(self.path, poses, poses, np.zeros(0))
        if second:
            # where body twists are constant, an origin accelerates with ω x v
            R = poses[:, :9].reshape(-1, 3, 3)
            w, v = (np.einsum("fij,fj->fi", R, TWISTS[:, k : k + 3]) for k in (0, 3))
            motion = motion._replace(qdot=TWISTS.ravel(), shift_bias=np.cross(w, v))
        out = room_for(self.paths, 18, True)
        follow(self.paths, motion, second, -1, out)
        if out.settled[0] < 0:
            put_anew(self.paths, 0, self.path, poses, np.zeros(0))
            follow(self.paths, motion, second, 0, out)
        assert (out.settled >= 0).all()
        return out


@pytest.mark.parametrize("name", PATHS)
def test_jacobian_is_the_derivative(name: str) -> None:
    path = Follower(PATHS[name])
    now = path(AT_REST)
    d = 2e-6
    for k in range(18):
        V = np.zeros((3, 6))
        V.flat[k] = d
        ahead, behind = (
            path(np.array([pose_row(pose_matrix(E) @ exp(s * W)) for E, W in zip(AT_REST, V, strict=True)]))
            for s in (1.0, -1.0)
        )
        assert np.abs((ahead.points - behind.points) / (2.0 * d) - now.jacobian[:, :, k]).max() < 1e-6
        assert abs((ahead.length[0] - behind.length[0]) / (2.0 * d) - now.gradient[0, k]) < 1e-6


@pytest.mark.parametrize("name", PATHS)
def test_bias_is_the_acceleration_at_constant_twists(name: str) -> None:
    path = Follower(PATHS[name])
    d = 3e-5
    for t in (0.0, 0.004, 0.01):
        now = path(at(t), True)
        near = [path(at(t + k * d)) for k in (-2, -1, 1, 2)]
        weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * d)
        rate = sum(w * each.jacobian @ TWISTS.ravel() for w, each in zip(weights, near, strict=True))
        assert np.abs(rate - now.bias).max() < 1e-5 * max(1.0, np.abs(now.bias).max())
        length = sum(w * each.gradient[0] @ TWISTS.ravel() for w, each in zip(weights, near, strict=True))
        assert abs(length - now.length_bias[0]) < 1e-5 * max(1.0, abs(length))


@pytest.mark.parametrize("kind", list(Surface))
def test_smooth_paths_tend_to_the_exact_ones(kind: Surface) -> None:
    path, alphas = over(kind, 0.03), np.linspace(0.1, 0.9, 5)
    best = exact.evaluate(path, AT_REST, alphas)
    error, position = [], []
    for rounding, segments in ((2e-3, 40), (2e-4, 160), (2e-5, 640)):
        smooth = evaluate(path, AT_REST, alphas, rounding=rounding, segments=segments)
        error.append(abs(smooth.length - best.length))
        position.append(np.abs(smooth.points - best.points).max())
    assert error[0] < 1e-3 * best.length
    assert error[2] < 2e-5 * best.length
    assert position[2] < 0.1 * position[0]
    assert position[2] < 2e-4 * best.length


def test_far_from_the_surface_the_path_is_straight() -> None:
    path = over(Surface.SPHERE, 0.0425)
    smooth = evaluate(path, AT_REST, [0.25], rounding=0.001)
    exactly = exact.evaluate(path, AT_REST, [0.25])
    assert smooth.length == pytest.approx(exactly.length, abs=1e-14)
    assert np.abs(smooth.jacobian - exactly.jacobian).max() < 1e-12


def test_lift_off_bounds_what_jumps_on_the_exact_path() -> None:
    """The insertion rises off a cylinder: the exact path's point begins to move at once, the smooth one's within the
    rounding."""
    rounding, d = 0.001, 2.5e-5
    heights = np.arange(0.036, 0.046, d)
    slopes = {"exact": [], "smooth": []}
    for y in heights:
        path = over(Surface.CYLINDER, 0.04)
        path = MusclePath(
            "m", (path.points[0], PathPoint(2, (0.12, float(y), -0.01))), path.surfaces, path.wraps
        )
        slopes["exact"].append(exact.evaluate(path, AT_REST, [0.5]).jacobian[0, 1, 2, 4])
        slopes["smooth"].append(evaluate(path, AT_REST, [0.5], rounding=rounding).jacobian[0, 1, 2, 4])
    jump = np.abs(np.diff(slopes["exact"])).max()
    assert jump > 0.1
    assert np.abs(np.diff(slopes["smooth"])).max() < 6.0 * jump * d / rounding
    assert np.abs(np.array(slopes["smooth"]) - slopes["exact"])[[0, -1]].max() < 0.02


def test_time_derivative_of_the_jacobian() -> None:
    path, alphas, d = winding(), [0.2, 0.6], 1e-4
    now = evaluate(path, AT_REST, alphas, twists=TWISTS)
    ahead, behind = evaluate(path, at(d), alphas), evaluate(path, at(-d), alphas)
    assert now.jacobian_rate is not None
    assert np.abs((ahead.jacobian - behind.jacobian) / (2.0 * d) - now.jacobian_rate).max() < 1e-2


@pytest.mark.parametrize("name", ["sphere", "winding"])
def test_turning_a_path_never_gives_energy(name: str) -> None:
    across = Follower(PATHS[name])(AT_REST).across[0]
    values = np.linalg.eigvalsh(across)
    assert values[0] > -1e-9 * values[-1]
    assert values[-1] > 0.0


def test_turning_a_straight_path_is_its_second_derivative() -> None:
    """In directions in which ends move on straight lines."""
    path = Follower(MusclePath("m", (PathPoint(0, (-0.1, 0.02, 0.0)), PathPoint(2, (0.2, 0.1, 0.05)))))
    d = 1e-4
    for k in (3, 4, 5, 15, 16, 17):
        V = np.zeros((3, 6))
        V.flat[k] = d
        near = [
            path(np.array([pose_row(pose_matrix(E) @ exp(s * W)) for E, W in zip(AT_REST, V, strict=True)]))
            for s in (-1.0, 0.0, 1.0)
        ]
        second = (near[0].length[0] - 2.0 * near[1].length[0] + near[2].length[0]) / (d * d)
        assert near[1].across[0, k, k] == pytest.approx(second, rel=1e-4, abs=1e-6)
