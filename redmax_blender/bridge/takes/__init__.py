"""Takes: simulations that are kept, shown again and compared; and wedges, which make many of them at once."""
