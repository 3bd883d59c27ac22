"""Types of the arrays that collision kernels take.

Kernels are compiled again when a file changes that they import: these import nothing but each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Places = NDArray[np.uint32]
"""Indices without a sign: kernels need not ask whether they count from the end, which is half the time of a sweep."""
