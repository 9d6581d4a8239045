"""A scenario read once, of which many are made that differ in some values: what costs 10 ms of a short run is not done
again for each.
"""

from __future__ import annotations

import copy
import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from freefloat.errors import InputError
from freefloat.extras import imported
from freefloat.scenario import python_file
from freefloat.scenario.base import Scenario
from freefloat.scenario.files import find, kind_of, scenario_from
from freefloat.scenario.locations import with_absolute_files, with_files_in
from freefloat.scenario.origin import Origin
from freefloat.scenario.overrides import Override, Overrides, apply_all
from freefloat.scenario.problems import Problem, ScenarioError, dotted, misfits_of, short
from freefloat.scenario.yamltext import Document


@dataclass(frozen=True)
class Template:
    """The class of a scenario, by where it is, and the data of its file. It is pickled as it stands."""

    home: str  # "package.module:Class", "/path/FILE.py:Class", or empty where the class itself is in `pickled`
    data: dict[str, Any]
    pickled: bytes = b""

    @classmethod
    def of(cls, source: str | Path | Scenario, overrides: Overrides = ()) -> Template:
        """Of a name, a file or an object; everything in it is valid."""
        if isinstance(source, Scenario):
            if overrides:
                raise InputError("overrides go with a scenario's name or file; change a Scenario with .changed()")
            return _checked(_of_class(type(source), source.model_dump(mode="json")))
        return cls.of_document(find(source), overrides)

    @classmethod
    def of_document(cls, document: Document, overrides: Overrides = ()) -> Template:
        """Of a document that `find` gives."""
        overrides = overrides if isinstance(overrides, Mapping) else list(overrides)
        scenario_from(document, overrides)  # with every problem and its place
        model = kind_of(document)
        data = {key: value for key, value in document.value.items() if key not in ("kind", "schema")}
        data = with_files_in(model, copy.deepcopy(data), str(Path(document.name).parent))
        apply_all(model, data, overrides)
        return _of_class(model, with_absolute_files(model, data))

    def __reduce__(self) -> tuple[Any, ...]:  # without the class, which may be of a file that others have to import
        return Template, (self.home, self.data, self.pickled)

    @cached_property
    def model(self) -> type[Scenario]:
        """The class; it is imported where it is not yet."""
        if self.pickled:
            return imported("cloudpickle", "campaign", "a scenario class of a script or notebook needs").loads(
                self.pickled
            )
        file = python_file.split(self.home)
        if file is not None:
            return python_file.scenario_class(*file)
        module, _, name = self.home.partition(":")
        return getattr(importlib.import_module(module), name)

    def scenario(self, values: Mapping[str, Any], label: str = "") -> Scenario:
        """With values for some dotted paths, which messages say are those of `label`, such as "case 3"."""
        model, data = self.model, copy.deepcopy(self.data)
        given = [
            Override(path, value, f"{label}: {path}={short(value)}" if label else path)
            for path, value in values.items()
        ]
        labels, problems = apply_all(model, data, given)
        try:
            scenario = model.model_validate(data)
        except ValidationError as error:
            for misfit in misfits_of(model, error):
                steps = misfit.path
                place = next((labels[steps[:end]] for end in range(len(steps), 0, -1) if steps[:end] in labels), label)
                problems.append(Problem(place, dotted(steps), misfit.message))
        except InputError as error:
            problems.append(Problem(label, "", str(error)))
        else:
            if not problems:
                scenario._origin = Origin(lambda path: label)
                return scenario
        raise ScenarioError(problems)

    def portable(self) -> Template:
        """The same for another machine, which has our packages but not the user's files."""
        if self.pickled or python_file.split(self.home) is None:
            return self
        return Template("", self.data, _by_value(self.model))


def value_at(scenario: Scenario, path: str) -> Any:
    """The value in a scenario at a dotted path, as it is used: in the unit of its field."""
    value: Any = scenario
    for step in path.split("."):
        if isinstance(value, (list, tuple)):
            value = value[int(step)]
        else:
            value = value[step] if isinstance(value, Mapping) else getattr(value, step)
    return value


def _of_class(model: type[Scenario], data: dict[str, Any]) -> Template:
    file = python_file.origin(model)
    if file:
        return Template(file, data)
    module = sys.modules.get(model.__module__)
    if model.__module__ != "__main__" and getattr(module, model.__qualname__, None) is model:
        return Template(f"{model.__module__}:{model.__qualname__}", data)
    return Template("", data, _by_value(model))


def _by_value(model: type[Scenario]) -> bytes:
    pickler = imported("cloudpickle", "campaign", "a scenario class of a script or notebook needs")
    module = sys.modules[model.__module__]
    pickler.register_pickle_by_value(module)
    try:
        return pickler.dumps(model)
    except Exception as error:  # of whatever the class holds
        raise InputError(f"scenario class {model.__qualname__!r} cannot be sent to workers: {error}") from error
    finally:
        pickler.unregister_pickle_by_value(module)


def _checked(template: Template) -> Template:
    template.scenario({})
    return template
