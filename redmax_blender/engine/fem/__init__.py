"""Flesh: tetrahedral finite elements, from an artist's mesh to the matrix of an implicit step; no skeleton here."""
