"""Wedges: one scene simulated again and again with other values, on all cores, on a cluster or by a farm's manager.

Needs no Blender. A wedge is a folder: `wedge.json` says what is varied, and every run has its scene, its frames and its
report there.
"""
