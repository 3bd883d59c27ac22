"""Where the documentation of each setting and button is: what Blender opens on a right click, Online Manual."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED, SOURCES = PACKAGE / "docs", PACKAGE.parent / "docs"
"""The pages inside an installed extension, as HTML, and beside the package in its sources, as Markdown."""

SETTINGS = (
    ("posebone.redmax_control", "manual/control#keyframes-and-physics"),
    ("posebone.redmax_influence", "manual/control#target"),
    ("posebone.redmax*", "manual/control#strength"),
    ("object.redmax_push", "manual/control#strength"),
    ("redmax_pg_control.target*", "manual/control#target"),
    ("redmax_pg_control.*start_speeds", "manual/control#strength"),
    ("redmax_pg_control.wake", "manual/control#wake-on-impact"),
    ("redmax_pg_control*", "manual/control#keyframes-and-physics"),
    ("redmax_pg_coupling_of_joints*", "manual/coupling#joints-between-objects"),
    ("redmax_pg_coupling*", "manual/coupling#settings"),
    ("redmax_pg_friction.stop_*", "manual/joint-friction#stops"),
    ("redmax_pg_friction*", "manual/joint-friction#settings"),
    ("redmax_pg_surface*", "manual/contact#surface"),
    ("redmax_pg_collider*", "manual/contact#colliders"),
    ("redmax_pg_overlay*", "manual/overlay#settings"),
    ("redmax_pg_diagnosis*", "manual/diagnosis#when-to-use-it"),
    ("redmax_pg_body*", "manual/mechanism#bodies"),
    ("redmax_pg_joint*", "manual/mechanism#joints"),
    ("redmax_pg_socket*", "manual/mechanism#build-and-assemble"),
    ("redmax_pg_object.sockets", "manual/mechanism#build-and-assemble"),
    ("redmax_pg_spring*", "manual/mechanism#springs-and-cables"),
    ("redmax_pg_fields*", "manual/mechanism#force-fields"),
    ("redmax_pg_inquire*", "manual/simulate#inquire"),
    ("redmax_pg_thruster*", "manual/mechanism#thrusters"),
    ("redmax_pg_muscle*", "manual/muscles#muscle"),
    ("redmax_pg_wrap*", "manual/muscles#surface-of-muscles"),
    ("redmax_pg_flesh.cage_size", "manual/flesh#cage"),
    ("redmax_pg_flesh.cage_c*", "manual/flesh#cage"),
    ("redmax_pg_flesh.carrier", "manual/flesh#attachment"),
    ("redmax_pg_flesh.attach_from", "manual/flesh#attachment"),
    ("redmax_pg_flesh.core", "manual/flesh#attachment"),
    ("redmax_pg_flesh.threshold", "manual/flesh#attachment"),
    ("redmax_pg_flesh.pin_group", "manual/flesh#attachment"),
    ("redmax_pg_flesh.floor*", "manual/flesh#spring-floor"),
    ("redmax_pg_flesh.bake_*", "manual/flesh#bake-to"),
    ("redmax_pg_flesh.soft", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_flesh.cage*", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_flesh.paused", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_flesh.baked", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_flesh.converted", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_flesh*", "manual/flesh#material"),
    ("redmax_pg_bone.*limits*", "manual/bone#limits"),
    ("redmax_pg_bone.radius", "manual/bone#body"),
    ("redmax_pg_bone.use_bone_length", "manual/bone#body"),
    ("redmax_pg_bone.length", "manual/bone#body"),
    ("redmax_pg_bone.start", "manual/bone#body"),
    ("redmax_pg_bone.direction", "manual/bone#body"),
    ("redmax_pg_bone.mass*", "manual/bone#body"),
    ("redmax_pg_bone.density", "manual/bone#body"),
    ("redmax_pg_bone.decision", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_scene.auto", "manual/run#auto"),
    ("redmax_pg_scene.show_simulation", "manual/simulate#show-simulation"),
    ("redmax_pg_object.show_simulation", "manual/simulate#show-simulation"),
    ("redmax_pg_object.result_frames", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_object.shown_frame", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_object.is_shown", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_object.own_pose", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_bone.is_shown", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_bone.own_pose", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_bone.made", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_bone.muted", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_bone*", "manual/bone#joint"),
    ("redmax_pg_scene.use_rigid_bodies", "manual/mechanism#with-blenders-rigid-bodies"),
    ("redmax_pg_scene.integrator", "manual/simulate#solver"),
    ("redmax_pg_scene.gravity_in_scene_units", "manual/simulate#solver"),
    ("redmax_pg_scene.paused_rigid_bodies", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_scene.cut_joints", "manual/scripting#what-redmax-keeps-in-the-file"),
    ("redmax_pg_goals*", "manual/simulate#goals"),
    ("redmax_pg_goal*", "manual/simulate#goals"),
    ("redmax_pg_change*", "manual/simulate#goals"),
    ("redmax_pg_take*", "manual/simulate#takes"),
    ("redmax_pg_varied*", "manual/simulate#wedge"),
    ("redmax_pg_wedge*", "manual/simulate#wedge"),
    ("redmax_pg_scene.take_index", "manual/simulate#takes"),
    ("redmax_pg_scene*", "manual/simulate#range"),
    ("redmax_pg_object.bone_index", "manual/set-up#the-list"),
    ("redmax_pg_object.self_collision", "manual/contact#what-collides"),
    ("redmax_pg_object.total_mass", "manual/set-up#mass"),
    ("redmax_pg_object.hold_locations", "manual/contact#what-collides"),
    ("redmax_pg_*", "manual/scripting#what-redmax-keeps-in-the-file"),
)
"""Settings by the name of their group, in lower case as Blender compares them; the first that fits counts."""

BUTTONS = (
    ("*_take", "manual/simulate#takes"),
    ("*_take_values", "manual/simulate#takes"),
    ("*wedge*", "manual/simulate#wedge"),
    ("remove_varied", "manual/simulate#wedge"),
    ("make_physical", "manual/set-up#make-physical"),
    ("ragdoll", "manual/set-up#ragdoll"),
    ("check", "manual/set-up#check"),
    ("fix_finding", "manual/set-up#check"),
    ("decide", "manual/set-up#the-list"),
    ("show_report", "manual/set-up#the-list"),
    ("clear_physical", "manual/set-up#the-list"),
    ("copy_to_selected", "manual/bone#joint"),
    ("secondary_motion", "manual/bone#secondary-motion"),
    ("read_jiggles", "manual/bone#secondary-motion"),
    ("mirror_settings", "manual/bone#secondary-motion"),
    ("set_control", "manual/control#many-bones"),
    ("set_role", "manual/mechanism#when-to-use-it"),
    ("add_shot", "manual/mechanism#when-to-use-it"),
    ("inquire", "manual/simulate#inquire"),
    ("graph_inquiry", "manual/simulate#inquire"),
    ("inquiry_table", "manual/simulate#inquire"),
    ("add_thruster", "manual/mechanism#thrusters"),
    ("add_joint", "manual/mechanism#joints"),
    ("add_part", "manual/mechanism#build-and-assemble"),
    ("parts_library", "manual/mechanism#build-and-assemble"),
    ("connect", "manual/mechanism#build-and-assemble"),
    ("assemble", "manual/mechanism#build-and-assemble"),
    ("add_spring", "manual/mechanism#springs-and-cables"),
    ("mesh_gears", "manual/mechanism#gears-belts-racks-and-screws"),
    ("copy_part", "manual/joint-friction#settings"),
    ("friction_preset_add", "manual/presets#joint-friction"),
    ("surface_preset_add", "manual/presets#surfaces"),
    ("control_preset_add", "manual/presets#control"),
    ("flesh_preset_add", "manual/presets#flesh"),
    ("add_ground", "manual/contact#what-collides"),
    ("make_soft", "manual/flesh#when-to-use-it"),
    ("clear_soft", "manual/flesh#when-to-use-it"),
    ("*_cage", "manual/flesh#cage"),
    ("convert_soft_body", "manual/flesh#from-blenders-soft-body"),
    ("simulate", "manual/simulate#when-to-use-it"),
    ("*_goal", "manual/simulate#goals"),
    ("add_change", "manual/simulate#goals"),
    ("s*_goals", "manual/simulate#goals"),
    ("free_cache", "manual/simulate#cache"),
    ("live", "manual/live#when-to-use-it"),
    ("try_remedy", "manual/diagnosis#when-to-use-it"),
    ("show_run_report", "manual/diagnosis#report"),
    ("graph_figures", "manual/diagnosis#graphs"),
    ("add_muscle_surface", "manual/muscles#surface-of-muscles"),
    ("*muscle*", "manual/muscles#when-to-use-it"),
    ("import_opensim*", "manual/muscles#opensim"),
    ("bake", "manual/bake#options"),
    ("delete_bake", "manual/bake#delete-bake"),
    ("*port_scene", "manual/scripting#scene-files"),
    ("*", "README"),
)
"""Operators, by the part of their name after `redmax.`."""


def manual_map():
    """Blender's form: where pages are, and which page is about what."""
    shipped = SHIPPED.is_dir()
    patterns = [(f"bpy.types.{name}", page) for name, page in SETTINGS]
    # Blender asks for bpy.ops.redmax.bake, and for the options of one as bpy.ops.redmax.bake.into
    patterns += [(f"bpy.ops.redmax.{name}{more}", page) for name, page in BUTTONS for more in ("", ".*")]
    return f"{(SHIPPED if shipped else SOURCES).as_uri()}/", [
        (p, _file(page, shipped)) for p, page in patterns
    ]


def _file(page, shipped):
    name, _, anchor = page.partition("#")
    if shipped:
        name = "index" if name == "README" else name
    return f"{name}.{'html' if shipped else 'md'}{'#' + anchor if anchor else ''}"
