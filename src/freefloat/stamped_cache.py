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


def stamped_cache(function: Callable[..., Any], folder: Path, extra: str = "", key: str | None = None) -> Any:
    """A cache for a dispatcher of `function` that any change of a source below `folder`, or of `extra`, empties.

    `key` tells apart functions that one closure makes; Numba would look at what they enclose, which is never the same.
    """

    def stamped(locator: type) -> type:
        stamp = {"get_source_stamp": lambda _: fingerprint(folder, extra)}
        return type(f"Stamped{locator.__name__}", (locator,), stamp)

    locators = (caching.UserProvidedCacheLocator, caching.InTreeCacheLocator, caching.UserWideCacheLocator)
    impl = type("Impl", (caching.CompileResultCacheImpl,), {"_locator_classes": [stamped(c) for c in locators]})
    named: dict[str, Any] = {"_impl_class": impl}
    if key is not None:
        named["_index_key"] = lambda _, signature, codegen: (signature, codegen.magic_tuple(), key)
    return type("Cache", (caching.FunctionCache,), named)(function)
