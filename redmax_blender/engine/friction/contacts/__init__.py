"""Friction and restitution where surfaces touch, as rows."""
