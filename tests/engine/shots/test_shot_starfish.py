"""The Starfish: what it is made of, that it dances as its keys and its flesh say, and that nothing makes it explode."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.fem.tets import signed_volumes
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.run.result import Result
from redmax_blender.engine.run.simulate import scene_options, simulate
from redmax_blender.engine.scene.file import decode_scene, encode_scene
from redmax_blender.engine.shots.starfish import Starfish, cage, check, mass, spec
from redmax_blender.engine.shots.starfish_figure import FPS, JOINTS, PRESCRIBED, STEPS, keyed_angles
from redmax_blender.engine.shots.starfish_skin import ARMS


def run(model: Model, seconds: float, **options: object) -> Result:
    made = scene_options(spec()).with_(**options)
    per_frame = max(1, round(1.0 / (FPS * made.h)))
    return Result.from_frames(model, simulate(model, made, end=seconds, record=per_frame))


@pytest.fixture(scope="module")
def danced() -> tuple[Model, Result]:
    model = compile_scene(spec())
    return model, run(model, 10.0)


def test_it_is_the_starfish_of_the_paper():
    scene, starfish = spec(), Starfish()
    assert len(scene.bodies) == 1 + ARMS * JOINTS == 21
    assert abs(len(cage(starfish).X) / 221 - 1.0) < 0.05
    vertices, quads = starfish.skin()
    assert abs(len(vertices) / 7909 - 1.0) < 0.01
    edges = np.sort(np.concatenate([quads[:, [k, (k + 1) % 4]] for k in range(4)]), axis=1)
    assert np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2), "its skin is closed"
    assert len(vertices) - len(edges) // 2 + len(quads) == 2, "and has no handles"
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0
    assert volume == pytest.approx(cage(starfish).solid_volume, rel=0.03), "its faces look outwards"
    turned = vertices @ np.array([[np.cos(0.4 * np.pi), np.sin(0.4 * np.pi), 0.0],
                                  [-np.sin(0.4 * np.pi), np.cos(0.4 * np.pi), 0.0], [0.0, 0.0, 1.0]])  # fmt: skip
    found = {tuple(v) for v in np.round(vertices, 6).tolist()}
    assert sum(tuple(v) in found for v in np.round(turned, 6).tolist()) > 0.99 * len(vertices)


def test_the_scene_survives_its_file():
    scene = spec()
    assert decode_scene(encode_scene(scene)) == scene


def test_it_dances_as_it_should(danced):
    _, result = danced
    check(result)
    assert len(result) == 241 and result.step[-1] == 240 * STEPS


def test_prescribed_joints_follow_their_keys_to_the_last_digit(danced):
    _, result = danced
    for arm in range(ARMS):
        for joint in range(PRESCRIBED):
            times, *angles = keyed_angles(arm, joint)
            q = result.q[:, result.coordinates(Starfish().name(arm, joint))]
            at = np.searchsorted(result.t, times - 1e-9)
            assert np.abs(q[at] - np.stack(angles, axis=1)).max() < 1e-12


def test_flesh_carries_motion_into_joints_that_nothing_drives(danced):
    model, result = danced
    assert model.flesh is not None
    passive = [result.coordinates(Starfish().name(arm, joint)) for arm in range(ARMS) for joint in (2, 3)]
    assert all(np.ptp(result.q[:, span], axis=0).max() > 0.05 for span in passive)
    volume = signed_volumes(
        result.x[::10].reshape(-1, 3), _corners(model, len(result.x[::10]), result.x.shape[1])
    )
    rest = np.tile(signed_volumes(model.flesh.tets.X, model.flesh.tets.corner), len(result.x[::10]))
    assert np.mean(volume > 0.2 * rest) > 0.99, "hardly a tetrahedron is squashed"


def _corners(model: Model, frames: int, nv: int) -> np.ndarray:
    assert model.flesh is not None
    return np.concatenate([model.flesh.tets.corner + f * nv for f in range(frames)])


@pytest.mark.parametrize("fault", ["torn", "off its keys", "led astray", "sunk", "still", "not a number"])
def test_its_check_finds_what_is_wrong(danced, fault):
    _, result = danced
    pose, x = result.joint_pose.copy(), result.x
    names = list(result.joints)
    if fault == "torn":
        pose[100, names.index("arm.2.3"), 9:] += 1e-3
    elif fault == "off its keys":
        moved = [names.index(f"arm.3.{n}") for n in (2, 3, 4)]
        pose[99, moved, 11] += 1e-3 * np.array([1.0, 2.0, 3.0])
    elif fault == "led astray":
        pose[90, :, 9:] += 0.01
    elif fault == "sunk":
        pose[:, :, 11] -= 0.2
    elif fault == "still":
        pose[:] = pose[0]
    else:
        x = x.copy()
        x[3, 2, 1] = np.nan
    with pytest.raises(AssertionError, match="starfish"):
        check(replace(result, joint_pose=pose, x=x))


def test_the_two_solvers_make_the_same_dance():
    model = compile_scene(spec())
    direct, iterative = (run(model, 1.0, solver=s, tolerance=1e-9) for s in ("direct", "pcg"))
    assert np.ptp(direct.joint_pose[:, 0, 11]) > 0.05
    assert np.abs(direct.joint_pose - iterative.joint_pose).max() < 1e-5
    assert np.abs(direct.x - iterative.x).max() < 1e-5


@pytest.mark.parametrize("ratio", [1000.0, 1.0, 1e-3])
def test_a_step_a_frame_at_ten_times_the_stiffness_does_not_blow_up(ratio):
    """`ratio` is the mass of the skeleton over that of the flesh."""
    usual = Starfish()
    flesh = usual.density * cage(usual).solid_volume
    skeleton = mass(usual) - flesh
    starfish = replace(
        usual, young=10.0 * usual.young, bone_density=usual.bone_density * ratio * flesh / skeleton
    )
    assert mass(starfish) == pytest.approx((1.0 + ratio) * flesh)
    model = compile_scene(spec(starfish))
    result = run(model, 10.0, h=1.0 / FPS)
    assert np.isfinite(result.x).all() and np.abs(result.x).max() < 2.0
    # its keys throw a heavy skeleton hard: in one step from a crouch, with the energy of a fall from 0.6 m
    assert result.energy[:, 0].max() < 9.81 * 1.0 * mass(starfish), "as if it had fallen by a metre"
    assert result.energy[-1, 0] < 0.01 * 9.81 * usual.radius * mass(starfish), "it comes to rest"
