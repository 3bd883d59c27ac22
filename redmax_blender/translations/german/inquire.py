"""Texts about Inquire."""

INQUIRE = {
    "Arrow Size": "Pfeilgröße",
    "Arrows": "Pfeile",
    "Press Inquire first": "Erst 'Befragen' drücken",
    "Inquiring: frame {done} of {total}. Esc stops": "Wird befragt: Frame {done} von {total}. Esc hält an",
    "{count} frames of {names}": "{count} Frames von {names}",
    "Figures are custom properties of '{name}'": "Die Werte sind eigene Eigenschaften von '{name}'",
    "Wrote {count} frames to '{path}'": "{count} Frames nach '{path}' geschrieben",
    "Along the axes of the world": "Entlang der Achsen der Welt",
    "Along the axes of the joint": "Entlang der Achsen des Gelenks",
    "Along the principal axes of the body that the joint carries": (
        "Entlang der Hauptachsen des Körpers, den das Gelenk trägt"
    ),
    "Along which axes forces and torques in joints are told": (
        "Entlang welcher Achsen Kräfte und Drehmomente in Gelenken angegeben werden"
    ),
    "Bake what was inquired as animated custom properties, for the Graph Editor": (
        "Was befragt wurde, als animierte eigene Eigenschaften backen, für den Graph-Editor"
    ),
    "Draw forces, torques, tensions and momentum as arrows over the 3D view": (
        "Kräfte, Drehmomente, Spannungen und Impuls als Pfeile über der 3D-Ansicht zeichnen"
    ),
    "How forces are told and drawn": "Wie Kräfte angegeben und gezeichnet werden",
    "Length of the arrow of the largest force in the range; torques and momenta have a measure of their own": (
        "Länge des Pfeils der größten Kraft im Bereich; Drehmomente und Impulse haben ihr eigenes Maß"
    ),
    "Tell what the selected bodies, bones, joints, springs, muscles and colliders feel, at all frames of the "
    "simulation: reactions, tensions, friction used and available, contact forces, energy, momentum": (
        "Sagen, was die ausgewählten Körper, Knochen, Gelenke, Federn, Muskeln und Kollisionsobjekte spüren, an allen "
        "Frames der Simulation: Reaktionen, Spannungen, genutzte und verfügbare Reibung, Kontaktkräfte, Energie, Impuls"
    ),
    "Write what was inquired as a table (CSV), a line for each frame": (
        "Was befragt wurde, als Tabelle schreiben (CSV), eine Zeile für jeden Frame"
    ),
    "Inquire": "Befragen",
}

INQUIRE_BUTTONS = {
    "Graph Inquiry": "Befragung als Graph",
    "Inquire": "Befragen",
    "Save Table": "Tabelle speichern",
}
