"""Texts about muscles, the surfaces that they slide over, and OpenSim files."""

MUSCLES = {
    # Panels and settings
    "Muscles": "Muskeln",
    "Surface of Muscles": "Muskelfläche",
    "Activation": "Aktivierung",
    "Belly End": "Ende des Bauchs",
    "Belly Start": "Anfang des Bauchs",
    "Excitation": "Erregung",
    "Half": "Hälfte",
    "Length of Cylinder": "Länge des Zylinders",
    "Muscle Density": "Muskeldichte",
    "Muscle Inertia": "Muskelträgheit",
    "Muscle Length": "Muskellänge",
    "Muscle Mass": "Muskelmasse",
    "Optimal Length": "Optimale Länge",
    "Ranges of Surfaces": "Bereiche der Flächen",
    "Show as Tube": "Als Schlauch zeigen",
    "Show as Tubes": "Als Schläuche zeigen",
    "Size of Surface": "Größe der Fläche",
    "Slides Over": "Gleitet über",
    "Strength": "Stärke",
    "Tendon Length": "Sehnenlänge",
    "Tension": "Zugkraft",
    "Tube": "Schlauch",
    # Choices
    "Capped Cylinder": "Zylinder mit Kappen",
    "A ball": "Eine Kugel",
    "A ball with three different radii": "Eine Kugel mit drei verschiedenen Radien",
    "A cylinder along Z with round ends, the upper one at the object's origin": (
        "Ein Zylinder entlang Z mit runden Enden, das obere am Ursprung des Objekts"
    ),
    "A cylinder without ends, along the object's Z axis": "Ein Zylinder ohne Enden, entlang der Z-Achse des Objekts",
    "A ring around the object's Z axis, through which muscles go": (
        "Ein Ring um die Z-Achse des Objekts, durch den Muskeln gehen"
    ),
    "Muscles do not slide over the object": "Muskeln gleiten nicht über das Objekt",
    "Over the half where X is negative": "Über die Hälfte, in der X negativ ist",
    "Over the half where X is positive": "Über die Hälfte, in der X positiv ist",
    "Over the half where Y is negative": "Über die Hälfte, in der Y negativ ist",
    "Over the half where Y is positive": "Über die Hälfte, in der Y positiv ist",
    "Over the half where Z is negative": "Über die Hälfte, in der Z negativ ist",
    "Over the half where Z is positive": "Über die Hälfte, in der Z positiv ist",
    "The shortest way round": "Auf dem kürzesten Weg",
    "How far the muscle has become active in the frame that is shown, from 0 to 1": (
        "Wie aktiv der Muskel im gezeigten Frame geworden ist, von 0 bis 1"
    ),
    "How strongly the muscle pulls in the frame that is shown, in N; 0 where nothing was simulated": (
        "Wie stark der Muskel im gezeigten Frame zieht, in N; 0, wo nichts simuliert wurde"
    ),
    # Messages
    "Added '{name}' to {count} muscles": "'{name}' zu {count} Muskeln hinzugefügt",
    "Added '{name}' with {count} points": "'{name}' mit {count} Punkten hinzugefügt",
    "Added keys at {count} moments": "Keyframes zu {count} Zeitpunkten hinzugefügt",
    "Added {bones} bones, {muscles} muscles and {surfaces} surfaces": (
        "{bones} Knochen, {muscles} Muskeln und {surfaces} Flächen hinzugefügt"
    ),
    "Baked {count} shape keys on {muscles} muscles": "{count} Formschlüssel an {muscles} Muskeln gebacken",
    "Go to object mode or pose mode": "Wechsle in den Objekt- oder Posenmodus",
    "Left out {count} columns that are no coordinates: {names}": (
        "{count} Spalten ausgelassen, die keine Koordinaten sind: {names}"
    ),
    "Select muscles": "Wähle Muskeln aus",
    "Select the armature of an OpenSim model": "Wähle die Armatur eines OpenSim-Modells aus",
    "Select two or more bones, or empties on bones": "Wähle zwei oder mehr Knochen aus, oder Leere auf Knochen",
    "Set the lengths of {count} muscles": "Längen von {count} Muskeln gesetzt",
    "{count} things are not as in the file; the text '{name}' lists them": (
        "{count} Dinge sind nicht wie in der Datei; der Text '{name}' zählt sie auf"
    ),
    # Tips
    "Add a mesh for each muscle that bulges as it shortens": (
        "Für jeden Muskel ein Mesh hinzufügen, das sich wölbt, wenn er kürzer wird"
    ),
    "Add a mesh that bulges as the muscle shortens": (
        "Ein Mesh hinzufügen, das sich wölbt, wenn der Muskel kürzer wird"
    ),
    "Add a muscle through the selected bones or empties, the active one last": (
        "Einen Muskel durch die ausgewählten Knochen oder Leeren hinzufügen, der aktive ist der letzte"
    ),
    "Add a surface on the active bone or object, which the selected muscles slide over": (
        "Eine Fläche am aktiven Knochen oder Objekt hinzufügen, über die die ausgewählten Muskeln gleiten"
    ),
    "Add an OpenSim model: its skeleton as an armature, its muscles as curves, its surfaces as wire meshes": (
        "Ein OpenSim-Modell hinzufügen: Skelett als Armatur, Muskeln als Kurven, Flächen als Drahtnetze"
    ),
    "Bake the tubes of the selected muscles to shape keys, over the frames of the scene": (
        "Die Schläuche der ausgewählten Muskeln über die Frames der Szene in Formschlüssel backen"
    ),
    "Between which points of the muscle each surface counts, one a line; those not named count everywhere": (
        "Zwischen welchen Punkten des Muskels jede Fläche zählt, eine je Zeile; nicht genannte zählen überall"
    ),
    "Collection of the surfaces that the muscle slides over": "Sammlung der Flächen, über die der Muskel gleitet",
    "Frames from one shape key to the next": "Frames von einem Formschlüssel zum nächsten",
    "Give the active armature, which is from an OpenSim model, a motion of that model as its action": (
        "Der aktiven Armatur, die aus einem OpenSim-Modell ist, eine Bewegung dieses Modells als Action geben"
    ),
    "How strongly the nerves ask the muscle to pull, from 0 to 1; can have keys": (
        "Wie stark die Nerven den Muskel ziehen lassen, von 0 bis 1; kann Keyframes haben"
    ),
    "Largest force at the optimal length, in N": "Größte Kraft bei optimaler Länge, in N",
    "Length of the fibres at which the muscle is strongest": "Länge der Fasern, bei der der Muskel am stärksten ist",
    "Length of the tendons without load": "Länge der Sehnen ohne Last",
    "Length of the whole path in the frame that is shown": "Länge des ganzen Weges im gezeigten Frame",
    "Let the selected muscles have their optimal length in the pose that is shown": (
        "Die ausgewählten Muskeln haben in der gezeigten Pose ihre optimale Länge"
    ),
    "Muscles that touch a cylinder beyond both of its ends pass it; 0 for one without ends": (
        "Muskeln, die einen Zylinder jenseits beider Enden berühren, gehen an ihm vorbei; 0 für einen ohne Enden"
    ),
    "Of belly and tendons, in kg": "Von Bauch und Sehnen, in kg",
    "Of muscle, in kg/m³: with the mass it gives the volume of the tube": (
        "Des Muskels, in kg/m³: mit der Masse ergibt sie das Volumen des Schlauchs"
    ),
    "Of the surface": "Der Fläche",
    "Radius; of an ellipsoid its three radii, of a ring those of ring and tube, of a capped cylinder radius and "
    "length": (
        "Radius; bei einem Ellipsoid seine drei Radien, bei einem Ring die von Ring und Rohr, bei einem Zylinder mit "
        "Kappen Radius und Länge"
    ),
    "Remove the shape keys of the selected muscles' tubes, which then follow the pose again": (
        "Die Formschlüssel der Schläuche der ausgewählten Muskeln entfernen, die dann wieder der Pose folgen"
    ),
    "Joints and Masses": "Gelenke und Massen",
    "Make the bones bodies of the simulation, with the model's joints, ranges, masses and inertias": (
        "Die Knochen zu Körpern der Simulation machen, mit Gelenken, Bereichen, Massen und Trägheiten des Modells"
    ),
    "The curve as a muscle": "Die Kurve als Muskel",
    "The curve is a muscle": "Die Kurve ist ein Muskel",
    "The mesh that shows the muscle, of constant volume": "Das Mesh, das den Muskel zeigt, mit gleichem Volumen",
    "The muscle's mass slides along its path and is part of the motion; otherwise it only shows": (
        "Die Masse des Muskels gleitet seinen Weg entlang und gehört zur Bewegung; sonst zeigt sie sich nur"
    ),
    "The object as a surface that muscles slide over": "Das Objekt als Fläche, über die Muskeln gleiten",
    "Where the belly begins, as a part of the path from the first point": (
        "Wo der Bauch beginnt, als Teil des Weges vom ersten Punkt an"
    ),
    "Where the belly ends, as a part of the path from the first point": (
        "Wo der Bauch endet, als Teil des Weges vom ersten Punkt an"
    ),
    "Whether and how muscles slide over the object": "Ob und wie Muskeln über das Objekt gleiten",
    "Which way round muscles go": "Auf welchem Weg Muskeln herumgehen",
}
MUSCLE_BUTTONS = {
    "Add Muscle": "Muskel hinzufügen",
    "Add Surface": "Fläche hinzufügen",
    "Bake Muscles": "Muskeln backen",
    "Delete Bake of Muscles": "Backen der Muskeln löschen",
    "Import Model": "Modell importieren",
    "Import Motion": "Bewegung importieren",
    "Import OpenSim Model": "OpenSim-Modell importieren",
    "Import OpenSim Motion": "OpenSim-Bewegung importieren",
    "Length from Pose": "Länge aus der Pose",
    "OpenSim Model (.osim)": "OpenSim-Modell (.osim)",
    "OpenSim Motion (.mot)": "OpenSim-Bewegung (.mot)",
}
