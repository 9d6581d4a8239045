"""Numba's cache of machine code on disk, stamped with every source that the code may hold.

Numba's own cache looks only at the file of the cached function; its machine code also holds what it calls from others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching


@cache
def fingerprint(folder: Path, extra: str = "") -> str:
    """Of all Python sources below a folder, and of `extra`."""
    digest = hashlib.sha256(extra.encode())
    for source in sorted(folder.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


class _Files(caching.IndexDataCacheFile):
    """Numba's files with the stamp in the names of the data, which are written before the index.

    So an index never names machine code of another source, whoever was interrupted or wrote at the same time.
    """

    def __init__(self, folder: str, base: str, stamp: str) -> None:
        super().__init__(cache_path=folder, filename_base=base, source_stamp=stamp)
        self._base, self._stamp = f"{base}.", stamp[:16]
        self._data_name_pattern = f"{self._base}{self._stamp}.{{number:d}}.nbc"

    def save(self, key: Any, data: Any) -> None:
        """Keep an entry, and none of another stamp."""
        overloads = self._load_index()
        name = overloads.get(key) or self._data_name(len(overloads) + 1)
        self._save_data(name, data)
        self._save_index({**overloads, key: name})
        for old in Path(self._cache_path).glob(f"{self._base}*.nbc"):
            if not old.name.startswith(f"{self._base}{self._stamp}"):
                old.unlink(missing_ok=True)


def stamped_cache(function: Callable[..., Any], folder: Path, extra: str = "", key: str | None = None) -> Any:
    """A cache for a dispatcher of `function` that any change of a source below `folder`, or of `extra`, empties.

    `key` tells apart functions that one closure makes, each with files of its own; Numba would look at what they
    enclose, which is never the same.
    """

    def stamped(locator: type) -> type:
        stamp = {"get_source_stamp": lambda _: fingerprint(folder, extra)}
        return type(f"Stamped{locator.__name__}", (locator,), stamp)

    locators = (caching.UserProvidedCacheLocator, caching.InTreeCacheLocator, caching.UserWideCacheLocator)
    impl = type("Impl", (caching.CompileResultCacheImpl,), {"_locator_classes": [stamped(c) for c in locators]})
    named: dict[str, Any] = {"_impl_class": impl}
    if key is not None:
        named["_index_key"] = lambda _, signature, codegen: (signature, codegen.magic_tuple(), key)
    cache = type("Cache", (caching.FunctionCache,), named)(function)
    base = cache._impl.filename_base
    if key is not None:
        base += f"-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    cache._cache_file = _Files(cache._cache_path, base, cache._impl.locator.get_source_stamp())
    return cache
