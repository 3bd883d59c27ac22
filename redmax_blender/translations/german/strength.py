"""Texts about torques, pushes and start speeds, and about goals of keys, poses and of what is to be fitted."""

STRENGTH = {
    # Control and Body
    "Torque in the bone's joint, in N·m: about the axis of a hinge (the first number), the two axes of a universal "
    "joint, or the three of a ball joint; a force in N along a slider. Can be keyed": (
        "Drehmoment im Gelenk des Knochens, in N·m: um die Achse eines Scharniers (die erste Zahl), die zwei Achsen "
        "eines Kreuzgelenks oder die drei eines Kugelgelenks; eine Kraft in N entlang eines Schiebers. Kann gekeyt "
        "werden"
    ),
    "Push": "Stoß",
    "Push (N)": "Stoß (N)",
    "Force on the middle of the bone's body along the world's axes, in N. Can be keyed": (
        "Kraft auf die Mitte des Körpers des Knochens entlang der Achsen der Welt, in N. Kann gekeyt werden"
    ),
    "Force on the middle of the object's body along the world's axes, in N. Can be keyed": (
        "Kraft auf die Mitte des Körpers des Objekts entlang der Achsen der Welt, in N. Kann gekeyt werden"
    ),
    "Own Start Speeds": "Eigene Startgeschwindigkeiten",
    "The joint starts with the speeds given here, instead of those of the animation before the first frame": (
        "Das Gelenk beginnt mit den hier angegebenen Geschwindigkeiten statt mit denen der Animation vor dem ersten "
        "Frame"
    ),
    "Start Speeds": "Startgeschwindigkeiten",
    "How fast each coordinate of the joint changes at the first frame: angles in rad/s, lengths in m/s; a free joint "
    "has three of its place and then three of its rotation": (
        "Wie schnell sich jede Koordinate des Gelenks beim ersten Frame ändert: Winkel in rad/s, Längen in m/s; ein "
        "freies Gelenk hat drei seines Orts und dann drei seiner Drehung"
    ),
    # Goals
    "Keyed Pose": "Gekeyte Pose",
    "The armature, or its bone, is posed at the frame as it is keyed there": (
        "Die Armatur, oder ihr Knochen, hat beim Frame die Pose, die dort gekeyt ist"
    ),
    "Pass Keys": "Durch die Keys",
    "The armature, or its bone, is posed as it is keyed at each frame that has keys": (
        "Die Armatur, oder ihr Knochen, hat bei jedem Frame mit Keys die gekeyte Pose"
    ),
    "Resemble Keys": "Den Keys gleichen",
    "The armature, or its bone, moves as it is keyed, at all frames": (
        "Die Armatur, oder ihr Knochen, bewegt sich bei allen Frames so, wie es gekeyt ist"
    ),
    # Changes
    "Start Place": "Startort",
    "Where the body is at the first frame": "Wo der Körper beim ersten Frame ist",
    "How fast the joints of the bones move at the first frame": (
        "Wie schnell sich die Gelenke der Knochen beim ersten Frame bewegen"
    ),
    "A force on the body or bone at a frame": "Eine Kraft auf den Körper oder Knochen bei einem Frame",
    "Joint Torques": "Drehmomente der Gelenke",
    "Torques in the joints of the bones, over time": "Drehmomente in den Gelenken der Knochen, über die Zeit",
    "How much the muscle is excited, over time": "Wie sehr der Muskel erregt ist, über die Zeit",
    "A factor for the stiffness of the bones' joints": "Ein Faktor für die Steifigkeit der Gelenke der Knochen",
    "A factor for the damping of the bones' joints": "Ein Faktor für die Dämpfung der Gelenke der Knochen",
    "A factor for the mass of the body or of the bones": "Ein Faktor für die Masse des Körpers oder der Knochen",
    "The body, the armature of the bones or the muscle whose setting may change": (
        "Der Körper, die Armatur der Knochen oder der Muskel, dessen Einstellung sich ändern darf"
    ),
    "The bone that it is about; all physical bones when empty": (
        "Der Knochen, um den es geht; alle physikalischen Knochen, wenn leer"
    ),
    "From Frame": "Ab Frame",
    "First frame of the push": "Erster Frame des Stoßes",
    "How many frames the push takes": "Wie viele Frames der Stoß dauert",
    "Knots": "Stützstellen",
    "How many keys the curve gets, evenly over the simulation's range": (
        "Wie viele Keys die Kurve bekommt, gleichmäßig über den Bereich der Simulation"
    ),
    "Largest value that may be tried, in m, m/s, rad/s, N, N·m or without unit; of a factor also, how small it may "
    "become": (
        "Größter Wert, der versucht werden darf, in m, m/s, rad/s, N, N·m oder ohne Einheit; bei einem Faktor auch, "
        "wie klein er werden darf"
    ),
    # How to search
    "Effort": "Anstrengung",
    "How much the squares of torques and excitations count against the goals, as fractions of their largest values: "
    "with more of it, less strength is used": (
        "Wie viel die Quadrate von Drehmomenten und Erregungen gegen die Ziele zählen, als Teile ihrer größten Werte: "
        "Mit mehr davon wird weniger Kraft gebraucht"
    ),
    "Method": "Methode",
    "How to search": "Wie gesucht wird",
    "By gradients, at random where things touch, and by least squares for what is to resemble keys": (
        "Mit Gradienten, zufällig, wo sich etwas berührt, und mit kleinsten Quadraten für das, was Keys gleichen soll"
    ),
    "Gradients": "Gradienten",
    "Along the derivatives of the whole simulation: for many numbers, and what moves smoothly": (
        "Entlang der Ableitungen der ganzen Simulation: für viele Zahlen, und was sich glatt bewegt"
    ),
    "Least Squares": "Kleinste Quadrate",
    "By the change of every distance with every number: for few numbers": (
        "Mit der Änderung jedes Abstands mit jeder Zahl: für wenige Zahlen"
    ),
    "At Random": "Zufällig",
    "At random about the best so far, in the directions that do well: for impacts, rolling and sliding": (
        "Zufällig um das bisher Beste, in den Richtungen, die gut sind: für Stöße, Rollen und Gleiten"
    ),
    # Setting goals up
    "Set up goals for the keys of the active armature, in place of the goals that there are": (
        "Ziele für die Keys der aktiven Armatur einrichten, anstelle der Ziele, die es gibt"
    ),
    "In-Betweens": "Zwischenposen",
    "Between its keyed poses the armature moves by physics with the least torques, and passes through them": (
        "Zwischen ihren gekeyten Posen bewegt sich die Armatur physikalisch mit den geringsten Drehmomenten, und geht "
        "durch sie hindurch"
    ),
    "Fit": "Anpassen",
    "Stiffness and damping are found with which the armature moves most as it is keyed": (
        "Steifigkeit und Dämpfung werden gefunden, mit denen sich die Armatur am ehesten so bewegt, wie sie gekeyt ist"
    ),
    # Messages
    "Choose an armature with physical bones": "Wähle eine Armatur mit physikalischen Knochen",
    "Look the goals over, and press Solve": "Sieh die Ziele durch, und drücke Lösen",
    "Goal {number} is missed by {off} m: let more change, or ask for less": (
        "Ziel {number} wird um {off} m verfehlt: Lasse mehr sich ändern, oder verlange weniger"
    ),
}

STRENGTH_BUTTONS = {"In-Betweens": "Zwischenposen", "Fit": "Anpassen", "Set Up Goals": "Ziele einrichten"}
