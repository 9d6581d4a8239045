"""Numbers with a unit and bounds, as pydantic reads them: "25 mm" is converted, a wrong dimension or NaN refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, core_schema

from freefloat.amounts import Amount
from freefloat.errors import InputError
from freefloat.scenario.forms import ValueForm, of_annotation
from freefloat.units import parse_quantity

_KEYWORDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}
_NESTING = ("items", "prefixItems", "anyOf", "additionalProperties")

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Quantity(Amount):
    """Unit and bounds of a field: of a number, or of every number in a list or mapping."""

    @classmethod
    def of(cls, field: FieldInfo) -> Quantity | None:
        return next((m for m in field.metadata if isinstance(m, cls)), None)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        convert = partial(read, self, of_annotation(source))
        return core_schema.no_info_before_validator_function(convert, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self._widen(handler(schema))

    def _widen(self, node: Any) -> Any:
        """The JSON schema with bounds on every number in it, and a quantity as text allowed in its place."""
        if isinstance(node, list):
            return [self._widen(n) for n in node]
        if not isinstance(node, dict):
            return node
        if node.get("type") in ("number", "integer"):
            rest = {key: value for key, value in node.items() if key != "type"}
            bounds = {_KEYWORDS[name]: bound for name, bound in self.bounds.items()}
            text = {"type": "string", "pattern": r"^\s*[-+]?(\d|\.\d)"}
            return rest | {"anyOf": [{"type": node["type"], **bounds}, text]}
        return {key: self._widen(value) if key in _NESTING else value for key, value in node.items()}


def read(quantity: Quantity, form: ValueForm, value: Any) -> Any:
    """The value with its quantities in the field's unit. Raises a pydantic error that has every bad place."""
    problems: list[InitErrorDetails] = []
    result = _read(quantity, form, value, (), problems)
    if problems:
        raise ValidationError.from_exception_data("quantity", problems)
    return result


def _read(quantity: Quantity, form: ValueForm, value: Any, place: Place, problems: list[InitErrorDetails]) -> Any:
    if hasattr(value, "tolist"):  # a NumPy array or scalar, from a notebook
        value = value.tolist()
    if value is None or (isinstance(value, str) and value in form.literals):
        return value
    if isinstance(value, (list, tuple)):
        return [_read(quantity, form.item(i) or ValueForm(), v, (*place, i), problems) for i, v in enumerate(value)]
    if isinstance(value, Mapping):
        entry = ValueForm() if form.entries is None else of_annotation(form.entries)
        return {k: _read(quantity, entry, v, (*place, k), problems) for k, v in value.items()}
    if not form.scalars:  # a single value where a list is needed, or more values than allowed: pydantic reports it
        return value
    try:
        number = parse_quantity(value, quantity.unit)
    except InputError as error:
        problems.append(_detail(f"{error}{_words(form)}", place, value))
        return value
    if not quantity.admits(number):
        told = f"{value!r} is out of range; allowed: {quantity.allowed}{_words(form)}"
        problems.append(_detail(told, place, value))
    return value if isinstance(value, int) else number


def _words(form: ValueForm) -> str:
    """What is allowed besides a number."""
    return f"; also allowed: {', '.join(map(str, form.literals))}" if form.literals else ""


def _detail(message: str, place: Place, value: Any) -> InitErrorDetails:
    return InitErrorDetails(
        type=PydanticCustomError("quantity", "{message}", {"message": message}), loc=place, input=value
    )
