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

AUTO = {
    "Auto": "Automatik",
    "When a setting, a key or a pose changes, simulate again in the background, from the frame where it matters, and "
    "show the frames as they come": (
        "Wenn sich eine Einstellung, ein Key oder eine Pose ändert, im Hintergrund neu simulieren, ab dem Frame, "
        "ab dem es etwas ausmacht, und die Frames zeigen, sobald sie da sind"
    ),
    "Run": "Ablauf",
    "Not simulated yet": "Noch nicht simuliert",
    "{part}, Esc stops": "{part}, Esc hält an",
    "Drag to pull · Enter keeps · Esc: cancel and restore": (
        "Ziehen zum Zupfen · Enter behält · Esc: abbrechen und zurück"
    ),
    "Keys keep the animation; turn off Show Simulation to pose and key": (
        "Keys behalten die Animation; Simulation zeigen ausschalten, um zu posieren"
    ),
    "How the character hangs in the world": "Wie die Figur in der Welt hängt",
    "Its root stays where it is, or follows its keys": "Ihre Wurzel bleibt, wo sie ist, oder folgt ihren Keys",
    "It moves freely, as a falling character": "Sie bewegt sich frei, wie eine fallende Figur",
}
