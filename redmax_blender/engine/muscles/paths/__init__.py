"""Paths of muscles: where they run, how long they are, and how both follow the frames they hang on."""
