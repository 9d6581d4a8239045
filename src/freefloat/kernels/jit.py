"""How kernels compile: `kernel` for functions that compiled code calls, `entry` for the ones that Python calls.

An entry's machine code holds every kernel that it calls: its cache is stamped with all sources of this package,
the C functions and MuJoCo's version.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from numba import _dynfunc, njit  # pyright: ignore[reportAttributeAccessIssue]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering
from numba.extending import register_jitable

from freefloat.cmujoco import STAMP
from freefloat.stamped_cache import stamped_cache


class _PartLibrary(JITCodeLibrary):
    """Code of a kernel, kept as LLVM's own: the entry that links it in optimises it and makes machine code, once.

    Numba would make machine code of every kernel together with all that it calls; that takes three times as long.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Numba's lowering into a `_PartLibrary`, without machine code."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> Literal[True]:
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        made = state["cr"]
        key = _dynfunc.make_function(made.fndesc.lookup_module(), "kernel", "", 0, made.env, (state.library,))
        state.targetctx.insert_user_function(key, made.fndesc, [state.library])
        state["cr"] = made._replace(cfunc=key)
        return True


class _PartCompiler(CompilerBase):
    """Numba's compiler with `_PartLowering`."""

    def define_pipelines(self) -> list[PassManager]:
        default, parts = DefaultPassBuilder.define_nopython_pipeline(self.state), PassManager("part")
        parts.passes.extend((_PartLowering if p is NativeLowering else p, text) for p, text in default.passes)
        parts.finalize()
        return [parts]


_FAST: dict[str, Any] = {
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _PartCompiler,
    "_nrt": False,
}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile for callers in compiled code only: no exceptions, no Python wrapper, no reference counts.

    Without counts nothing can be allocated: a kernel takes its scratch from the plant's memory or from `local`.
    """
    return njit(**_FAST)(function)


def inlined_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that LLVM puts into its caller: a call would copy every argument, and a view alone is 80 words."""
    return njit(**_FAST, forceinline=True)(function)


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plain Python function that kernels may call too."""
    return register_jitable(error_model="numpy", _nrt=False)(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A `shared` function that becomes part of its caller before LLVM sees it, so that a loop over it is vectorised."""
    return register_jitable(error_model="numpy", _nrt=False, inline="always")(function)


def entry(signature: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile at import for callers in Python, with the GIL released; the next import takes it from the cache."""

    def compile_now(function: Callable[..., Any]) -> Callable[..., Any]:
        dispatcher: Any = njit(nogil=True, error_model="numpy")(function)
        dispatcher._cache = stamped_cache(function, Path(__file__).parent, STAMP)
        if not dispatcher._cache._cache_file._load_index():
            print("freefloat: compiling the plant, once; this takes about a minute", file=sys.stderr, flush=True)
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return compile_now
