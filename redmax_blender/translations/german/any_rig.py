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
}
