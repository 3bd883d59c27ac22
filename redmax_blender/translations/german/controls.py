"""Texts about rigs with controls."""

CONTROLS = {
    "To Controls": "Auf Steuerknochen",
    "Key the controls of rigs that have some, IK or FK as each limb is switched, so that the result is edited with "
    "the rig; otherwise key the simulated bones": (
        "Schlüsselt die Steuerknochen der Rigs, die welche haben, in IK oder FK, wie jede Gliedmaße geschaltet ist, "
        "sodass das Ergebnis mit dem Rig bearbeitet wird; sonst die simulierten Knochen"
    ),
}
