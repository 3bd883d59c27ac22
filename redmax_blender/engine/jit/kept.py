"""Compiled kernels on disk that belong to what their sources say, not to where those lie or when they were written.

Numba's own cache is bound to a path and to the time at which a file was changed. Here the folder is named after the
contents of all files that are compiled into a kernel (`cache.py`), and the stamp after those of the kernel's own file.
A copy of the sources in another place finds what the first has compiled, and kernels can be compiled on one machine and
brought to another with the same Python, NumPy and Numba: the extension's zip brings some.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

from .cache import brought, kernel_folder, root
from .turns import Turns


class _ByContents(_CacheLocator):  # type: ignore[misc]
    """Where a kernel is kept, and what tells whether it is out of date."""

    def __init__(self, function: Callable[..., object], file: str) -> None:
        self._file = Path(file)
        self._line = function.__code__.co_firstlineno
        self._folder = str(kernel_folder(self._file))

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return hashlib.sha256(self._file.read_bytes()).hexdigest()

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, function: Callable[..., object], file: str) -> _ByContents | None:
        return cls(function, file) if Path(file).is_file() else None  # typed at a prompt: Numba's own way


class _Kept(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_ByContents, *CompileResultCacheImpl._locator_classes)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, kept so. What is not there is compiled by one process at a time."""

    _impl_class = _Kept

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None and self._enabled:
            self._impl.locator.ensure_cache_path()
            if self._turns.take(self._turn(sig)):
                found = super().load_overload(sig, target_context)
                if found is not None:
                    self._turns.give(self._turn(sig))
        return found

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super()._load_overload(sig, target_context)
        if found is None and self._enabled and self._brought is not None:
            data = self._brought.load(self._index_key(sig, target_context.codegen()))
            if data is not None:
                found = self._impl.rebuild(target_context, data)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        super().save_overload(sig, data)
        self._turns.give(self._turn(sig))

    @cached_property
    def _brought(self) -> IndexDataCacheFile | None:
        """What came with the extension."""
        own = Path(self.cache_path)
        if not own.is_relative_to(root()) or not brought(own).is_dir():
            return None
        return IndexDataCacheFile(
            str(brought(own)), self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    @cached_property
    def _turns(self) -> Turns:
        return Turns(Path(self.cache_path))

    def _turn(self, sig: Any) -> str:
        return f"{self._impl.filename_base}-{hashlib.sha256(str(sig).encode()).hexdigest()[:8]}"


def keep(dispatcher: Any) -> None:
    """Let what Numba compiles for a function be kept, and found again."""
    dispatcher._cache = KernelCache(dispatcher.py_func)
