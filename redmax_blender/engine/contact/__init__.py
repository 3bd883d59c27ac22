"""Where surfaces touch."""
