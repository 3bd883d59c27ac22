"""Flesh: tetrahedral finite elements, from an artist's mesh to the matrix of an implicit step; no skeleton here.

    mesh ──cage.make_cage──▶ Cage ──tets.make_tets──▶ Tets ──elements.linearise──▶ forces, Linearised
      └────embed.embed─────▶ Embedding ◀─deform─ x              ──assemble.add_blocks──▶ BlockMatrix ──solve──▶ v

A material is one file (`corotated`, `neo_hookean`) that gives energy, stress and curvature in principal stretches
(`stretch`); `materials` is the dispatch. `attach` says which vertices bones carry; `strand` is the mass-spring string.
"""
