"""Dry friction inside joints and between surfaces, motors with a torque limit, and trees that fall asleep."""
