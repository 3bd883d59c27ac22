"""Stops: what the limits of the active bone's or empty's joint are like. Part of the panels that show the limits."""


def draw_stops(layout, settings, limited, slides, turns):
    """Rows for a joint that slides and turns in so many directions; greyed while nothing is limited."""
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    column.active = limited
    column.prop(settings, "stop_restitution")
    alone = slides + turns < 2
    row = column.row()
    row.active = not alone
    row.prop(settings, "stop_friction")
    if slides and turns:
        row = column.row()
        row.active = settings.stop_friction > 0.0
        row.prop(settings, "stop_radius")
    if alone and limited:
        column.label(text="One axis: limits bounce, and have no friction", icon="INFO")
    elif not limited and (settings.stop_friction > 0.0 or settings.stop_restitution > 0.0):
        column.label(text="Nothing is limited here", icon="INFO")
