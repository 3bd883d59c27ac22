"""Tables of what RedMax may say, read from the sources: errors, warnings, and why a button is grey."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "redmax_blender"
LEFT_OUT = "…"
"""Stands for what a message fills in: a name, a number."""
NUMBER = f"it is {LEFT_OUT}"
"""Says of a setting that its number cannot be; which number would do is in the message."""


def message_table(kind: str) -> str:
    """Markdown of all messages of a kind: errors, warnings or grey."""
    return {"errors": _errors, "warnings": _warnings, "grey": _grey}[kind]()


def panel_labels_with(icons: set[str]) -> Iterator[str]:
    """Texts that panels show with one of these icons."""
    for call in _calls(PACKAGE / "panels", "label"):
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        icon = given.get("icon")
        if isinstance(icon, ast.Constant) and icon.value in icons:
            text = plain(given.get("text"))
            if text.strip(LEFT_OUT):
                yield text


def plain(node: ast.expr | None) -> str:
    """A text of the sources, with … for what is filled in; empty when it is none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else LEFT_OUT for part in node.values]
        return "".join(map(str, parts)).replace(LEFT_OUT * 2, LEFT_OUT)
    if isinstance(node, ast.Call):  # text.format(…), iface_(…)
        return plain(node.args[0]) if node.args else LEFT_OUT
    return LEFT_OUT if node is not None else ""


def _calls(folder: Path, name: str) -> Iterator[ast.Call]:
    """Every call of a function or method of that name in a folder."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                called = node.func
                if (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) == name:
                    yield node


def _errors() -> str:
    found: dict[str, str] = {}
    for kind in ("SceneError", "InputError"):
        for call in _calls(PACKAGE / "bridge", kind):
            _, problem, remedy = (plain(argument) for argument in call.args[:3])
            remedy = remedy.replace(f", or: {LEFT_OUT}.", ".")
            if problem.strip(LEFT_OUT) and remedy.strip(LEFT_OUT) and problem != NUMBER:
                found[problem] = max(remedy, found.get(problem, ""), key=len)
    rows = [(f"*{problem}*", found[problem]) for problem in sorted(found, key=_first_word)]
    return _table(("what it says", "what to do"), rows)


def _first_word(text: str) -> str:
    return text.lstrip(f"'{LEFT_OUT}° ").lower()


def _warnings() -> str:
    texts = set()
    for call in _calls(PACKAGE / "bridge", "append"):
        called = call.func
        assert isinstance(called, ast.Attribute)
        kept = called.value
        name = kept.attr if isinstance(kept, ast.Attribute) else getattr(kept, "id", "")
        text = plain(call.args[0]) if name == "warnings" else ""
        if text.strip(LEFT_OUT):
            texts.add(text.removeprefix(f"{LEFT_OUT}: "))
    return "\n".join(f"- {text}." for text in sorted(texts, key=_first_word))


def _grey() -> str:
    rows: dict[str, list[str]] = {}
    for path in sorted((PACKAGE / "operators").glob("*.py")):
        classes = {c.name: c for c in ast.parse(path.read_text()).body if isinstance(c, ast.ClassDef)}
        for cls in classes.values():
            if label := _label(cls):
                bases = [classes[base.id] for base in cls.bases if getattr(base, "id", "") in classes]
                reasons = [reason for each in (cls, *bases) for reason in _reasons(each)]
                rows[label] = list(dict.fromkeys(rows.get(label, []) + reasons))
    shown = [
        (f"**{name}**", "<br>".join(f"*{r}*" for r in rows[name])) for name in sorted(rows) if rows[name]
    ]
    return _table(("button", "what its tooltip says"), shown)


def _reasons(cls: ast.ClassDef) -> list[str]:
    """What the class's poll() says when it refuses."""
    calls = [node for node in ast.walk(cls) if isinstance(node, ast.Call)]
    return [
        plain(call.args[0])
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "poll_message_set"
    ]


def _label(cls: ast.ClassDef) -> str:
    for line in cls.body:
        if isinstance(line, ast.Assign) and getattr(line.targets[0], "id", "") == "bl_label":
            return plain(line.value)
    return ""


def _table(head: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [f"| {head[0]} | {head[1]} |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| {left} | {right} |".replace("\n", " ") for left, right in rows)])
