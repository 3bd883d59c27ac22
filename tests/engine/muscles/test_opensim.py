"""OpenSim models and motions: moment arms and forces are the derivatives that they should be; bad files are named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_model as small

from redmax_blender.cli import main
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.muscles.functions import CubicSpline
from redmax_blender.engine.muscles.measure import measure_all
from redmax_blender.engine.muscles.moving_mass import inverse_with_muscles, mass_motion, share_masses
from redmax_blender.engine.muscles.opensim.model import OpenSimModel, model_of, read_model
from redmax_blender.engine.muscles.opensim.motion import coordinates_of, differentiate, read_motion
from redmax_blender.engine.muscles.opensim.xml_tree import parse_xml
from redmax_blender.engine.muscles.paths.exact import evaluate
from redmax_blender.engine.muscles.skeleton import Skeleton, inverse_dynamics, mass_matrix, move

STATES = [([0.3, 0.1, 0.2, -0.8], [1.0, -0.5, 0.7, 2.0]), ([-0.4, -0.2, -0.3, -0.1], [-0.6, 1.5, 2.0, -1.0])]
"""swing, spread, toe, bend: in the order of the file's joints."""


def parsed(text: str) -> OpenSimModel:
    return model_of(parse_xml(text.encode(), "leg.osim"), "leg.osim")


@pytest.fixture(scope="module")
def leg() -> OpenSimModel:
    return parsed(small.leg())


def test_moment_arms_are_derivatives_of_the_length(leg: OpenSimModel) -> None:
    paths = [m.path for m in leg.muscles]
    wrapped = set()
    for q, _ in STATES:
        found = measure_all(leg.skeleton, paths, q)
        assert (len(found["quadriceps"].shape.corners) == 3) == (q[3] < -0.2)
        for i in range(4):
            d = 1e-6 * np.eye(4)[i]
            one, two = (measure_all(leg.skeleton, paths, np.array(q) + s * d) for s in (-1.0, 1.0))
            for name, measured in found.items():
                slope = (two[name].length - one[name].length) / 2e-6
                assert measured.gradient[i] == pytest.approx(slope, abs=2e-9), (name, i)
        wrapped |= {name for name, measured in found.items() if measured.shape.wrapped}
    assert wrapped == {"wrapped"}
    assert [m.path.type for m in leg.muscles] == [1, 2, 3]


def test_coupled_coordinates_move_with_the_one_they_follow() -> None:
    model = parsed(small.leg(constraints=small.COUPLER))
    paths = [m.path for m in model.muscles]
    q = np.array([0.3, 0.1, 99.0, -0.8])
    found = measure_all(model.skeleton, paths, q)["tibialis"]
    d = np.array([0.0, 0.0, 0.0, 1e-6])
    one, two = (measure_all(model.skeleton, paths, q + s * d)["tibialis"].length for s in (-1.0, 1.0))
    assert found.gradient[3] == pytest.approx((two - one) / 2e-6, abs=1e-9)
    assert found.gradient[2] == pytest.approx(found.gradient[3] / 0.5)


def energies(skeleton: Skeleton, q: Any) -> tuple[Any, float]:
    m = move(skeleton, q)
    heights = [
        -body.mass * float(np.array(skeleton.gravity) @ (m.p[b] + m.R[b] @ np.array(body.centre)))
        for b, body in enumerate(skeleton.bodies)
    ]
    return mass_matrix(skeleton, q), sum(heights)


def test_inverse_dynamics_is_lagranges_equation(leg: OpenSimModel) -> None:
    h = 1e-5
    for q, qdot in STATES:
        q, qdot, qddot = np.array(q), np.array(qdot), np.array([3.0, -2.0, 1.0, 4.0])
        M, _ = energies(leg.skeleton, q)
        slopes = []
        for i in range(4):
            (M1, V1), (M2, V2) = (energies(leg.skeleton, q + s * h * np.eye(4)[i]) for s in (-1.0, 1.0))
            slopes.append(((M2 - M1) / (2 * h), (V2 - V1) / (2 * h)))
        Mdot = sum(dM * v for (dM, _), v in zip(slopes, qdot, strict=True))
        expected = M @ qddot + Mdot @ qdot + [dV - 0.5 * qdot @ dM @ qdot for dM, dV in slopes]
        np.testing.assert_allclose(inverse_dynamics(leg.skeleton, q, qdot, qddot), expected, atol=2e-7)


def test_power_of_bodies_and_sliding_mass_is_the_change_of_their_energy(leg: OpenSimModel) -> None:
    skeleton, muscles = share_masses(leg.skeleton, leg.muscles, 0.4)
    total = sum(b.mass for b in skeleton.bodies) + sum(m.mass for m in muscles)
    assert total == pytest.approx(sum(b.mass for b in leg.skeleton.bodies))

    def energy(q: Any, qdot: Any) -> float:
        M, V = energies(skeleton, q)
        m = move(skeleton, q, qdot)
        out = 0.5 * qdot @ M @ qdot + V
        for muscle in muscles:
            J, _ = mass_motion(muscle, m, q, qdot)
            point = muscle.mass / len(muscle.alphas)
            out += 0.5 * point * float(((J @ qdot) ** 2).sum())

            x = evaluate(muscle.path, m.poses, muscle.alphas, q).points
            out -= point * float((x @ np.array(skeleton.gravity)).sum())
        return float(out)

    h = 1e-4
    for q, qdot in STATES:
        q, qdot, qddot = np.array(q), np.array(qdot), np.array([3.0, -2.0, 1.0, 4.0])
        power = inverse_with_muscles(skeleton, muscles, q, qdot, qddot) @ qdot
        one, two = (energy(q + s * h * qdot + 0.5 * h * h * qddot, qdot + s * h * qddot) for s in (-1.0, 1.0))
        assert power == pytest.approx((two - one) / (2 * h), rel=1e-6)


def test_torques_go_back_linearly_as_the_muscles_mass_vanishes(leg: OpenSimModel) -> None:
    (q, qdot), qddot = STATES[0], np.array([3.0, -2.0, 1.0, 4.0])
    without = inverse_dynamics(leg.skeleton, q, qdot, qddot)
    change = []
    for fraction in (1e-3, 2e-3):
        change.append(
            inverse_with_muscles(*share_masses(leg.skeleton, leg.muscles, fraction), q, qdot, qddot) - without
        )
    np.testing.assert_allclose(change[1], 2.0 * change[0], rtol=1e-6)
    assert np.abs(change[0]).max() > 1e-3


def test_spline_is_a_cubic_where_its_knots_are() -> None:
    def cubic(t: Any) -> Any:
        return 0.3 + t * (1.0 - t * (0.5 + 0.2 * t))

    x = [-1.0, -0.3, 0.1, 1.2, 2.0]
    spline = CubicSpline(x, [float(cubic(t)) for t in x])
    for t in (-0.9, 0.0, 0.7, 1.9):
        assert spline(t) == pytest.approx(cubic(t), abs=1e-13)
        assert spline(t, 1) == pytest.approx(1.0 - t - 0.6 * t * t, abs=1e-12)
        assert spline(t, 2) == pytest.approx(-1.0 - 1.2 * t, abs=1e-11)
    assert spline(3.0) == pytest.approx(cubic(2.0) + spline(2.0, 1))


def write_motion(path: Path, degrees: bool = True, rows: int = 40) -> None:
    t = 0.01 * np.arange(rows)
    lines = ["name", f"nRows={rows}", "nColumns=3", f"inDegrees={'yes' if degrees else 'no'}", "endheader"]
    lines.append("time\tbend\tforce")
    lines += [f"{a:.8f}\t{b:.15g}\t0" for a, b in zip(t, np.degrees(0.5 * t**3 - 0.2 * t), strict=True)]
    path.write_text("\n".join(lines) + "\n")


def test_motions_are_read_and_differentiated(leg: OpenSimModel, tmp_path: Path) -> None:
    write_motion(tmp_path / "m.mot")
    table = read_motion(tmp_path / "m.mot")
    q, unused = coordinates_of(table, leg.skeleton)
    assert unused == ["force"]
    _, qdot, qddot = differentiate(table.times, q)
    t = table.times
    np.testing.assert_allclose(q[:, 3], 0.5 * t**3 - 0.2 * t, atol=1e-14)
    np.testing.assert_allclose(qdot[:, 3], 1.5 * t**2 - 0.2, atol=1e-9)
    np.testing.assert_allclose(qddot[:, 3], 3.0 * t, atol=1e-6)
    assert (q[:, 1] == 0.1).all()
    slow, _, _ = differentiate(t, q + 0.01 * np.sin(2 * np.pi * 45 * t)[:, None], 10.0)
    assert np.abs(slow - q)[5:-5].max() < 2e-3  # the fast wave is gone


def test_commands_write_what_the_engine_finds(leg: OpenSimModel, tmp_path: Path) -> None:
    model, poses, out = tmp_path / "leg.osim", tmp_path / "poses.json", tmp_path / "out.json"
    model.write_text(small.leg())
    poses.write_text(json.dumps([{"bend": -0.8, "swing": 0.3}, {}]))
    assert main(["muscles", str(model), "--poses", str(poses), "--json", str(out)]) == 0
    written = json.loads(out.read_text())
    found = measure_all(leg.skeleton, [m.path for m in leg.muscles], [0.3, 0.1, 0.0, -0.8])
    assert len(written) == 2
    for name, measured in found.items():
        assert written[0][name]["length"] == measured.length
        assert written[0][name]["moment_arms"]["bend"] == -measured.gradient[3]
    write_motion(tmp_path / "m.mot", rows=12)
    assert main(["inverse", str(model), str(tmp_path / "m.mot"), "--json", str(out)]) == 0
    plain = json.loads(out.read_text())
    last = plain["instants"][-1]
    np.testing.assert_allclose(
        last["tau"], inverse_dynamics(leg.skeleton, last["q"], last["qdot"], last["qddot"]), rtol=1e-12
    )
    arguments = ["inverse", str(model), str(tmp_path / "m.mot"), "--json", str(out), "--muscle-mass", "0.3"]
    assert main(arguments) == 0
    heavy = json.loads(out.read_text())
    assert set(heavy["muscle_mass"]) == {"tibialis", "quadriceps", "wrapped"}
    assert heavy["instants"][-1]["tau"] != last["tau"]


def test_what_is_not_understood_is_listed() -> None:
    extra = '<MarkerSet><objects><Marker name="m"/></objects></MarkerSet>'
    odd = '<CoordinateActuator name="motor"/>'
    model = parsed(
        small.leg(muscles=small.straight() + odd, extra=extra, constraints='<PointConstraint name="pin"/>')
    )
    text = "\n".join(model.notes)
    for word in ("CoordinateActuator 'motor'", "PointConstraint 'pin'", "1 markers"):
        assert word in text


BROKEN = {
    "truncated": (small.leg()[:3000], "not whole XML"),
    "empty": ("", "not whole XML"),
    "entity": (
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + "<OpenSimDocument/>",
        "declares a document",
    ),
    "laughs": ('<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]><a>&y;</a>', "declares a document"),
    "deep": ("<a>" * 5000 + "</a>" * 5000, "nested more than 200"),
    "foreign": ("<html><body/></html>", "root is <html>"),
    "old": (small.leg().replace('"40000"', '"30000"'), "version 30000"),
    "no body": (
        small.leg().replace("/bodyset/foot</socket_parent_frame>", "/bodyset/hoof</socket_parent_frame>"),
        "hoof",
    ),
    "no coordinate": (small.leg().replace("/jointset/knee/bend", "/jointset/knee/bent"), "'bent'"),
    "no surface": (small.leg().replace("<wrap_object>condyle", "<wrap_object>patella"), "'patella'"),
    "mass": (small.leg().replace("<mass>3.0", "<mass>-3.0"), "Body 'shank'.*-3 kg"),
    "nan": (small.leg().replace("<mass>3.0", "<mass>nan"), "Body 'shank'.*not finite"),
    "word": (small.leg().replace("<mass>3.0", "<mass>heavy"), "'heavy'"),
    "radius": (small.leg().replace("<radius>0.035", "<radius>0"), "WrapCylinder 'condyle'"),
    "fibre": (
        small.leg().replace("<optimal_fiber_length>0.08", "<optimal_fiber_length>-1"),
        "optimal_fiber_length",
    ),
    "one end": (
        small.leg(muscles=small.muscle("stub", small.point("a", "/ground", "0 0 0"))),
        "'stub'.*1 point",
    ),
    "inside": (
        small.leg().replace("0.05 -0.1 0.01", "0.02 -0.38 0.01"),
        "'wrapped': point 1 is 34 mm inside",
    ),
    "hangs on itself": (
        small.leg().replace("<socket_parent>/bodyset/foot", "<socket_parent>after"),
        "hangs on itself",
    ),
    "carried twice": (
        small.leg().replace("<socket_parent>/bodyset/foot", "<socket_parent>/bodyset/thigh"),
        "hangs on the joints",
    ),
    "function": (small.leg().replace("SimmSpline>", "GCVSpline>"), "GCVSpline.*not understood"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_bad_files_are_named_errors(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, words = BROKEN[name]
    path, out = tmp_path / "bad.osim", tmp_path / "out.json"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_model(path)
    assert main(["muscles", str(path), "--json", str(out)]) == 2
    assert str(path) in capsys.readouterr().err or "muscle '" in words or name in ("one end", "inside")
    assert not out.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("endheader", "header"), "endheader"),
        (("nRows=12", "nRows=13"), "12 of 13 rows"),
        (("0.05000000", "0.03000000"), "do not increase"),
        (("bend", "flap"), "none of its columns"),
        (("0.05000000", "x"), "words"),
    ],
)
def test_bad_motions_are_named_errors(
    change: tuple[str, str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "leg.osim").write_text(small.leg())
    write_motion(tmp_path / "m.mot", rows=12)
    path = tmp_path / "m.mot"
    path.write_text(path.read_text().replace(*change))
    assert main(["inverse", str(tmp_path / "leg.osim"), str(path)]) == 2
    assert words in capsys.readouterr().err


def test_bad_poses_are_named_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "leg.osim").write_text(small.leg())
    for pose, words in (([{"bent": 1}], "'bent'"), ([{"bend": "x"}], "bend"), ({}, "not a list")):
        (tmp_path / "p.json").write_text(json.dumps(pose))
        assert main(["muscles", str(tmp_path / "leg.osim"), "--poses", str(tmp_path / "p.json")]) == 2
        assert words in capsys.readouterr().err


def test_ends_of_free_bodies_may_have_no_mass(leg: OpenSimModel) -> None:
    light = replace(
        leg.skeleton, bodies=tuple(replace(b, mass=0.0, inertia=0 * b.inertia) for b in leg.skeleton.bodies)
    )
    assert not inverse_dynamics(light, *STATES[0], np.ones(4)).any()
