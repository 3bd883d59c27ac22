"""Rigs with controls: which controls move the simulated bones, and which channels of theirs give a simulated pose."""
