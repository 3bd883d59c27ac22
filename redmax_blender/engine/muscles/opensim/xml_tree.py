"""XML as a tree, read with care: no document type, no entities, nothing loaded from anywhere, no bottomless nesting."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ...errors import InputError

DEEPEST = 200
LARGEST = 200_000_000
"""[bytes]"""


def read_xml(path: Path) -> ET.Element:
    """The root of an XML file."""
    place = str(path)
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(place, "the file is larger than 200 MB", "Is it the right one?")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(place, f"it cannot be read ({error.strerror})", "Give the path of a file.") from None
    return parse_xml(data, place)


def parse_xml(data: bytes, place: str) -> ET.Element:
    builder = ET.TreeBuilder()
    parser = expat.ParserCreate()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise InputError(
                place, f"its elements are nested more than {DEEPEST} deep", "No model is: is it damaged?"
            )
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def refuse(*_: Any) -> Any:
        raise InputError(
            place,
            "it declares a document type or entities",
            "Models need none, and they could load other files: remove the declaration.",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        what = expat.errors.messages[error.code]
        raise InputError(
            place,
            f"it is not whole XML: {what}, line {error.lineno}",
            "Was it cut off while it was copied?",
        ) from None
    except (UnicodeDecodeError, LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(place, f"its text cannot be read ({error})", "Save it as UTF-8.") from None
    return builder.close()
