"""What buttons say when they are pressed, and why they are grey. Patterns keep their {names}."""

MESSAGES = {
    "'{name}' is now soft: {cage}": "'{name}' ist jetzt weich: {cage}",
    "'{name}' is now soft: {mass} kg, {young} Pa; its modifier '{modifier}' is switched off, and Clear Soft "
    "switches it on again": (
        "'{name}' ist jetzt weich: {mass} kg, {young} Pa; sein Modifikator '{modifier}' ist aus, "
        "'Nicht mehr weich' schaltet ihn wieder ein"
    ),
    "'{name}' is soft: {cage}": "'{name}' ist weich: {cage}",
    "'{name}' is solid below its plane": "'{name}' ist unter seiner Ebene fest",
    "'{name}': its goal has no vertex group, so no part is pinned; the bones carry the flesh around them": (
        "'{name}': Sein Ziel hat keine Vertexgruppe, also ist nichts angeheftet; die Knochen tragen die "
        "Weichteile um sie herum"
    ),
    "'{name}': {count} bones are no longer physical": "'{name}': {count} Knochen sind nicht mehr physikalisch",
    "'{name}': {count} physical bone ({joints}), {mass} kg": (
        "'{name}': {count} physikalischer Knochen ({joints}), {mass} kg"
    ),
    "'{name}': {count} physical bones ({joints}), {mass} kg": (
        "'{name}': {count} physikalische Knochen ({joints}), {mass} kg"
    ),
    "1 mesh is no longer soft": "1 Mesh ist nicht mehr weich",
    "1 object is {role}": "1 Objekt: {role}",
    "A simulation is running": "Eine Simulation läuft",
    "Added '{name}' between {ends}": "'{name}' zwischen {ends} hinzugefügt",
    "Added {count} bodies in collection '{name}'": "{count} Körper in Sammlung '{name}' hinzugefügt",
    "Added {names}. Press Simulate in the RedMax tab": "Hinzugefügt: {names}. Jetzt 'Simulieren' im Reiter RedMax",
    "Baked 1 object into {names}": "1 Objekt gebacken in {names}",
    "Baked {count} objects into {names}": "{count} Objekte gebacken in {names}",
    "Baked {count} objects into {names} and {more} more": "{count} Objekte gebacken in {names} und {more} weitere",
    "Bones that are {mode} from frame {frame} on: {count}": "Knochen, ab Frame {frame} {mode}: {count}",
    "Bones that are {mode}: {count}": "Knochen, {mode}: {count}",
    "Cages removed: {count}; attachment is automatic": "Käfige entfernt: {count}; die Befestigung ist automatisch",
    "Copied the settings of '{name}' to {count} bones": "Einstellungen von '{name}' auf {count} Knochen kopiert",
    "Copied {what} of '{name}' to {count} others": "{what} von '{name}' auf {count} andere kopiert",
    "Delete the bake first": "Erst das Gebackene löschen",
    "Deleted the bake of {names}": "Gebackenes gelöscht von {names}",
    "Deleted the bake of {names} and {more} more": "Gebackenes gelöscht von {names} und {more} weiteren",
    "Energies and torques are custom properties of '{name}'": (
        "Energien und Drehmomente sind eigene Eigenschaften von '{name}'"
    ),
    "Freed the cache of 1 object": "Cache von 1 Objekt geleert",
    "Freed the cache of {count} objects": "Cache von {count} Objekten geleert",
    "Go to object mode": "In den Objektmodus wechseln",
    "It is baked; Delete Bake to bake again": "Schon gebacken; 'Gebackenes löschen', um neu zu backen",
    "It is linked from a library: make a library override of it first (Object > Library Override > Make)": (
        "Aus einer Bibliothek verknüpft: erst ein Library Override davon machen (Objekt > Library Override > "
        "Erstellen)"
    ),
    "Kept frames {first} to {last}": "Frames {first} bis {last} behalten",
    "Leave edit mode (Tab)": "Bearbeitungsmodus verlassen (Tab)",
    "Make a bone active": "Einen Knochen aktivieren",
    "Make a bone active in pose mode": "Einen Knochen im Posenmodus aktivieren",
    "Make an object active": "Ein Objekt aktivieren",
    "No bone is active whose settings could be kept": (
        "Kein Knochen ist aktiv, dessen Einstellungen man behalten könnte"
    ),
    "No bone is physical and no object is an active body": (
        "Kein Knochen ist physikalisch und kein Objekt ein aktiver Körper"
    ),
    "No bone is physical and no object is an active body: select an armature and press Make Physical, or "
    "make mesh objects bodies in the Body panel": (
        "Kein Knochen ist physikalisch und kein Objekt ein aktiver Körper: ein Skelett auswählen und "
        "'Physikalisch machen' drücken, oder Mesh-Objekte im Panel 'Körper' zu Körpern machen"
    ),
    "No bone is physical and no object is an active body: set something up first": (
        "Kein Knochen ist physikalisch und kein Objekt ein aktiver Körper: erst etwas einrichten"
    ),
    "No cage of a selected soft mesh is shown": "Von keinem ausgewählten weichen Mesh ist ein Käfig zu sehen",
    "No other bone is selected: select some with Shift": (
        "Kein anderer Knochen ist ausgewählt: weitere mit Umschalt auswählen"
    ),
    "No physical bone is in '{name}'": "Kein physikalischer Knochen ist in '{name}'",
    "No physical bone is selected": "Kein physikalischer Knochen ist ausgewählt",
    "No physical bone is there": "Es gibt keinen physikalischen Knochen",
    "No selected mesh has a Soft Body modifier": "Kein ausgewähltes Mesh hat einen Weichkörper-Modifikator",
    "No selected mesh is soft": "Kein ausgewähltes Mesh ist weich",
    "No simulated object is selected": "Kein simuliertes Objekt ist ausgewählt",
    "Nothing else is selected: select more with Shift": (
        "Nichts anderes ist ausgewählt: weiteres mit Umschalt auswählen"
    ),
    "Nothing has been simulated": "Nichts ist simuliert",
    "Nothing is active whose settings could be kept": "Nichts ist aktiv, dessen Einstellungen man behalten könnte",
    "Nothing is baked": "Nichts ist gebacken",
    "Nothing is known that would help": "Nichts Hilfreiches ist bekannt",
    "Play Live needs a 3D view: press its button there": (
        "'Live spielen' braucht eine 3D-Ansicht: den Knopf dort drücken"
    ),
    "Select an armature with physical bones": "Ein Skelett mit physikalischen Knochen auswählen",
    "Select mesh objects": "Mesh-Objekte auswählen",
    "Select the two objects or empties at its ends": "Die zwei Objekte oder Empties an den Enden auswählen",
    "Select two bodies, or one to hold it on the world": (
        "Zwei Körper auswählen, oder einen, um ihn an der Welt zu halten"
    ),
    "Simulate first": "Erst simulieren",
    "Simulated frames {first} to {last}": "Frames {first} bis {last} simuliert",
    "Stopped before the first frame": "Vor dem ersten Frame beendet",
    "Stopped: frames {first} to {last} are kept": "Beendet: Frames {first} bis {last} sind behalten",
    "The active object is no armature with physical bones": (
        "Das aktive Objekt ist kein Skelett mit physikalischen Knochen"
    ),
    "The last simulation did not fail": "Die letzte Simulation ist nicht gescheitert",
    "There is no report; press Make Physical": "Es gibt keinen Bericht; 'Physikalisch machen' drücken",
    "There is no report; simulate first": "Es gibt keinen Bericht; erst simulieren",
    "Wrote {count} bodies to '{path}'": "{count} Körper nach '{path}' geschrieben",
    "a person of {bodies} bodies, a flight of stairs and a platform that its keys move": (
        "ein Mensch aus {bodies} Körpern, eine Treppe und eine Plattform, die ihre Keyframes bewegen"
    ),
    "a point cache": "einen Punkt-Cache",
    "an armature of {bones} bones, a skin and {leads} empties that its fingertips follow": (
        "ein Skelett mit {bones} Knochen, eine Haut und {leads} Empties, denen seine Fingerspitzen folgen"
    ),
    "an armature of {bones} bones, a soft skin and {leads} empties that lead it": (
        "ein Skelett mit {bones} Knochen, eine weiche Haut und {leads} Empties, die es führen"
    ),
    "an armature of {bones} guided bones and its skin; gravity is off": (
        "ein Skelett mit {bones} geführten Knochen und seine Haut; die Schwerkraft ist aus"
    ),
    "{bodies} bodies, {joints} joints and {springs} springs": (
        "{bodies} Körper, {joints} Gelenke und {springs} Federn"
    ),
    "{count} meshes are no longer soft": "{count} Meshes sind nicht mehr weich",
    "{count} objects are {role}": "{count} Objekte: {role}",
    "{count} substeps a frame": "{count} Teilschritte pro Frame",
    "{summary}. Details in the text '{name}'": "{summary}. Einzelheiten im Text '{name}'",
    "{vertices} vertices, {tetrahedra} tetrahedra, angles {least}° to {greatest}°": (
        "{vertices} Vertices, {tetrahedra} Tetraeder, Winkel {least}° bis {greatest}°"
    ),
    "{what}. Press Simulate": "{what}. Jetzt 'Simulieren'",
}
