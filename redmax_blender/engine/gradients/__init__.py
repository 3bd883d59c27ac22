"""Gradients of whole runs by the adjoint method, objectives, and the search for parameters that meet them."""
