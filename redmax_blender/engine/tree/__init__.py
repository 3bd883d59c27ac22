"""Passes over the forest: kinematics, Jacobian products, recursions and their derivatives."""
