"""Texts about building mechanisms: parts, sockets, connecting and assembling."""

PARTS_AND_JOINTS = {
    "Along": "Entlang",
    "Assemble": "Zusammensetzen",
    "Part": "Teil",
    "Second End": "Zweites Ende",
    "Size": "Größe",
    "Sockets": "Anschlüsse",
    "Stop at Ends": "Anschlag an den Enden",
    "Teeth": "Zähne",
    "Turning": "Drehung",
    "Ball": "Kugel",
    "Can": "Dose",
    "Curve": "Kurve",
    "Gear": "Zahnrad",
    "Link": "Lasche",
    "Planar": "Eben",
    "Planar, Turning": "Eben, drehend",
    "Plate": "Platte",
    "Rod": "Stange",
    "Surface": "Fläche",
    "Translational": "Verschieblich",
    "Wheel": "Rad",
    "Wire": "Draht",
    "Pick a point, edge or face of the first part · Ctrl: exactly under the cursor · Esc ends": (
        "Punkt, Kante oder Fläche am ersten Teil wählen · Strg: genau unter dem Mauszeiger · Esc beendet"
    ),
    "Pick where it belongs on the second part; empty space is the world · Esc ends": (
        "Wählen, wohin es am zweiten Teil gehört; leerer Raum ist die Welt · Esc beendet"
    ),
    "'{joint}' connects {first} and {second}": "'{joint}' verbindet {first} und {second}",
    "'{joint}' misses by {distance} m and {angle}°": "bei '{joint}' fehlen {distance} m und {angle}°",
    "All joints hold; nothing had to move": "Alle Gelenke halten; nichts musste sich bewegen",
    "All joints hold; {count} parts moved": "Alle Gelenke halten; {count} Teile wurden bewegt",
    "Connect two bodies first": "Erst zwei Körper verbinden",
    "The parts are in the asset library '{name}'": "Die Teile sind in der Asset-Bibliothek '{name}'",
    "These joints cannot all hold: {joints}. Remove one of them, or change a part or a limit": (
        "Diese Gelenke können nicht alle halten: {joints}. Eines entfernen, oder ein Teil oder eine Grenze ändern"
    ),
    "the world": "die Welt",
    "A ball, with a socket in its middle": "Eine Kugel mit einem Anschluss in der Mitte",
    "A flat bar, with sockets for pins at its ends and in its middle": (
        "Eine flache Leiste mit Anschlüssen für Bolzen an den Enden und in der Mitte"
    ),
    "A round rod, with sockets at its ends and in its middle": (
        "Eine runde Stange mit Anschlüssen an den Enden und in der Mitte"
    ),
    "A square plate, with sockets in its middle and at its corners": (
        "Eine quadratische Platte mit Anschlüssen in der Mitte und an den Ecken"
    ),
    "A stiff piece of wire, with sockets at its ends": "Ein steifes Stück Draht mit Anschlüssen an den Enden",
    "A tin can, with sockets in its ends": "Eine Blechdose mit Anschlüssen in Deckel und Boden",
    "A toothed wheel, with a socket for its axle": "Ein Zahnrad mit einem Anschluss für die Achse",
    "A wheel, with a socket for its axle and one for a crank pin": (
        "Ein Rad mit einem Anschluss für die Achse und einem für einen Kurbelzapfen"
    ),
    "Add a part of the kit at the 3D cursor: a body with sockets, at which Connect snaps": (
        "Ein Teil des Baukastens am 3D-Cursor hinzufügen: ein Körper mit Anschlüssen, an denen 'Verbinden' einrastet"
    ),
    "At which teeth or belts run around the axis; 0 for none": (
        "Auf dem Zähne oder Riemen um die Achse laufen; 0 für keine"
    ),
    "Bring the parts together at once": "Die Teile gleich zusammenbringen",
    "Curve that the second object slides along, or mesh that it slides over": (
        "Kurve, an der das zweite Objekt entlanggleitet, oder Mesh, über das es gleitet"
    ),
    "Empty on the second object that belongs where the joint is, when the two are not together yet: Assemble brings "
    "them there. Angles and lengths are zero where the two empties agree": (
        "Leerobjekt am zweiten Objekt, das dorthin gehört, wo das Gelenk ist, wenn beide noch nicht beisammen sind: "
        "'Zusammensetzen' bringt sie dorthin. Winkel und Längen sind null, wo die beiden Leerobjekte übereinstimmen"
    ),
    "How the second object turns on the curve or surface": "Wie sich das zweite Objekt auf Kurve oder Fläche dreht",
    "In the object's own axes": "In den eigenen Achsen des Objekts",
    "It does not leave an open curve at its ends, or a surface at its rim": (
        "Es verlässt eine offene Kurve nicht an ihren Enden und eine Fläche nicht an ihrem Rand"
    ),
    "It does not turn": "Es dreht sich nicht",
    "It stands still, or follows its animation": "Es steht still oder folgt seiner Animation",
    "It turns as it likes, as a bead on a wire": "Es dreht sich, wie es will, wie eine Perle auf einem Draht",
    "It turns as the curve or surface does, as a train on its rails": (
        "Es dreht sich wie die Kurve oder Fläche, wie ein Zug auf seinen Schienen"
    ),
    "Length or diameter, in metres": "Länge oder Durchmesser in Metern",
    "Make the parts kit an asset library, so that parts can be dragged from the Asset Browser": (
        "Den Baukasten zu einer Asset-Bibliothek machen, so dass Teile aus dem Asset-Browser gezogen werden können"
    ),
    "Move the parts to the nearest places at which all joints hold, limits too. Anchored bodies stay": (
        "Die Teile an die nächsten Stellen bringen, an denen alle Gelenke halten, auch Grenzen. Verankerte Körper "
        "bleiben"
    ),
    "Name of the first part; empty for the world": "Name des ersten Teils; leer für die Welt",
    "Name of the second part; empty for the world": "Name des zweiten Teils; leer für die Welt",
    "Of a gear": "Eines Zahnrads",
    "Of a joint there, in the object's own axes; its length does not matter": (
        "Eines Gelenks dort, in den eigenen Achsen des Objekts; die Länge ist gleichgültig"
    ),
    "Of the joint on the first part, in the world": "Des Gelenks am ersten Teil, in der Welt",
    "Of the joint on the second part, in the world": "Des Gelenks am zweiten Teil, in der Welt",
    "On the first part, in the world": "Am ersten Teil, in der Welt",
    "On the second part, in the world": "Am zweiten Teil, in der Welt",
    "Pick a point, an edge or a face on one part and on another one, and connect them by a joint. They need not be "
    "together: Assemble brings them there": (
        "Einen Punkt, eine Kante oder eine Fläche an einem Teil und an einem anderen wählen und sie durch ein Gelenk "
        "verbinden. Sie müssen nicht beisammen sein: 'Zusammensetzen' bringt sie dorthin"
    ),
    "Places of the part that are made to be connected": "Stellen des Teils, die zum Verbinden gemacht sind",
    "The second object slides along a curve, which the first one carries": (
        "Das zweite Objekt gleitet an einer Kurve entlang, die das erste trägt"
    ),
    "The second object slides over a surface, which the first one carries": (
        "Das zweite Objekt gleitet über eine Fläche, die das erste trägt"
    ),
    "They slide along all three axes and do not turn": "Sie gleiten entlang aller drei Achsen und drehen sich nicht",
    "They slide along the empty's X and Y axes and do not turn": (
        "Sie gleiten entlang der X- und Y-Achse des Leerobjekts und drehen sich nicht"
    ),
    "They slide along the empty's X and Y axes and turn about its Z axis": (
        "Sie gleiten entlang der X- und Y-Achse des Leerobjekts und drehen sich um seine Z-Achse"
    ),
    "They turn about the empty's X axis and then about its Y axis": (
        "Sie drehen sich um die X-Achse des Leerobjekts und dann um seine Y-Achse"
    ),
}

PART_BUTTONS = {
    "Add Part": "Teil hinzufügen",
    "Assemble": "Zusammensetzen",
    "Connect": "Verbinden",
    "Parts as Assets": "Teile als Assets",
}
