"""Onboard code bound to a task: its tick as machine code, and the table of the arrays that the tick works on."""

from __future__ import annotations

from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

import numpy as np

from freefloat.compiled import record
from freefloat.engine.cells import Integers
from freefloat.engine.graph import Vector
from freefloat.errors import InputError
from freefloat.kernels.ticks import compiled_tick, kind_of


class OnboardCode:
    """A controller's tick on the task's measurements and on the controller's own `state` and `out`."""

    def __init__(self, where: str, controller: Any, meas: Mapping[str, Vector], compiled: bool) -> None:
        self._where = where
        for name in meas:
            if not name.isidentifier() or name.startswith("_") or iskeyword(name):
                raise InputError(f"{where}: measurement {name!r} of a tick; allowed: names as Python's")
        if hasattr(controller.tick, "__self__"):
            raise InputError(f"{where}: its tick is a method; make it a @staticmethod tick(t, meas, state, out)")
        self._meas = record(tuple(meas))(*meas.values())
        self._kinds = self._kinds_of(controller)
        self._tick = controller.tick
        self.code = compiled_tick(self._tick, self._kinds, where) if compiled else None
        self._table: Integers = np.zeros((sum(len(kind.types) for kind in self._kinds), 4), dtype=np.int64)
        self._state, self._out = controller.state, controller.out
        self.bind(controller)

    def _kinds_of(self, controller: Any) -> tuple[Any, ...]:
        named = (("meas", self._meas), ("state", controller.state), ("out", controller.out))
        return tuple(kind_of(values, f"{self._where}: its {name}") for name, values in named)

    def check(self, controller: Any) -> None:
        """Refuse a controller whose arrays are not of the types that the tick is compiled for."""
        for was, now in zip(self._kinds, self._kinds_of(controller), strict=True):
            if was != now:
                raise InputError(f"{self._where}: arrays of its tick were {was} and are {now}; a type must not change")

    def bind(self, controller: Any) -> None:
        """Let the tick work on this controller's arrays from now on: the first one's, or a copy's."""
        self.check(controller)
        self._state, self._out = controller.state, controller.out
        for row, array in zip(self._table, (*self._meas, *self._state, *self._out), strict=True):
            row[0] = array.ctypes.data
            row[1 : 1 + array.ndim] = array.shape

    @property
    def address(self) -> int:
        """Of the table of arrays."""
        return int(self._table.ctypes.data)

    def run(self, t: float) -> None:
        """One tick, from Python: machine code, or the plain function where a task is not to be compiled."""
        if self.code is not None:
            self.code.function(t, self.address)
        else:
            getattr(self._tick, "py_func", self._tick)(t, self._meas, self._state, self._out)

    def output(self, name: str, size: int, what: str) -> Vector:
        """The array of an output, which must be of `size` numbers."""
        if name not in self._out._fields:
            raise InputError(f"{self._where}: {what} {name!r} is no output of its tick; allowed: {self._out._fields}")
        array = getattr(self._out, name)
        if array.size != size or array.dtype != np.float64:
            given = f"{array.size} of {array.dtype}"
            raise InputError(f"{self._where}: its output {name!r} has {given}, {what} needs {size} of float64")
        return array.reshape(-1)
