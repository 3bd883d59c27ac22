"""Goals of a Blender scene: read as a task of the engine, solved, and what was found put where it belongs."""
