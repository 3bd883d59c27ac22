"""Texts about what a user has made, and that it stays."""

NOTHING_LOST = {
    # Make Physical again
    "Decided Settings": "Entschiedene Einstellungen",
    "Settings that Make Physical wrote, to tell them from those that were changed since": (
        "Einstellungen, die 'Physikalisch machen' geschrieben hat, um sie von seither geänderten zu unterscheiden"
    ),
    "Keep My Settings": "Meine Einstellungen behalten",
    "Joints, limits, masses and sizes that were changed since Make Physical was last pressed stay, and "
    "so do bones that were taken out or added; otherwise everything is decided anew": (
        "Gelenke, Grenzen, Massen und Größen, die seit dem letzten 'Physikalisch machen' geändert wurden, bleiben, "
        "ebenso Knochen, die herausgenommen oder hinzugefügt wurden; sonst wird alles neu entschieden"
    ),
    "Kept what was set by hand on: {names}. Turn off Keep My Settings to decide it anew": (
        "Von Hand Eingestelltes bleibt an: {names}. Ohne 'Meine Einstellungen behalten' wird neu entschieden"
    ),
}
