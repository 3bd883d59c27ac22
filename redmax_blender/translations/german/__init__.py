"""German: (context, English) -> translation. Words are those of Blender's own German interface where it has some.

Every file of the folder has tables of texts. A table whose name ends with BUTTONS holds labels of buttons, which
Blender looks up in a context of their own; all others are for its default context. A name that begins with _ is the
file's own.
"""

from importlib import import_module
from pkgutil import iter_modules

_TABLES = {
    (module.name, name): table
    for module in iter_modules(__path__)
    for name, table in vars(import_module(f".{module.name}", __name__)).items()
    if name.isupper() and not name.startswith("_") and isinstance(table, dict)
}

PARTS = tuple(table for (_, name), table in _TABLES.items() if not name.endswith("BUTTONS"))
"""What Blender looks up in its default context; a text is in one of them only."""

BUTTONS = {
    english: german
    for (_, name), table in _TABLES.items()
    if name.endswith("BUTTONS")
    for english, german in table.items()
}
GERMAN = {("*", english): german for part in PARTS for english, german in part.items()}
GERMAN |= {("Operator", english): german for english, german in BUTTONS.items()}
