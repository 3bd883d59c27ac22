"""Tooltips of settings."""

SETTING_TIPS = {
    "A chain of bodies with this collides with itself, and with other tubes, as one smooth tube around a "
    "spline through its joints, rather than body by body: for tails, tentacles, ropes and snakes": (
        "Eine Kette solcher Körper kollidiert mit sich selbst und mit anderen Schläuchen als ein glatter "
        "Schlauch um eine Spline durch ihre Gelenke statt Körper für Körper: für Schwänze, Tentakel, Seile "
        "und Schlangen"
    ),
    "A horizontal floor of springs and dampers carries the flesh: quick, and soft": (
        "Ein waagerechter Boden aus Federn und Dämpfern trägt die Weichteile: schnell und nachgiebig"
    ),
    "A keyframed or guided bone becomes free when something that collides strikes it with more than this "
    "impulse (mass × speed), in N·s; 0 for never. Bones with this that hang together wake together, and stay "
    "free until a key takes them back": (
        "Ein animierter oder geführter Knochen wird frei, wenn ihn etwas Kollidierendes mit mehr als diesem "
        "Impuls (Masse × Geschwindigkeit) trifft, in N·s; 0 für nie. Zusammenhängende Knochen mit dieser "
        "Einstellung erwachen gemeinsam und bleiben frei, bis ein Keyframe sie zurückholt"
    ),
    "A live simulation plays": "Eine Live-Simulation spielt",
    "A motor drives the joint": "Ein Motor treibt das Gelenk an",
    "A simulation is under way": "Eine Simulation ist im Gange",
    "About how many vertices the cage of tetrahedra has; more are finer and slower": (
        "Wie viele Vertices der Käfig aus Tetraedern ungefähr hat; mehr sind feiner und langsamer"
    ),
    "Active bone in the list of physical bones; choosing one makes it active in pose mode too": (
        "Aktiver Knochen in der Liste physikalischer Knochen; wer einen wählt, aktiviert ihn auch im Posenmodus"
    ),
    "Angle that a keyframed motor turns the second object to against the first. Key it; the angle at the "
    "first frame stands for how they are then": (
        "Winkel, auf den ein animierter Motor das zweite Objekt gegen das erste dreht. Mit Keyframes "
        "versehen; der Winkel am ersten Frame steht für die Stellung dort"
    ),
    "Angles about the bone's axes at which the spring is at rest; a spherical joint reads them as a rotation "
    "vector": (
        "Winkel um die Achsen des Knochens, bei denen die Feder in Ruhe ist; ein Kugelgelenk liest sie als "
        "Rotationsvektor"
    ),
    "Another bone whose hinge this one turns with": "Ein anderer Knochen, mit dessen Scharnier sich dieses dreht",
    "Another joint that this one moves with": "Ein anderes Gelenk, mit dem sich dieses bewegt",
    "Armature or body that carries the flesh; when empty, the armature of its Armature modifier, or its parent": (
        "Skelett oder Körper, der die Weichteile trägt; wenn leer, das Skelett des Skelett-Modifikators oder "
        "das Elternobjekt"
    ),
    "Axes of the joints, and how far their limits let them turn": (
        "Achsen der Gelenke und wie weit ihre Grenzen sie drehen lassen"
    ),
    "Axis of the joint in the bone's frame; its length does not matter": (
        "Achse des Gelenks im Bezugssystem des Knochens; ihre Länge ist gleich"
    ),
    "Axis of the joint, in the bone's own frame; the first one of a universal joint": (
        "Achse des Gelenks im Bezugssystem des Knochens; die erste eines Kardangelenks"
    ),
    "Blender's rigid body world was switched off": "Blenders Starrkörperwelt wurde ausgeschaltet",
    "Bone of the same armature whose hinge this one turns with; both become one coordinate of the "
    "simulation, exactly. Empty for none": (
        "Knochen desselben Skeletts, mit dessen Scharnier sich dieses dreht; beide werden genau eine "
        "Koordinate der Simulation. Leer für keinen"
    ),
    "Bones and bodies start with the velocity that their animation has when the first frame is reached; "
    "otherwise at rest": (
        "Knochen und Körper starten mit der Geschwindigkeit, die ihre Animation beim ersten Frame hat; sonst in Ruhe"
    ),
    "Bones of this armature collide with each other, except those that a joint connects or that overlap at "
    "the start": (
        "Knochen dieses Skeletts kollidieren miteinander, außer denen, die ein Gelenk verbindet oder die sich "
        "am Anfang überschneiden"
    ),
    "Coefficient of dry friction between the two halves of the joint, without unit; 0 for none. The friction "
    "torque is coefficient × radius × the force that presses the halves together": (
        "Reibungszahl zwischen den beiden Hälften des Gelenks, ohne Einheit; 0 für keine. Das Reibmoment ist "
        "Reibungszahl × Radius × Kraft, die die Hälften zusammendrückt"
    ),
    "Coefficient of friction at the joint's limits, without unit; 0 for none. While the joint is pressed "
    "against a limit, its other motions are slowed by coefficient × what it is pressed with": (
        "Reibungszahl an den Grenzen des Gelenks, ohne Einheit; 0 für keine. Solange das Gelenk gegen eine "
        "Grenze drückt, werden seine anderen Bewegungen mit Reibungszahl × Druck gebremst"
    ),
    "Coefficient of friction of the surface, without unit. Where two surfaces touch, the geometric mean of "
    "both counts": (
        "Reibungszahl der Oberfläche, ohne Einheit. Wo sich zwei Oberflächen berühren, gilt das geometrische Mittel"
    ),
    "Coefficient while the joint is at rest, without unit. When it is below Friction, that holds at rest as well": (
        "Reibungszahl, solange das Gelenk ruht, ohne Einheit. Liegt sie unter 'Reibung', gilt diese auch in Ruhe"
    ),
    "Constraints that were muted because they would override the simulated motion, one a line": (
        "Constraints, die stumm sind, weil sie die simulierte Bewegung überschreiben würden, eins pro Zeile"
    ),
    "Constraints that were muted because they would override the simulated pose, one a line": (
        "Constraints, die stumm sind, weil sie die simulierte Pose überschreiben würden, eins pro Zeile"
    ),
    "Damping of the guide: below 1 the bone swings past its animation, above 1 it lags": (
        "Dämpfung der Führung: Unter 1 schwingt der Knochen über seine Animation hinaus, über 1 hinkt er nach"
    ),
    "Density of the body, in kg/m³ (water and flesh: 1000)": (
        "Dichte des Körpers, in kg/m³ (Wasser und Fleisch: 1000)"
    ),
    "Density of the body, in kg/m³ (water: 1000)": "Dichte des Körpers, in kg/m³ (Wasser: 1000)",
    "Density, in kg/m³ (water and flesh: 1000)": "Dichte, in kg/m³ (Wasser und Fleisch: 1000)",
    "Distance from the axis at which a limit rubs, where the joint both turns and slides. 0 for the friction "
    "radius": (
        "Abstand von der Achse, in dem eine Grenze reibt, wenn sich das Gelenk sowohl dreht als auch "
        "schiebt. 0 für den Reibradius"
    ),
    "Distance that a keyframed motor moves the second object to against the first. Key it; the distance at "
    "the first frame stands for how they are then": (
        "Abstand, auf den ein animierter Motor das zweite Objekt gegen das erste bewegt. Mit Keyframes "
        "versehen; der Abstand am ersten Frame steht für die Stellung dort"
    ),
    "Draw bodies, joints and contacts of the simulation over the 3D view": (
        "Körper, Gelenke und Kontakte der Simulation über die 3D-Ansicht zeichnen"
    ),
    "Draw only what belongs to selected bones and objects": (
        "Nur zeichnen, was zu ausgewählten Knochen und Objekten gehört"
    ),
    "Draw through objects, rather than only where they do not hide it": (
        "Durch Objekte hindurch zeichnen, statt nur dort, wo sie es nicht verdecken"
    ),
    "First body; empty for the world": "Erster Körper; leer für die Welt",
    "First frame of the simulation; the pose at this frame is where it starts": (
        "Erster Frame der Simulation; sie beginnt in der Pose dieses Frames"
    ),
    "Folder for baked point caches; // is the folder of the .blend file": (
        "Ordner für gebackene Punkt-Caches; // ist der Ordner der .blend-Datei"
    ),
    "Folder for simulation results; // is the folder of the .blend file": (
        "Ordner für Ergebnisse der Simulation; // ist der Ordner der .blend-Datei"
    ),
    "Force against a change of length, in N·s/m": "Kraft gegen eine Änderung der Länge, in N·s/m",
    "Force against the motion, in N·s/m": "Kraft gegen die Bewegung, in N·s/m",
    "Force for a metre of stretch, in N/m": "Kraft für einen Meter Dehnung, in N/m",
    "Formula that advances the simulation in time": "Formel, mit der die Simulation in der Zeit fortschreitet",
    "Frame at which it failed": "Frame, bei dem sie scheiterte",
    "Frames from one shape key to the next; in between, the mesh moves straight from one to the other": (
        "Frames von einem Formschlüssel zum nächsten; dazwischen bewegt sich das Mesh gerade von einem zum anderen"
    ),
    "Frames that a bone takes to return to its animation when it becomes keyframed; 0: at once": (
        "Frames, die ein Knochen zurück zu seiner Animation braucht, wenn er animiert wird; 0: sofort"
    ),
    "Frames that are simulated before the first one and not kept, so that motion has settled by then. They "
    "begin in the pose that the animation has so many frames earlier": (
        "Frames, die vor dem ersten simuliert und nicht behalten werden, damit die Bewegung sich bis dahin "
        "beruhigt. Sie beginnen in der Pose, die die Animation so viele Frames früher hat"
    ),
    "Friction inside the joint": "Reibung im Gelenk",
    "Height of the floor": "Höhe des Bodens",
    "How deep the flesh sinks into the floor where it lies at rest, about: shallower is stiffer": (
        "Wie tief die Weichteile etwa in den Boden sinken, wo sie ruhig liegen: flacher ist steifer"
    ),
    "How far this hinge turns for each angle of the other one; negative for the opposite direction": (
        "Wie weit sich dieses Scharnier pro Winkel des anderen dreht; negativ für die Gegenrichtung"
    ),
    "How far this joint moves for each angle, or length, of the other one; negative for the opposite direction": (
        "Wie weit sich dieses Gelenk pro Winkel oder Länge des anderen bewegt; negativ für die Gegenrichtung"
    ),
    "How fast a guided bone closes a gap to its animation, in seconds: shorter is stiffer. Stiffness follows "
    "from it and from the mass that the bone moves": (
        "Wie schnell ein geführter Knochen zu seiner Animation aufschließt, in Sekunden: kürzer ist steifer. "
        "Die Steifigkeit folgt daraus und aus der Masse, die der Knochen bewegt"
    ),
    "How fast wobbling dies down, in s: the stiffness times this resists changes of shape": (
        "Wie schnell Wackeln abklingt, in s: Steifigkeit mal dieser Wert widersteht Änderungen der Form"
    ),
    "How much a point of the bone follows its target: 1 exactly, 0 not at all. Between, a spring leads it, "
    "which at 0.5 closes a gap in the time that Response says and becomes firmer towards 1. Can be keyed: a "
    "point that is let go keeps its velocity, and one that is taken hold of at once gets there in the frames "
    "of Ease Back": (
        "Wie sehr ein Punkt des Knochens seinem Ziel folgt: 1 genau, 0 gar nicht. Dazwischen führt ihn eine "
        "Feder, die bei 0,5 in der Ansprechzeit aufschließt und gegen 1 fester wird. Kann Keyframes haben: "
        "Ein losgelassener Punkt behält seine Geschwindigkeit, und ein plötzlich ergriffener kommt in den "
        "Frames von 'Rückkehr' an"
    ),
    "How much it bulges sideways when it is squeezed, above -1 and below 0.5; 0.45 is like flesh, 0.49 "
    "nearly keeps the volume": (
        "Wie sehr es sich seitlich wölbt, wenn es gedrückt wird, über -1 und unter 0,5; 0,45 ist wie "
        "Fleisch, 0,49 erhält fast das Volumen"
    ),
    "How strongly the floor resists sliding, in s: its stiffness times this": (
        "Wie stark der Boden dem Gleiten widersteht, in s: seine Steifigkeit mal dieser Wert"
    ),
    "How the body collides": "Wie der Körper kollidiert",
    "How the bone is led to its animation and back, and what leads a point of it": (
        "Wie der Knochen zu seiner Animation und zurück geführt wird, und was einen Punkt von ihm führt"
    ),
    "How the bone moves relative to the nearest physical bone above it": (
        "Wie sich der Knochen gegen den nächsten physikalischen Knochen über ihm bewegt"
    ),
    "How the object takes part in the simulation": "Wie das Objekt an der Simulation teilnimmt",
    "How the objects may move": "Wie sich die Objekte bewegen dürfen",
    "It collides with colliders and with other things that collide": (
        "Es kollidiert mit Hindernissen und mit anderem, was kollidiert"
    ),
    "Joints that close loops in the last simulation, one a line": (
        "Gelenke, die in der letzten Simulation Schleifen schließen, eins pro Zeile"
    ),
    "Key of the cached simulation that this object shows": (
        "Schlüssel der Simulation im Cache, die dieses Objekt zeigt"
    ),
    "Largest angle about each axis, from where it starts": "Größter Winkel um jede Achse, vom Anfang aus",
    "Largest angle about each of the bone's axes. The implicit Euler integrator stops the joint there; the "
    "other integrators refuse scenes with limits": (
        "Größter Winkel um jede Achse des Knochens. Der implizite Euler-Integrator hält das Gelenk dort an; "
        "die anderen lehnen Szenen mit Grenzen ab"
    ),
    "Largest distance along each axis, from where it starts": "Größter Abstand entlang jeder Achse, vom Anfang aus",
    "Largest torque of the motor, in N·m (a slider's force: N)": (
        "Größtes Drehmoment des Motors, in N·m (Kraft eines Schiebers: N)"
    ),
    "Last frame of the simulation": "Letzter Frame der Simulation",
    "Law of the material": "Gesetz des Materials",
    "Length of the joint's cylinder or sleeve along its axis. 0 for as long as it is wide": (
        "Länge des Zylinders oder der Hülse des Gelenks entlang der Achse. 0 für so lang wie breit"
    ),
    "Mass of the body, in kg": "Masse des Körpers, in kg",
    "Mass of the whole, in kg": "Masse des Ganzen, in kg",
    "Movement along this axis is limited": "Bewegung entlang dieser Achse ist begrenzt",
    "Moves along this axis of the empty": "Bewegt sich entlang dieser Achse des Empty",
    "Multiplies Young's modulus where the stiffness group has no weight": (
        "Multipliziert den Elastizitätsmodul, wo die Steifigkeitsgruppe kein Gewicht hat"
    ),
    "Object that shows the cage; its vertex groups say what is attached to which bone": (
        "Objekt, das den Käfig zeigt; seine Vertexgruppen sagen, was an welchem Knochen befestigt ist"
    ),
    "Objects that lead bodies, and the points that they lead": (
        "Objekte, die Körper führen, und die Punkte, die sie führen"
    ),
    "Objects with a rigid body or a rigid body constraint of Blender's take part as well. Blender's own "
    "simulation of them pauses until the cache is freed": (
        "Objekte mit einem Starrkörper oder Starrkörper-Constraint von Blender nehmen auch teil. Blenders "
        "eigene Simulation davon ruht, bis der Cache geleert ist"
    ),
    "Outlines of the bodies that are simulated": "Umrisse der simulierten Körper",
    "Part of each capsule's radius that carries flesh; at least a few vertices of the cage are attached to "
    "every bone": (
        "Teil des Radius jeder Kapsel, der Weichteile trägt; mindestens ein paar Vertices des Käfigs sind an "
        "jedem Knochen befestigt"
    ),
    "Part of the frames that are done": "Teil der Frames, die fertig sind",
    "Part of the speed that comes back from an impact; the larger one of two surfaces counts": (
        "Teil der Geschwindigkeit, der von einem Aufprall zurückkommt; der größere zweier Oberflächen zählt"
    ),
    "Part of the speed that comes back when the joint hits one of its limits": (
        "Teil der Geschwindigkeit, der zurückkommt, wenn das Gelenk an eine seiner Grenzen stößt"
    ),
    "Radius of the body's capsule, measured like the bone's length": (
        "Radius der Kapsel des Körpers, gemessen wie die Länge des Knochens"
    ),
    "Read the scene's gravity the way its field shows it, multiplied by the unit scale. When off, the number "
    "itself is m/s², so that the default 9.81 is Earth's at every unit scale": (
        "Die Schwerkraft der Szene lesen, wie ihr Feld sie zeigt, multipliziert mit der Einheitenskalierung. "
        "Wenn aus, ist die Zahl selbst m/s², sodass 9,81 bei jeder Skalierung die der Erde ist"
    ),
    "Resistance against all motion of the body, in N·s/m and N·m·s/rad": (
        "Widerstand gegen jede Bewegung des Körpers, in N·s/m und N·m·s/rad"
    ),
    "Resistance against all motion, also of the whole, in 1/s": (
        "Widerstand gegen jede Bewegung, auch des Ganzen, in 1/s"
    ),
    "Rotation about this axis is limited": "Rotation um diese Achse ist begrenzt",
    "Rotation about this axis is limited. The implicit Euler integrator stops the joint there; the other "
    "integrators refuse scenes with limits": (
        "Rotation um diese Achse ist begrenzt. Der implizite Euler-Integrator hält das Gelenk dort an; die "
        "anderen lehnen Szenen mit Grenzen ab"
    ),
    "Second axis of a universal joint: it turns with the first rotation": (
        "Zweite Achse eines Kardangelenks: Sie dreht sich mit der ersten Rotation"
    ),
    "Second body; empty for the world": "Zweiter Körper; leer für die Welt",
    "Size and quality of the cage when it was last made": "Größe und Güte des Käfigs, als er zuletzt gemacht wurde",
    "Size of the cage's cells": "Größe der Zellen des Käfigs",
    "Slot of the baked action that the object uses": "Slot der gebackenen Aktion, den das Objekt benutzt",
    "Slot of the original action that the object used": "Slot der ursprünglichen Aktion, den das Objekt benutzte",
    "Smallest angle about each axis, from where it starts": "Kleinster Winkel um jede Achse, vom Anfang aus",
    "Smallest angle about each of the bone's axes. The implicit Euler integrator stops the joint there; the "
    "other integrators refuse scenes with limits": (
        "Kleinster Winkel um jede Achse des Knochens. Der implizite Euler-Integrator hält das Gelenk dort "
        "an; die anderen lehnen Szenen mit Grenzen ab"
    ),
    "Smallest distance along each axis, from where it starts": (
        "Kleinster Abstand entlang jeder Achse, vom Anfang aus"
    ),
    "Soft Body modifier that was read: name, viewport, render": (
        "Weichkörper-Modifikator, der gelesen wurde: Name, Ansicht, Rendern"
    ),
    "Speed that the motor drives at without load, in rad/s (a slider's: m/s)": (
        "Geschwindigkeit, mit der der Motor ohne Last antreibt, in rad/s (Schieber: m/s)"
    ),
    "Spring of the joint towards its rest angle, in N·m/rad (N/m for a prismatic joint)": (
        "Feder des Gelenks zu seinem Ruhewinkel hin, in N·m/rad (N/m bei einem Schubgelenk)"
    ),
    "Spring towards where it starts, in N/m": "Feder zum Anfang hin, in N/m",
    "Spring towards where it starts, in N·m/rad": "Feder zum Anfang hin, in N·m/rad",
    "Springs and cables": "Federn und Seile",
    "Stiffness, in Pa: fat 5,000, muscle 50,000, soft rubber 1,000,000": (
        "Steifigkeit, in Pa: Fett 5000, Muskel 50 000, weicher Gummi 1 000 000"
    ),
    "The NLA was on before the bake": "Die NLA war vor dem Backen an",
    "The action before the bake, which Delete Bake restores": (
        "Die Aktion vor dem Backen, die 'Gebackenes löschen' zurückbringt"
    ),
    "The action that Bake made": "Die Aktion, die 'Backen' gemacht hat",
    "The balls and cylinders on which joints rub, coloured by the friction torque of the frame where one is "
    "recorded": (
        "Die Kugeln und Zylinder, an denen Gelenke reiben, gefärbt nach dem Reibmoment des Frames, wo eins "
        "aufgezeichnet ist"
    ),
    "The body follows its target; animate it to take hold and to let go": (
        "Der Körper folgt seinem Ziel; animieren, um zu greifen und loszulassen"
    ),
    "The body turns with its target as well": "Der Körper dreht sich auch mit seinem Ziel",
    "The bone is a rigid body of the simulation": "Der Knochen ist ein starrer Körper der Simulation",
    "The curve as a spring": "Die Kurve als Feder",
    "The empty as a joint between bodies": "Das Empty als Gelenk zwischen Körpern",
    "The last simulation ended before its time": "Die letzte Simulation endete vor der Zeit",
    "The mesh as an elastic body": "Das Mesh als elastischer Körper",
    "The mesh is an elastic body of the simulation": "Das Mesh ist ein elastischer Körper der Simulation",
    "The object as a rigid body": "Das Objekt als starrer Körper",
    "The object as something solid": "Das Objekt als etwas Festes",
    "The object holds the graphs of the simulation": "Das Objekt enthält die Kurven der Simulation",
    "The object's name when it was simulated": "Der Name des Objekts, als es simuliert wurde",
    "The pose that the keyframes give, beside the simulated one": (
        "Die Pose, die die Keyframes ergeben, neben der simulierten"
    ),
    "The simulated motion is in the object's action": "Die simulierte Bewegung ist in der Aktion des Objekts",
    "There was animation data before the bake": "Vor dem Backen gab es Animationsdaten",
    "Thickness that is added all around for collisions": "Dicke, die für Kollisionen ringsum dazukommt",
    "Things in a group of the same name do not collide with one another": (
        "Was in einer Gruppe gleichen Namens ist, kollidiert nicht miteinander"
    ),
    "Torque against the joint's motion, in N·m·s/rad (N·s/m for a prismatic joint)": (
        "Drehmoment gegen die Bewegung des Gelenks, in N·m·s/rad (N·s/m bei einem Schubgelenk)"
    ),
    "Torque against the motion, in N·m·s/rad": "Drehmoment gegen die Bewegung, in N·m·s/rad",
    "Tracks of the NLA that Bake made, one a line": "Spuren der NLA, die 'Backen' gemacht hat, eine pro Zeile",
    "Turns about this axis of the empty": "Dreht sich um diese Achse des Empty",
    "Vertex group that multiplies Young's modulus, from Softest at weight 0 to 1 at weight 1": (
        "Vertexgruppe, die den Elastizitätsmodul multipliziert, von 'Weichste' bei Gewicht 0 bis 1 bei Gewicht 1"
    ),
    "Vertex group whose vertices move with the bone that their skin follows, or, without bones, stay where "
    "they are, where its weight is 0.5 or more": (
        "Vertexgruppe, deren Vertices sich mit dem Knochen bewegen, dem ihre Haut folgt, oder ohne Knochen "
        "bleiben, wo sie sind, wo ihr Gewicht mindestens 0,5 ist"
    ),
    "Weight from which on flesh moves rigidly with its bone": (
        "Gewicht, ab dem sich Weichteile starr mit ihrem Knochen bewegen"
    ),
    "What Bake made, and what Delete Bake has to restore": (
        "Was 'Backen' gemacht hat und 'Gebackenes löschen' zurückbringen muss"
    ),
    "What Bake makes of the flesh": "Was 'Backen' aus den Weichteilen macht",
    "What Make Physical decided for this bone, and why": (
        "Was 'Physikalisch machen' für diesen Knochen entschieden hat und warum"
    ),
    "What decides which flesh a bone carries": "Was entscheidet, welche Weichteile ein Knochen trägt",
    "What is drawn over the 3D view": "Was über die 3D-Ansicht gezeichnet wird",
    "What is solid for the simulation": "Was für die Simulation fest ist",
    "What of the object is solid": "Was vom Objekt fest ist",
    "What says how fine the cage is": "Was sagt, wie fein der Käfig ist",
    "What the body's mass follows from": "Woraus die Masse des Körpers folgt",
    "What the flesh's mass follows from": "Woraus die Masse der Weichteile folgt",
    "What the motor does": "Was der Motor tut",
    "What the simulation is doing": "Was die Simulation gerade tut",
    "What to try": "Was zu versuchen ist",
    "What was switched off so that the mesh is not deformed twice, and how it was before": (
        "Was ausgeschaltet wurde, damit das Mesh nicht zweimal verformt wird, und wie es vorher war"
    ),
    "What went wrong": "Was schiefging",
    "Where Bake put its curves: COPY, NEW, SLOT or NLA": (
        "Wohin 'Backen' seine Kurven getan hat: COPY, NEW, SLOT oder NLA"
    ),
    "Where it failed first": "Wo sie zuerst scheiterte",
    "Where surfaces touch in the recorded frame, and their force": (
        "Wo sich Oberflächen im aufgezeichneten Frame berühren, und ihre Kraft"
    ),
    "Where the body's mass is": "Wo die Masse des Körpers ist",
    "Where the joint's spring is at rest": "Wo die Feder des Gelenks in Ruhe ist",
    "Where the last run failed": "Wo der letzte Lauf scheiterte",
    "Where the spring of a prismatic joint is at rest, along its axis from the bone's rest position": (
        "Wo die Feder eines Schubgelenks in Ruhe ist, entlang seiner Achse von der Ruheposition des Knochens"
    ),
    "Whether the object is solid for bodies, bones and flesh": (
        "Ob das Objekt für Körper, Knochen und Weichteile fest ist"
    ),
    "Who moves the bone. Can be keyed: a bone that is let go keeps its velocity, and one that returns to its "
    "animation does so smoothly": (
        "Wer den Knochen bewegt. Kann Keyframes haben: Ein losgelassener Knochen behält seine "
        "Geschwindigkeit, und einer, der zu seiner Animation zurückkehrt, tut das sanft"
    ),
}
