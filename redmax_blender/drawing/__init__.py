"""The overlay: lines over the 3D view that show what is simulated."""
