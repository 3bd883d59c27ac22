"""What comes near what: boxes, pairs and filters."""
