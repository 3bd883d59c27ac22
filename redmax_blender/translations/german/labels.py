"""What panels and the status bar say. Patterns keep their {names}."""

LABELS = {
    # Names with units
    "Stiffness (N·m/rad)": "Steifigkeit (N·m/rad)",
    "Damping (N·m·s/rad)": "Dämpfung (N·m·s/rad)",
    "Damping (s)": "Dämpfung (s)",
    "Density (kg/m³)": "Dichte (kg/m³)",
    "Mass (kg)": "Masse (kg)",
    "Drag (N·s/m)": "Widerstand (N·s/m)",
    "Drag (1/s)": "Widerstand (1/s)",
    "Wake on Impact (N·s)": "Erwachen beim Aufprall (N·s)",
    "Young's Modulus (Pa)": "Elastizitätsmodul (Pa)",
    "Speed (rad/s)": "Geschwindigkeit (rad/s)",
    "Speed (m/s)": "Geschwindigkeit (m/s)",
    "Stall Torque (N·m)": "Anlaufmoment (N·m)",
    "Stall Force (N)": "Anlaufkraft (N)",
    "Largest Torque (N·m)": "Größtes Drehmoment (N·m)",
    "Largest Force (N)": "Größte Kraft (N)",
    # Set Up
    "Select an armature": "Ein Skelett auswählen",
    "{count} physical bones, {mass} kg": "{count} physikalische Knochen, {mass} kg",
    "A physical bone, {mass} kg": "Ein physikalischer Knochen, {mass} kg",
    "helper: no skin follows it": "Hilfsknochen: Keine Haut folgt ihm",
    "left out by hand": "von Hand ausgelassen",
    # Bone
    "Only a bone that collides wakes (Contact)": "Nur ein kollidierender Knochen erwacht (Kontakt)",
    "Only Implicit Euler can hold limits": "Nur Euler implizit hält Grenzen ein",
    "Nothing is limited here": "Hier ist nichts begrenzt",
    # Mechanism
    "Add Example": "Beispiel hinzufügen",
    "Location": "Position",
    "Read from Blender's rigid body": "Von Blenders Starrkörper gelesen",
    "Read from Blender's rigid body constraint": "Von Blenders Starrkörper-Constraint gelesen",
    "It stands still or follows its animation": "Er steht still oder folgt seiner Animation",
    "It was cut: a constraint closes the loop here": "Geschnitten: Ein Constraint schließt hier die Schleife",
    # Joint Friction
    "Coefficient": "Reibungszahl",
    "Show Friction": "Reibung zeigen",
    "fixed": "fest",
    "revolute": "mit Drehgelenk",
    "universal": "mit Kardangelenk",
    "spherical": "mit Kugelgelenk",
    "prismatic": "mit Schubgelenk",
    "free": "frei",
    "a ball": "Kugel",
    "a cylinder about each axis": "Zylinder um jede Achse",
    "a cylinder about its axis": "Zylinder um die Achse",
    "a sleeve along its axis": "Hülse entlang der Achse",
    # Contact
    "Select a bone, a mesh object or an empty": "Knochen, Mesh-Objekt oder Empty auswählen",
    "Make a physical bone active": "Einen physikalischen Knochen aktivieren",
    "An empty has no faces: choose Ground": "Ein Empty hat keine Flächen: Boden wählen",
    "Bodies pass through it": "Körper gehen hindurch",
    "'{name}' deforms it: its bones collide instead": "'{name}' verformt es: Seine Knochen kollidieren",
    "Solid: {why}": "Fest: {why}",
    "Passive rigid body": "Passiver Starrkörper",
    "Anchored body": "Verankerter Körper",
    "Collision modifier": "Kollisions-Modifikator",
    "Friction and bounciness from Blender's rigid body": "Reibung und Sprungkraft von Blenders Starrkörper",
    # Flesh
    "{vertices} vertices, {tetrahedra} tetrahedra": "{vertices} Vertices, {tetrahedra} Tetraeder",
    "Angles {least}° to {greatest}°": "Winkel {least}° bis {greatest}°",
    "Attached to {names}": "Befestigt an {names}",
    "Attached to nothing": "An nichts befestigt",
    "As the cage's vertex groups say": "Wie die Vertexgruppen des Käfigs sagen",
    "Relative keys, as the mesh has keys of its own": "Relative Schlüssel, da das Mesh eigene hat",
    # Simulate
    "RedMax: preparing (compiles once after installation, up to a minute)": (
        "RedMax: Vorbereitung (kompiliert einmal nach der Installation, bis zu einer Minute)"
    ),
    "RedMax: frame {frame}, {done} of {total}. Esc stops and keeps them": (
        "RedMax: Frame {frame}, {done} von {total}. Esc beendet und behält sie"
    ),
    "The cache is missing; simulate again": "Der Cache fehlt; neu simulieren",
    "Cached: frames {first} to {last}, {size}": "Im Cache: Frames {first} bis {last}, {size}",
    "Cached: frames {first} to {last} of {end}, {size}": "Im Cache: Frames {first} bis {last} von {end}, {size}",
    "{count} bytes": "{count} Bytes",
    "Outdated: the scene has changed": "Veraltet: Die Szene hat sich geändert",
    "Gravity {strength} m/s²": "Schwerkraft {strength} m/s²",
    "No gravity (Scene properties)": "Keine Schwerkraft (Szene)",
    # Live
    "RedMax live: starting (compiles once after installation, up to a minute)": (
        "RedMax live: Start (kompiliert einmal nach der Installation, bis zu einer Minute)"
    ),
    # Diagnosis
    "{problem} at frame {frame}": "{problem} bei Frame {frame}",
    "It diverged": "Sie ist divergiert",
    "A step could not be solved": "Ein Schritt war nicht lösbar",
    "Its constraints cannot all hold": "Nicht alle Bedingungen sind erfüllbar",
    "First at {joint}": "Zuerst bei {joint}",
    "Use {count} Substeps": "{count} Teilschritte nehmen",
    "The report was removed": "Der Bericht wurde entfernt",
    "kinetic": "Bewegung",
    "gravity": "Schwerkraft",
    "springs": "Federn",
    # Bake, Overlay
    "point cache": "Punkt-Cache",
    "action removed": "Aktion entfernt",
    "Overlays of this view are off": "Einblendungen dieser Ansicht sind aus",
}
