"""A scenario as rows, as a JSON schema for editors, and as YAML text that loads back to the same scenario."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from freefloat.errors import InputError
from freefloat.scenario.base import SCHEMA, Scenario
from freefloat.scenario.fields import allowed
from freefloat.scenario.forms import ValueForm, form_of
from freefloat.scenario.locations import with_absolute_files
from freefloat.scenario.problems import listed, suggest
from freefloat.scenario.python_file import origin
from freefloat.scenario.quantities import Quantity
from freefloat.scenario.yamltext import write_scalar


@dataclass(frozen=True)
class FieldRow:
    """One field of a scenario, in texts. `when` names the choice that the field belongs to where it is not in force."""

    path: str
    value: str
    unit: str
    default: str
    allowed: str
    meaning: str
    when: str = ""


def rows(scenario: Scenario, path: str = "") -> list[FieldRow]:
    """Every single value at or below `path`, with the fields of choices that are not in force at the end of theirs."""
    found = list(_rows(scenario, None, ""))
    chosen = [row for row in found if not path or row.path == path or row.path.startswith(f"{path}.")]
    if not chosen:
        parts = [row.path.split(".") for row in found]
        valid = sorted({".".join(p[:end]) for p in parts for end in range(1, len(p) + 1)})
        raise InputError(f"{path}: unknown field; {suggest(path, valid)}valid: {listed(valid)}")
    return chosen


def _rows(group: BaseModel, default: Any, path: str, tag: str = "", tags: str = "") -> Iterator[FieldRow]:
    """Rows of a group whose values would be `default`'s; `tag` is the field that `tags` are allowed in."""
    for name, field in type(group).model_fields.items():
        before = getattr(default, name) if isinstance(default, type(group)) else field.default
        here, value, form = f"{path}{name}", getattr(group, name), form_of(field)
        if isinstance(value, BaseModel):
            yield from _group(value, before, f"{here}.", form)
        elif isinstance(value, tuple) and value and all(isinstance(v, BaseModel) for v in value):
            for i, element in enumerate(value):
                yield from _group(element, None, f"{here}.{i}.", form.item(i) or form)
        else:
            row = _row(here, field, _text(before))
            row = replace(row, value=_text(value))
            yield replace(row, allowed=tags) if name == tag else row


def _group(value: BaseModel, default: Any, path: str, form: ValueForm) -> Iterator[FieldRow]:
    yield from _rows(value, default, path, form.tag, " | ".join(form.tags))
    for name, other in form.tags.items():
        if not isinstance(value, other):
            for field_name, field in other.model_fields.items():
                row = _row(path + field_name, field, _text(field.default))
                yield from [] if field_name == form.tag else [replace(row, when=f"{form.tag}: {name}")]


def _row(path: str, field: FieldInfo, default: str) -> FieldRow:
    quantity = Quantity.of(field)
    unit = quantity.unit if quantity else ""
    return FieldRow(path, "", unit, default, allowed(field), field.description or "")


def _text(value: Any) -> str:
    if value is PydanticUndefined:
        return ""
    return write_scalar(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value if isinstance(value, (str, int, float)) or value is None else str(value)


def dump(scenario: Scenario) -> str:
    """The scenario as YAML with every field written out, and units and meanings as comments.

    It means the same in every folder: files are absolute, and the kind of a class in a Python file is that file.
    """
    lines = [f"kind: {write_scalar(origin(type(scenario)) or scenario.kind)}", f"schema: {SCHEMA}"]
    data = with_absolute_files(type(scenario), scenario.model_dump(mode="json"))
    return "\n".join([*lines, *_lines(scenario, data, "")]) + "\n"


def _lines(group: BaseModel, data: dict[str, Any], indent: str) -> Iterator[str]:
    for name, field in type(group).model_fields.items():
        value = getattr(group, name)
        meaning = " ".join((field.description or "").split())
        if isinstance(value, BaseModel):
            yield f"{indent}{name}:  # {meaning}"
            yield from _lines(value, data[name], indent + "  ")
        elif isinstance(value, tuple) and value and all(isinstance(v, BaseModel) for v in value):
            yield f"{indent}{name}:  # {meaning}"
            for element, inner in zip(value, data[name], strict=True):
                first, *rest = _lines(element, inner, indent + "    ")
                yield from [f"{indent}  - {first.strip()}", *rest]
        else:
            spec = Quantity.of(field)
            unit = f"[{spec.unit}] " if spec else ""
            yield f"{indent}{name}: {write_scalar(data[name])}  # {unit}{meaning}"


def json_schema(cls: type[Scenario]) -> dict[str, Any]:
    """JSON schema of the scenario's files, for editors: units and meanings included, texts such as "25 mm" accepted."""
    schema = cls.model_json_schema()
    head = {
        "kind": {"const": cls.kind, "description": "kind of scenario"},
        "schema": {"const": SCHEMA, "description": "version of the file format"},
    }
    schema["properties"] = head | schema.get("properties", {})
    schema["required"] = ["kind", "schema", *schema.get("required", [])]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
