"""Texts of the interface in other languages: (context, English) -> translation, a dictionary a language.

Blender translates labels, names of settings and of operators by itself; texts with numbers in them go through
`pgettext_iface` in the panels, as patterns. Another language is another dictionary here.
"""

import bpy

PANELS_DE = {
    "Set Up": "Einrichten",
    "Bone": "Knochen",
    "Control": "Führung",
    "Limits": "Grenzen",
    "Body": "Körper",
    "Mechanism": "Mechanismus",
    "Joint": "Gelenk",
    "Spring": "Feder",
    "Joint Friction": "Gelenkreibung",
    "Contact": "Kontakt",
    "Flesh": "Weichteile",
    "Simulate": "Simulieren",
    "Diagnosis": "Diagnose",
    "Solver": "Löser",
    "Live": "Live",
    "Bake": "Backen",
    "Overlay": "Einblendung",
    "Attachment": "Befestigung",
    "Cage": "Käfig",
    "Bake To": "Backen nach",
    "Spring Floor": "Federnder Boden",
}
SETTINGS_DE = {
    "Physical": "Physikalisch",
    "Axis": "Achse",
    "Stiffness": "Steifigkeit",
    "Damping": "Dämpfung",
    "Rest": "Ruhelage",
    "Density": "Dichte",
    "Mass": "Masse",
    "Coefficient": "Reibungszahl",
    "At Rest": "Haftung",
    "Friction": "Reibung",
    "Static Friction": "Haftreibung",
    "Surface Friction": "Oberflächenreibung",
    "Bounciness": "Sprungkraft",
    "Margin": "Rand",
    "Collide": "Kollidieren",
    "Collider": "Hindernis",
    "Collider Shape": "Form des Hindernisses",
    "Collision Group": "Kollisionsgruppe",
    "Smooth Tube": "Glatter Schlauch",
    "Self Collision": "Eigenkollision",
    "Ground": "Boden",
    "Substeps": "Teilschritte",
    "Integrator": "Integrator",
    "Simulation Start": "Simulation ab",
    "Pre-Roll": "Vorlauf",
    "Loop Blend": "Schleifenübergang",
    "Start in Motion": "Aus der Bewegung",
    "Response": "Ansprechzeit",
    "Damping Ratio": "Dämpfungsgrad",
    "Ease Back": "Rückkehr",
    "Target": "Ziel",
    "Bodies": "Körper",
    "Joint Axes": "Gelenkachsen",
    "Springs": "Federn",
    "Targets": "Ziele",
    "Contacts": "Kontakte",
    "Colliders": "Hindernisse",
    "Keyframed Pose": "Pose der Keyframes",
    "Selected Only": "Nur Ausgewählte",
    "In Front": "Im Vordergrund",
}
OPERATORS_DE = {
    "Make Physical": "Physikalisch machen",
    "Clear Physical": "Physik entfernen",
    "Show Report": "Bericht zeigen",
    "Copy to Selected": "Auf Auswahl kopieren",
    "Add Ground": "Boden hinzufügen",
    "Add Joint": "Gelenk hinzufügen",
    "Add Spring": "Feder hinzufügen",
    "Make Body": "Zum Körper machen",
    "Simulate": "Simulieren",
    "Free Cache": "Cache leeren",
    "Bake": "Backen",
    "Delete Bake": "Gebackenes löschen",
    "Try This": "Versuchen",
    "Run Report": "Laufbericht",
    "Bake Graphs": "Kurven backen",
    "Export RedMax Scene": "RedMax-Szene exportieren",
    "Import RedMax Scene": "RedMax-Szene importieren",
}
PATTERNS_DE = {
    "{problem} at frame {frame}": "{problem} bei Frame {frame}",
    "First at {joint}": "Zuerst bei {joint}",
    "Energy {total} J": "Energie {total} J",
    "Friction {torque} N·m in {joint}": "Reibung {torque} N·m in {joint}",
    "Solid: {why}": "Fest: {why}",
    "Bodies pass through it": "Körper gehen hindurch",
    "Cached: frames {first} to {last}, {size}": "Im Cache: Frames {first} bis {last}, {size}",
    "Cached: frames {first} to {last} of {end}, {size}": "Im Cache: Frames {first} bis {last} von {end}, {size}",
    "{count} physical bones, {mass} kg": "{count} physikalische Knochen, {mass} kg",
    "A physical bone, {mass} kg": "Ein physikalischer Knochen, {mass} kg",
    "Control of all bones, from here on": "Führung aller Knochen ab hier",
    "'{name}' deforms it: its bones collide instead": "'{name}' verformt es: Seine Knochen kollidieren",
    "Attached to {names}": "Befestigt an {names}",
    "Attached to nothing": "An nichts befestigt",
    "A {kind} joint has no halves that rub": "In einem solchen Gelenk ({kind}) reibt nichts",
    "Rubs on {shape}, radius {radius}": "Reibt an: {shape}, Radius {radius}",
    "Rubs on {shape}, radius {radius}, height {height}": "Reibt an: {shape}, Radius {radius}, Höhe {height}",
    "Loops are cut at {joints}": "Schleifen sind geschnitten bei {joints}",
    "Loops are cut at {joints} and {more} more": "Schleifen sind geschnitten bei {joints} und {more} weiteren",
    "Gravity {strength} m/s²": "Schwerkraft {strength} m/s²",
    "No gravity (Scene properties)": "Keine Schwerkraft (Szene)",
    "The cache is missing; simulate again": "Der Cache fehlt; neu simulieren",
    "Only a bone that collides wakes (Contact)": "Nur ein kollidierender Knochen erwacht (Kontakt)",
    "Drag bones and bodies to pull": "Knochen und Körper ziehen",
    "Enter keeps what was played": "Enter behält das Gespielte",
    "Esc ends, all is as it was": "Esc beendet, alles ist wie zuvor",
    "Outdated: the scene has changed": "Veraltet: Die Szene hat sich geändert",
    "Esc stops and keeps what is done": "Esc beendet und behält, was fertig ist",
}


def _german() -> dict[tuple[str, str], str]:
    everywhere = {**PANELS_DE, **SETTINGS_DE, **PATTERNS_DE}
    texts = {("*", english): german for english, german in everywhere.items()}
    return texts | {("Operator", english): german for english, german in OPERATORS_DE.items()}


def register():
    german = _german()
    bpy.app.translations.register(__name__, {"de_DE": german, "de": german})


def unregister():
    bpy.app.translations.unregister(__name__)
