"""The pages of docs/: generated parts are up to date, everything of ours is in them, and every link leads somewhere."""

from fnmatch import fnmatchcase
from pathlib import Path

import bpy
import docs_messages
import docs_pages
import docs_tables
import pytest
from docs_site import build_site, contents
from panel_fixtures import our_panels

from redmax_blender.panels import manual

PICTURES = docs_pages.DOCS / "pictures"


def test_the_generated_parts_of_the_pages_are_as_they_would_be_generated_now():
    """When this fails, run `make docs` and look at what changed."""
    for page in docs_pages.pages():
        assert docs_pages.generated(page, text := page.read_text()) == text, f"{page.name}: run make docs"


def documented() -> tuple[dict[tuple[str, str], str], dict[str, str]]:
    """Where every setting, by group and name, and every operator has its row: page and heading, as in a link."""
    settings, buttons = {}, {}
    for page in docs_pages.pages():
        where = page.relative_to(docs_pages.ROOT).as_posix().removeprefix("docs/")
        for kind, what, anchor in docs_pages.parts(page.read_text()):
            if kind == "settings":
                group = what.split()[0]
                settings |= {(group, name): f"{where}#{anchor}" for name in docs_pages.settings_named(what)}
            elif kind == "button":
                buttons[what] = f"{where}#{anchor}"
    return settings, buttons


def test_every_setting_and_every_button_is_documented():
    settings, buttons = documented()
    assert settings.keys() == docs_tables.all_settings()
    assert buttons.keys() == docs_tables.all_buttons()


def page_of(name: str) -> str:
    """The page that Blender opens for a setting or an operator."""
    return next(page for pattern, page in manual.manual_map()[1] if fnmatchcase(name.lower(), pattern))


def test_a_right_click_leads_to_the_heading_under_which_the_setting_or_button_is():
    settings, buttons = documented()
    for (group, name), place in settings.items():
        assert page_of(f"bpy.types.{group}.{name}") == place, name
    for name, place in buttons.items():
        assert page_of(f"bpy.ops.{name}") == place
        assert page_of(f"bpy.ops.{name}.some_option") == place


def test_blender_knows_our_pages():
    assert any(function is manual.manual_map for function in bpy.utils._manual_map)
    assert manual.manual_map()[0] == f"{docs_pages.DOCS.as_uri()}/"


def test_pages_in_the_zip_are_html_with_the_same_anchors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    build_site(tmp_path)
    monkeypatch.setattr(manual, "SHIPPED", tmp_path)
    prefix, pages = manual.manual_map()
    assert prefix == f"{tmp_path.as_uri()}/"
    for _, page in pages:
        path, _, anchor = page.partition("#")
        assert not anchor or f'id="{anchor}"' in (tmp_path / path).read_text(), page


def test_every_link_and_picture_of_the_pages_exists():
    assert docs_pages.broken_links() == []


def test_every_panel_has_a_page_with_a_picture_and_every_box_a_page_or_a_heading():
    manual_pages = docs_pages.DOCS / "manual"
    panels = {cls.__name__: cls for cls in our_panels()}
    for cls in panels.values():
        own = manual_pages / f"{docs_pages.slug(cls.bl_label)}.md"
        parent = panels.get(getattr(cls, "bl_parent_id", ""))
        if parent is None or own.exists():
            assert "(../pictures/panel-" in own.read_text(), cls.bl_label
        else:
            page = (manual_pages / f"{docs_pages.slug(parent.bl_label)}.md").read_text()
            box = docs_pages.slug(cls.bl_label)
            names = (
                box,
                box.removesuffix("y") + "ies",
            )  # Spring, under Springs and Cables; Body, under Bodies
            assert any(anchor.startswith(names) for anchor in docs_pages.anchors(page)), cls.bl_label


def test_pictures_of_the_window_are_small():
    taken = [path for kind in ("panel", "first-shot", "recipe") for path in PICTURES.glob(f"{kind}-*.png")]
    assert len(taken) > 20
    assert [path.name for path in taken if path.stat().st_size > 150_000] == []


def test_what_the_panels_warn_of_is_in_troubleshooting():
    page = (docs_pages.DOCS / "manual" / "troubleshooting.md").read_text()
    texts = set(docs_messages.panel_labels_with({"ERROR", "INFO"}))
    assert len(texts) > 8
    assert {text for text in texts if f"*{text}*" not in page} == set()


def test_messages_are_read_from_the_sources():
    """Of each kind one that stays."""
    assert "| *its scale is zero* |" in docs_messages.message_table("errors")
    assert "- The default integrator is used: " in docs_messages.message_table("warnings")
    assert "| **Bake** | *Simulate first*<br>" in docs_messages.message_table("grey")


def test_every_picture_is_shown_by_a_page():
    assert docs_pages.unused_pictures() == []


def test_every_page_is_in_the_contents():
    listed = [entry.page for entry in contents()]
    assert sorted([*listed, docs_pages.DOCS / "README.md"]) == sorted(docs_pages.DOCS.rglob("*.md"))
    assert len(listed) == len(set(listed))


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "there.md").write_text("# There\n\n## It's *here*\n")
    (tmp_path / "page.md").write_text(
        "[good](there.md#its-here) [bad](there.md#it) [gone](gone.md) `[code](no.md)`\n\n![](no.png)\n"
    )
    monkeypatch.setattr(docs_pages, "ROOT", tmp_path)
    monkeypatch.setattr(docs_pages, "pages", lambda: sorted(tmp_path.glob("*.md")))
    assert docs_pages.broken_links() == ["page.md: there.md#it", "page.md: gone.md", "page.md: no.png"]
