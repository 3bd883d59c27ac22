"""The project's `njit`: one place for flags, cache folders, and the plain-Python fallback.

`njit` makes a kernel that Python calls. `inline` and `subroutine` make functions that only kernels call: the first
disappears into its callers, the second is too large for that, and a `borrower` is one of these that makes no arrays.
None of them gets the entry points that Python would use, which would be a third of the time to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import types

from . import switch as jit_switch
from .baseline import compile_for_baseline
from .cache import brought, kernel_folder
from .kept import keep
from .linkage import KernelCompiler, ShortLoopCompiler

F = TypeVar("F", bound=Callable[..., object])

# Reassociation and contraction are worth a third of the run time. Never `nnan` or `ninf`: the checks for a diverging
# simulation rely on NaN comparing as NaN.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}

compile_for_baseline()


def first_time() -> bool:
    """Whether nothing is compiled yet: the next run will spend its first half minute on that."""
    folder = kernel_folder(Path(__file__).parents[1] / "tree" / "kinematics.py")  # which every run needs
    return not any(path.suffix == ".nbi" for place in (folder, brought(folder)) for path in place.rglob("*"))


def njit(function: F) -> F:
    """Compile on first call, keep the result on disk, release the GIL. With NUMBA_DISABLE_JIT=1, or where `jit_switch`
    says so: plain Python."""
    return _kernel(function, KernelCompiler)


def njit_short_loops(function: F) -> F:
    """The same for a kernel whose loops are short, over some joints or rows: done several at a time, with a look
    beforehand whether that may be, they would take longer, and more room in the caches."""
    return _kernel(function, ShortLoopCompiler)


def _kernel(function: F, compiler: type[KernelCompiler]) -> F:
    if not jit_switch.compile_kernels:
        return function
    options = numba.njit(
        nogil=True,
        error_model="numpy",
        fastmath=FASTMATH,
        no_cfunc_wrapper=True,
        pipeline_class=compiler,
    )
    dispatcher = options(function)
    if not numba.config.DISABLE_JIT:
        keep(dispatcher)
    return cast(F, dispatcher)


def inline(function: F) -> F:
    """A small function that must disappear into the kernels that call it: tuples then stay in registers."""
    return _for_kernels(function, forceinline=True)


def inline_in_order(function: F) -> F:
    """The same for one whose sums must be done in the order in which they stand, to the last digit."""
    return _for_kernels(function, forceinline=True, fastmath={"contract"})


def subroutine(function: F) -> F:
    """A function called from kernels only, and too large to be copied into each of them."""
    return _for_kernels(function, forceinline=False)


def inline_borrower(function: F) -> F:
    """A borrower with one caller, into which it disappears: handing over seventy arrays takes as long as a solve."""
    return _for_kernels(function, forceinline=True, counts=False)


def borrower(function: F) -> F:
    """A subroutine that only works on the arrays it is given: it neither makes nor returns any.

    Numba need not count them on their way in and out then, which is an atomic operation each way for every array: with
    forty of them it takes as long as a step of three links.
    """
    return _for_kernels(function, forceinline=False, counts=False)


def _for_kernels(function: F, forceinline: bool, counts: bool = True, fastmath: set[str] = FASTMATH) -> F:
    if not jit_switch.compile_kernels:
        return function
    options = numba.njit(
        nogil=True,
        error_model="numpy",
        fastmath=fastmath,
        forceinline=forceinline,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        _nrt=counts,
        pipeline_class=KernelCompiler,
    )
    dispatcher = options(function)
    if not numba.config.DISABLE_JIT:
        _refuse_python(dispatcher)
        _ignore_literals(dispatcher)
    return cast(F, dispatcher)


def _refuse_python(dispatcher: Any) -> None:
    """Let a call from Python fail with a message: without an entry point it would end the process."""

    def keep_for_kernels(compiled: Any) -> None:
        dispatcher.overloads[tuple(compiled.signature.args)] = compiled

    def refuse(*_: object) -> None:
        raise TypeError(
            f"{dispatcher.py_func.__qualname__} is for kernels: call it from a function under @njit"
        )

    dispatcher.add_overload = keep_for_kernels
    dispatcher._compile_for_args = refuse


def _ignore_literals(dispatcher: Any) -> None:
    """Compile f(x, 1) and f(x, 2) once: Numba would do it for each number, and LLVM inserts the constants anyway."""
    resolve = dispatcher.get_call_template

    def resolve_types(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return resolve(
            tuple(types.unliteral(arg) for arg in args),
            {name: types.unliteral(arg) for name, arg in kws.items()},
        )

    dispatcher.get_call_template = resolve_types


@inline
def natural(i: int) -> int:
    """An index that is not negative, which Numba cannot know: it would look whether to count from the array's end, and
    would not take several numbers at once in a loop that begins at an offset."""
    return np.uint64(i)  # type: ignore[return-value]
