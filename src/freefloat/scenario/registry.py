"""Names of scenarios and parts, ours and those of other packages.

A package registers its own by an entry point that names a module; importing the module registers:

    [project.entry-points."freefloat.scenarios"]
    acme = "acme_sim.missions"
"""

from __future__ import annotations

import re
import warnings
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from freefloat.errors import InputError, unknown_name
from freefloat.scenario.base import Scenario

T = TypeVar("T")
S = TypeVar("S", bound=type[Scenario])


class PluginWarning(UserWarning):
    """Another package's entry point failed to load; its scenarios or parts are absent."""


class Registry(Generic[T]):
    """Classes by name; the modules of the entry-point group `group` are imported at the first question."""

    def __init__(self, noun: str, group: str) -> None:
        self.noun = noun
        self.group = group
        self._classes: dict[str, T] = {}
        self._loaded = False

    def add(self, name: str, cls: T) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
            raise InputError(f"{self.noun} name {name!r} is not valid; allowed: lower-case words joined by hyphens")
        known = self._classes.get(name)
        if known is not None and _origin(known) != _origin(cls):  # the same class again: a reloaded module or cell
            raise InputError(f"{self.noun} {name!r} is already registered by {_origin(known)}; choose another name")
        self._classes[name] = cls

    def remove(self, name: str) -> None:
        self._classes.pop(name, None)

    def names(self) -> list[str]:
        self.load()
        return sorted(self._classes)

    def get(self, name: str) -> T:
        self.load()
        if name not in self._classes:
            raise unknown_name(self.noun, name, self._classes)
        return self._classes[name]

    def load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        # ours first: a name of another package that clashes with one of ours is that package's problem
        for point in sorted(entry_points(group=self.group), key=lambda p: (not _ours(p), p.name)):
            _import(point)


def _ours(point: EntryPoint) -> bool:
    return point.value.split(".")[0] == "freefloat"


def _import(point: EntryPoint) -> None:
    try:
        point.load()
    except Exception as error:
        if _ours(point):
            raise
        package = point.dist.name if point.dist else point.value
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        warnings.warn(f"plugin {package!r} ({point.value}) failed to load: {reason}", PluginWarning, stacklevel=2)


def _origin(cls: Any) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


scenarios: Registry[type[Scenario]] = Registry("scenario kind", "freefloat.scenarios")
parts: Registry[type[Any]] = Registry("part", "freefloat.parts")


def register(cls: S) -> S:
    """Class decorator: the scenario becomes known by its `kind`."""
    for name in ("kind", "title"):
        if not isinstance(getattr(cls, name, None), str):
            raise InputError(f"scenario {_origin(cls)} has no {name}; allowed: a class variable {name} = '...'")
    scenarios.add(cls.kind, cls)
    return cls


def register_part(name: str, cls: type[Any]) -> None:
    parts.add(name, cls)


def names() -> list[str]:
    """Kinds of scenario."""
    return scenarios.names()


def get(kind: str) -> type[Scenario]:
    return scenarios.get(kind)


def part_names() -> list[str]:
    return parts.names()


def get_part(name: str) -> type[Any]:
    return parts.get(name)
