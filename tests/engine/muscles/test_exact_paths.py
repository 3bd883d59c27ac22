"""Exact paths: shortest, of the length that MuJoCo's tendons have, and with Jacobians that are their derivatives."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest

from redmax_blender.engine.algebra.se3 import exp, pose_matrix, pose_row
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.muscles.check import check_path
from redmax_blender.engine.muscles.paths import exact, touch
from redmax_blender.engine.muscles.records import (
    Mover,
    MusclePath,
    PathPoint,
    Side,
    Surface,
    Wrap,
    WrapSurface,
)

IDENTITY = tuple(np.eye(3).ravel())
SIZES = {
    Surface.CYLINDER: (0.03, 0.0, 0.0),
    Surface.SPHERE: (0.03, 0.0, 0.0),
    Surface.ELLIPSOID: (0.035, 0.02, 0.028),
    Surface.TORUS: (0.04, 0.012, 0.0),
    Surface.CAPSULE: (0.025, 0.06, 0.0),
}


def surface(kind: Surface, frame: int = -1, **more: Any) -> WrapSurface:
    return WrapSurface(kind.name.lower(), kind, SIZES[kind], frame, IDENTITY, (0.0, 0.0, 0.0), **more)


def between(kind: Surface, side: Side = Side.SHORTEST, **more: Any) -> MusclePath:
    """From frame 0 to frame 1 over a surface in the world."""
    ends = (PathPoint(0, (0.0, 0.0, 0.0)), PathPoint(1, (0.0, 0.0, 0.0)))
    return MusclePath("m", ends, (surface(kind, **more),), (Wrap(0, side=side),))


def at(*points: Any) -> Any:
    return np.array([np.concatenate([np.eye(3).ravel(), p]) for p in points])


def ends_of(kind: Surface, rng: Any) -> Any:
    """Two points outside a surface, of which the line often pierces it; on both sides of a torus's hole."""
    while True:
        a, b = rng.uniform(-0.08, 0.08, (2, 3))
        if kind == Surface.TORUS:
            a[2], b[2] = abs(a[2]) + 0.015, -abs(b[2]) - 0.015
        if max(touch.inside(kind, np.array(SIZES[kind]), x) for x in (a, b)) < -2e-3:
            return a, b


def mujoco_length(kind: Surface, a: Any, b: Any) -> float:
    geom = "cylinder" if kind == Surface.CYLINDER else "sphere"
    size = f"{SIZES[kind][0]} 0.3" if geom == "cylinder" else f"{SIZES[kind][0]}"
    text = f"""<mujoco><worldbody><geom name="g" type="{geom}" size="{size}"/>
      <site name="a" pos="{a[0]} {a[1]} {a[2]}"/><site name="b" pos="{b[0]} {b[1]} {b[2]}"/></worldbody>
      <tendon><spatial><site site="a"/><geom geom="g"/><site site="b"/></spatial></tendon></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return float(data.ten_length[0])


@pytest.mark.parametrize("kind", [Surface.CYLINDER, Surface.SPHERE])
def test_lengths_are_those_of_mujocos_tendons(kind: Surface) -> None:
    rng = np.random.default_rng(1)
    wrapped = 0
    for _ in range(20):
        a, b = ends_of(kind, rng)
        result = exact.evaluate(between(kind), at(a, b))
        assert result.length == pytest.approx(mujoco_length(kind, a, b), abs=1e-11)
        wrapped += bool(result.wrapped)
    assert wrapped > 3


def tightened(kind: Surface, string: Any) -> Any:
    """Brute force in plain NumPy: points pulled to the middle of their neighbours and pushed out of the solid."""
    size = np.array(SIZES[kind])
    for _ in range(2500):
        string[1:-1] += 0.9 * (0.5 * (string[:-2] + string[2:]) - string[1:-1])
        for _ in range(2):
            if kind == Surface.ELLIPSOID:
                g = string / size**2
                f = 0.5 * ((string * g).sum(1) - 1.0)
                out = np.minimum(f / (g * g).sum(1), 0.0)[:, None] * g
            else:
                if kind == Surface.TORUS:
                    rho = np.hypot(string[:, 0], string[:, 1])[:, None]
                    core = string * [1.0, 1.0, 0.0] / rho * size[0]
                    radius = size[1]
                else:
                    core = np.stack(
                        [0 * string[:, 0], 0 * string[:, 0], np.clip(string[:, 2], -size[1], 0.0)], 1
                    )
                    radius = size[0]
                away = string - core
                distance = np.linalg.norm(away, axis=1)[:, None]
                out = np.minimum(distance - radius, 0.0) * away / distance
            string[1:-1] -= out[1:-1]
    return string


@pytest.mark.parametrize("kind", [Surface.ELLIPSOID, Surface.TORUS, Surface.CAPSULE])
def test_brute_force_finds_nothing_shorter_and_comes_close(kind: Surface) -> None:
    rng = np.random.default_rng(2)
    for _ in range(2):
        while True:
            a, b = ends_of(kind, rng)
            result = exact.evaluate(between(kind), at(a, b))
            if result.wrapped:
                break
        found = []
        for _ in range(4):
            via = rng.normal(size=3) * 0.07 if kind != Surface.TORUS else rng.uniform(-0.01, 0.01, 3)
            s = np.linspace(0.0, 1.0, 41)
            string = np.array([np.interp(s, [0.0, 0.5, 1.0], [a[k], via[k], b[k]]) for k in range(3)]).T
            string = tightened(kind, string)
            found.append(np.linalg.norm(np.diff(string, axis=0), axis=1).sum())
        # the chords of a string cut corners, but no more than this
        assert min(found) == pytest.approx(result.length, abs=1e-4)


def moved(poses: Any, twists: Any, h: float) -> Any:
    return np.array([pose_row(pose_matrix(E) @ exp(h * V)) for E, V in zip(poses, twists, strict=True)])


def two_surfaces() -> tuple[MusclePath, Any]:
    """Four frames: ends on 0 and 3, a cylinder on 1, an ellipsoid on 2, one after the other."""
    points = (PathPoint(0, (0.0, 0.002, 0.001)), PathPoint(3, (0.001, 0.0, 0.002)))
    path = MusclePath(
        "row", points, (surface(Surface.CYLINDER, 1), surface(Surface.ELLIPSOID, 2)), (Wrap(0), Wrap(1))
    )
    turn = pose_row(exp([0.1, 0.2, 0.3, 0.0, 0.0, 0.0]))
    poses = np.array([turn, turn, turn, turn])
    poses[:, 9:12] = [[-0.1, 0.0, 0.01], [0.0, 0.01, 0.0], [0.09, -0.022, 0.01], [0.18, -0.012, 0.0]]
    return path, poses


def cases() -> list[Any]:
    rng = np.random.default_rng(3)
    out: list[Any] = [("two", *two_surfaces())]
    straight = MusclePath("I", (PathPoint(0, (0.1, 0.0, 0.02)), PathPoint(1, (0.0, 0.03, 0.0))))
    out.append(("I", straight, at([0.0, 0.0, 0.0], [0.3, 0.1, 0.0])))
    via = (PathPoint(0, (0.1, 0.0, 0.02)), PathPoint(1, (0.02, 0.03, 0.0)), PathPoint(2, (0.0, 0.01, 0.0)))
    out.append(("II", MusclePath("II", via), at([0.0, 0.0, 0.0], [0.3, 0.1, 0.0], [0.4, 0.0, 0.1])))
    for kind in Surface:
        while True:
            a, b = ends_of(kind, rng)
            if touch.shortest(kind, np.array(SIZES[kind]), a, b) is not None:
                break
        path = MusclePath(
            kind.name,
            (PathPoint(0, (0.01, 0.0, 0.0)), PathPoint(1, (0.0, 0.01, 0.0))),
            (surface(kind, 2),),
            (Wrap(0),),
        )
        poses = at(a - [0.01, 0.0, 0.0], b - [0.0, 0.01, 0.0], [0.0, 0.0, 0.0])
        out.append((kind.name, path, poses))
    return out


@pytest.mark.parametrize(("path", "poses"), [case[1:] for case in cases()], ids=[case[0] for case in cases()])
def test_jacobians_are_derivatives(path: MusclePath, poses: Any) -> None:
    rng = np.random.default_rng(4)
    alphas = [0.0, 0.2, 0.45, 0.5, 0.7, 1.0]
    twists = rng.normal(size=(len(poses), 6)) * [1.0, 1.0, 1.0, 0.1, 0.1, 0.1]
    result = exact.evaluate(path, poses, alphas, twists=twists)
    assert len(result.wrapped) == len(path.wraps)
    h = 1e-5
    ahead = exact.evaluate(path, moved(poses, twists, h), alphas)
    behind = exact.evaluate(path, moved(poses, twists, -h), alphas)
    V = twists.ravel()
    assert (result.gradient.ravel() @ V) == pytest.approx((ahead.length - behind.length) / (2 * h), abs=1e-8)
    J = result.jacobian.reshape(len(alphas), 3, -1)
    np.testing.assert_allclose(J @ V, (ahead.points - behind.points) / (2 * h), atol=1e-7)
    assert result.jacobian_rate is not None
    np.testing.assert_allclose(result.jacobian_rate, (ahead.jacobian - behind.jacobian) / (2 * h), atol=1e-5)


def test_through_lift_off_the_length_is_smooth_and_jacobians_are_one_sided_derivatives() -> None:
    path = between(Surface.CYLINDER)
    a, r = np.array([-0.08, 0.0, 0.0]), SIZES[Surface.CYLINDER][0]
    touch_line = math.asin(r / 0.08)
    graze = a + 0.16 * np.array([math.cos(touch_line), math.sin(touch_line), 0.1])
    out = np.array([0.0, 1.0, 0.0])
    twists = np.zeros((2, 6))
    twists[1, 3:] = out
    for t in (-2e-4, -1e-6, 1e-6, 2e-4):
        result = exact.evaluate(path, at(a, graze + t * out), [0.3, 0.6], twists=twists)
        assert bool(result.wrapped) == (t < 0.0)
        h = 0.1 * abs(t)
        one, two = (exact.evaluate(path, at(a, graze + (t + s) * out), [0.3, 0.6]) for s in (-h, h))
        np.testing.assert_allclose(
            result.jacobian[:, :, 1, 4], (two.points - one.points) / (2 * h), atol=1e-6
        )
        assert result.gradient[1, 4] == pytest.approx((two.length - one.length) / (2 * h), abs=1e-6)
    below, above = (exact.evaluate(path, at(a, graze + t * out)) for t in (-1e-7, 1e-7))
    np.testing.assert_allclose(below.gradient, above.gradient, atol=1e-5)


def test_sides_of_a_cylinder_are_both_geodesics() -> None:
    a, b = np.array([0.05, 0.002, 0.0]), np.array([-0.05, 0.003, 0.03])
    one = exact.evaluate(between(Surface.CYLINDER, Side.COUNTER_CLOCKWISE), at(a, b))
    two = exact.evaluate(between(Surface.CYLINDER, Side.CLOCKWISE), at(a, b))
    free = exact.evaluate(between(Surface.CYLINDER), at(a, b))
    assert free.length == min(one.length, two.length) < max(one.length, two.length)
    assert one.corners[1, 1] > 0.0 > two.corners[1, 1]
    half = exact.evaluate(between(Surface.CYLINDER, quadrant=(1, -1)), at(a, b))
    assert half.length == two.length


def test_a_path_over_the_hollow_side_of_a_torus_bridges_it() -> None:
    """From beside the ring, down through the hole and away: it touches twice and hangs free between."""
    size = np.array([0.038, 0.0157, 0.0])
    arcs = touch.shortest(
        Surface.TORUS, size, np.array([-0.0517, 0.0038, 0.0237]), np.array([0.031, -0.0547, -0.0425])
    )
    assert arcs is not None and len(arcs) == 2


def test_ends_of_a_cylinder_let_go() -> None:
    a, b = np.array([0.05, 0.002, 0.1]), np.array([-0.05, 0.003, 0.12])
    assert exact.evaluate(between(Surface.CYLINDER), at(a, b)).wrapped
    assert not exact.evaluate(between(Surface.CYLINDER, length=0.1), at(a, b)).wrapped


@pytest.mark.parametrize(
    ("size", "middle", "ends", "touched", "length"),
    [
        ((0.0274, 0.0283), (0.0764, -0.0254), (0.0161, -0.0346), (1,), 0.375413771),
        ((0.0195, 0.0274), (0.0732, -0.0169), (0.0021, -0.0047), (0,), 0.372476448),
        ((0.0266, 0.0253), (0.0715, -0.0123), (-0.0128, 0.0099), (1,), 0.379063081),
        ((0.0292, 0.0168), (0.052, 0.0256), (-0.0044, 0.0183), (), 0.370830541),
    ],
)
def test_surfaces_that_take_a_path_from_each_other(
    size: Any, middle: Any, ends: Any, touched: Any, length: float
) -> None:
    """They do so in turn, without an end; the path ends where OpenSim 4.6 ends."""
    surfaces = tuple(
        WrapSurface(name, Surface.CYLINDER, (r, 0.0, 0.0), -1, IDENTITY, (x, y, 0.0))
        for name, r, (x, y) in zip("ab", size, ((0.0, 0.0), middle), strict=True)
    )
    points = (PathPoint(-1, (-0.15, ends[0], 0.01)), PathPoint(0, (0.22, ends[1], 0.0)))
    result = exact.evaluate(MusclePath("m", points, surfaces, (Wrap(0), Wrap(1))), at([0.0, 0.0, 0.0]))
    assert result.wrapped == touched
    assert result.length == pytest.approx(length, abs=1e-8)


@pytest.mark.parametrize(
    ("a", "b", "sign", "slides"),
    [
        ((-0.081, 0.013, -0.187), (0.049, -0.073, 0.141), -1, True),
        ((-0.081, 0.013, -0.187), (0.049, -0.073, 0.141), 1, False),
        ((0.066, 0.032, -0.178), (-0.053, -0.077, 0.093), 1, False),
        ((-0.042, -0.025, -0.126), (0.06, -0.029, 0.103), -1, False),
    ],
)
def test_a_path_takes_the_half_of_a_ring_where_it_passes_or_none(
    a: Any, b: Any, sign: int, slides: bool
) -> None:
    """What OpenSim 4.6 decides."""
    ring = WrapSurface(
        "ring", Surface.TORUS, (0.034, 0.007, 0.0), -1, IDENTITY, (0.0, 0.0, 0.0), quadrant=(0, sign)
    )
    path = MusclePath("m", (PathPoint(-1, a), PathPoint(0, b)), (ring,), (Wrap(0),))
    assert bool(exact.evaluate(path, at([0.0, 0.0, 0.0])).wrapped) == slides


def test_a_path_does_not_slip_through_a_thin_ring() -> None:
    ring, tube = 0.0303, 0.006
    a, b = (-0.0588, -0.036, -0.1663), (-0.0279, -0.1546, 0.051)
    surface_ = WrapSurface("ring", Surface.TORUS, (ring, tube, 0.0), -1, IDENTITY, (0.0, 0.0, 0.0))
    path = MusclePath("m", (PathPoint(-1, a), PathPoint(0, b)), (surface_,), (Wrap(0),))
    result = exact.evaluate(path, at([0.0, 0.0, 0.0]), np.linspace(0.0, 1.0, 200))
    x = result.points
    k = int(np.argmax(x[:, 2] > 0.0))
    assert result.wrapped == (0,)
    assert np.hypot(x[k, 0], x[k, 1]) < ring


def test_moving_and_conditional_points() -> None:
    def sine(x: float, order: int = 0) -> float:
        return 0.05 * math.sin(x + order * math.pi / 2)

    def none(_: float, order: int = 0) -> float:
        return 0.0

    movers = (Mover(0, sine), Mover(-1, none), Mover(-1, none))
    points = (
        PathPoint(0, (0.0, 0.1, 0.0)),
        PathPoint(0, (0.0, 0.0, 0.0), movers=movers),
        PathPoint(0, (0.0, -0.1, 0.1), active=(0, 0.0, 1.0)),
        PathPoint(1, (0.0, 0.0, 0.0)),
    )
    path = MusclePath("m", points)
    poses = at([0.0, 0.0, 0.0], [0.3, -0.1, 0.0])
    inside, outside = (
        exact.evaluate(path, poses, [0.5], q=[0.4]),
        exact.evaluate(path, poses, [0.5], q=[-0.4]),
    )
    assert len(inside.corners) == 4 and len(outside.corners) == 3
    h = 1e-6
    one, two = (exact.evaluate(path, poses, [0.5], q=[0.4 + s]) for s in (-h, h))
    assert inside.coordinate_gradient[0] == pytest.approx((two.length - one.length) / (2 * h), abs=1e-8)
    np.testing.assert_allclose(
        inside.coordinate_jacobian[0, :, 0], (two.points - one.points)[0] / (2 * h), atol=1e-8
    )


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (MusclePath("thin", (PathPoint(0, (0.0, 0.0, 0.0)),)), "origin and an insertion"),
        (MusclePath("nan", (PathPoint(0, (math.nan, 0.0, 0.0)), PathPoint(1, (0.0, 0.0, 0.0)))), "point 1"),
        (
            MusclePath(
                "sunk",
                (PathPoint(0, (0.0, 0.001, 0.0)), PathPoint(1, (0.0, 0.0, 0.0))),
                (surface(Surface.SPHERE, 0),),
                (Wrap(0),),
            ),
            "'sunk': point 1 is 29 mm inside",
        ),
        (
            MusclePath(
                "flat",
                (PathPoint(0, (0.0, 0.0, 0.0)), PathPoint(1, (0.0, 0.0, 0.0))),
                (WrapSurface("ball", Surface.SPHERE, (-1.0, 0.0, 0.0), 0, IDENTITY, (1.0, 0.0, 0.0)),),
                (Wrap(0),),
            ),
            "surface 'ball'",
        ),
    ],
)
def test_bad_paths_are_named(path: MusclePath, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_path(path)
