"""The form of a field's value: a group of fields, a choice between groups, a list, named entries, or a single value.

Scenario trees use a small part of what pydantic allows; everything that walks them (errors, overrides, `show`) does so
through `ValueForm`.
"""

from __future__ import annotations

import enum
import types
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo


@dataclass(frozen=True)
class ValueForm:
    """What a value may be. `models` has one entry for a group, several for a choice (told apart by `tag`)."""

    models: tuple[type[BaseModel], ...] = ()
    tag: str = ""  # the field that tells the models of a choice apart
    items: tuple[Any, ...] = ()  # element types of a list, one per element, or one for all
    length: int | None = None  # elements of a list; None: any number
    entries: Any = None  # type of the values of named entries
    literals: tuple[str | int, ...] = ()  # names that are allowed
    scalars: tuple[type, ...] = ()  # plain types that are allowed
    optional: bool = False  # null is allowed

    @property
    def tags(self) -> dict[str, type[BaseModel]]:
        """The models of a choice by their tag."""
        if not self.tag:
            return {}
        return {str(name): m for m in self.models for name in form_of(m.model_fields[self.tag]).literals}

    def item(self, index: int) -> ValueForm | None:
        if not self.items or (self.length is not None and not 0 <= index < self.length):
            return None
        return of_annotation(self.items[index if index < len(self.items) else 0])

    def model_for(self, value: Any) -> type[BaseModel] | None:
        """The group that a mapping or a model instance fills; None where a choice is open."""
        if isinstance(value, BaseModel):
            return type(value)
        if len(self.models) == 1:
            return self.models[0]
        return self.tags.get(str(value.get(self.tag))) if isinstance(value, dict) else None


def form_of(field: FieldInfo) -> ValueForm:
    form = of_annotation(field.annotation)
    return replace(form, tag=field.discriminator) if isinstance(field.discriminator, str) else form


def of_annotation(annotation: Any) -> ValueForm:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        tags = [m.discriminator for m in arguments[1:] if isinstance(m, FieldInfo) and isinstance(m.discriminator, str)]
        form = of_annotation(arguments[0])
        return replace(form, tag=tags[0]) if tags else form
    if origin in (Union, types.UnionType):
        return _union([of_annotation(a) for a in arguments])
    if origin is Literal:
        return ValueForm(literals=arguments)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return ValueForm(items=arguments[:1])
    if origin is tuple:
        return ValueForm(items=arguments, length=len(arguments))
    if origin is list:
        return ValueForm(items=arguments)
    if origin is dict:
        return ValueForm(entries=arguments[1])
    if annotation is None or annotation is types.NoneType:
        return ValueForm(optional=True)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return ValueForm(models=(annotation,))
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return ValueForm(literals=tuple(member.value for member in annotation))
    return ValueForm(scalars=(annotation,))


def _union(members: list[ValueForm]) -> ValueForm:
    with_items = next((m for m in members if m.items), ValueForm())
    return ValueForm(
        models=tuple(model for m in members for model in m.models),
        tag=next((m.tag for m in members if m.tag), ""),
        items=with_items.items,
        length=with_items.length,
        entries=next((m.entries for m in members if m.entries is not None), None),
        literals=tuple(name for m in members for name in m.literals),
        scalars=tuple(scalar for m in members for scalar in m.scalars),
        optional=any(m.optional for m in members),
    )
