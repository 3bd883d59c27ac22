"""Objects and empties as bodies, joints, springs and colliders."""
