"""The shots as Blender scenes, with what films and checks them."""
