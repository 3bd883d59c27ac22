"""Where the documentation of each setting and button is: what Blender opens on a right click, Online Manual."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED, SOURCES = PACKAGE / "docs", PACKAGE.parent / "docs"
"""The pages inside an installed extension, and beside the package in its sources."""

PAGES = (
    ("bpy.types.redmax_pg_friction*", "friction-and-contact.md#joint-friction"),
    ("bpy.types.redmax_pg_surface*", "friction-and-contact.md#contact"),
    ("bpy.types.redmax_pg_collider*", "friction-and-contact.md#contact"),
    ("bpy.types.redmax_pg_object.self_collision*", "friction-and-contact.md#contact"),
    ("bpy.types.redmax_pg_overlay*", "overlay-and-diagnosis.md#overlay"),
    ("bpy.types.redmax_pg_diagnosis*", "overlay-and-diagnosis.md#diagnosis"),
    ("bpy.types.redmax_pg_body*", "mechanisms.md"),
    ("bpy.types.redmax_pg_joint*", "mechanisms.md"),
    ("bpy.types.redmax_pg_spring*", "mechanisms.md"),
    ("bpy.types.redmax_pg_bone*", "blender.md#bone"),
    ("bpy.types.redmax_pg_scene*", "blender.md#simulate"),
    ("bpy.types.redmax_pg_*", "blender.md"),
    ("bpy.types.posebone.redmax*", "blender.md#bone"),
    ("bpy.ops.redmax.copy_part*", "friction-and-contact.md#joint-friction"),
    ("bpy.ops.redmax.friction_preset*", "friction-and-contact.md#joint-friction"),
    ("bpy.ops.redmax.surface_preset*", "friction-and-contact.md#contact"),
    ("bpy.ops.redmax.add_ground*", "friction-and-contact.md#contact"),
    ("bpy.ops.redmax.try_remedy*", "overlay-and-diagnosis.md#diagnosis"),
    ("bpy.ops.redmax.graph_figures*", "overlay-and-diagnosis.md#diagnosis"),
    ("bpy.ops.redmax.show_run_report*", "overlay-and-diagnosis.md#diagnosis"),
    ("bpy.ops.redmax.add_joint*", "mechanisms.md"),
    ("bpy.ops.redmax.add_spring*", "mechanisms.md"),
    ("bpy.ops.redmax.set_role*", "mechanisms.md"),
    ("bpy.ops.redmax.add_shot*", "shots.md"),
    ("bpy.ops.redmax.export_scene*", "scene-file.md"),
    ("bpy.ops.redmax.import_scene*", "scene-file.md"),
    ("bpy.ops.redmax.make_physical*", "blender.md#make-physical"),
    ("bpy.ops.redmax.simulate*", "blender.md#simulate"),
    ("bpy.ops.redmax.bake*", "blender.md#bake"),
    ("bpy.ops.redmax.*", "blender.md"),
)
"""The first that fits counts; Blender compares in lower case."""


def manual_map():
    """Blender's form: where pages are, and which page is about what."""
    folder = SHIPPED if SHIPPED.is_dir() else SOURCES
    return f"{folder.as_uri()}/", PAGES
