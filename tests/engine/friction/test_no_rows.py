"""Solvers of rows, where a moment has none."""

import numpy as np

from redmax_blender.engine.solvers.semidefinite import semidefinite_inverse


def test_the_inverse_of_no_rows_is_none():
    assert semidefinite_inverse(np.zeros((0, 0))).shape == (0, 0)
