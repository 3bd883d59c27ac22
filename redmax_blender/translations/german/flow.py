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
    "Automatic: {count} a frame": "Automatisch: {count} je Frame",
    "Energy {total}": "Energie {total}",
    "Friction {torque} in {joint}": "Reibung {torque} in {joint}",
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

WORDS = {
    "Default": "Standard",
    "Default Integrator": "Standardintegrator",
    "Fixed joints have no friction": "Feste Gelenke haben keine Reibung",
    "Free joints have no friction": "Freie Gelenke haben keine Reibung",
    "Friction radius {radius}, height {height}: {shape}": "Reibradius {radius}, Höhe {height}: {shape}",
    "Friction radius {radius}: {shape}": "Reibradius {radius}: {shape}",
    "Full torque or force at standstill, less the faster it goes, none at its top speed": (
        "Volles Drehmoment oder volle Kraft im Stillstand, weniger, je schneller es geht, keine bei "
        "Höchstgeschwindigkeit"
    ),
    "Inherit Velocity": "Geschwindigkeit übernehmen",
    "It moves rigidly with its parent, and keeps its own mass": (
        "Er bewegt sich starr mit seinem Parent und behält seine eigene Masse"
    ),
    "Keep the frames up to the current one, and re-simulate those after it": (
        "Die Frames bis zum aktuellen behalten und die danach neu simulieren"
    ),
    "Last frames of the range that blend into those of the pre-roll, so that the range loops seamlessly; 0 for "
    "none. The "
    "pre-roll must be as long": (
        "Letzte Frames des Bereichs, die in die des Vorlaufs übergehen, sodass der Bereich nahtlos in Schleife "
        "läuft; 0 für "
        "keine. Der Vorlauf muss so lang sein"
    ),
    "Lock to Parent": "An Parent binden",
    "One axis: limits bounce, and have no friction": "Eine Achse: Grenzen federn zurück und haben keine Reibung",
    "Loop Closure": "Schleifenschluss",
    "Loop Closures": "Schleifenschlüsse",
    "Loops close at {joints}": "Schleifen schließen sich bei {joints}",
    "Loops close at {joints} and {more} more": "Schleifen schließen sich bei {joints} und {more} weiteren",
    "Object to follow with a point of the bone, whatever the joints above it have to do for that": (
        "Objekt, dem ein Punkt des Knochens folgt, was auch immer die Gelenke darüber dafür tun müssen"
    ),
    "Object to follow: the point of the body where it is at the first frame follows it exactly": (
        "Objekt, dem gefolgt wird: Der Punkt des Körpers, an dem es am ersten Frame ist, folgt ihm genau"
    ),
    "Play the simulation in the 3D view, and pull at bones and bodies with the mouse. Esc cancels and restores "
    "everything; "
    "Enter keeps what was played in the cache": (
        "Die Simulation in der 3D-Ansicht spielen und mit der Maus an Knochen und Körpern ziehen. Esc bricht ab "
        "und stellt "
        "alles wieder her; Enter behält das Gespielte im Cache"
    ),
    "Radius of the joint's ball or cylinder, at which friction acts. 0 for half the radius of the body that it "
    "carries": (
        "Radius der Kugel oder des Zylinders, an dem die Reibung wirkt. 0 für den halben Radius des Körpers, den "
        "es trägt"
    ),
    "RedMax live: {rate} fps, {speed} of real time. Drag to pull · Enter keeps · Esc: cancel and restore": (
        "RedMax live: {rate} fps, {speed} der Echtzeit. Ziehen mit der Maus · Enter behält · Esc: abbrechen und zurück"
    ),
    "The integrator is the default one": "Der Integrator ist jetzt der Standard",
    "Torque Drops with Speed": "Drehmoment fällt mit der Drehzahl",
    "Use the Default Integrator": "Standardintegrator nehmen",
    "Whether this joint may close a loop of joints as a constraint, instead of being part of the tree": (
        "Ob dieses Gelenk eine Schleife als Bedingung schließen darf, statt Teil des Baums zu sein"
    ),
    "Which point of the bone follows": "Welcher Punkt des Knochens folgt",
    "Whole character, from this frame": "Ganze Figur, ab diesem Frame",
}
WORD_BUTTONS = {"Re-simulate From Here": "Ab hier neu simulieren"}
