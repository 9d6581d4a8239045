"""Files that a scenario names: in a YAML file relative to that file, in an option or in Python to the working folder.

A value of such a field is a file where it has a dot or a separator, with `:NAME` behind it for a part of the file;
otherwise it is the name of something that comes with Freefloat, and stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from freefloat.scenario.forms import ValueForm, form_of, of_annotation

Change = Callable[[str], str]  # of a file's name


class NamesFile:
    """Marks a field (a text or a list of texts) whose values may be files."""

    @classmethod
    def of(cls, field: FieldInfo) -> bool:
        return any(isinstance(mark, cls) for mark in field.metadata)


def with_files_in(model: type[BaseModel], data: dict[str, Any], folder: str) -> dict[str, Any]:
    """The data of a group with its files below `folder`, where their names are relative."""
    return _group(model, data, lambda file: os.path.join(folder, os.path.expanduser(file)))  # noqa: PTH111, PTH118


def with_absolute_files(model: type[BaseModel], data: dict[str, Any]) -> dict[str, Any]:
    """The data of a group, so that its files mean the same from every folder."""
    return _group(model, data, os.path.realpath)


def _group(model: type[BaseModel], data: dict[str, Any], change: Change) -> dict[str, Any]:
    fields = model.model_fields
    return {name: _field(fields[name], v, change) if name in fields else v for name, v in data.items()}


def _field(field: FieldInfo, value: Any, change: Change) -> Any:
    return _each(value, change) if NamesFile.of(field) else _below(form_of(field), value, change, field.default)


def _below(form: ValueForm, value: Any, change: Change, default: Any = None) -> Any:
    if isinstance(value, list):
        return [_below(form.item(i) or ValueForm(), v, change) for i, v in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if form.entries is not None:
        return {k: _below(of_annotation(form.entries), v, change) for k, v in value.items()}
    group = form.model_for(value)
    if group is None and isinstance(default, BaseModel) and form.tag not in value:
        group = type(default)
    return value if group is None else _group(group, value, change)


def _each(value: Any, change: Change) -> Any:
    if isinstance(value, list):
        return [_each(v, change) for v in value]
    return _changed(value, change) if isinstance(value, str) else value


def _changed(text: str, change: Change) -> str:
    head, colon, part = text.rpartition(":")
    file, rest = (head, colon + part) if _is_file(head) and not _is_file(part) else (text, "")
    return change(file) + rest if _is_file(file) else text


def _is_file(text: str) -> bool:
    return any(sign in text for sign in (".", "/", os.sep))
