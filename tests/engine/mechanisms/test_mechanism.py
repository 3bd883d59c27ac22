"""Parts and connections in any order become a tree and loops that hold."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.mechanisms.mechanism import assemble
from redmax_blender.engine.mechanisms.parts import Axis, Body, Connection
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import Cuboid, SceneSpec
from redmax_blender.engine.tree.kinematics import forward_kinematics


def _at(x: float, y: float, z: float, turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    E = se3.exp(np.array([*turn, 0.0, 0.0, 0.0]))
    E[:3, 3] = x, y, z
    return E


HINGE_ABOUT_Y = (-np.pi / 2, 0.0, 0.0)
"""Turns z, the axis of a hinge, to y."""


def _bar(name: str, x: float, z: float, length: float, upright: bool = False, **more: object) -> Body:
    sides = (0.1, 0.1, length) if upright else (length, 0.1, 0.1)
    return Body(name, Cuboid(sides=sides), _at(x, 0.0, z), density=500.0, **more)  # type: ignore[arg-type]


def four_bar() -> tuple[list[Body], list[Connection]]:
    bodies = [
        _bar("coupler", 1.0, 1.0, 2.0),
        _bar("left", 0.0, 0.5, 1.0, upright=True),
        _bar("ground", 1.0, 0.0, 2.0, anchored=True),
        _bar("right", 2.0, 0.5, 1.0, upright=True),
    ]
    hinges = [
        Connection("top right", "hinge", "right", "coupler", _at(2.0, 0.0, 1.0, HINGE_ABOUT_Y)),
        Connection("bottom left", "hinge", "ground", "left", _at(0.0, 0.0, 0.0, HINGE_ABOUT_Y)),
        Connection("top left", "hinge", "coupler", "left", _at(0.0, 0.0, 1.0, HINGE_ABOUT_Y)),
        Connection("bottom right", "hinge", "right", "ground", _at(2.0, 0.0, 0.0, HINGE_ABOUT_Y)),
    ]
    return bodies, hinges


def _gaps(model: object, bodies: list[Body], connections: list[Connection], state: object) -> float:
    """Largest distance between the two sides of any connection, tree and loops alike."""
    kin = forward_kinematics(model, state)  # type: ignore[arg-type]
    start = forward_kinematics(model, model.initial_state())  # type: ignore[attr-defined]
    names = [b.name for b in bodies]
    worst = 0.0
    for c in connections:
        ends = []
        for end in (c.a, c.b):
            if end is None:
                ends.append(c.pose[:3, 3])
                continue
            link = model.bodies.link[model.bodies.names.index(end)]  # type: ignore[attr-defined]
            assert end in names
            E0, E = se3.pose_matrix(start.E_wj[link]), se3.pose_matrix(kin.E_wj[link])
            ends.append((E @ se3.inverse(E0) @ c.pose)[:3, 3])
        worst = max(worst, float(np.linalg.norm(ends[0] - ends[1])))
    return worst


def test_four_bar_in_any_order_closes_its_loop_and_swings() -> None:
    bodies, hinges = four_bar()
    rng = np.random.default_rng(3)
    for _ in range(4):
        b = [bodies[i] for i in rng.permutation(4)]
        c = [hinges[i] for i in rng.permutation(4)]
        made = assemble(b, c)
        assert len(made.cut) == 1
        model = compile_scene(SceneSpec(bodies=made.bodies, constraints=made.constraints))
        assert model.nr == 3
        steps = euler(model, model.initial_state(), Options(h=0.01))
        for _ in range(100):
            state = next(steps)
        assert _gaps(model, b, c, state) < 1e-5
        assert np.abs(state.q - model.q0).max() < 1e-2  # upright and balanced: nothing pushes it over
    tilted = [Connection(h.name, h.kind, h.a, h.b, h.pose) for h in hinges]
    model = compile_scene(
        SceneSpec(
            bodies=assemble(bodies, tilted).bodies,
            constraints=assemble(bodies, tilted).constraints,
            gravity=(2.0, 0.0, -9.81),
        )
    )
    steps = euler(model, model.initial_state(), Options(h=0.01))
    for _ in range(200):
        state = next(steps)
    assert np.abs(state.q - model.q0).max() > 0.5
    assert _gaps(model, bodies, hinges, state) < 1e-5


def test_the_user_chooses_what_is_cut() -> None:
    bodies, hinges = four_bar()
    for name in ("top left", "bottom right"):
        for h in hinges:
            h.cut = "always" if h.name == name else "auto"
        assert assemble(bodies, hinges).cut == [name]
    for h in hinges:
        h.cut = "never"
    with pytest.raises(SceneError, match="may not be cut"):
        assemble(bodies, hinges)


@pytest.mark.parametrize("kind", ["slider", "piston", "generic"])
def test_slider_crank_holds_with_the_slide_in_the_tree_or_as_a_loop(kind: str) -> None:
    bodies = [
        _bar("crank", 0.5, 0.0, 1.0),
        _bar("rod", 2.0, 0.0, 2.0),
        Body("block", Cuboid(sides=(0.4, 0.4, 0.4)), _at(3.0, 0.0, 0.0), density=500.0),
    ]
    connections = [
        Connection("bearing", "hinge", None, "crank", _at(0.0, 0.0, 0.0, HINGE_ABOUT_Y)),
        Connection("crank pin", "hinge", "crank", "rod", _at(1.0, 0.0, 0.0, HINGE_ABOUT_Y)),
        Connection("wrist pin", "hinge", "rod", "block", _at(3.0, 0.0, 0.0, HINGE_ABOUT_Y)),
        Connection("guide", kind, None, "block", _at(3.0, 0.0, 0.0), {"x": Axis(free=True)}),  # type: ignore[arg-type]
    ]
    for cut in ("never", "always"):
        connections[3].cut = cut  # type: ignore[assignment]
        made = assemble(bodies, connections)
        model = compile_scene(SceneSpec(bodies=made.bodies, constraints=made.constraints))
        steps = euler(model, model.initial_state(), Options(h=0.005))
        for _ in range(150):
            state = next(steps)
        block = model.bodies.link[model.bodies.names.index("block")]
        E = forward_kinematics(model, state).E_wj[block]
        start = forward_kinematics(model, model.initial_state()).E_wj[block]
        assert np.abs(E[:9] - start[:9]).max() < 1e-5  # it keeps its orientation
        assert np.abs((E - start)[10:]).max() < 1e-5  # and its line
        assert _gaps(model, bodies, connections[:3], state) < 1e-5


def test_a_joint_with_a_spring_and_limits_of_its_own_can_close_a_loop() -> None:
    """Cut or not, a sprung hinge makes the same motion: where it is cut, one of its bodies is cut in two instead."""
    paths = []
    for cut in ("never", "always"):
        bodies, hinges = four_bar()
        hinges[2].axes = {"rz": Axis(free=True, stiffness=20.0, damping=1.0, lower=-0.4, upper=0.4)}
        hinges[2].cut = cut  # type: ignore[assignment]
        made = assemble(bodies, hinges)
        assert len(made.bodies) == (4 if cut == "never" else 5)
        model = compile_scene(
            SceneSpec(bodies=made.bodies, constraints=made.constraints, gravity=(4.0, 0.0, -9.81))
        )
        assert model.bodies.inertia[:, 3].sum() == pytest.approx(500.0 * 0.01 * 6.0)
        steps = euler(model, model.initial_state(), Options(h=0.002))
        path = []
        for _ in range(500):
            state = next(steps)
            assert _gaps(model, bodies, hinges, state) < 1e-5
            path.append(
                forward_kinematics(model, state).E_wj[model.bodies.link[model.bodies.names.index("left")]]
            )
        paths.append(np.array(path))
    turned = np.arccos(np.clip(paths[0][:, 0], -1.0, 1.0))
    assert turned.max() == pytest.approx(0.4, abs=1e-3)  # it falls against its stop
    assert np.abs(paths[0][:, :9] - paths[1][:, :9]).max() < 2e-3


def test_a_connection_between_anchored_bodies_that_needs_a_joint_is_named() -> None:
    anchored = [_bar("a", 0.0, 0.0, 1.0, anchored=True), _bar("b", 2.0, 0.0, 1.0, anchored=True)]
    sprung = Connection("strut", "hinge", "a", "b", np.eye(4), {"rz": Axis(free=True, stiffness=1.0)})
    with pytest.raises(SceneError, match=r"'strut'.*neither of its ends can move"):
        assemble(anchored, [sprung])


def test_what_nothing_holds_falls_freely() -> None:
    made = assemble([_bar("stone", 0.0, 5.0, 1.0)], [])
    model = compile_scene(SceneSpec(bodies=made.bodies))
    steps = euler(model, model.initial_state(), Options(h=0.001))
    for _ in range(1000):
        state = next(steps)
    fall = forward_kinematics(model, state).E_wj[-1, 11] - 5.0
    assert fall == pytest.approx(-0.5 * 9.81, rel=2e-3)


def test_wrong_ends_are_named() -> None:
    bodies, hinges = four_bar()
    with pytest.raises(SceneError, match=r"'axle'.*there is no body 'wheel'"):
        assemble(bodies, [*hinges, Connection("axle", "hinge", "ground", "wheel", np.eye(4))])
    with pytest.raises(SceneError, match=r"'self'.*same body"):
        assemble(bodies, [Connection("self", "fixed", "left", "left", np.eye(4))])
