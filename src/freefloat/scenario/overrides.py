"""Dotted overrides: `integrator.step=0.002`, `arm.q.0="30 deg"`, `control={kind: pd}`."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from freefloat.scenario import yamltext
from freefloat.scenario.forms import ValueForm, form_of, of_annotation
from freefloat.scenario.problems import Path, Problem, ScenarioError, dotted, listed, short, suggest


@dataclass(frozen=True)
class Override:
    """A value for one path; `label` is how the user wrote it, for messages."""

    path: str
    value: Any
    label: str

    @classmethod
    def option(cls, text: str) -> Override:
        """From the text of a `--set` option, whose value is YAML."""
        label = f"--set {text}" if text.isprintable() else f"--set {text!a}"
        path, equals, value = text.partition("=")
        if not equals or not all(path.split(".")):
            raise ScenarioError([Problem(label, "", "not an override; allowed: a.b=value")])
        return cls(path, parse_value(value, label, path), label)

    @classmethod
    def named(cls, option: str, path: str, text: str) -> Override:
        """From an option of its own, such as `--seed 3`."""
        label = f"{option} {text}"
        return cls(path, parse_value(text, label, path), label)


def parse_value(text: str, label: str, path: str) -> Any:
    """The YAML value in the text of an option."""
    try:
        return yamltext.parse(text, label).value
    except ScenarioError as error:
        raise ScenarioError([Problem(label, path, error.errors[0].message)]) from None


Overrides = Mapping[str, Any] | Iterable[str | Override]


def apply_all(
    model: type[BaseModel], data: dict[str, Any], overrides: Overrides
) -> tuple[dict[Path, str], list[Problem]]:
    """Write the overrides into `data`, later over earlier. Returns the label of each path written, and the problems."""
    labels: dict[Path, str] = {}
    problems: list[Problem] = []
    for item in overrides:
        try:
            override = _override(item, overrides)
            trial = copy.deepcopy(data)  # a refused override leaves nothing behind
            labels[_apply(model, trial, override)] = override.label
            data.update(trial)
        except ScenarioError as error:
            problems += error.errors
    return labels, problems


def _override(item: str | Override, overrides: Overrides) -> Override:
    if isinstance(item, Override):
        return item
    if isinstance(overrides, Mapping):
        return Override(item, overrides[item], f"override {item}={short(overrides[item])}")
    return Override.option(item)


def _apply(model: type[BaseModel], data: dict[str, Any], override: Override) -> Path:
    """Write one override into `data`; returns its path with list indices as numbers."""
    form, default = ValueForm(models=(model,)), None
    holder: Any = data
    path: list[str | int] = []
    steps = override.path.split(".")
    for step in steps[:-1]:
        key, form, default = _enter(form, default, holder, step, path, override)
        if isinstance(holder, dict):
            holder[key] = _container(holder.get(key), form, default)
        else:
            holder[key] = _container(holder[key], form, default)
        holder = holder[key]
        path.append(key)
    key, _, _ = _enter(form, default, holder, steps[-1], path, override)
    holder[key] = override.value
    return (*path, key)


def _container(value: Any, form: ValueForm, default: Any) -> Any:
    """What stands at a path that an override goes through: the file's own value, or the default where it has none."""
    if isinstance(value, (dict, list)):
        return value
    if form.items and isinstance(default, (list, tuple)):
        return [e.model_dump(mode="json") if isinstance(e, BaseModel) else e for e in default]
    return dict(default) if isinstance(default, dict) else {}


def _enter(
    form: ValueForm, default: Any, holder: Any, step: str, path: list[str | int], override: Override
) -> tuple[Any, ValueForm, Any]:
    """The key, form and default one step down, or a ScenarioError that names what exists there."""
    if form.items:
        count = len(holder) if isinstance(holder, list) else 0
        if not step.isascii() or not step.isdigit() or not 0 <= int(step) < count:
            allowed = f"0 to {count - 1}" if count else "none, the list is empty"
            raise _refused(override, (*path, step), f"no such element; allowed: {allowed}")
        index = int(step)
        return index, form.item(index) or ValueForm(), default[index] if _has(default, index) else None
    if form.entries is not None:
        entry = default.get(step) if isinstance(default, Mapping) else None
        return step, of_annotation(form.entries), entry
    if not form.models:
        raise _refused(override, (*path, step), f"{dotted(path)} is a single value without fields")
    group = form.model_for(holder) or form.model_for(default)
    groups = (group,) if group is not None else form.models
    for candidate in groups:
        field = candidate.model_fields.get(step)
        if field is not None:
            inner = getattr(default, step, None) if isinstance(default, candidate) else field.default
            return step, form_of(field), None if inner is PydanticUndefined else inner
    valid = [name for candidate in groups for name in candidate.model_fields]
    raise _refused(override, (*path, step), f"unknown field; {suggest(step, valid)}valid: {listed(valid)}")


def _has(default: Any, index: int) -> bool:
    return isinstance(default, (list, tuple)) and index < len(default)


def _refused(override: Override, path: Iterable[str | int], message: str) -> ScenarioError:
    return ScenarioError([Problem(override.label, dotted(path), message)])
