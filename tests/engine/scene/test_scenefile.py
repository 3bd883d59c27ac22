"""Scene files: what is written is what is read, and a file that cannot be read says why and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import inspect

from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.scene import spec as scene
from redmax_blender.engine.scene.file import decode_scene, encode_scene, load_scene, scene_schema

_STRATEGIES: dict[type, st.SearchStrategy[Any]] = {}


def anything_of(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Values of a type of the scene file, made from the type itself, so that no kind is ever left out."""
    match kind:
        case inspect.StructType():
            if kind.cls not in _STRATEGIES:
                _STRATEGIES[kind.cls] = st.deferred(
                    lambda: st.builds(kind.cls, **{f.name: anything_of(f.type) for f in kind.fields})
                )
            return _STRATEGIES[kind.cls]
        case inspect.UnionType():
            return st.one_of([anything_of(option) for option in kind.types])
        case inspect.ListType():
            return st.lists(anything_of(kind.item_type), min_size=kind.min_length or 0, max_size=2)
        case inspect.TupleType():
            return st.tuples(*[anything_of(item) for item in kind.item_types])
        case inspect.LiteralType():
            return st.sampled_from(kind.values)
        case inspect.FloatType():
            return st.floats(-1e6 if kind.ge is None and kind.gt is None else 1e-3, 1e6)
        case inspect.IntType():
            return st.integers(0 if kind.ge is None else kind.ge, 100 if kind.le is None else kind.le)
        case inspect.StrType():
            return st.text(min_size=kind.min_length or 0, max_size=5)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.DictType():
            return st.dictionaries(anything_of(kind.key_type), anything_of(kind.value_type), max_size=2)
        case inspect.AnyType():
            return st.one_of(st.none(), st.floats(-1e6, 1e6), st.text(max_size=5), st.lists(st.booleans()))
    raise TypeError(f"the scene file has a new kind of type, {kind}: add it here")


scenes = anything_of(inspect.type_info(scene.SceneSpec))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(spec=scenes)
def test_what_is_written_is_what_is_read(spec: scene.SceneSpec) -> None:
    data = encode_scene(spec)
    again = decode_scene(data)
    assert again == spec
    assert encode_scene(again) == data


def good() -> dict[str, Any]:
    return {
        "format": "redmax-scene",
        "version": 1,
        "bodies": [
            {"name": "upper", "shape": {"kind": "sphere", "radius": 0.1}},
            {
                "name": "lower",
                "parent": "upper",
                "shape": {"kind": "cuboid", "sides": [1, 2, 3]},
                "joint": {
                    "type": {"kind": "composite", "joints": [{"kind": "revolute", "axis": [0, 1, 0]}]},
                    "motion": [{"kind": "sine", "amplitude": 1, "frequency": 2}],
                },
            },
        ],
    }


def test_whole_numbers_are_numbers() -> None:
    shape = decode_scene(json.dumps(good())).bodies[1].shape
    assert isinstance(shape, scene.Cuboid) and shape.sides == (1.0, 2.0, 3.0)


def test_a_file_says_what_it_is() -> None:
    raw = json.loads(encode_scene(decode_scene(json.dumps(good()))))
    assert raw["format"] == "redmax-scene" and raw["version"] == 1


def test_a_truncated_file_never_passes_for_a_scene() -> None:
    raw = good()
    raw["bodies"][0].update(mass=None, density=1.5e-3, name="höher")
    raw["bodies"][1]["joint"]["type"] = {"kind": "spline-curve", "frames": [], "cyclic": False}
    data = json.dumps(raw, ensure_ascii=False, indent=1).encode()
    decode_scene(data)
    for cut in range(len(data)):
        with pytest.raises(SceneError, match=r"truncated|empty"):
            decode_scene(data[:cut])


def change(path: list[Any], value: Any) -> bytes:
    raw = good()
    target: Any = raw
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return json.dumps(raw).encode()


JOINT = ["bodies", 1, "joint", "type"]
BAD: dict[str, tuple[bytes, str]] = {
    "empty file": (b"  \n", r"s\.json: the file is empty"),
    "truncated": (json.dumps(good(), indent=1).encode()[:-9], r"s\.json, line \d+, column \d+: .*truncated"),
    "not JSON": (b"hello", r"s\.json, line 1, column 1: this is not JSON"),
    "not JSON further on": (b'{\n "format": oops}', r"line 2, column 12: this is not JSON.*oops"),
    "not text": (b'{"format": "\xff\xfe"}', "UTF-8"),
    "NaN": (
        b'{"format": "redmax-scene",\n"gravity": [0, NaN, 0]}',
        r"line 2, column 16: NaN is not a number",
    ),
    "Infinity": (b'{"format": "redmax-scene", "gravity": [0, -Infinity, 0]}', "Infinity is not a number"),
    "too large a number": (
        json.dumps(good()).replace("0.1", "1e999").encode(),
        r"\$\.bodies\[0\]\.shape\.radius|not JSON",
    ),
    "a list": (b"[1, 2]", r"at \$: this is JSON, but not a scene"),
    "another object": (b'{"a": 1}', "not a scene"),
    "another format": (b'{"format": "urdf"}', r'at \$\.format: .*"urdf"'),
    "a newer version": (change(["version"], 2), r"at \$\.version: the file has version 2"),
    "no bodies": (b'{"format": "redmax-scene"}', r"at \$: the field 'bodies' is missing"),
    "unknown field": (
        change(["bodies", 1, "mas"], 1),
        r"at \$\.bodies\[1\]: there is no field 'mas' here\. Did you mean 'mass'",
    ),
    "unknown field of a joint": (
        change([*JOINT, "joints", 0, "axes"], [1, 0, 0]),
        r"at \$\.bodies\[1\]\.joint\.type\.joints\[0\]: there is no field 'axes' here\. Did you mean 'axis'",
    ),
    "unknown joint kind": (
        change([*JOINT, "kind"], "hinge"),
        r'at \$\.bodies\[1\]\.joint\.type\.kind: "hinge" is not a kind.*fixed, .*revolute',
    ),
    "unknown inner joint kind": (
        change([*JOINT, "joints", 0, "kind"], "revolut"),
        r"joints\[0\]\.kind: .*Did you mean 'revolute'",
    ),
    "unknown curve": (
        change(["bodies", 1, "joint", "motion", 0, "kind"], "sinus"),
        r"motion\[0\]\.kind: .*Did you mean 'sine'",
    ),
    "unknown shape": (change(["bodies", 0, "shape", "kind"], "box"), r"shape\.kind: .*cuboid, .*sphere"),
    "joint without kind": (change(JOINT, {}), r"joint\.type: the field 'kind' is missing"),
    "unknown chart": (
        change(JOINT, {"kind": "spherical-euler", "chart": "XYY"}),
        r"joint\.type\.chart: \"XYY\" is not a chart.*XYX, ",
    ),
    "text for a number": (change(["bodies", 0, "mass"], "heavy"), r'\$\.bodies\[0\]\.mass: .*"heavy"'),
    "two numbers for three": (change(["gravity"], [0, 1]), r"\$\.gravity: .*length 3"),
    "no name": (change(["bodies", 0, "name"], ""), r"\$\.bodies\[0\]\.name: "),
    "null for a list": (change(["bodies"], None), r"\$\.bodies: expected `array`, got `null`"),
    "record every 0 steps": (change(["time"], {"record": 0}), r"\$\.time\.record: .*>= 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_used_says_where_and_why(name: str) -> None:
    data, message = BAD[name]
    with pytest.raises(SceneError, match=message) as caught:
        decode_scene(data, "s.json")
    assert caught.value.place.startswith("s.json")
    assert len(caught.value.remedy) > 5


def test_missing_file_and_folder_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"none\.json: there is no such file"):
        load_scene(tmp_path / "none.json")
    with pytest.raises(SceneError, match="this is a folder"):
        load_scene(tmp_path)


def test_deep_nesting_is_an_error_and_not_a_crash() -> None:
    inner = '{"kind": "composite", "joints": [' * 20000 + "]}" * 20000
    data = f'{{"format": "redmax-scene", "bodies": [{{"joint": {{"type": {inner}}}}}]}}'
    with pytest.raises(SceneError, match="nested too deep"):
        decode_scene(data)


def test_a_file_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(good()))
    assert [b.name for b in load_scene(path).bodies] == ["upper", "lower"]


def test_numbers_that_json_cannot_express_are_not_written() -> None:
    spec = decode_scene(json.dumps(good()))
    spec.bodies[1].mass = float("nan")
    with pytest.raises(SceneError, match=r"bodies\[1\] 'lower'\.mass: the number is nan"):
        encode_scene(spec)


def test_schema_knows_every_kind() -> None:
    text = json.dumps(scene_schema())
    for kind in ("spline-surface", "free-planar", "logistic", "mesh", "redmax-scene"):
        assert f'"{kind}"' in text
