"""Texts about force fields and thrusters."""

FIELDS = {
    "Force Fields": "Kraftfelder",
    "Which of Blender's force fields push it, and how strongly": (
        "Welche von Blenders Kraftfeldern es schieben, und wie stark"
    ),
    "Blender's force fields push it: each bone or body with the field's strength in newtons, and "
    "a soft mesh with that in all": (
        "Blenders Kraftfelder schieben es: jeden Knochen oder Körper mit der Stärke des Feldes in Newton, ein weiches "
        "Mesh mit so viel insgesamt"
    ),
    "Only force fields in this collection push it; empty for all": (
        "Nur Kraftfelder in dieser Sammlung schieben es; leer für alle"
    ),
    "Over the Body": "Über den Körper",
    "A bone or body feels a field at six points that have the spread of its mass, so that fields "
    "turn it; otherwise at its centre of mass only, as Blender's rigid bodies do": (
        "Ein Knochen oder Körper spürt ein Feld an sechs Punkten, die verteilt sind wie seine Masse, so dass Felder "
        "ihn drehen; sonst nur im Schwerpunkt, wie Blenders starre Körper"
    ),
    "Multiplies the strength of all force fields": "Vervielfacht die Stärke aller Kraftfelder",
    "Multiplies fields of the type Force": "Vervielfacht Felder vom Typ Kraft",
    "Multiplies fields of the type Wind": "Vervielfacht Felder vom Typ Wind",
    "Multiplies fields of the type Vortex": "Vervielfacht Felder vom Typ Wirbel",
    "Multiplies fields of the type Magnetic": "Vervielfacht Felder vom Typ Magnetisch",
    "Multiplies fields of the type Harmonic": "Vervielfacht Felder vom Typ Harmonisch",
    "Multiplies fields of the type Turbulence": "Vervielfacht Felder vom Typ Turbulenz",
    "Multiplies fields of the type Drag": "Vervielfacht Felder vom Typ Luftwiderstand",
    "{name} does nothing here": "{name} tut hier nichts",
    "Torque": "Drehmoment",
    "Vortex": "Wirbel",
    "Magnetic": "Magnetisch",
    "Harmonic": "Harmonisch",
    "Turbulence": "Turbulenz",
    "No force field is in the scene": "In der Szene ist kein Kraftfeld",
    "And {count} more": "Und {count} weitere",
    # Thrusters
    "Thruster": "Schubdüse",
    "The empty as something that pushes": "Das Leerobjekt als etwas, das schiebt",
    "The empty pushes the body, or the physical bone, that it is parented to": (
        "Das Leerobjekt schiebt den Körper oder den physikalischen Knochen, der sein Elternteil ist"
    ),
    "Axes": "Achsen",
    "Along which axes force and torque are": "Längs welcher Achsen Kraft und Drehmoment sind",
    "Own": "Eigene",
    "The empty's own axes, which turn with the body": "Die eigenen Achsen des Leerobjekts, die sich mitdrehen",
    "World": "Welt",
    "The axes of the world": "Die Achsen der Welt",
    "Force at the empty's origin, in N; key it to switch it on and off": (
        "Kraft im Ursprung des Leerobjekts, in N; zum Ein- und Ausschalten keyen"
    ),
    "Torque on the body, in N·m; key it to switch it on and off": (
        "Drehmoment auf den Körper, in N·m; zum Ein- und Ausschalten keyen"
    ),
    "Force (N)": "Kraft (N)",
    "Torque (N·m)": "Drehmoment (N·m)",
    "Parent it to a body or a bone": "Einen Körper oder Knochen zum Elternteil machen",
    "Make an active body or a physical bone active": (
        "Einen aktiven Körper oder einen physikalischen Knochen aktiv machen"
    ),
    "Add an empty that pushes the active body or bone along its own Z axis": (
        "Ein Leerobjekt hinzufügen, das den aktiven Körper oder Knochen längs seiner eigenen Z-Achse schiebt"
    ),
    "Force along the empty's Z axis, in N": "Kraft längs der Z-Achse des Leerobjekts, in N",
    "At 3D Cursor": "Am 3D-Cursor",
    "At the 3D cursor rather than at the origin of the body or bone": (
        "Am 3D-Cursor statt am Ursprung des Körpers oder Knochens"
    ),
}

FIELD_BUTTONS = {"Add Thruster": "Schubdüse hinzufügen"}
