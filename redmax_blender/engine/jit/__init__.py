"""The project's `njit`, and where compiled kernels are kept."""

from .decorators import (
    borrower,
    inline,
    inline_borrower,
    inline_in_order,
    natural,
    njit,
    njit_short_loops,
    subroutine,
)

__all__ = [
    "borrower",
    "inline",
    "inline_borrower",
    "inline_in_order",
    "natural",
    "njit",
    "njit_short_loops",
    "subroutine",
]
