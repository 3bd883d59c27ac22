"""Texts about goals: what a simulation is to reach, and what may change for that."""

GOALS = {
    "Goals": "Ziele",
    # What is wanted
    "Goal": "Ziel",
    "What is wanted": "Was gewünscht ist",
    "Reach": "Erreichen",
    "It is where the target is, at the frame": "Es ist beim Frame dort, wo das Zielobjekt ist",
    "Come to Rest": "Zur Ruhe kommen",
    "It stands still at the frame": "Es steht beim Frame still",
    "Of": "Von",
    "The body, or the armature of the bone": "Der Körper, oder die Armatur des Knochens",
    "The bone whose tip the goal is about": "Der Knochen, um dessen Spitze es geht",
    "Where it is to be at the frame": "Wo es beim Frame sein soll",
    "At Frame": "Beim Frame",
    "When it is wanted; a frame of the simulation's range": (
        "Wann es gewünscht ist; ein Frame des Bereichs der Simulation"
    ),
    "How much this goal counts against the others, without unit": (
        "Wie viel dieses Ziel gegen die anderen zählt, ohne Einheit"
    ),
    # What may change
    "What": "Was",
    "What may change": "Was sich ändern darf",
    "Start Velocity": "Startgeschwindigkeit",
    "How fast the body flies at the first frame": "Wie schnell der Körper beim ersten Frame fliegt",
    "Start Spin": "Startdrehung",
    "How fast the body turns at the first frame": "Wie schnell sich der Körper beim ersten Frame dreht",
    "The coefficient of friction of the body's surface": "Der Reibungskoeffizient der Oberfläche des Körpers",
    "Of Body": "Von Körper",
    "Largest": "Größtes",
    # The scene's
    "Goals of the Scene": "Ziele der Szene",
    "What the simulation is to reach, and what may change for that": (
        "Was die Simulation erreichen soll, und was sich dafür ändern darf"
    ),
    "What the simulation is to reach": "Was die Simulation erreichen soll",
    "May Change": "Darf sich ändern",
    "What may change to reach it": "Was sich ändern darf, um es zu erreichen",
    "Search Steps": "Suchschritte",
    "Steps of the search, at most; each takes some simulations": (
        "Schritte der Suche, höchstens; jeder braucht einige Simulationen"
    ),
    # Buttons
    "Add a goal: the active object or bone reaches the other selected object at the current frame": (
        "Ein Ziel hinzufügen: Das aktive Objekt oder der Knochen erreicht das andere ausgewählte Objekt beim "
        "aktuellen Frame"
    ),
    "Add something that may change to reach the goals: at first the start velocity of the active object": (
        "Etwas hinzufügen, das sich für die Ziele ändern darf: zunächst die Startgeschwindigkeit des aktiven Objekts"
    ),
    "Remove this entry": "Diesen Eintrag entfernen",
    "Index": "Nummer",
    "Number of the entry, from 0 on": "Nummer des Eintrags, von 0 an",
    "Of Changes": "Von Änderungen",
    "An entry of what may change, not a goal": "Ein Eintrag dessen, was sich ändern darf, kein Ziel",
    "Simulate again and again with other values of what may change until the goals are met, and key the best; Esc "
    "stops and keeps the best so far": (
        "Immer wieder mit anderen Werten dessen simulieren, was sich ändern darf, bis die Ziele erreicht sind, und das "
        "Beste keyen; Esc hält an und behält das bisher Beste"
    ),
    # Messages
    "RedMax: {runs} simulations, off by {now} of {first}. Esc keeps the best": (
        "RedMax: {runs} Simulationen, Abweichung {now} von {first}. Esc behält das Beste"
    ),
    "There is no such entry": "Einen solchen Eintrag gibt es nicht",
    "Stopped before the first simulation was done": "Vor dem Ende der ersten Simulation angehalten",
    "Nothing better was found: nothing has changed": "Nichts Besseres wurde gefunden: nichts hat sich geändert",
    "Off by {now} of {first} after {runs} simulations; keyed {names}: press Simulate": (
        "Abweichung {now} von {first} nach {runs} Simulationen; {names} gekeyt: Drücke Simulieren"
    ),
}

GOAL_BUTTONS = {
    "Add Goal": "Ziel hinzufügen",
    "Add Change": "Änderung hinzufügen",
    "Remove Goal": "Ziel entfernen",
    "Solve": "Lösen",
}
