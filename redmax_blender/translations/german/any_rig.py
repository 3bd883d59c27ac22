"""Texts about rigs as importers leave them: where bodies are, who carries them, how heavy they are."""

ANY_RIG = {
    # Body of a bone
    "Start": "Beginn",
    "Where the capsule of the body begins, from the bone's head along the bone's own axes": (
        "Wo die Kapsel des Körpers beginnt, vom Kopf des Knochens aus entlang seiner eigenen Achsen"
    ),
    "Capsule Direction": "Richtung der Kapsel",
    "Where the capsule goes from its start, along the bone's own axes; its length does not matter": (
        "Wohin die Kapsel von ihrem Beginn aus geht, in den eigenen Achsen des Knochens; die Länge spielt keine Rolle"
    ),
    "Carried By": "Getragen von",
    "The bone that this one's joint is on; the nearest physical bone above it when empty": (
        "Der Knochen, an dem das Gelenk dieses Knochens sitzt; ohne Angabe der nächste physikalische darüber"
    ),
    "Length of the body's capsule from end to end": "Länge der Kapsel des Körpers von Ende zu Ende",
    "The capsule lies along the bone, and is as long": "Die Kapsel liegt entlang des Knochens und ist so lang wie er",
    # Keys of what is let go
    "Hold Locations": "Positionen halten",
    "Free bones stay where they were on their carriers when they were let go, whatever their keyed "
    "locations do afterwards": (
        "Freie Knochen bleiben an der Stelle ihres Trägers, an der sie losgelassen wurden, was immer ihre "
        "gekeyten Positionen danach tun"
    ),
    # Ragdoll, check, total mass
    "Total Mass": "Gesamtmasse",
    "Mass of all physical bones together, in kg; a new one makes each heavier or lighter by the same "
    "factor, and its joint's damping with it": (
        "Masse aller physikalischen Knochen zusammen, in kg; eine neue macht jeden um denselben Faktor schwerer oder "
        "leichter, und die Dämpfung seines Gelenks mit ihm"
    ),
    "Total Mass (kg)": "Gesamtmasse (kg)",
    "Fix": "Beheben",
    "Findings": "Befunde",
    "What the check of the character has found": "Was die Prüfung der Figur gefunden hat",
    "Add a ground below the character as it stands now, where the scene has none": (
        "Einen Boden unter die Figur legen, wie sie jetzt steht, wenn die Szene keinen hat"
    ),
    "Make bodies of the active armature's bones and let it fall: root free, on a ground, colliding with itself": (
        "Aus den Knochen der aktiven Armatur Körper machen und sie fallen lassen: Wurzel frei, auf einem Boden, "
        "mit Kollision mit sich selbst"
    ),
    "Look whether the character is likely to simulate well: its size, mass, parts, bodies and ground": (
        "Nachsehen, ob sich die Figur gut simulieren lässt: Größe, Masse, Teile, Körper und Boden"
    ),
    "Mend what was found, and look again": "Beheben, was gefunden wurde, und noch einmal nachsehen",
    "What to mend": "Was behoben werden soll",
    "Set Unit": "Einheit setzen",
    "Let the scene's unit be so long that the character has a usual size, and decide masses anew": (
        "Die Einheit der Szene so lang machen, dass die Figur eine übliche Größe hat, und Massen neu entscheiden"
    ),
    "Mass of the Mesh": "Masse des Meshs",
    "Let the character weigh as much as its mesh full of water": (
        "Die Figur so viel wiegen lassen wie ihr Mesh voll Wasser"
    ),
    "Join Parts": "Teile verbinden",
    "Let each loose part be carried by the body that is nearest to it": (
        "Jeden losen Teil vom nächsten Körper tragen lassen"
    ),
    "Fit to Skin": "An Haut anpassen",
    "Put these bodies around their skin; those that no skin follows do not collide": (
        "Diese Körper um ihre Haut legen; die, denen keine Haut folgt, kollidieren nicht"
    ),
    "Lower Ground": "Boden senken",
    "Put the ground below the lowest body": "Den Boden unter den tiefsten Körper legen",
    "Nothing of this kind was found": "Nichts dergleichen wurde gefunden",
    "Nothing was found": "Es wurde nichts gefunden",
    "Limit All Joints": "Alle Gelenke begrenzen",
    "Joints of which nothing says how far they turn are limited to a cone: 50° aside for a limb, 35° "
    "for each bone of a tail or of hair. Those of people and animals always are": (
        "Gelenke, von denen nichts sagt, wie weit sie sich drehen, bleiben in einem Kegel: 50° zur Seite bei Gliedern, "
        "35° bei jedem Knochen eines Schwanzes oder von Haaren. Die von Menschen und Tieren immer"
    ),
}
