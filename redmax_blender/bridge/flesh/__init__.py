"""Meshes -> flesh: cages, attachments, and how it is shown."""
