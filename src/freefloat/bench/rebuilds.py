"""How often a run makes what it should make once: missions, stacks of modules, reference orbits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from freefloat.api import execute
from freefloat.engine.mission import Mission
from freefloat.orbit.reference import ReferenceOrbit
from freefloat.scenario.files import load
from freefloat.structure.tensor_body import TensorBody

STACK = "stack"  # name of the tensor body that counts; hands that hold modules are others


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """Counts what is constructed in the block, by class; a stack's copies are not made anew and do not count."""
    counts: Counter[str] = Counter()
    kept: dict[Any, Any] = {cls: cls.__init__ for cls in (Mission, ReferenceOrbit, TensorBody)}

    def counted(cls: type[Any]) -> Any:
        @wraps(kept[cls])
        def init(self: Any, *args: Any, **settings: Any) -> None:
            kept[cls](self, *args, **settings)
            if cls is not TensorBody or self.name == STACK:
                counts[cls.__name__] += 1

        return init

    try:
        for cls in kept:
            cls.__init__ = counted(cls)
        yield counts
    finally:
        for cls, init in kept.items():
            cls.__init__ = init


def rebuilds(name: str, duration: float) -> int:
    """Constructions beyond the first of each class while a scenario is loaded, run, judged and drawn."""
    with TemporaryDirectory() as folder, counting() as counts:
        execute(load(name, {"duration": duration}), out=Path(folder))
    return sum(counts.values()) - len(counts)
