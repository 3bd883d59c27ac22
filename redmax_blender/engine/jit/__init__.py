"""The project's `njit`, and where compiled kernels are kept."""
