"""Parts of what `trees/pack.py` packed, in the kernel that it is packed for."""

from __future__ import annotations

from ...jit.decorators import inline
from ...model.records import Floats, Ints


@inline
def ints_at(packed: Ints, i: int) -> Ints:
    """Part i of packed integers, which begin with where their parts do."""
    return packed[packed[i] : packed[i + 1]]


@inline
def floats_at(packed: Floats, at: Ints, i: int) -> Floats:
    return packed[at[i] : at[i + 1]]


@inline
def length_of(at: Ints, i: int) -> int:
    """Of part i, from where the parts begin."""
    return int(at[i + 1] - at[i])
