"""What is wrong with a scenario, in the user's words: one line per problem, with its place and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from freefloat.errors import FieldError, InputError
from freefloat.scenario.fields import allowed_by
from freefloat.scenario.forms import ValueForm, form_of, of_annotation
from freefloat.scenario.quantities import Quantity

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """`place` is FILE:LINE:COLUMN or the option that set the value; `path` the dotted field, or empty."""

    place: str
    path: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.path, self.message) if part)


class ScenarioError(InputError):
    """A scenario that cannot be used. `errors` lists every problem; the text has one line for each."""

    def __init__(self, errors: Iterable[Problem]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(map(str, self.errors)))


@dataclass(frozen=True)
class Misfit:
    """A problem before its place is known: `at` says whether the key, the value or the surrounding group is meant."""

    path: Path
    message: str
    at: str = "value"  # "value", "key" or "group"


def dotted(path: Iterable[str | int]) -> str:
    return ".".join(map(str, path))


def steps_of(path: str) -> Path:
    """The steps of a dotted path; numbers are places in a list."""
    return tuple(int(step) if step.isdigit() else step for step in path.split("."))


def short(value: Any) -> str:
    """The value as one line of at most 60 characters."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def suggest(name: str, valid: Iterable[str]) -> str:
    """ "did you mean 'x'? " where a valid name resembles `name`, else an empty text."""
    near = difflib.get_close_matches(name, list(valid), n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}? " if near else ""


def unlisted(value: Any, names: Sequence[str]) -> str:
    return f"{short(value)} is not known; {suggest(str(value), names)}allowed: {' | '.join(names)}"


def listed(names: Sequence[str]) -> str:
    return (", ".join(names[:12]) + (", ..." if len(names) > 12 else "")) or "(none)"


def misfits_of(model: type[BaseModel], error: ValidationError) -> list[Misfit]:
    """Each problem of a pydantic error once, without those inside a list that is wrong as a whole.

    pydantic's union tags are taken out of the paths.
    """
    found: dict[Path, Misfit] = {}
    for details in error.errors(include_url=False):
        spot = _locate(model, details["loc"])
        misfit = _misfit(spot, details)
        found.setdefault(misfit.path, misfit)
    return [f for f in found.values() if not any(f.path[:end] in found for end in range(len(f.path)))]


@dataclass(frozen=True)
class _Spot:
    """A place in the schema: `forms` has what each step of the path leads to, `group` holds the last named field."""

    path: Path = ()
    forms: tuple[ValueForm, ...] = ()
    group: type[BaseModel] | None = None
    quantity: Quantity | None = None

    @property
    def form(self) -> ValueForm:
        return self.forms[-1] if self.forms else ValueForm()

    @property
    def allowed(self) -> str:
        return allowed_by(self.form, self.quantity)

    @property
    def parent(self) -> _Spot:
        return replace(self, path=self.path[:-1], forms=self.forms[:-1])

    def down(self, step: str | int, form: ValueForm) -> _Spot:
        return replace(self, path=(*self.path, step), forms=(*self.forms, form))


def _locate(model: type[BaseModel], loc: tuple[str | int, ...]) -> _Spot:
    spot, form = _Spot(), ValueForm(models=(model,))
    for step in loc:
        if form.tag and step in form.tags:
            form = ValueForm(models=(form.tags[str(step)],))
            continue
        if len(form.models) == 1 and isinstance(step, str):
            group = form.models[0]
            field = group.model_fields.get(step)
            form = ValueForm() if field is None else form_of(field)
            spot = replace(spot, group=group, quantity=None if field is None else Quantity.of(field))
        elif isinstance(step, int) and form.items:
            form = form.item(step) or ValueForm()
        elif form.entries is not None:
            form = of_annotation(form.entries)
        else:  # pydantic's name for a member of a union
            continue
        spot = spot.down(step, form)
    return spot


def _misfit(spot: _Spot, details: Mapping[str, Any]) -> Misfit:
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind in _MESSAGES:
        return _MESSAGES[kind](spot, value)
    if isinstance(error := context.get("error"), FieldError):
        return Misfit((*spot.path, *steps_of(error.path)), error.message)
    if "error" in context:  # raised by a validator of ours
        return Misfit(spot.path, str(context["error"]) or f"{short(value)} is not valid")
    if "message" in context:
        return Misfit(spot.path, str(context["message"]))
    if kind.endswith(("_type", "_parsing", "_from_float", "_size")) and spot.allowed:
        return Misfit(spot.path, f"{short(value)} is not valid; allowed: {spot.allowed}")
    return Misfit(spot.path, f"{details['msg']}, got {short(value)}")


def _missing(spot: _Spot, value: Any) -> Misfit:
    if isinstance(spot.path[-1], int):
        return _wrong_length(spot.parent, value)
    return Misfit(spot.path, f"missing; allowed: {spot.allowed}", at="group")


def _wrong_length(spot: _Spot, value: Any) -> Misfit:
    return Misfit(spot.path, f"{short(value)} has {len(value)} values; allowed: {spot.allowed}")


def _unknown(spot: _Spot, value: Any) -> Misfit:
    valid = list(spot.group.model_fields) if spot.group is not None else []
    name, around = str(spot.path[-1]), spot.parent.form
    for tag, model in around.tags.items():
        if name in model.model_fields:
            return Misfit(spot.path, f"only with {around.tag}: {tag}; valid: {listed(valid)}", at="key")
    return Misfit(spot.path, f"unknown field; {suggest(name, valid)}valid: {listed(valid)}", at="key")


def _not_listed(spot: _Spot, value: Any) -> Misfit:
    return Misfit(spot.path, unlisted(value, [str(name) for name in spot.form.literals]))


def _bad_tag(spot: _Spot, value: Any) -> Misfit:
    tag, tags = spot.form.tag, list(spot.form.tags)
    given = value.get(tag) if isinstance(value, Mapping) else None
    if given is None:
        return Misfit((*spot.path, tag), f"missing; allowed: {' | '.join(tags)}", at="group")
    return Misfit((*spot.path, tag), unlisted(given, tags))


def _not_group(spot: _Spot, value: Any) -> Misfit:
    models = spot.form.models
    fields = f" ({listed(list(models[0].model_fields))})" if len(models) == 1 else ""
    return Misfit(spot.path, f"{short(value)} is not valid; allowed: {spot.allowed}{fields}")


_MESSAGES: dict[str, Callable[[_Spot, Any], Misfit]] = {
    "missing": _missing,
    "too_long": _wrong_length,
    "too_short": _wrong_length,
    "extra_forbidden": _unknown,
    "literal_error": _not_listed,
    "enum": _not_listed,
    "union_tag_invalid": _bad_tag,
    "union_tag_not_found": _bad_tag,
    "model_type": _not_group,
    "model_attributes_type": _not_group,
    "dict_type": _not_group,
}
