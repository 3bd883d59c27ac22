"""What a rig is the rig of: the parts of people and animals, by the names of bones and by where their joints are."""
