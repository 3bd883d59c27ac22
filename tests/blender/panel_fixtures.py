"""A layout that draws nothing and checks everything: properties, operators, menus and icons must exist."""

import bpy

CONTAINERS = ("row", "column", "box", "split", "column_flow", "grid_flow", "menu_pie", "panel")
ICONS = set(bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items.keys())


class Settable:
    """What `layout.operator` returns: attributes are the operator's properties."""

    def __init__(self, idname):
        module, name = idname.split(".")
        operator = getattr(getattr(bpy.ops, module), name)
        object.__setattr__(self, "_properties", operator.get_rna_type().properties)

    def __setattr__(self, name, value):
        assert name in self._properties, f"no property '{name}'"


class Layout:
    """Collects what is drawn, in order."""

    def __init__(self, drawn):
        object.__setattr__(self, "drawn", drawn)

    def __getattr__(self, name):
        if name in CONTAINERS:
            return lambda *_, **__: (
                type(self)(self.drawn)
                if name != "panel"
                else (type(self)(self.drawn), type(self)(self.drawn))
            )
        if name in (
            "active",
            "enabled",
            "use_property_split",
            "use_property_decorate",
            "alignment",
            "emboss",
        ):
            return True
        if name in ("separator", "label_multiline", "context_pointer_set"):
            return lambda *_, **__: None
        raise AttributeError(name)

    def prop(self, data, name, *, index=-1, icon="NONE", text=None, **_):
        prop = data.bl_rna.properties[name]
        assert icon in ICONS
        assert index < max(getattr(prop, "array_length", 0), 1)
        self.drawn.append(("prop", prop.identifier, text if text is not None else prop.name))

    def operator(self, idname, *, icon="NONE", text=None, **_):
        assert icon in ICONS
        found = Settable(idname)
        self.drawn.append(("operator", idname, text))
        return found

    def operator_menu_enum(self, idname, name, *, icon="NONE", **_):
        assert icon in ICONS
        assert name in Settable(idname)._properties
        self.drawn.append(("operator", idname, None))

    def label(self, *, text="", icon="NONE", **_):
        assert icon in ICONS, icon
        assert isinstance(text, str)
        self.drawn.append(("label", text, None))

    def prop_decorator(self, data, name, **_):
        assert name in data.bl_rna.properties

    def menu(self, name, *, icon="NONE", **_):
        assert icon in ICONS and hasattr(bpy.types, name)
        self.drawn.append(("menu", name, None))

    def popover(self, panel, *, icon="NONE", **_):
        assert icon in ICONS and hasattr(bpy.types, panel)
        self.drawn.append(("popover", panel, None))

    def progress(self, *, factor=0.0, text="", **_):
        assert 0.0 <= factor <= 1.0
        self.drawn.append(("progress", text, None))

    def template_list(self, kind, _id, data, name, active, active_name, **_):
        assert hasattr(bpy.types, kind)
        assert name in data.bl_rna.properties and active_name in active.bl_rna.properties
        self.drawn.append(("list", kind, None))

    def prop_search(self, data, name, search, search_name, *, icon="NONE", **_):
        assert name in data.bl_rna.properties and search_name in search.bl_rna.properties
        self.drawn.append(("prop", name, None))


def our_panels():
    """All registered panels of the RedMax tab."""
    return [
        cls
        for name in dir(bpy.types)
        if name.startswith("VIEW3D_PT_redmax_") and (cls := getattr(bpy.types, name)).bl_category == "RedMax"
    ]


class View:
    """A context as panels see it, with a 3D view that headless Blender does not have."""

    def __init__(self, **more):
        self.more = more

    def __getattr__(self, name):
        if name in self.more:
            return self.more[name]
        if name == "space_data":
            return type("Space", (), {"overlay": type("Overlay", (), {"show_overlays": True})})
        return getattr(bpy.context, name)


def draw(panel, context=None, layout=Layout):
    """Draw a panel that its poll allows; what it drew, or None."""
    context = context or View()
    if hasattr(panel, "poll") and not panel.poll(context):
        return None
    drawn = []
    members = {}
    for base in reversed(panel.__mro__):
        members |= {k: v for k, v in vars(base).items() if not k.startswith("__") and not k.startswith("bl_")}
    stub = type(
        "Stub",
        (),
        {k: v for k, v in members.items() if callable(v) or isinstance(v, (staticmethod, classmethod))},
    )()
    stub.layout = layout(drawn)
    for part in ("draw_header", "draw_header_preset", "draw"):
        if hasattr(stub, part):
            getattr(stub, part)(context)
    return drawn
