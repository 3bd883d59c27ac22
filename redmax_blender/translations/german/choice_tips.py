"""Tooltips of what a setting can be."""

CHOICE_TIPS = {
    "A PC2 file on a Mesh Cache modifier: for heavy meshes": (
        "Eine PC2-Datei an einem Mesh-Cache-Modifikator: für schwere Meshes"
    ),
    "A capsule along Z": "Eine Kapsel entlang Z",
    "A cone along Z, its tip up": "Ein Kegel entlang Z, die Spitze oben",
    "A cylinder along Z": "Ein Zylinder entlang Z",
    "A sphere as wide as the bounding box": "Eine Kugel, so breit wie die Begrenzungsbox",
    "About how many vertices the cage has": "Wie viele Vertices der Käfig ungefähr hat",
    "An infinite plane through the object's origin, solid below; its normal is the object's Z axis": (
        "Eine unendliche Ebene durch den Ursprung des Objekts, darunter fest; ihre Normale ist die Z-Achse "
        "des Objekts"
    ),
    "Angles given here": "Die hier gegebenen Winkel",
    "Any direction in the bone's frame": "Beliebige Richtung im Bezugssystem des Knochens",
    "As many steps as the accuracy needs, by recursive dynamics; keeps energy, slow on stiff joints": (
        "So viele Schritte, wie die Genauigkeit braucht, mit rekursiver Dynamik; erhält die Energie, langsam "
        "bei steifen Gelenken"
    ),
    "As many steps as the accuracy needs, by the RedMax system; to compare with the recursive one": (
        "So viele Schritte, wie die Genauigkeit braucht, mit dem System von RedMax; zum Vergleich mit dem rekursiven"
    ),
    "Does not move relative to its parent": "Bewegt sich nicht gegen seinen Elternknochen",
    "Every triangle of the mesh; an open mesh is solid from both sides": (
        "Jedes Dreieck des Meshs; ein offenes Mesh ist von beiden Seiten fest"
    ),
    "Feels no forces: it stands still, or follows its animation exactly": (
        "Spürt keine Kräfte: Er steht still oder folgt genau seiner Animation"
    ),
    "Flesh where a bone's vertex group is strong moves with the bone. A group named 'RedMax' and the bone's "
    "name counts instead of the bone's own, so that attachments can be painted apart from the skin's weights": (
        "Weichteile, wo die Vertexgruppe eines Knochens stark ist, bewegen sich mit ihm. Eine Gruppe namens "
        "'RedMax' und Name des Knochens zählt statt seiner eigenen, sodass Befestigungen getrennt von den "
        "Gewichten der Haut gemalt werden können"
    ),
    "Follows the angle or distance below exactly, with whatever force that takes": (
        "Folgt genau dem Winkel oder Abstand darunter, mit jeder Kraft, die das braucht"
    ),
    "How large its cells are": "Wie groß seine Zellen sind",
    "Implicit Euler by Newton's method; calms motion down by itself. First order": (
        "Implizites Euler-Verfahren mit Newton-Schritten; beruhigt Bewegung von selbst. Erste Ordnung"
    ),
    "Implicit Euler with Coriolis forces midway through the step: calm on fast chains, fast, and holds "
    "limits, loops and targets. First order": (
        "Implizites Euler-Verfahren mit Corioliskräften in der Mitte des Schritts: ruhig bei schnellen "
        "Ketten, schnell, und hält Grenzen, Schleifen und Ziele ein. Erste Ordnung"
    ),
    "Just a curve": "Nur eine Kurve",
    "Keeps its speed with whatever force that takes, up to the largest one": (
        "Hält seine Geschwindigkeit mit jeder Kraft, die das braucht, bis zur größten"
    ),
    "Linear in how much it is stretched; fast, and recovers from anything": (
        "Linear in der Dehnung; schnell, und erholt sich von allem"
    ),
    "Mass is density × volume of the capsule": "Masse ist Dichte × Volumen der Kapsel",
    "Mass is density × volume of the mesh": "Masse ist Dichte × Volumen des Meshs",
    "Mass is density × volume of the shape": "Masse ist Dichte × Volumen der Form",
    "Mass is given": "Masse ist gegeben",
    "Moves and turns freely; only bones that are not connected to their parent": (
        "Bewegt und dreht sich frei; nur Knochen, die nicht mit ihrem Elternknochen verbunden sind"
    ),
    "Moves by forces": "Bewegt sich durch Kräfte",
    "Not a body, unless it has one of Blender's own rigid bodies": (
        "Kein Körper, außer er hat einen von Blenders eigenen Starrkörpern"
    ),
    "Not a joint, unless it has one of Blender's own rigid body constraints": (
        "Kein Gelenk, außer es hat eins von Blenders eigenen Starrkörper-Constraints"
    ),
    "Not solid, unless it has a Collision modifier or is an anchored body": (
        "Nicht fest, außer mit Kollisions-Modifikator oder als verankerter Körper"
    ),
    "One absolute shape key a frame, and a single curve on Evaluation Time": (
        "Ein absoluter Formschlüssel pro Frame und eine einzige Kurve auf der Auswertungszeit"
    ),
    "One linear solve a step, by far the fastest; needs small steps where bodies are small or spin. First order": (
        "Ein lineares System pro Schritt, bei Weitem am schnellsten; braucht kleine Schritte, wo Körper "
        "klein sind oder kreiseln. Erste Ordnung"
    ),
    "One relative shape key a frame, each with a curve on its value": (
        "Ein relativer Formschlüssel pro Frame, jeder mit einer Kurve auf seinem Wert"
    ),
    "Physics alone moves the bone": "Allein die Physik bewegt den Knochen",
    "Physics moves the bone, and a spring leads it towards its animation": (
        "Die Physik bewegt den Knochen, und eine Feder führt ihn zu seiner Animation"
    ),
    "Pulls and pushes towards its rest length": "Zieht und drückt zu ihrer Ruhelänge hin",
    "Pulls only, like a rubber string": "Zieht nur, wie ein Gummiband",
    "RedMax chooses which joint of a loop is cut": "RedMax wählt, welches Gelenk einer Schleife geschnitten wird",
    "Resists being squashed flat; for large stretches, and where the volume matters": (
        "Widersteht dem Plattdrücken; für große Dehnungen, und wo es auf das Volumen ankommt"
    ),
    "Slides along one axis, as a piston": "Gleitet entlang einer Achse, wie ein Kolben",
    "Smaller steps follow fast motion of small bodies": "Kleinere Schritte folgen schneller Bewegung kleiner Körper",
    "Solid for bodies and bones; it follows its animation": "Fest für Körper und Knochen; es folgt seiner Animation",
    "The beginning of the bone": "Der Anfang des Knochens",
    "The bone follows its animation exactly, and moves what hangs on it": (
        "Der Knochen folgt genau seiner Animation und bewegt, was an ihm hängt"
    ),
    "The bone's X axis": "Die X-Achse des Knochens",
    "The bone's Y axis, along the bone": "Die Y-Achse des Knochens, ihm entlang",
    "The bone's Z axis": "Die Z-Achse des Knochens",
    "The bone's rest pose, as in edit mode": "Die Ruhepose des Knochens, wie im Bearbeitungsmodus",
    "The core of each bone's capsule carries the flesh around it": (
        "Der Kern der Kapsel jedes Knochens trägt die Weichteile darum"
    ),
    "The end of the bone": "Das Ende des Knochens",
    "The integrator that stays calm where others do not": "Der Integrator, der ruhig bleibt, wo andere es nicht tun",
    "The mesh itself, which must be closed": "Das Mesh selbst, das geschlossen sein muss",
    "The object's bounding box": "Die Begrenzungsbox des Objekts",
    "The point of the bone's body where the target is at the first frame": (
        "Der Punkt des Knochenkörpers, an dem das Ziel am ersten Frame ist"
    ),
    "The pose at the first frame of the simulation": "Die Pose am ersten Frame der Simulation",
    "The smallest convex body around the mesh": "Der kleinste konvexe Körper um das Mesh",
    "The smallest convex body around the mesh; faster than the mesh": (
        "Der kleinste konvexe Körper um das Mesh; schneller als das Mesh"
    ),
    "The two objects do not move against each other": "Die zwei Objekte bewegen sich nicht gegeneinander",
    "They move along and about the axes that are free": "Sie bewegen sich entlang der freien Achsen und um sie",
    "They slide along the empty's X axis": "Sie gleiten entlang der X-Achse des Empty",
    "They slide along the empty's X axis and turn about it": (
        "Sie gleiten entlang der X-Achse des Empty und drehen sich um sie"
    ),
    "They turn about every axis, as a ball in its socket": (
        "Sie drehen sich um jede Achse, wie eine Kugel in ihrer Pfanne"
    ),
    "They turn about the empty's Z axis": "Sie drehen sich um die Z-Achse des Empty",
    "This joint is held by a constraint, not by the tree of joints": (
        "Ein Constraint hält dieses Gelenk, nicht der Baum der Gelenke"
    ),
    "This joint is part of the tree of joints": "Dieses Gelenk ist Teil des Baums der Gelenke",
    "Turns about every axis, as a hip or a shoulder": "Dreht sich um jede Achse, wie eine Hüfte oder Schulter",
    "Turns about one axis, as an elbow or a knee": "Dreht sich um eine Achse, wie ein Ellbogen oder Knie",
    "Turns about two axes, one after the other, as a wrist": (
        "Dreht sich nacheinander um zwei Achsen, wie ein Handgelenk"
    ),
    "Two implicit stages a step by Newton's method; keeps energy best. Second order": (
        "Zwei implizite Stufen pro Schritt mit Newton-Schritten; erhält die Energie am besten. Zweite Ordnung"
    ),
    "Two-step implicit formula by Newton's method; accurate and stable. Second order": (
        "Implizite Zweischrittformel mit Newton-Schritten; genau und stabil. Zweite Ordnung"
    ),
}
