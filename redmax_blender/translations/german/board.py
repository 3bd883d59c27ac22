"""Texts about the control board."""

BOARD = {
    "Active Control": "Aktiver Regler",
    "Control Board": "Steuerpult",
    "Control Value": "Reglerstellung",
    "First Value": "Erster Wert",
    "Key": "Taste",
    "Last Value": "Letzter Wert",
    "Pulls": "Züge",
    "Switch": "Schalter",
    "'{name}' is on the control board": "'{name}' ist auf dem Steuerpult",
    "Nothing was played": "Es wurde nichts gespielt",
    "Right-click a setting that is a number or a tick": "Eine Einstellung rechts anklicken, die Zahl oder Haken ist",
    "Right-click a setting: Add to Control Board": "Einstellung rechts anklicken: Aufs Steuerpult",
    "There is no control on the board": "Auf dem Pult ist kein Regler",
    "Goes evenly from the first value to the last one": "Geht gleichmäßig vom ersten Wert zum letzten",
    "How it moves": "Wie er sich bewegt",
    "Is at the first value or at the last one": "Steht auf dem ersten oder auf dem letzten Wert",
    "Key of the keyboard that moves it in Play Live: a letter, a digit, or an arrow such as UP_ARROW. It turns a "
    "switch over, and moves a slider by a tenth; with Shift back": (
        "Taste der Tastatur, die ihn beim Live-Spielen bewegt: ein Buchstabe, eine Ziffer oder ein Pfeil wie UP_ARROW. "
        "Sie legt einen Schalter um und bewegt einen Regler um ein Zehntel; mit Umschalt zurück"
    ),
    "Where the control stands at 0, in the unit of the setting": (
        "Wo der Regler auf 0 steht, in der Einheit der Einstellung"
    ),
    "Where the control stands at 1, in the unit of the setting": (
        "Wo der Regler auf 1 steht, in der Einheit der Einstellung"
    ),
    "Put a control on the board that moves this setting: in Play Live with the mouse or a key, and by keyframes": (
        "Einen Regler aufs Pult setzen, der diese Einstellung bewegt: beim Live-Spielen mit Maus oder Taste, und durch "
        "Keyframes"
    ),
    "Remove what was played on the control board and with the mouse: keyframes of controls, and pulls": (
        "Entfernen, was auf dem Pult und mit der Maus gespielt wurde: Keyframes der Regler, und Züge"
    ),
    "Switches and sliders of your own": "Eigene Schalter und Regler",
    "Take the active control off the board, with its keyframes": (
        "Den aktiven Regler vom Pult nehmen, mit seinen Keyframes"
    ),
    "The control that is picked": "Der gewählte Regler",
    "The object or scene whose setting it moves": "Das Objekt oder die Szene, deren Einstellung er bewegt",
    "What the mouse did in the take that was kept": "Was die Maus in der behaltenen Aufnahme getan hat",
    "Where it stands, from the first value of the setting to the last one; key it to play it": (
        "Wo er steht, vom ersten Wert der Einstellung bis zum letzten; mit Keyframes spielt er"
    ),
}

BOARD_BUTTONS = {
    "Add to Control Board": "Aufs Steuerpult",
    "Clear What Was Played": "Gespieltes entfernen",
    "Remove Control": "Regler entfernen",
}
