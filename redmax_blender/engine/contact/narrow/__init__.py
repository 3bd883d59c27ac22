"""Points of contact of two pieces that are near each other."""
