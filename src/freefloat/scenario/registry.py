"""Kinds of scenario by name, ours and those of other packages.

A package registers its own by an entry point that names a module; importing the module registers:

    [project.entry-points."freefloat.scenarios"]
    acme = "acme_sim.missions"

Such a module may also only say where its kinds are (`register_at`); each is imported when it is asked for.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
import warnings
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from freefloat.errors import InputError, unknown_name

if TYPE_CHECKING:
    from freefloat.scenario.base import Scenario

S = TypeVar("S", bound="type[Scenario]")


class PluginWarning(UserWarning):
    """Another package's entry point failed to load; its scenarios are absent."""


class Registry:
    """Scenario classes by kind; the modules of the entry-point group `group` are imported at the first question."""

    def __init__(self, group: str) -> None:
        self.group = group
        self._origins: dict[str, str] = {}  # module and name of every class, imported or not
        self._classes: dict[str, type[Scenario]] = {}
        self._loaded = False

    def add(self, kind: str, cls: type[Scenario]) -> None:
        self.add_origin(kind, _origin(cls))
        self._classes[kind] = cls

    def add_origin(self, kind: str, origin: str) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", kind):
            raise InputError(f"scenario kind {kind!r} is not valid; allowed: lower-case words joined by hyphens")
        known = self._origins.setdefault(kind, origin)
        if known != origin:  # the same class again is a reloaded module or cell
            raise InputError(f"scenario kind {kind!r} is already registered by {known}; choose another name")

    def remove(self, kind: str) -> None:
        self._origins.pop(kind, None)
        self._classes.pop(kind, None)

    def remove_module(self, module: str) -> None:
        """Forget all kinds of a module."""
        for kind in [kind for kind, origin in self._origins.items() if origin.startswith(f"{module}.")]:
            self.remove(kind)

    def names(self) -> list[str]:
        self.load()
        return sorted(self._origins)

    def get(self, kind: str) -> type[Scenario]:
        """The class of a kind; its module is imported where it is not yet."""
        self.load()
        if kind not in self._origins:
            raise unknown_name("scenario kind", kind, self._origins)
        if kind not in self._classes:
            module, _, name = self._origins[kind].rpartition(".")
            self._classes[kind] = getattr(importlib.import_module(module), name)
        return self._classes[kind]

    def title(self, kind: str) -> str:
        """The title of a kind, read from the text of its class where that can be done without importing it."""
        if kind not in self._classes and kind in self._origins:
            module, _, name = self._origins[kind].rpartition(".")
            spec = importlib.util.find_spec(module)
            found = _title_in(spec.origin, name) if spec is not None and spec.origin else None
            if found is not None:
                return found
        return self.get(kind).title

    def folder(self, kind: str) -> Path | None:
        """Where the module of a kind lies, found without importing it; None where that is no module of a package."""
        known = self._classes.get(kind)
        if known is None:
            spec = importlib.util.find_spec(self._origins[kind].rpartition(".")[0])
            file = None if spec is None else spec.origin
        else:
            file = getattr(sys.modules.get(known.__module__), "__file__", None)
        return None if file is None or (known and known.__module__ == "__main__") else Path(file).parent

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


def _title_in(file: str, name: str) -> str | None:
    """The literal `title` in the source of a class, which stands before its first method; None where there is none."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # in an archive, or compiled
        return None
    end = r"^(?:    (?:def |@)|[^\s)])|\Z"  # a method, a decorator, or what follows the class
    head = re.search(rf"^class {re.escape(name)}\b.*?(?={end})", text, re.DOTALL | re.MULTILINE)
    if head is None:
        return None
    try:
        body = ast.parse(head[0]).body[0]
    except SyntaxError:
        return None
    for line in body.body if isinstance(body, ast.ClassDef) else []:
        target = line.target if isinstance(line, ast.AnnAssign) else None
        target = line.targets[0] if isinstance(line, ast.Assign) else target
        if isinstance(target, ast.Name) and target.id == "title":
            value = getattr(line, "value", None)
            return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
    return None


def _origin(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


scenarios = Registry("freefloat.scenarios")


def register(cls: S) -> S:
    """Class decorator: the scenario becomes known by its `kind`."""
    for name in ("kind", "title"):
        if not isinstance(getattr(cls, name, None), str):
            raise InputError(f"scenario {_origin(cls)} has no {name}; allowed: a class variable {name} = '...'")
    scenarios.add(cls.kind, cls)
    return cls


def register_at(kind: str, origin: str) -> None:
    """Say where the class of a kind is, as "package.module.Class"; it is imported when the kind is asked for."""
    scenarios.add_origin(kind, origin)


def names() -> list[str]:
    """Kinds of scenario."""
    return scenarios.names()


def get(kind: str) -> type[Scenario]:
    return scenarios.get(kind)


def title(kind: str) -> str:
    return scenarios.title(kind)


def folder(kind: str) -> Path | None:
    return scenarios.folder(kind)
