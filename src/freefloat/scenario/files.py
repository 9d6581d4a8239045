"""Scenarios from files and names: YAML, Python, overrides, and every error with its place."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from freefloat.errors import InputError
from freefloat.scenario import other_files, registry
from freefloat.scenario.base import SCHEMA, Scenario
from freefloat.scenario.locations import with_files_in
from freefloat.scenario.origin import Origin
from freefloat.scenario.overrides import Overrides, apply_all
from freefloat.scenario.presets import preset_file, presets
from freefloat.scenario.problems import Misfit, Problem, ScenarioError, dotted, listed, misfits_of, short, suggest
from freefloat.scenario.problems import Path as FieldPath
from freefloat.scenario.python_file import scenario_class, split
from freefloat.scenario.yamltext import Document, read_file


def load(source: str | Path, overrides: Overrides = ()) -> Scenario:
    """The scenario called `source` (a name from `freefloat list`, or a YAML or Python file) with overrides applied.

    Files that a YAML file names are relative to it; those in overrides to the working folder.
    `overrides` is a mapping of dotted paths to values, or texts such as "integrator.step=0.002". Raises ScenarioError
    with every problem found.
    """
    return scenario_from(find(source), overrides)


def find(source: str | Path) -> Document:
    """The YAML document of a scenario name or path; a kind without one, or of a Python file, is an empty document."""
    python = split(str(source))
    if python is not None:
        return Document(str(source), {"kind": scenario_class(*python).kind, "schema": SCHEMA})
    if is_path(source):
        return read_file(Path(source))
    file = preset_file(str(source))
    if file is not None:
        return read_file(file)
    if source in registry.names():
        return Document(str(source), {"kind": source, "schema": SCHEMA})
    known = presets()
    hint = f"{suggest(str(source), known)}valid: {listed(list(known))}, or a path to a YAML or Python file"
    raise ScenarioError([Problem("", "", f"unknown scenario {short(str(source))}; {hint}")])


def kind_of(document: Document) -> type[Scenario]:
    """The scenario class that a document names; checks `kind` and `schema`."""
    data = document.value
    if not isinstance(data, dict):
        got = "an empty file" if data is None else short(data)
        message = f"{got} is not a scenario; allowed: 'kind: ...', 'schema: {SCHEMA}' and fields"
        raise ScenarioError([Problem(document.place((), "value"), "", message)])
    kinds = registry.names()
    found: list[Misfit] = []
    kind, schema = data.get("kind"), data.get("schema")
    python = split(kind) if isinstance(kind, str) else None
    if python is not None:
        kind = _kind_in(document, *python)
        kinds = [*kinds, kind]
    if "kind" not in data:
        found.append(Misfit(("kind",), f"missing; allowed: {listed(kinds)}", at="group"))
    elif kind in other_files.KINDS:
        raise ScenarioError([_placed(document, {}, Misfit(("kind",), other_files.advice(document)))])
    elif kind not in kinds:
        message = f"unknown kind {short(kind)}; {suggest(str(kind), kinds)}allowed: {listed(kinds)}"
        found.append(Misfit(("kind",), message))
    if "schema" not in data:
        found.append(Misfit(("schema",), f"missing; allowed: {SCHEMA}", at="group"))
    elif isinstance(schema, bool) or schema != SCHEMA:
        found.append(Misfit(("schema",), f"{short(schema)} is not known; allowed: {SCHEMA}"))
    if found:
        raise ScenarioError([_placed(document, {}, f) for f in found])
    return registry.get(str(kind))


def _kind_in(document: Document, file: Path, name: str) -> str:
    """The kind of a class in a Python file beside the document."""
    try:
        return scenario_class(Path(document.name).parent / file, name).kind
    except InputError as error:
        raise ScenarioError([_placed(document, {}, Misfit(("kind",), str(error)))]) from None


def scenario_from(document: Document, overrides: Overrides = ()) -> Scenario:
    """Validate a document with overrides. Problems of the file and of the overrides are reported together."""
    cls = kind_of(document)
    data = copy.deepcopy({key: value for key, value in document.value.items() if key not in ("kind", "schema")})
    data = with_files_in(cls, data, str(Path(document.name).parent))
    labels, problems = apply_all(cls, data, overrides)
    try:
        scenario = cls.model_validate(data)
    except ValidationError as error:
        found = sorted(misfits_of(cls, error), key=lambda f: document.mark(f.path, f.at))
        problems += [_placed(document, labels, misfit) for misfit in found]
    except InputError as error:  # raised by a scenario's own validator
        problems.append(Problem(document.name, "", str(error)))
    else:
        if not problems:
            scenario._origin = Origin(lambda path: _placed(document, labels, Misfit(path, "")).place)
            return scenario
    raise ScenarioError(problems)


def _placed(document: Document, labels: Mapping[FieldPath, str], misfit: Misfit) -> Problem:
    for end in range(len(misfit.path), 0, -1):
        if misfit.path[:end] in labels:
            return Problem(labels[misfit.path[:end]], dotted(misfit.path), misfit.message)
    return Problem(document.place(misfit.path, misfit.at), dotted(misfit.path), misfit.message)


def is_path(source: str | Path) -> bool:
    """Whether a text means a file, not a name: it ends in .yaml or .yml, or has a separator."""
    text = str(source)
    separators = {os.sep, os.altsep, "/"} - {None}
    return isinstance(source, Path) or text.endswith((".yaml", ".yml")) or any(s in text for s in separators if s)
