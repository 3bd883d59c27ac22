"""Texts about what Make Physical decides, and overruling it; about checks of characters and of their flesh."""

RIGS = {
    "Overrule what Make Physical decided for this bone, or for the selected ones": (
        "Anders entscheiden als 'Physikalisch machen', für diesen Knochen oder für die gewählten"
    ),
    "Name of the bone of the active armature; the selected bones when empty": (
        "Name des Knochens des aktiven Skeletts; ohne Angabe die gewählten Knochen"
    ),
    "No bone is selected. Select some in pose mode": "Kein Knochen ist gewählt. Einige im Pose-Modus wählen",
    "Selected bones:": "Gewählte Knochen:",
}
