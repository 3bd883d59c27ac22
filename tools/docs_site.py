"""docs/ as HTML that a browser shows from disk: pages with a list of contents, pictures, one style sheet."""

from __future__ import annotations

import html
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from docs_pages import DOCS, HEADING, LINK, ROOT, slug
from markdown_it import MarkdownIt

STYLE = Path(__file__).with_name("docs_site.css")
CONTENTS = DOCS / "README.md"
"""Its lists of links are the contents of the site, and it is the first page."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - RedMax</title>
<link rel="stylesheet" href="{root}style.css">
</head>
<body>
<nav>
<p class="name"><a href="{root}index.html">RedMax</a></p>
{nav}
</nav>
<main>
{body}
<footer>{before}{after}</footer>
</main>
</body>
</html>
"""


@dataclass(frozen=True)
class Entry:
    """A page in the contents."""

    chapter: str
    title: str
    page: Path


def contents() -> list[Entry]:
    """The pages in order, as the lists of the first page have them."""
    text = CONTENTS.read_text()
    found = []
    for line in re.finditer(r"^[-*] \[([^\]]+)\]\(([^)#\s]+\.md)\)", text, re.MULTILINE):
        chapter = list(HEADING.finditer(text, 0, line.start()))[-1][2]
        found.append(Entry(chapter, line[1], (CONTENTS.parent / line[2]).resolve()))
    return found


def html_name(page: Path) -> Path:
    """Where the HTML of a page is, in the site."""
    name = page.relative_to(DOCS).with_suffix(".html")
    return name.with_name("index.html") if name.name == "README.html" else name


def build_site(out: Path) -> list[Path]:
    """Write the site into a folder, which is emptied first; the pages that were written."""
    if out.exists():
        shutil.rmtree(out)
    out.mkdir(parents=True)
    shutil.copy(STYLE, out / "style.css")
    for picture in sorted(DOCS.rglob("*.png")):
        target = out / picture.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, target)
    entries, written = contents(), []
    renderer = MarkdownIt("commonmark").enable("table")
    for page in sorted(DOCS.rglob("*.md")):
        target = out / html_name(page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_html(renderer, page, entries), encoding="utf-8")
        written.append(target)
    return written


def _html(renderer: MarkdownIt, page: Path, entries: list[Entry]) -> str:
    text = LINK.sub(lambda link: _to_html(link, page), page.read_text())
    title = HEADING.search(text)
    places = [entry.page for entry in entries]
    at = places.index(page) if page in places else -1
    return PAGE.format(
        title=html.escape(title[2] if title else page.stem),
        root="../" * (len(html_name(page).parts) - 1),
        nav=_nav(page, entries),
        body=_body(renderer, text),
        before=_step(page, entries[at - 1], "Previous") if at > 0 else "",
        after=_step(page, entries[at + 1], "Next") if 0 <= at < len(entries) - 1 else "",
    )


def _body(renderer: MarkdownIt, text: str) -> str:
    """HTML of a page, its headings with the anchors that repository pages give them."""
    tokens = renderer.parse(text)
    for opening, content in zip(tokens, tokens[1:]):
        if opening.type == "heading_open":
            opening.attrSet("id", slug(content.content))
    return renderer.renderer.render(tokens, renderer.options, {})


def _to_html(link: re.Match[str], page: Path) -> str:
    """A link to a page of docs/ becomes one to its HTML; one to a file outside is left as text."""
    target, _, anchor = link[1].partition("#")
    there = (page.parent / target).resolve()
    if "://" in link[1] or not target or not there.is_relative_to(ROOT):
        return link[0]
    if not there.is_relative_to(DOCS):
        return f"`{there.relative_to(ROOT)}`"
    if there.suffix != ".md":
        return link[0]
    return link[0].replace(f"({link[1]})", f"({_href(page, there)}{'#' + anchor if anchor else ''})")


def _href(page: Path, there: Path) -> str:
    return Path(os.path.relpath(DOCS / html_name(there), (DOCS / html_name(page)).parent)).as_posix()


def _nav(page: Path, entries: list[Entry]) -> str:
    lines, chapter = [], ""
    for entry in entries:
        if entry.chapter != chapter:
            chapter = entry.chapter
            lines.append(f"{'</ul>' if lines else ''}<p>{html.escape(chapter)}</p><ul>")
        here = ' class="here"' if entry.page == page else ""
        lines.append(f'<li{here}><a href="{_href(page, entry.page)}">{html.escape(entry.title)}</a></li>')
    return "\n".join([*lines, "</ul>"])


def _step(page: Path, entry: Entry, word: str) -> str:
    return f'<a href="{_href(page, entry.page)}">{word}: {html.escape(entry.title)}</a> '
