"""Scenario classes of a Python file: `my_scenario.py`, or `my_scenario.py:NAME` where it holds several."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TypeGuard

from freefloat.errors import InputError
from freefloat.scenario import registry
from freefloat.scenario.base import Scenario

_NAMED = re.compile(r"(?P<file>.*\.py)(?::(?P<name>[^:/\\]*))?", re.DOTALL)


def split(source: str) -> tuple[Path, str] | None:
    """File and name in FILE.py or FILE.py:NAME; None where the text is neither."""
    found = _NAMED.fullmatch(source)
    return None if found is None else (Path(found["file"]), found["name"] or "")


def scenario_class(file: Path, name: str = "") -> type[Scenario]:
    """The scenario class of a file by its name or kind, registered; without a name the only one."""
    module = module_of(file)
    found = [
        cls for _, cls in inspect.getmembers(module, inspect.isclass) if _is_scenario(cls, module) and not _is_base(cls)
    ]
    unfinished = [c.__name__ for c in found if inspect.isabstract(c)]
    classes = {cls.__name__: cls for cls in found if not inspect.isabstract(cls)}
    kinds = {str(getattr(cls, "kind", "")): cls for cls in classes.values()}
    if not classes:
        why = f" ({', '.join(unfinished)} has no method `build`)" if unfinished else ""
        raise InputError(f"{file}: no scenario in it{why}; allowed: a class of Scenario with kind, title and build")
    if name and name not in classes and name not in kinds:
        raise InputError(f"{file}: no scenario {name!r} in it; allowed: {', '.join(classes)}")
    if not name and len(classes) > 1:
        first = next(iter(classes))
        raise InputError(
            f"{file}: {len(classes)} scenarios ({', '.join(classes)}); allowed: one, such as {file}:{first}"
        )
    chosen = classes.get(name) or kinds.get(name) or next(iter(classes.values()))
    try:
        return registry.register(chosen)
    except InputError as error:
        told = str(error).replace(f"{chosen.__module__}.", "")
        raise InputError(f"{file}:{inspect.getsourcelines(chosen)[1]}: {told}") from None


def origin(cls: type[Scenario]) -> str:
    """FILE.py:NAME of a class that `scenario_class` has found; empty for one of a package."""
    module = sys.modules.get(cls.__module__)
    return f"{module.__file__}:{cls.__name__}" if module is not None and hasattr(module, _MARK) else ""


_MARK = "__freefloat_scenario_file__"


def _is_scenario(cls: type, module: ModuleType) -> TypeGuard[type[Scenario]]:
    return issubclass(cls, Scenario) and cls.__module__ == module.__name__


def _is_base(cls: type) -> bool:
    """Whether other scenarios of the file build on it and it has no kind of its own."""
    return not isinstance(getattr(cls, "kind", None), str) and bool(cls.__subclasses__())


_latest: dict[Path, str] = {}  # the module's name of every file, as it was read last


class _Source(SourceFileLoader):
    """Reads the text itself: bytecode beside it does not see a change within a second that keeps the size."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _name(file: Path, path: Path) -> str:
    """Of the module: the path, readable, and a hash of path, time and text, another one for each version."""
    try:
        version = f"{path}\0{path.stat().st_mtime_ns}\0".encode() + path.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    readable = re.sub(r"\W", "_", str(path.with_suffix("")))
    return f"{readable}_{hashlib.sha256(version).hexdigest()[:12]}"


def module_of(file: Path) -> ModuleType:
    """The module, executed anew when its file has changed; modules beside it can be imported, as by a script."""
    path = file.expanduser().resolve()
    if not path.is_file():
        raise InputError(f"{file}: {'not a file' if path.exists() else 'no such file'}")
    name = _name(file, path)
    if _latest.get(path, name) != name:
        registry.scenarios.remove_module(_latest[path])
    _latest[path] = name
    if name in sys.modules:
        return sys.modules[name]
    loader = _Source(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None  # there is a loader
    module = importlib.util.module_from_spec(spec)
    setattr(module, _MARK, True)
    sys.modules[name] = module  # dataclasses and pydantic look their module up
    sys.path.insert(0, str(path.parent))
    try:
        loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a user's file may raise
        del sys.modules[name]
        raise InputError(_told(error, file, path)) from None
    finally:
        sys.path.remove(str(path.parent))
    return module


def told(error: BaseException, cls: type[Scenario]) -> str:
    """One line on what a class of a Python file raised, with the place; empty for a class of a package."""
    file = origin(cls).rpartition(":")[0]
    return _told(error, Path(os.path.relpath(file)), Path(file)) if file else ""


def _told(error: BaseException, file: Path, path: Path) -> str:
    """One line: where in the user's files it happened, and what."""
    if isinstance(error, SyntaxError) and error.filename:
        place, line = error.filename, error.lineno or 0
        told = f"{type(error).__name__}: {error.msg}"
    else:
        frames = traceback.extract_tb(error.__traceback__)
        beside = [
            f for f in frames if Path(f.filename).is_relative_to(path.parent) and "site-packages" not in f.filename
        ]
        own = [frame for frame in frames if Path(frame.filename) == path] or beside
        place, line = (own[-1].filename, own[-1].lineno or 0) if own else (str(path), 0)
        told = f"{type(error).__name__}: {' '.join(str(error).split())}"
    shown = str(file) if Path(place) == path else place
    return f"{shown}:{line}: {told}" if line else f"{shown}: {told}"
