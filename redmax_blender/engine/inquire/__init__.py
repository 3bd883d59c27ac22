"""What any part of a scene feels at a moment: reactions, tensions, friction, contacts, energy and momentum."""
