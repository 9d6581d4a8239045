"""Fields of a scenario: each has a unit where it is a number, and a meaning.

    class Bus(Settings):
        mass: float = quantity(1000.0, "kg", "dry mass of the bus", gt=0)
        size: Vector3 = quantity((1.0, 1.0, 1.2), "m", "edges of the bus in B", gt=0)
        attitude: Rotation = rotation((0.0, 0.0, 0.0), "R_WB at the start")
        shape: Literal["box", "cylinder"] = setting("box", "what is drawn")
        robot: str = file("arm7", "a robot that comes with Freefloat, or the path of a URDF file")
        control: PD | ComputedTorque = choice(PD(), "the joint controller")

A number in a file is in the field's unit; a text such as "25 mm" is converted; a wrong dimension is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.fields import FieldInfo

from freefloat.scenario.forms import ValueForm, form_of, of_annotation
from freefloat.scenario.locations import NamesFile
from freefloat.scenario.quantities import Quantity
from freefloat.units import dimension

Vector3 = tuple[float, float, float]
Rotation = tuple[float, float, float]  # roll, pitch, yaw about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll)


class Settings(BaseModel):
    """A group of fields: frozen, unknown names refused.

    A mapping given for a group changes only what it names: the rest stays as the group's default has it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, allow_inf_nan=False)

    def changed(self, **values: Any) -> Self:
        """A validated copy with other values in the named fields."""
        return type(self).model_validate({name: getattr(self, name) for name in type(self).model_fields} | values)


def quantity(
    default: Any,
    unit: str,
    meaning: str,
    *,
    gt: float | None = None,
    ge: float | None = None,
    lt: float | None = None,
    le: float | None = None,
) -> Any:
    """A number, or a list or mapping of numbers, in `unit` ("-" for counts and ratios). `...` as default: required."""
    dimension(unit)
    field: FieldInfo = Field(default, description=meaning, json_schema_extra={"unit": unit})
    field.metadata.append(Quantity(unit, gt, ge, lt, le))
    return field


def rotation(default: Any, meaning: str) -> Any:
    """Roll, pitch and yaw about fixed axes, for a field of type `Rotation`."""
    return quantity(default, "rad", f"{meaning} (roll, pitch, yaw about fixed axes)")


def setting(default: Any, meaning: str) -> Any:
    """A field that is not a number: a name, a switch, a text, a group of fields or a list of groups."""
    return _with_merge(Field(default, description=meaning), default, "")


def file(default: Any, meaning: str) -> Any:
    """A file, FILE:NAME or the name of something shipped (or a list of them); relative to the YAML file it is in."""
    field: FieldInfo = Field(default, description=meaning)
    field.metadata.append(NamesFile())
    return field


def choice(default: Any, meaning: str, *, tag: str = "kind") -> Any:
    """One of several groups, told apart by their field `tag` (a Literal in each)."""
    return _with_merge(Field(default, description=meaning, discriminator=tag), default, tag)


def _with_merge(field: FieldInfo, default: Any, tag: str) -> FieldInfo:
    if isinstance(default, Settings):
        field.metadata.append(BeforeValidator(lambda v: merged(default, v, tag) if isinstance(v, Mapping) else v))
    return field


def merged(default: Settings, value: Mapping[str, Any], tag: str = "") -> dict[str, Any]:
    """`value` over the fields of `default`, group by group; another choice of group starts from its own defaults."""
    if tag and value.get(tag, getattr(default, tag)) != getattr(default, tag):
        return dict(value)
    fields = type(default).model_fields
    result = {name: getattr(default, name) for name in fields} | dict(value)
    for name, inner in value.items():
        before = getattr(default, name) if name in fields else None
        if isinstance(inner, Mapping) and isinstance(before, Settings):
            result[name] = merged(before, inner, form_of(fields[name]).tag)
    return result


def allowed(field: FieldInfo) -> str:
    """What a field accepts, in a few words: "> 0 s", "rk4 | dopri54", "a list of 3: > 0 m"."""
    return allowed_by(form_of(field), Quantity.of(field))


def allowed_by(form: ValueForm, unit: Quantity | None) -> str:
    words: list[str] = []
    if form.models:
        words.append("a group of fields" if not form.tag else "a group of fields with " + _tagged(form))
    if form.items:
        each = allowed_by(of_annotation(form.items[0]), unit)
        words.append(f"a list{'' if form.length is None else f' of {form.length}'}: {each}")
    if form.entries is not None:
        words.append(f"named entries: {allowed_by(of_annotation(form.entries), unit)}")
    words += [str(name) for name in form.literals]
    words += [_scalar(scalar, unit) for scalar in form.scalars]
    words += ["null"] if form.optional else []
    return " | ".join(words)


def _tagged(form: ValueForm) -> str:
    return f"{form.tag}: {' | '.join(form.tags)}"


def _scalar(scalar: type, unit: Quantity | None) -> str:
    if unit is not None and scalar is int:
        return f"a whole number {unit.allowed}" if unit.bounds else "a whole number"
    if unit is not None:
        return unit.allowed
    names = {bool: "true | false", str: "text", int: "a whole number", float: "a number"}
    return names.get(scalar, getattr(scalar, "__name__", str(scalar)))


def incomplete(model: type[BaseModel], path: str = "") -> list[str]:
    """Fields below `model` without a meaning or a unit, and choices without a tag; empty when all is well."""
    return list(_incomplete(model, path, ()))


def _incomplete(model: type[BaseModel], path: str, above: tuple[type, ...]) -> Iterator[str]:
    if model in above:
        return
    for name, field in model.model_fields.items():
        here = f"{path}.{name}" if path else name
        if not field.description:
            yield f"{here}: no meaning"
        yield from _incomplete_form(form_of(field), Quantity.of(field), here, (*above, model))


def _incomplete_form(form: ValueForm, unit: Quantity | None, here: str, above: tuple[type, ...]) -> Iterator[str]:
    if unit is None and {int, float} & set(form.scalars):
        yield f"{here}: no unit"
    if len(form.models) > 1 and not form.tag:
        yield f"{here}: several groups without a tag; use choice()"
    for inner in (*form.items, *([] if form.entries is None else [form.entries])):
        yield from _incomplete_form(of_annotation(inner), unit, here, above)
    for model in form.models:
        yield from _incomplete(model, here, above)
