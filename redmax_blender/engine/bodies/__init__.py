"""Inertia of shapes and volumes of meshes."""
