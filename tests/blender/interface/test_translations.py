"""The interface in German: every text has one, none is left from a text that is gone, and panels show them."""

import ast
import re
import sys

import bpy
import interface_texts
import pytest
import test_panels
from interface_texts import PACKAGE
from panel_fixtures import Layout, draw, our_panels

from redmax_blender.bridge.flesh.make_soft import make_soft
from redmax_blender.translations.german import BUTTONS as BUTTON_NAMES
from redmax_blender.translations.german import GERMAN, PARTS

KINDS = ("titles", "setting_names", "choice_names", "buttons", "labels", "messages", "tips")

SAME = {
    "RedMax", "Live", "BDF1", "BDF2", "SDIRK2", "Runge-Kutta", "Runge-Kutta, RedMax", "Ragdoll", "Hand",
    "Integrator", "Cache", "Material", "Motor", "Min", "Max", "Detail", "Radius", "Rotation", "Problem",
    "Frame", "Frames", "Mesh", "Vertices", "X", "Y", "Z", "+X", "+Y", "+Z", "-X", "-Y", "-Z", "Ellipsoid", "Ring",
    "Wind",
}  # fmt: skip
"""Texts that are German as they are."""


def texts():
    return {text for kind in KINDS for text in getattr(interface_texts, kind)()}


def german(text, context="*"):
    return GERMAN.get((context, text), text)


@pytest.mark.parametrize("kind", KINDS)
def test_every_text_has_a_translation(kind):
    found = getattr(interface_texts, kind)()
    assert len(found) >= 20
    assert not sorted(key for key in found if key not in GERMAN and key[1] not in SAME)


def test_translations_are_of_texts_that_the_interface_has():
    assert not sorted(GERMAN.keys() - texts())


def test_exceptions_are_texts_that_the_interface_has_and_that_nothing_translates():
    assert not SAME - {text for _, text in texts()}
    assert not SAME & {english for _, english in GERMAN}


def test_a_text_is_translated_in_one_place():
    assert len(GERMAN) == sum(map(len, PARTS)) + len(BUTTON_NAMES)


def test_a_button_is_called_as_the_choice_that_it_makes():
    for (context, english), text in GERMAN.items():
        if context == "Operator" and ("*", english) in GERMAN:
            assert text == GERMAN["*", english]


def test_patterns_keep_their_names():
    for (_, english), text in GERMAN.items():
        assert sorted(re.findall(r"{.*?}", english)) == sorted(re.findall(r"{.*?}", text)), english


def test_translations_are_translated_and_whole():
    for (_, english), text in GERMAN.items():
        assert text.strip() == text and text not in ("", english), english
        assert text.endswith(".") == english.endswith("."), english
        assert "  " not in text, english


def test_tooltips_name_buttons_and_settings_as_they_are_called():
    """What stands in quotation marks in German is the name of something."""
    names = set(GERMAN.values()) | {"RedMax", "Limit Rotation"}
    for (_, english), text in GERMAN.items():
        for quoted in re.findall(r"'(.*?)'", text):
            assert quoted in names or "{" in quoted, english


def test_no_text_of_a_panel_or_report_is_put_together_past_the_translator():
    """A text with something in it is a pattern that goes through `iface_` or `rpt_` as a whole."""
    words = re.compile(r"[A-Za-z]{4,}")
    for path in [*(PACKAGE / "panels").glob("*.py"), *(PACKAGE / "operators").glob("*.py")]:
        if path.stem in ("manual", "header_menus"):  # addresses; names of operators
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                found = [part.value for part in node.values if isinstance(part, ast.Constant)]
                said = [
                    text
                    for text in found
                    if words.search(text) and not re.search(r"_|redmax\.|settings\.", text)
                ]
                assert not said, f"{path.name}:{node.lineno}: {said}"


def test_why_a_button_is_grey_goes_through_the_translator():
    """Blender shows it as it is."""
    count = 0
    for path in (PACKAGE / "operators").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "poll_message_set":
                count += 1
                said = node.args[0]
                assert isinstance(said, ast.Call) and getattr(said.func, "id", "") == "tip_", path.name
    assert count > 20


# What panels show. ------------------------------------------------------------------------------------------


class GermanLayout(Layout):
    """Translates as Blender does: buttons in the context of operators, nothing that forbids it."""

    def label(self, *, text="", translate=True, **more):
        super().label(text=german(text) if translate else f"={text}", **more)

    def prop(self, data, name, *, text=None, translate=True, **more):
        text = text if text is not None else data.bl_rna.properties[name].name
        super().prop(data, name, text=german(text) if translate else f"={text}", **more)

    def operator(self, idname, *, text=None, **more):
        module, name = idname.split(".")
        if text is None:
            text = getattr(getattr(bpy.ops, module), name).get_rna_type().name
        return super().operator(idname, text=german(text, "Operator"), **more)


@pytest.fixture
def in_german(monkeypatch):
    """Patterns come out in German, as in a Blender that has languages; the module `bpy` is built without."""
    for name, module in list(sys.modules.items()):
        if name.startswith("redmax_blender."):
            for translator in interface_texts.TRANSLATORS:
                if hasattr(module, translator):
                    monkeypatch.setattr(module, translator, german)


def drawn_texts(layout):
    found = []
    for panel in our_panels():
        for kind, first, second in draw(panel, layout=layout) or ():
            text = first if kind == "label" else second if kind in ("prop", "operator") else None
            if text:
                found.append(text)
    return found


@pytest.mark.parametrize("state", test_panels.STATES, ids=lambda state: state.__name__)
def test_panels_are_german_in_every_state(state, in_german):
    state()
    shown = drawn_texts(GermanLayout)
    bpy.context.window_manager.redmax.running = False
    left = set(shown) & {english for _, english in GERMAN} - set(GERMAN.values())
    assert len(shown) > 10 and not left


def test_panels_say_it_in_german(in_german):
    obj = test_panels.physical()
    obj.redmax.bone_index = 1
    shown = drawn_texts(GermanLayout)
    assert {
        "Physikalisch machen",
        "Geführt",
        "Animiert",
        "Ansprechzeit",
        "Reibungszahl",
        "Simulieren",
    } <= set(shown)
    assert any(re.fullmatch(r"3 physikalische Knochen, .* kg", text) for text in shown)
    assert any(re.fullmatch(r"Reibradius .*: Kugel", text) for text in shown)
    assert "=bone1" in shown


def test_a_cage_is_described_in_german(in_german):
    obj = test_panels.add_box("box", (0, 0, 0), role="NONE")
    test_panels.activate(obj)
    said = make_soft([obj], bpy.context)
    assert re.fullmatch(r"'box' ist jetzt weich: \d+ Vertices, \d+ Tetraeder, Winkel \d+° bis \d+°", said[0])
    shown = drawn_texts(GermanLayout)
    assert any(re.fullmatch(r"\d+ Vertices, \d+ Tetraeder", text) for text in shown)
    assert any(re.fullmatch(r"Winkel \d+° bis \d+°", text) for text in shown)


@pytest.mark.skipif(not bpy.app.build_options.international, reason="this Blender has no languages")
def test_blender_finds_the_translations():
    from bpy.app.translations import locales, pgettext_iface, pgettext_rpt, pgettext_tip

    view = bpy.context.preferences.view
    before = view.language
    view.language = next(name for name in ("de_DE", "de") if name in locales)
    view.use_translate_interface = view.use_translate_tooltips = view.use_translate_reports = True
    try:
        assert pgettext_iface("Spring Floor") == "Federnder Boden"
        assert pgettext_iface("Make Physical", "Operator") == "Physikalisch machen"
        assert pgettext_iface("First at {joint}") == "Zuerst bei {joint}"
        assert pgettext_rpt("Kept frames {first} to {last}") == "Frames {first} bis {last} behalten"
        assert pgettext_tip("Physics alone moves the bone") == "Allein die Physik bewegt den Knochen"
    finally:
        view.language = before
