"""OpenSim files: models (`.osim`) and motions (`.mot`, `.sto`)."""
