"""An armature -> bodies and joints: what is decided for each bone."""
