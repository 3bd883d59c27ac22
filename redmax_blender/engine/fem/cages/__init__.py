"""From an artist's mesh to a cage of tetrahedra that carries it."""
