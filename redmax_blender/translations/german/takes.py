"""Texts about takes and wedges."""

TAKES = {
    "Takes": "Aufnahmen",
    "Object": "Objekt",
    "Objects": "Objekte",
    "Active Take": "Aktive Aufnahme",
    "The take that is picked": "Die ausgewählte Aufnahme",
    "Simulations that are kept beside the one that is shown": (
        "Simulationen, die neben der gezeigten behalten werden"
    ),
    "An object that the take moves": "Ein Objekt, das die Aufnahme bewegt",
    "The objects that it moves": "Die Objekte, die sie bewegt",
    "Owner": "Besitzer",
    "What the setting belongs to": "Wozu die Einstellung gehört",
    "Path": "Pfad",
    "Where the setting is in its owner": "Wo die Einstellung in ihrem Besitzer ist",
    "Value": "Wert",
    "The value that the take was simulated with, in the unit of the setting": (
        "Der Wert, mit dem die Aufnahme simuliert wurde, in der Einheit der Einstellung"
    ),
    "Which simulation it is": "Welche Simulation es ist",
    "Its first frame": "Ihr erster Frame",
    "Its last frame": "Ihr letzter Frame",
    "Settings of its own, from a wedge": "Eigene Einstellungen, aus einer Versuchsreihe",
    "Show as Ghost": "Als Geist zeigen",
    "Draw this take as lines over the view, to compare it with others": (
        "Diese Aufnahme als Linien über die Ansicht zeichnen, um sie mit anderen zu vergleichen"
    ),
    "Keep the simulation that is shown as a take: the next simulation does not replace it": (
        "Die gezeigte Simulation als Aufnahme behalten: Die nächste Simulation ersetzt sie nicht"
    ),
    "Show this take in place of the simulation that is shown; Bake then bakes it": (
        "Diese Aufnahme anstelle der gezeigten Simulation zeigen; Backen backt dann sie"
    ),
    "Forget this take; its frames are deleted unless it is shown": (
        "Diese Aufnahme vergessen; ihre Frames werden gelöscht, außer sie wird gezeigt"
    ),
    "Set the settings that this take was simulated with": (
        "Die Einstellungen setzen, mit denen diese Aufnahme simuliert wurde"
    ),
    "There is no take: press Keep Take after a simulation": (
        "Es gibt keine Aufnahme: Drücke nach einer Simulation Aufnahme behalten"
    ),
    "This take has no settings of its own: it is not from a wedge": (
        "Diese Aufnahme hat keine eigenen Einstellungen: Sie ist nicht aus einer Versuchsreihe"
    ),
    "Kept as '{name}'": "Als '{name}' behalten",
    # Wedges
    "Wedge": "Versuchsreihe",
    "Wedge of the Scene": "Versuchsreihe der Szene",
    "What a wedge varies": "Was eine Versuchsreihe variiert",
    "Varied": "Variiert",
    "Settings that are varied": "Einstellungen, die variiert werden",
    "First value that is tried, in the unit of the setting": (
        "Erster Wert, der versucht wird, in der Einheit der Einstellung"
    ),
    "Last": "Letzter",
    "Last value that is tried, in the unit of the setting": (
        "Letzter Wert, der versucht wird, in der Einheit der Einstellung"
    ),
    "Values": "Werte",
    "How many values are tried": "Wie viele Werte versucht werden",
    "Everywhere": "Überall",
    "The same setting of all physical bones, or of all bodies, gets the value": (
        "Dieselbe Einstellung aller physikalischen Knochen oder aller Körper bekommt den Wert"
    ),
    "Seeds": "Zufallsstarts",
    "Each combination is simulated so many times, jolted at random at the start; 0 for once, as it is": (
        "Jede Kombination wird so oft simuliert, zu Beginn zufällig angestoßen; 0 für einmal, wie sie ist"
    ),
    "Jolt": "Anstoß",
    "How much a seed changes start velocities, in m/s and rad/s": (
        "Wie sehr ein Zufallsstart die Startgeschwindigkeiten ändert, in m/s und rad/s"
    ),
    "Processes": "Prozesse",
    "Processes on this machine; 0 for one a core": "Prozesse auf diesem Rechner; 0 für einen je Kern",
    "Cluster": "Rechnerverbund",
    "Address of a Dask scheduler, such as tcp://192.168.1.5:8786, to simulate there instead; the cache folder must be "
    "one that all its machines see": (
        "Adresse eines Dask-Schedulers, etwa tcp://192.168.1.5:8786, um dort zu simulieren; der Cache-Ordner muss "
        "einer sein, den alle seine Rechner sehen"
    ),
    "Last Wedge": "Letzte Versuchsreihe",
    "Folder of the last wedge, with its table and pictures": (
        "Ordner der letzten Versuchsreihe, mit ihrer Tabelle und ihren Bildern"
    ),
    "Chart": "Diagramm",
    "What the chart shows": "Was das Diagramm zeigt",
    "Travel": "Weg",
    "How far the middle of all joints is from where it began, in m": (
        "Wie weit die Mitte aller Gelenke von ihrem Anfang entfernt ist, in m"
    ),
    "Height of the middle of all joints at the end, in m": "Höhe der Mitte aller Gelenke am Ende, in m",
    "Kinetic Energy": "Bewegungsenergie",
    "The largest kinetic energy, in J": "Die größte Bewegungsenergie, in J",
    "Energy": "Energie",
    "Energy at the end, in J": "Energie am Ende, in J",
    "The largest torque or force in a joint, in N·m or N": (
        "Das größte Drehmoment oder die größte Kraft in einem Gelenk, in N·m oder N"
    ),
    "Contact Force": "Kontaktkraft",
    "The largest force of a contact, in N": "Die größte Kraft eines Kontakts, in N",
    "Time to Rest": "Zeit bis zur Ruhe",
    "When everything has come to rest, in s": "Wann alles zur Ruhe gekommen ist, in s",
    "Let the wedge vary this setting: simulate with a range of values of it": (
        "Die Versuchsreihe diese Einstellung variieren lassen: mit einer Reihe ihrer Werte simulieren"
    ),
    "Right-click a setting that is a single number": (
        "Klicke mit rechts auf eine Einstellung, die eine einzelne Zahl ist"
    ),
    "The wedge varies {name}: see the Takes panel": (
        "Die Versuchsreihe variiert {name}: siehe das Bedienfeld Aufnahmen"
    ),
    "The wedge does not vary this setting any more": "Die Versuchsreihe variiert diese Einstellung nicht mehr",
    "Simulate with every value of what the wedge varies, on all cores; each run becomes a take. Esc stops and keeps "
    "what is done": (
        "Mit jedem Wert dessen simulieren, was die Versuchsreihe variiert, auf allen Kernen; jeder Lauf wird eine "
        "Aufnahme. Esc hält an und behält, was fertig ist"
    ),
    "RedMax: reading the scene with every value": "RedMax: Die Szene wird mit jedem Wert gelesen",
    "RedMax: {done} of {total} runs. Esc stops and keeps them": (
        "RedMax: {done} von {total} Läufen. Esc hält an und behält sie"
    ),
    "Stopped before the first run was done": "Vor dem Ende des ersten Laufs angehalten",
    "{done} of {total} runs are done: {count} new takes": (
        "{done} von {total} Läufen sind fertig: {count} neue Aufnahmen"
    ),
    "Open what the last wedge has left, in the program that shows such files": (
        "Öffnen, was die letzte Versuchsreihe hinterlassen hat, im Programm für solche Dateien"
    ),
    "File": "Datei",
    "Which one": "Welche",
    "There is no wedge yet, or its folder is gone": "Es gibt noch keine Versuchsreihe, oder ihr Ordner ist weg",
    "There is no file '{path}'": "Es gibt keine Datei '{path}'",
    "Contact Sheet": "Kontaktabzug",
    "A picture of every run, from start to end, with its values": (
        "Ein Bild jedes Laufs, von Anfang bis Ende, mit seinen Werten"
    ),
    "What was measured, over what was varied": "Was gemessen wurde, über dem, was variiert wurde",
    "Table": "Tabelle",
    "All that was measured, a row a run, for a spreadsheet": (
        "Alles, was gemessen wurde, eine Zeile je Lauf, für eine Tabellenkalkulation"
    ),
    "Right-click a setting: Vary in a Wedge": "Rechtsklick auf eine Einstellung: In Versuchsreihe variieren",
}

TAKE_BUTTONS = {
    "Keep Take": "Aufnahme behalten",
    "Show Take": "Aufnahme zeigen",
    "Remove Take": "Aufnahme entfernen",
    "Use Its Settings": "Ihre Einstellungen verwenden",
    "Vary in a Wedge": "In Versuchsreihe variieren",
    "Remove from Wedge": "Aus Versuchsreihe entfernen",
    "Simulate Wedge": "Versuchsreihe simulieren",
    "Show": "Zeigen",
    "Contact Sheet": "Kontaktabzug",
    "Chart": "Diagramm",
    "Table": "Tabelle",
}
