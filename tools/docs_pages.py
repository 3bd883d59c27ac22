"""The pages of docs/: what is written into them from elsewhere, what they are about, and where their links lead.

A generated part is between two comments, which name what belongs there:

    <!-- settings: REDMAX_PG_friction coefficient static -->     some settings of a group; all without names; with ...
                                                                 at the end also those that no page names
    <!-- button: redmax.bake -->                                 an operator and its options
    <!-- presets: friction -->                                   presets of one kind
    <!-- messages: errors -->                                    what RedMax may say: errors, warnings or grey
    <!-- script: recipes/tail.py -->                             a file beside the page, as code
    <!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
README = ROOT / "README.md"

PART = re.compile(
    r"(<!-- (settings|button|presets|messages|script): ([^>]*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL
)
HEADING = re.compile(r"^(#+) (.+?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$|^ {4}[^\n]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def pages() -> list[Path]:
    """Every page, the readme first."""
    return [README, *sorted(DOCS.rglob("*.md"))]


def generated(page: Path, text: str) -> str:
    """The text of a page with all its generated parts written anew. Needs Blender."""
    from docs_messages import message_table
    from docs_tables import button_table, preset_table, settings_table

    makers: dict[str, Callable[[str], str]] = {
        "settings": lambda what: settings_table(what.split()[0], settings_named(what)),
        "button": button_table,
        "presets": preset_table,
        "messages": message_table,
        "script": lambda what: f"```python\n{(page.parent / what).read_text()}```",
    }

    def write(part: re.Match[str]) -> str:
        begin, kind, what, _, end = part.groups()
        return f"{begin}\n{makers[kind](what)}\n\n{end}"

    return PART.sub(write, text)


def settings_named(what: str) -> list[str]:
    """The settings that a comment asks for, in its order. Needs Blender."""
    from docs_tables import groups, is_group, settings_of

    group, *names = what.split()
    if names[-1:] == ["..."]:
        asked = [
            part[1].split() for page in pages() for part in parts(page.read_text()) if part[0] == "settings"
        ]
        taken = {name for other, *them in asked if other == group for name in them}
        rest = [
            p.identifier
            for p in settings_of(groups()[group])
            if not is_group(p) and p.identifier not in taken
        ]
        return names[:-1] + rest
    return names or [p.identifier for p in settings_of(groups()[group]) if not is_group(p)]


def parts(text: str) -> Iterator[tuple[str, str, str]]:
    """(kind, what, anchor of the heading above it) of the generated parts of a page."""
    for part in PART.finditer(text):
        above = list(HEADING.finditer(text, 0, part.start()))
        yield part[2], part[3], slug(above[-1][2]) if above else ""


def slug(heading: str) -> str:
    """The anchor that repository pages give to a heading."""
    words = re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """Where links into a page may lead."""
    return {slug(heading[2]) for heading in HEADING.finditer(FENCE.sub("", text))}


def links(text: str) -> list[str]:
    """Targets of all links and pictures that are not in code."""
    return LINK.findall(re.sub(r"`[^`\n]*`", "", FENCE.sub("", text)))


def broken_links() -> list[str]:
    """Relative links and pictures that lead nowhere, each with its page."""
    found = []
    for page in pages():
        for target in links(page.read_text()):
            if "://" in target or target.startswith("mailto:"):
                continue
            path, _, anchor = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            missing = not there.exists()
            if not missing and anchor and there.suffix == ".md":
                missing = anchor not in anchors(there.read_text())
            if missing:
                found.append(f"{page.relative_to(ROOT)}: {target}")
    return found


def unused_pictures() -> list[str]:
    """Pictures of docs/ that no page shows."""
    shown = {(page.parent / target).resolve() for page in pages() for target in links(page.read_text())}
    return [
        str(path.relative_to(ROOT)) for path in sorted(DOCS.rglob("*.png")) if path.resolve() not in shown
    ]
