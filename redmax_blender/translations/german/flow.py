"""Texts about the loop of tweak and look: steps, automatic simulation, what plays."""

STEPS = {
    "Automatic Substeps": "Automatische Teilschritte",
    "As many steps a frame as the scene needs: few for a tail that swings, more for contacts, friction, stiff springs "
    "and loops": (
        "So viele Schritte je Frame, wie die Szene braucht: wenige für einen schwingenden Schwanz, mehr für Kontakte, "
        "Reibung, steife Federn und Schleifen"
    ),
    "Steps of the integrator a frame; more are more accurate and slower. A number that is given here switches "
    "Automatic off": (
        "Schritte des Integrators je Frame; mehr sind genauer und langsamer. Eine Zahl, die hier angegeben wird, "
        "schaltet Automatisch aus"
    ),
    "Chosen Substeps": "Gewählte Teilschritte",
    "Steps a frame of the last simulation, and 0 before the first one": (
        "Schritte je Frame der letzten Simulation, und 0 vor der ersten"
    ),
    "{count} a frame": "{count} je Frame",
}
