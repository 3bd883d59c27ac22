"""Every field of the scene file has a row that says where it is in Blender, and no row is of a field that is gone."""

from pathlib import Path

from msgspec import inspect

from redmax_blender.engine.scene import SceneSpec

PAGE = Path(__file__).parents[3] / "docs" / "scene-and-blender.md"


def fields_of_the_file() -> list[tuple[str, str]]:
    """Types and fields that can occur in a scene file, those without fields left out."""
    found: dict[str, list[str]] = {}

    def visit(of: inspect.Type) -> None:
        if isinstance(of, inspect.StructType):
            if of.cls.__name__ in found:
                return
            found[of.cls.__name__] = [field.name for field in of.fields]
            for field in of.fields:
                visit(field.type)
            return
        for name in ("types", "item_types"):
            for inner in getattr(of, name, None) or ():
                visit(inner)
        for name in ("item_type", "value_type", "key_type"):
            if (inner := getattr(of, name, None)) is not None:
                visit(inner)

    visit(inspect.type_info(SceneSpec))
    return [(name, field) for name, fields in found.items() for field in fields]


def rows() -> list[tuple[list[str], list[str], str]]:
    """Types, fields and what is said of them, row by row."""
    cells = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in PAGE.read_text().splitlines()
        if line.startswith("| `")
    ]
    return [(*([name.strip("`") for name in cell.split(", ")] for cell in row[:2]), row[2]) for row in cells]


def test_every_field_has_one_row_and_every_row_is_of_a_field():
    listed = [(kind, name) for kinds, names, _ in rows() for kind in kinds for name in names]
    assert len(listed) == len(set(listed)), sorted(x for x in listed if listed.count(x) > 1)
    assert set(listed) == set(fields_of_the_file())


def test_every_row_says_where_or_why_not():
    assert all(len(text) > 3 and text != "—" for *_, text in rows())


def test_fields_are_found_through_lists_and_unions():
    found = fields_of_the_file()
    assert ("Spring", "stiffness") in found and ("HillActuator", "pennation") in found
    assert len(found) > 400
