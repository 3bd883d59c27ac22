"""The Flesh panel draws in every state of a mesh, and says what it is attached to."""

import bpy
import pytest
from flesh_fixtures import add_suzanne, simulate, soft_suzanne
from panel_fixtures import draw

PANELS = ("flesh", "flesh_cage", "flesh_attach", "flesh_bake")


def drawn() -> dict[str, list]:
    """What each panel shows; those that hide are missing."""
    found = {name: draw(getattr(bpy.types, f"VIEW3D_PT_redmax_{name}")) for name in PANELS}
    return {name: items for name, items in found.items() if items is not None}


def labels(items) -> str:
    return "\n".join(str(text) for kind, text, _ in items if kind == "label")


def test_a_mesh_that_is_not_soft_has_the_button_alone():
    bpy.context.view_layer.objects.active = add_suzanne(None)
    assert drawn().keys() == {"flesh"}


def test_a_soft_body_can_be_converted():
    suzanne = add_suzanne(None)
    suzanne.modifiers.new("Softbody", "SOFT_BODY")
    bpy.context.view_layer.objects.active = suzanne
    assert ("operator", "redmax.convert_soft_body", None) in drawn()["flesh"]


@pytest.mark.parametrize("kind", ["ABSOLUTE", "RELATIVE", "PC2"])
def test_a_soft_mesh_has_all_of_them_before_and_after_the_bake(kind, tmp_path):
    suzanne, _ = soft_suzanne((1, 3))
    suzanne.redmax.flesh.bake_to = kind
    bpy.context.view_layer.objects.active = suzanne
    suzanne.select_set(True)
    shown = drawn()
    assert shown.keys() == set(PANELS)
    assert "vertices" in labels(shown["flesh"]) and "tetrahedra" in labels(shown["flesh"])
    assert "Attached to Rig" in labels(shown["flesh_attach"])
    bpy.ops.redmax.show_cage()
    assert "As the cage's vertex groups say" in labels(drawn()["flesh_attach"])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    simulate()
    bpy.ops.redmax.bake()
    assert drawn().keys() == set(PANELS)
    said = labels(draw(bpy.types.VIEW3D_PT_redmax_bake))
    assert ("Suzanne: point cache" if kind == "PC2" else "Suzanne: Suzanne RedMax Shape") in said
