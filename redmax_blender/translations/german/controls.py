"""Texts about rigs with controls, and about what swings after them."""

CONTROLS = {
    "To Controls": "Auf Steuerknochen",
    "Key the controls of rigs that have some, IK or FK as each limb is switched, so that the result is edited with "
    "the rig; otherwise key the simulated bones": (
        "Schlüsselt die Steuerknochen der Rigs, die welche haben, in IK oder FK, wie jede Gliedmaße geschaltet ist, "
        "sodass das Ergebnis mit dem Rig bearbeitet wird; sonst die simulierten Knochen"
    ),
    "Secondary Motion": "Nachschwingen",
    "Tails": "Schwänze",
    "They keep their shape loosely and trail their animation": (
        "Sie halten ihre Form locker und folgen ihrer Animation nach"
    ),
    "Hair": "Haar",
    "Hangs, and comes to rest soon": "Hängt und kommt bald zur Ruhe",
    "Ears": "Ohren",
    "Keep their shape and flop a little": "Halten ihre Form und schlackern ein wenig",
    "Antennas": "Antennen",
    "Stiff, and rings for long": "Steif, und schwingt lange nach",
    "Dangling": "Baumelnd",
    "Hangs freely, as a chain or an earring": "Hängt frei, wie eine Kette oder ein Ohrring",
    "How much the bones keep their shape, in proportion to the weight that they hold up": (
        "Wie sehr die Knochen ihre Form halten, im Verhältnis zum Gewicht, das sie tragen"
    ),
    "How closely the bones follow their own animation; 0 leaves them to physics alone": (
        "Wie genau die Knochen ihrer eigenen Animation folgen; 0 überlässt sie allein der Physik"
    ),
    "How soon the bones come to rest": "Wie bald die Knochen zur Ruhe kommen",
    "Let the selected bones swing after the rest of the rig": (
        "Lässt die ausgewählten Knochen dem übrigen Rig nachschwingen"
    ),
    "Take over what Wiggle 2 or Jiggle Physics left on the bones of the armature": (
        "Übernimmt, was Wiggle 2 oder Jiggle Physics an den Knochen der Armatur hinterlassen haben"
    ),
    "Copy all settings of the selected bones to the bones of the other side": (
        "Kopiert alle Einstellungen der ausgewählten Knochen auf die der anderen Seite"
    ),
    "Select bones in pose mode": "Knochen im Posenmodus auswählen",
    "{count} bones swing": "{count} Knochen schwingen nach",
    "{count} bones swing, on {names}, which follow their animation": (
        "{count} Knochen schwingen nach, an {names}, die ihrer Animation folgen"
    ),
    "No bone has settings of Wiggle 2 or Jiggle Physics": (
        "Kein Knochen hat Einstellungen von Wiggle 2 oder Jiggle Physics"
    ),
    "No selected bone has another side, as Ear.L and Ear.R": (
        "Kein ausgewählter Knochen hat eine andere Seite, wie Ear.L und Ear.R"
    ),
    "Mirrored the settings to {count} bones": "Einstellungen auf {count} Knochen gespiegelt",
}

SWINGING_BUTTONS = {
    "Secondary Motion": "Nachschwingen",
    "From Wiggle or Jiggle": "Von Wiggle oder Jiggle",
    "Mirror Settings": "Einstellungen spiegeln",
    "Tails": "Schwänze",
    "Hair": "Haar",
    "Ears": "Ohren",
    "Antennas": "Antennen",
    "Dangling": "Baumelnd",
}
"""Buttons."""
