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
    # The user's own pose, and Show Simulation
    "Show Simulation": "Simulation zeigen",
    "Show everything as it was simulated; when off, bones and objects have their own pose and keys, which can be "
    "edited": (
        "Alles zeigen, wie es simuliert wurde; sonst haben Knochen und Objekte ihre eigene Pose und ihre Keyframes, "
        "die sich bearbeiten lassen"
    ),
    "Show this object as it was simulated; when off, it has its own pose and keys, which can be edited": (
        "Dieses Objekt zeigen, wie es simuliert wurde; sonst hat es seine eigene Pose und seine Keyframes, die sich "
        "bearbeiten lassen"
    ),
    "Of '{name}'": "Von '{name}'",
    "Shows Simulation": "Zeigt Simulation",
    "The channels show a simulation, and their own values are kept in Own Pose": (
        "Die Kanäle zeigen eine Simulation, und ihre eigenen Werte stehen in 'Eigene Pose'"
    ),
    "Own Pose": "Eigene Pose",
    "Location, rotation in each mode and scale without the simulation, as numbers without unit": (
        "Position, Rotation in jedem Modus und Skalierung ohne die Simulation, als Zahlen ohne Einheit"
    ),
    "Shown Frame": "Gezeigter Frame",
    "Frame of the simulation that the object shows": "Frame der Simulation, den das Objekt zeigt",
    "Frames in Result": "Frames im Ergebnis",
    "First and last frame of the simulation that the object shows": (
        "Erster und letzter Frame der Simulation, die das Objekt zeigt"
    ),
    "Frames {first} to {last} are missing; simulate again": (
        "Die Frames {first} bis {last} fehlen; neu simulieren"
    ),
    "Notice": "Hinweis",
    "What happened without a button, until the frame changes": (
        "Was ohne Knopf geschehen ist, bis der Frame wechselt"
    ),
    "Simulation not keyed: keys of {names} keep the animation": (
        "Simulation nicht gekeyt: Keyframes von {names} behalten die Animation"
    ),
    # Simulate after a bake
    "Delete the bake of the soft meshes first": "Erst das Gebackene der weichen Meshes löschen",
    "Baked Keys": "Gebackene Keyframes",
    "Digest of the keys that Bake wrote, to see whether they were edited": (
        "Prüfsumme der Keyframes, die 'Backen' geschrieben hat, um zu sehen, ob sie bearbeitet wurden"
    ),
    # Add Joint
    "Connect the two selected bodies, or the selected one and the world, by a joint where they meet": (
        "Die zwei ausgewählten Körper, oder den ausgewählten und die Welt, durch ein Gelenk verbinden, wo sie sich "
        "treffen"
    ),
    "Place": "Ort",
    "Where the joint is. It is turned as the 3D cursor is": (
        "Wo das Gelenk ist. Gedreht ist es wie der 3D-Cursor"
    ),
    "Where two bodies meet or are nearest to each other; for one body, at the 3D cursor if that is on it, "
    "otherwise at the body's origin": (
        "Wo zwei Körper sich treffen oder am nächsten sind; bei einem Körper am 3D-Cursor, wenn der an ihm ist, sonst "
        "am Ursprung des Körpers"
    ),
    "3D Cursor": "3D-Cursor",
    "At the 3D cursor": "Am 3D-Cursor",
    "Joint at the 3D cursor, {place}, turned as the cursor is": (
        "Gelenk am 3D-Cursor, {place}, gedreht wie der Cursor"
    ),
    "Joint at the origin of '{first}', {place}, turned as the 3D cursor is": (
        "Gelenk am Ursprung von '{first}', {place}, gedreht wie der 3D-Cursor"
    ),
    "Joint between '{first}' and '{second}', {place}, turned as the 3D cursor is": (
        "Gelenk zwischen '{first}' und '{second}', {place}, gedreht wie der 3D-Cursor"
    ),
}
