"""The processor that kernels are compiled for.

On x86-64 it is the level that all processors since about 2015 have, and not the one at hand, so that kernels
that were compiled on one are good for the next.
"""

from __future__ import annotations

import platform

import llvmlite.binding as llvm
from numba.core import config

_NAME = "x86-64-v3"
_FEATURES = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "xsave")


def compile_for_baseline() -> None:
    """Before the first kernel. Older processors, and all others, are compiled for as they are."""
    if platform.machine().lower() not in ("x86_64", "amd64") or config.CPU_NAME is not None:
        return
    has = llvm.get_host_cpu_features()
    if all(has.get(feature, False) for feature in _FEATURES):
        config.CPU_NAME, config.CPU_FEATURES = _NAME, ""
