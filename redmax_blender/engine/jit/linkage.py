"""Kernels that keep to their own copies of the functions they call.

Numba compiles what a kernel calls into the kernel, but leaves those copies for all to see, and LLVM takes the first of
a name that the process has loaded: a copy made elsewhere, which adds up in another order. The last bits of a result
would then depend on which kernels ran before, and on whether they were compiled or came from disk. Here the copies are
private. They are optimised in the kernel alone, where LLVM sees all calls of them, and a function that only kernels
call is not turned into machine code by itself: that saves a fifth of the time to compile.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core import config
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NopythonTypeInference


@register_pass(mutates_CFG=False, analysis_only=True)
class _OwnLibrary(FunctionPass):  # type: ignore[misc]
    """Gives a function a library of Numba's that `_keep_own_copies` has changed."""

    _name = "redmax_own_library"
    vectorise = True

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        state.library.enable_object_caching()
        _keep_own_copies(state.library, not state.flags.no_cpython_wrapper, self.vectorise)
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _OwnShortLoops(_OwnLibrary):
    """The same, without loops that do several turns at a time."""

    _name = "redmax_own_short_loops"
    vectorise = False


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Numba's own, with that pass."""

    own: type[FunctionPass] = _OwnLibrary

    def define_pipelines(self) -> list[Any]:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.add_pass_after(self.own, NopythonTypeInference)
            pipeline.finalize()
        return list(pipelines)


class ShortLoopCompiler(KernelCompiler):
    """For kernels whose loops are short."""

    own = _OwnShortLoops


def _keep_own_copies(library: Any, for_python: bool, vectorise: bool) -> None:
    """Change what a library does when all that it calls was linked to it, and before it is loaded."""
    optimise = library._optimize_final_module

    def part_and_optimise() -> None:
        own = library._final_module
        library._shared_module = _for_others(own)
        if for_python:
            _hide(own, llvm.Linkage.linkonce_odr, "internal")
            before = config.LOOP_VECTORIZE
            config.LOOP_VECTORIZE = before and vectorise  # one compiles at a time
            try:
                optimise()
            finally:
                config.LOOP_VECTORIZE = before
        else:
            library._final_module = _environments(own)

    library._optimize_final_module = part_and_optimise


def _for_others(module: Any) -> Any:
    """What other kernels copy: all of it, and they drop what they do not need."""
    out = module.clone()
    _hide(out, llvm.Linkage.external, "linkonce_odr")
    return out


def _hide(module: Any, seen: llvm.Linkage, linkage: str) -> None:
    for function in module.functions:
        if not function.is_declaration and function.linkage == seen:
            function.linkage = linkage


def _environments(module: Any) -> Any:
    """A module with nothing but what Numba will look for: where a function finds its Python environment."""
    names = [each.name for each in module.global_variables if each.name.startswith("_ZN08NumbaEnv")]
    out = llvm.parse_assembly("\n".join(f'@"{name}" = common global ptr null' for name in names))
    out.name = module.name
    return out
