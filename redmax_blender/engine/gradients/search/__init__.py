"""The search for what meets the objectives."""
