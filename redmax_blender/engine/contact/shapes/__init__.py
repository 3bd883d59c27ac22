"""What may touch: solids, hulls, meshes and tubes as arrays."""
