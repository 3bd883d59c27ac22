"""Tooltips of buttons and of their options."""

BUTTON_TIPS = {
    "Add a plane that is solid without end, at the height of the 3D cursor": (
        "Eine Ebene ohne Ende hinzufügen, die fest ist, auf der Höhe des 3D-Cursors"
    ),
    "Add a mechanism or a rig that can be changed and simulated": (
        "Einen Mechanismus oder ein Rig zum Verändern und Simulieren hinzufügen"
    ),
    "What to add": "Was hinzugefügt wird",
    "A cable-stayed bridge of hinged blocks": "Eine Schrägseilbrücke aus Blöcken mit Scharnieren",
    "An umbrella that its runner opens. Best without gravity": (
        "Ein Schirm, den sein Schieber öffnet. Am besten ohne Schwerkraft"
    ),
    "A rig with keys in a soft skin: twenty joints, some keyed and some passive, and two empties that lead arms": (
        "Ein Rig mit Keyframes in einer weichen Haut: zwanzig Gelenke, teils animiert und teils passiv, und "
        "zwei Empties, die Arme führen"
    ),
    "A rig whose elbow is keyed and whose fingertips follow empties; coupled finger joints, friction in the rest": (
        "Ein Rig, dessen Ellbogen Keyframes hat und dessen Fingerspitzen Empties folgen; gekoppelte "
        "Fingergelenke, Reibung in den übrigen"
    ),
    "Chains of hinges that rub, with thin pins and with thick ones: let go, they come to rest one after the other": (
        "Ketten aus reibenden Scharnieren mit dünnen und dicken Bolzen: Losgelassen kommen sie nacheinander zur Ruhe"
    ),
    "A walking machine of six legs: hinges with friction, loops that close themselves, and two keyed cranks. "
    "Best with 10 substeps a frame": (
        "Eine Laufmaschine mit sechs Beinen: Scharniere mit Reibung, Schleifen, die sich selbst schließen, "
        "und zwei animierte Kurbeln. Am besten mit 10 Teilschritten pro Frame"
    ),
    "A rig of a hundred guided bones that ties itself into a knot, and a smooth tube that does not go "
    "through itself. It floats: gravity is switched off": (
        "Ein Rig aus hundert geführten Knochen, das sich verknotet, und ein glatter Schlauch, der nicht "
        "durch sich selbst geht. Es schwebt: Die Schwerkraft ist aus"
    ),
    "A person whose keys let go of it at the top of a flight of stairs, with a platform that moves at their foot": (
        "Ein Mensch, den seine Keyframes oben an einer Treppe loslassen, und eine bewegte Plattform an ihrem Fuß"
    ),
    "Force for a metre of stretch": "Kraft für einen Meter Dehnung",
    "Force against a change of length": "Kraft gegen eine Änderung der Länge",
    "How thick it is drawn": "Wie dick sie gezeichnet wird",
    "Write the simulation into a copy of each object's action; only the keys of what is simulated are replaced": (
        "Die Simulation in eine Kopie der Aktion jedes Objekts schreiben; nur die Keyframes des Simulierten "
        "werden ersetzt"
    ),
    "Where the keyframes go. The original action stays as it is in any case": (
        "Wohin die Keyframes gehen. Die ursprüngliche Aktion bleibt auf jeden Fall, wie sie ist"
    ),
    "A copy of the action, with the curves of what is simulated replaced": (
        "Eine Kopie der Aktion, in der die Kurven des Simulierten ersetzt sind"
    ),
    "A new action that has nothing but what is simulated": "Eine neue Aktion, in der nur das Simulierte ist",
    "A new slot of the same action, from Blender 4.4 on": "Ein neuer Slot derselben Aktion, ab Blender 4.4",
    "A strip on a new track above all others; the action is pushed down to a strip": (
        "Ein Streifen auf einer neuen Spur über allen anderen; die Aktion wird zu einem Streifen darunter"
    ),
    "Leave other objects unbaked": "Andere Objekte nicht backen",
    "Leave simulated bones that are not selected as they were": (
        "Simulierte Knochen, die nicht ausgewählt sind, lassen, wie sie waren"
    ),
    "A key every so many frames": "Ein Keyframe alle so viele Frames",
    "Leave out keys where smooth curves stay within the bounds without them": (
        "Keyframes weglassen, wo glatte Kurven auch ohne sie in den Schranken bleiben"
    ),
    "Largest error of a bone's own rotation that Clean Curves may make": (
        "Größter Fehler der eigenen Rotation eines Knochens, den 'Kurven bereinigen' machen darf"
    ),
    "Largest error of a bone's own location that Clean Curves may make": (
        "Größter Fehler der eigenen Position eines Knochens, den 'Kurven bereinigen' machen darf"
    ),
    "Take all bones of the active armature out of the simulation; their settings stay for the next time": (
        "Alle Knochen des aktiven Skeletts aus der Simulation nehmen; ihre Einstellungen bleiben für das nächste Mal"
    ),
    "Take the selected meshes out of the simulation as flesh; their settings stay for the next time": (
        "Die ausgewählten Meshes als Weichteile aus der Simulation nehmen; ihre Einstellungen bleiben für "
        "das nächste Mal"
    ),
    "Add or remove a preset of how a bone is led to its animation": (
        "Eine Vorgabe hinzufügen oder entfernen: wie ein Knochen zu seiner Animation geführt wird"
    ),
    "Make the selected meshes with Soft Body modifiers soft: mass, stiffness, friction and goal group are read": (
        "Die ausgewählten Meshes mit Weichkörper-Modifikator weich machen: Masse, Steifigkeit, Reibung und "
        "Zielgruppe werden gelesen"
    ),
    "Copy these settings of the active bone or object to the selected ones": (
        "Diese Einstellungen des aktiven Knochens oder Objekts auf die ausgewählten kopieren"
    ),
    "Which settings are copied": "Welche Einstellungen kopiert werden",
    "Coefficients, radius and height of the joint's friction, and its stops": (
        "Reibungszahlen, Radius und Höhe der Gelenkreibung und die Anschläge"
    ),
    "What is solid of the object, and how it collides": "Was vom Objekt fest ist und wie es kollidiert",
    "Copy the active bone's joint and body settings to the selected bones": (
        "Gelenk und Körper des aktiven Knochens auf die ausgewählten Knochen kopieren"
    ),
    "What the bone shall be": "Was der Knochen sein soll",
    "It is a limb of its own, with the joint that its locks and limits give": (
        "Er ist ein eigenes Glied, mit dem Gelenk, das seine Sperren und Grenzen ergeben"
    ),
    "It takes no part in the simulation": "Er nimmt nicht an der Simulation teil",
    "Remove the baked actions and give the objects back those they had before": (
        "Die gebackenen Aktionen entfernen und den Objekten die von vorher zurückgeben"
    ),
    "Write what would be simulated as a scene file, which the command line runs without Blender": (
        "Was simuliert würde, als Szenendatei schreiben, die die Kommandozeile ohne Blender ausführt"
    ),
    "Add or remove a preset of what flesh is made of": (
        "Eine Vorgabe hinzufügen oder entfernen: woraus Weichteile sind"
    ),
    "Forget the simulation; bones and objects return to where it started, muted constraints come back": (
        "Die Simulation vergessen; Knochen und Objekte kehren dorthin zurück, wo sie begann, stumme "
        "Constraints gelten wieder"
    ),
    "Add or remove a preset of joint friction": "Eine Vorgabe für Gelenkreibung hinzufügen oder entfernen",
    "Bake energies and joint torques of the simulation as animated custom properties, for the Graph Editor": (
        "Energien und Drehmomente der Simulation als animierte eigene Eigenschaften backen, für den Graph-Editor"
    ),
    "Torques of selected bones and joints only": "Drehmomente nur von ausgewählten Knochen und Gelenken",
    "Add the bodies, joints, springs, colliders and flesh of a scene file as objects": (
        "Körper, Gelenke, Federn, Hindernisse und Weichteile einer Szenendatei als Objekte hinzufügen"
    ),
    "How many frames to play when there is nobody to watch, as in a script without a window": (
        "Wie viele Frames gespielt werden, wenn niemand zusieht, wie in einem Skript ohne Fenster"
    ),
    "Keep what was played, up to the end of the range, in the cache": (
        "Behalten, was gespielt wurde, bis zum Ende des Bereichs, im Cache"
    ),
    "Make bodies of the active armature's deform bones, with joints from their IK locks and limits": (
        "Die Deform-Knochen des aktiven Skeletts zu Körpern machen, mit Gelenken aus ihren IK-Sperren und IK-Grenzen"
    ),
    "How bones without a physical parent are carried": (
        "Wie Knochen ohne physikalischen Elternknochen getragen werden"
    ),
    "They stay where they are. One with IK locks, limits or a Limit Rotation constraint turns about its head "
    "as these say, and so does one that carries no other bone": (
        "Sie bleiben, wo sie sind. Einer mit IK-Sperren, IK-Grenzen oder Constraint 'Limit Rotation' dreht "
        "sich danach um seinen Kopf, und ebenso einer, der keinen anderen Knochen trägt"
    ),
    "They turn about their heads, like any other bone": "Sie drehen sich um ihre Köpfe, wie jeder andere Knochen",
    "They move freely, as a falling character": "Sie bewegen sich frei, wie eine fallende Figur",
    "What the thickness of a body follows from": "Woraus die Dicke eines Körpers folgt",
    "The mesh that the bone deforms, or the bone's length where there is none": (
        "Das Mesh, das der Knochen verformt, oder ohne Mesh die Länge des Knochens"
    ),
    "The bone's length alone": "Allein die Länge des Knochens",
    "Radius of a body without skin, as a fraction of its bone's length": (
        "Radius eines Körpers ohne Haut, als Bruchteil der Länge seines Knochens"
    ),
    "Density of all bodies, in kg/m³ (water and flesh: 1000)": (
        "Dichte aller Körper, in kg/m³ (Wasser und Fleisch: 1000)"
    ),
    "Damping of all joints; at 1, a limb swinging stiffly would come to rest without swinging back": (
        "Dämpfung aller Gelenke; bei 1 käme ein steif schwingendes Glied ohne Zurückschwingen zur Ruhe"
    ),
    "Which deform bones are limbs of their own": "Welche Deform-Knochen eigene Glieder sind",
    "Faces, twist bones and the halves of a limb are held on what carries them, and helpers that no skin "
    "follows are left out": (
        "Gesichter, Twist-Knochen und die Hälften eines Glieds sitzen fest auf dem, was sie trägt; "
        "Hilfsknochen, denen keine Haut folgt, bleiben weg"
    ),
    "Every deform bone": "Jeder Deform-Knochen",
    "Bones of people and animals turn as far as theirs do: elbows and knees are hinges, and everything stops "
    "where it hurts. Known by their names, or by where their joints are. Only where the rig has no IK locks, "
    "limits or Limit Rotation constraint": (
        "Knochen von Menschen und Tieren drehen sich so weit wie deren: Ellbogen und Knie sind Scharniere, und alles "
        "hält an, wo es wehtut. Erkannt an ihren Namen, oder daran, wo ihre Gelenke sind. Nur wo das Rig keine "
        "IK-Sperren, IK-Grenzen und kein Constraint 'Limit Rotation' hat"
    ),
    "Leave other bones out of the simulation": "Andere Knochen aus der Simulation weglassen",
    "Make the selected meshes soft: elastic flesh that the bones of their armatures carry": (
        "Die ausgewählten Meshes weich machen: elastische Weichteile, die von den Knochen ihrer Skelette "
        "getragen werden"
    ),
    "Numbers to begin with": "Zahlen für den Anfang",
    "Muscle at rest, with the fat and skin around it": "Ruhender Muskel mit Fett und Haut darum",
    "Wobbles at every step: cheeks, bellies": "Wackelt bei jedem Schritt: Wangen, Bäuche",
    "Tense: follows its bones closely": "Angespannt: folgt seinen Knochen dicht",
    "Springy and firm, as a tyre or an octopus of rubber": (
        "Federnd und fest, wie ein Reifen oder ein Krake aus Gummi"
    ),
    "As soft as can be; swings for long": "So weich wie möglich; schwingt lange",
    "Light, and gives way without bulging": "Leicht, und gibt nach, ohne sich zu wölben",
    "Remove the objects that show the cages of the selected soft meshes; attachment is automatic again": (
        "Die Objekte entfernen, die die Käfige der ausgewählten weichen Meshes zeigen; die Befestigung ist "
        "wieder automatisch"
    ),
    "Let animation, physics or both move the chosen bones, and key it at the current frame": (
        "Die gewählten Knochen von Animation, Physik oder beidem bewegen lassen, mit Keyframe am aktuellen Frame"
    ),
    "Who moves the bones": "Wer die Knochen bewegt",
    "Which physical bones are meant": "Welche physikalischen Knochen gemeint sind",
    "The selected bones": "Die ausgewählten Knochen",
    "Every physical bone of the armature": "Jeder physikalische Knochen des Skeletts",
    "The bones of a bone collection and of those in it": "Die Knochen einer Knochensammlung und derer in ihr",
    "Name of the bone collection": "Name der Knochensammlung",
    "Key it at the current frame, so that it holds from there on; bones that have keys already are keyed in "
    "any case": (
        "Einen Keyframe am aktuellen Frame setzen, sodass es ab dort gilt; Knochen, die schon Keyframes "
        "haben, bekommen auf jeden Fall einen"
    ),
    "Let the selected mesh objects take part in the simulation as bodies": (
        "Die ausgewählten Mesh-Objekte als Körper an der Simulation teilnehmen lassen"
    ),
    "Show the cages of the selected soft meshes as wire objects; their vertex groups say what each bone carries": (
        "Die Käfige der ausgewählten weichen Meshes als Drahtobjekte zeigen; ihre Vertexgruppen sagen, was "
        "jeder Knochen trägt"
    ),
    "Open what Make Physical decided for each bone in a text editor": (
        "Was 'Physikalisch machen' für jeden Knochen entschieden hat, in einem Texteditor öffnen"
    ),
    "Open what the last simulation did in a text editor: steps, time, solver, energy and warnings": (
        "Was die letzte Simulation getan hat, in einem Texteditor öffnen: Schritte, Zeit, Löser, Energie und "
        "Warnungen"
    ),
    "Simulate all physical bones and bodies of the scene over the frame range; Esc stops and keeps what is done": (
        "Alle physikalischen Knochen und Körper der Szene über den Frame-Bereich simulieren; Esc beendet und "
        "behält, was fertig ist"
    ),
    "Add or remove a preset of surfaces": "Eine Vorgabe für Oberflächen hinzufügen oder entfernen",
    "Change what the diagnosis suggests; simulate again to see whether it helps": (
        "Ändern, was die Diagnose vorschlägt; neu simulieren, um zu sehen, ob es hilft"
    ),
}
