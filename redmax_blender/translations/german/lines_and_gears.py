"""Texts about ropes and rods, gears, belts, racks and screws."""

LINES_AND_GEARS = {
    "Belt": "Riemen",
    "First Radius": "Erster Radius",
    "Gravity": "Schwerkraft",
    "Pitch": "Steigung",
    "Rack": "Zahnstange",
    "Rope": "Tau",
    "Screw": "Schraube",
    "Second Radius": "Zweiter Radius",
    "Strut": "Strebe",
    "'{follower}' moves by {ratio} for each angle or length of '{leader}'": (
        "'{follower}' bewegt sich um {ratio} für jeden Winkel oder jede Länge von '{leader}'"
    ),
    "Select two joints, the one that follows last": "Zwei Gelenke auswählen, das folgende zuletzt",
    "A belt or chain around both: they turn the same way": (
        "Ein Riemen oder eine Kette um beide: sie drehen sich in dieselbe Richtung"
    ),
    "A wheel of teeth, and a slider that it moves along": "Ein Zahnrad und ein Schieber, den es bewegt",
    "Connect the selected objects or empties by a spring, a cable, a rope or a rod, the active one last": (
        "Die ausgewählten Objekte oder Empties durch eine Feder, ein Seil, ein Tau oder eine Stange verbinden, das "
        "aktive zuletzt"
    ),
    "How far a screw advances along the empty's X axis in a whole turn about it; negative for a left-handed thread": (
        "Wie weit eine Schraube bei einer ganzen Drehung entlang der X-Achse des Leerobjekts vorrückt; negativ bei "
        "Linksgewinde"
    ),
    "How much of gravity the body feels: 0 for none of it, 1 for all": (
        "Wie viel von der Schwerkraft der Körper spürt: 0 für nichts davon, 1 für alles"
    ),
    "How the curve holds its ends": "Wie die Kurve ihre Enden hält",
    "Its ends come no further apart than its length; it does not stretch": (
        "Seine Enden kommen nicht weiter auseinander, als es lang ist; es dehnt sich nicht"
    ),
    "Its ends come no nearer than its length": "Ihre Enden kommen sich nicht näher, als sie lang ist",
    "Its ends keep their distance, as on a massless rod between two ball joints": (
        "Ihre Enden behalten ihren Abstand, wie an einer masselosen Stange zwischen zwei Kugelgelenken"
    ),
    "Joint that this one moves with, as gears, belts and racks do: hinges, sliders, pistons and screws (by their "
    "angle). They keep the ratio exactly. Empty for none": (
        "Gelenk, mit dem sich dieses bewegt, wie Zahnräder, Riemen und Zahnstangen: Scharniere, Schieber, Kolben und "
        "Schrauben (nach ihrem Winkel). Sie halten das Verhältnis genau ein. Leer für keins"
    ),
    "Length without force, or of a rope, a rod or a strut; 0 for the length at the first frame": (
        "Länge ohne Kraft, oder die eines Taus, einer Stange oder Strebe; 0 für die Länge am ersten Frame"
    ),
    "Let the active joint move with the other selected one, as teeth, a belt or a rack make it": (
        "Das aktive Gelenk mit dem anderen ausgewählten bewegen, wie Zähne, ein Riemen oder eine Zahnstange es tun"
    ),
    "Of the wheel of the active joint, which follows; 0 for that of the teeth of its part, or what is left between the "
    "axes": (
        "Des Rades am aktiven Gelenk, das folgt; 0 für den der Zähne seines Teils, oder was zwischen den Achsen "
        "übrig ist"
    ),
    "Of the wheel of the joint that leads; 0 for that of the teeth of its part": (
        "Des Rades am führenden Gelenk; 0 für den der Zähne seines Teils"
    ),
    "Teeth on the outside: the wheels turn against each other": (
        "Zähne außen: die Räder drehen sich gegeneinander"
    ),
    "They turn about the empty's X axis and advance along it by the pitch for each turn": (
        "Sie drehen sich um die X-Achse des Leerobjekts und rücken mit jeder Drehung um die Steigung vor"
    ),
}

LINE_BUTTONS = {
    "Add Rod": "Stange hinzufügen",
    "Add Rope": "Tau hinzufügen",
    "Gear, Belt or Rack": "Zahnrad, Riemen oder Zahnstange",
}
