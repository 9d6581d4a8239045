"""A field of a scenario that a campaign varies: `bus.mass=uniform(300 kg, 500 kg)`.

Numbers may have units; they are then kept in SI. A number without a unit is in the unit of the field, as with `--set`.
Values of `choice` and `grid` are YAML as with `--set`, and a text in quotes stays a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from freefloat.campaign.distributions import (
    MOST_VALUES,
    Choice,
    Distribution,
    Grid,
    Loguniform,
    Normal,
    Truncated,
    Uniform,
)
from freefloat.errors import InputError, unknown_name
from freefloat.scenario import yamltext
from freefloat.units import Dimension, dimension, parse_quantity

LONGEST = 20_000  # [characters] of a variation

_HEAD = re.compile(r"\s*([A-Za-z_]\w*)\s*\(", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}", re.ASCII)
_SPAN = re.compile(r"(.*\S)\s+to\s+(\S.*)", re.DOTALL)
_OPEN, _CLOSE = "([{", ")]}"

_PARAMETERS: dict[str, tuple[str, ...]] = {
    "uniform": ("low", "high"),
    "normal": ("mean", "sd"),
    "truncated": ("mean", "sd", "low", "high"),
    "loguniform": ("low", "high"),
}
_OF_NUMBERS: dict[str, Callable[..., Distribution]] = {
    "uniform": Uniform,
    "normal": Normal,
    "truncated": Truncated,
    "loguniform": Loguniform,
}
_OF_VALUES: dict[str, Callable[[tuple[Any, ...]], Distribution]] = {"choice": Choice, "grid": Grid}
_FORMS = {
    **{name: f"{name}({', '.join(of)})" for name, of in _PARAMETERS.items()},
    "choice": "choice(a, b, ...)",
    "grid": "grid(a, b, ...) or grid(low to high, count)",
}


@dataclass(frozen=True)
class Variation:
    """A field by its dotted path, and how its value is spread.

    With a `unit` the distribution's numbers are in SI, and `unit` is the one in which the user gave them; without one
    they are in the unit of the field. `text` is what was written, for messages and files.
    """

    path: str
    distribution: Distribution
    unit: str = ""
    text: str = ""

    @property
    def label(self) -> str:
        """How messages call it."""
        return f"--vary {_shown(self.text or self.path)}"


def parse_variation(text: str) -> Variation:
    """The variation in a text such as "bus.mass=uniform(300 kg, 500 kg)"; an InputError has the column."""
    reader = _Reader(text)
    path, equals, _ = text.partition("=")
    if not equals or not all(path.strip().split(".")):
        reader.refuse(0, "not a variation; allowed: path=distribution, such as bus.mass=uniform(300 kg, 500 kg)")
    if len(text) > LONGEST:
        raise InputError(f"--vary {_shown(text)}: {len(text)} characters; allowed: {LONGEST}")
    at = len(path) + 1
    head = _HEAD.match(text, at)
    if head is None:
        reader.refuse(at, f"no distribution; allowed: {', '.join(_FORMS.values())}")
    name = head[1]
    if name not in _FORMS:
        reader.refuse(head.start(1), str(unknown_name("distribution", name, _FORMS)))
    arguments = reader.arguments(head.end(), _FORMS[name])
    made = reader.of_numbers if name in _PARAMETERS else reader.of_values
    distribution = made(name, head.start(1), arguments)
    return Variation(path.strip(), distribution, reader.unit, text)


@dataclass(frozen=True)
class _Argument:
    text: str
    at: int  # where it begins in the variation


class _Reader:
    """Reads the arguments of one variation; all that have a unit must have units of one dimension."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.unit = ""  # of the first argument that has one
        self.dimension: Dimension | None = None
        self.bare: _Argument | None = None  # the first number without a unit, besides zero

    def refuse(self, at: int, message: str) -> NoReturn:
        raise InputError(f"--vary {_shown(self.text)}: column {at + 1}: {message}")

    def arguments(self, begin: int, form: str) -> list[_Argument]:
        """The texts between the commas, up to the bracket that closes; after it nothing may follow."""
        found: list[_Argument] = []
        depth, quote, start = 0, "", begin
        for at in range(begin, len(self.text)):
            sign = self.text[at]
            if quote:
                quote = "" if sign == quote else quote
            elif sign in "\"'" and not self.text[start:at].strip(" [{(,"):
                quote = sign
            elif sign in _OPEN:
                depth += 1
            elif depth and sign in _CLOSE:
                depth -= 1
            elif not depth and sign in ",)":
                found.append(self._argument(start, at))
                start = at + 1
                if sign == ")":
                    break
        else:
            self.refuse(len(self.text), f"the bracket is not closed; allowed: {form}")
        return self._ended(found, start, form)

    def _argument(self, start: int, end: int) -> _Argument:
        raw = self.text[start:end]
        return _Argument(raw.strip(), start + len(raw) - len(raw.lstrip()))

    def _ended(self, found: list[_Argument], end: int, form: str) -> list[_Argument]:
        rest = self.text[end:]
        if rest.strip():
            self.refuse(end + len(rest) - len(rest.lstrip()), f"nothing may follow; allowed: {form}")
        for argument in found:
            if not argument.text:
                self.refuse(argument.at, f"a value is missing; allowed: {form}")
        return found

    def of_numbers(self, name: str, at: int, arguments: Sequence[_Argument]) -> Distribution:
        names = _PARAMETERS[name]
        if len(arguments) != len(names):
            self.refuse(at, f"{len(arguments)} values; allowed: {_FORMS[name]}")
        numbers = [self.number(argument) for argument in arguments]
        self._agree()
        return self._made(at, _OF_NUMBERS[name], *map(float, numbers))

    def of_values(self, name: str, at: int, arguments: Sequence[_Argument]) -> Distribution:
        span = _SPAN.fullmatch(arguments[0].text) if name == "grid" and len(arguments) == 2 else None
        if span is not None:
            ends = [self.number(_Argument(span[k], arguments[0].at + span.start(k))) for k in (1, 2)]
            if not _WHOLE.fullmatch(arguments[1].text):
                self.refuse(
                    arguments[1].at, f"{_shown(arguments[1].text)}; allowed: how many values, 2 to {MOST_VALUES}"
                )
            self._agree()
            return self._made(at, Grid.between, *ends, int(arguments[1].text))
        values = tuple(self.value(argument) for argument in arguments)
        self._agree()
        return self._made(at, _OF_VALUES[name], values)

    def _made(self, at: int, make: Callable[..., Distribution], *values: Any) -> Distribution:
        try:
            return make(*values)
        except InputError as error:
            self.refuse(at, str(error))

    def number(self, argument: _Argument) -> float | int:
        """A number, with a unit or without."""
        match = _NUMBER.match(argument.text)
        if match is None:
            self.refuse(argument.at, f"{_shown(argument.text)} is no number; allowed: a number, or one with a unit")
        unit = argument.text[match.end() :].strip()
        if not unit:
            if self.bare is None and float(match[0]) != 0.0:
                self.bare = argument
            return int(match[0]) if _WHOLE.fullmatch(match[0]) else self._plain(argument)
        return self._with_unit(argument, unit)

    def _plain(self, argument: _Argument) -> float:
        try:
            return parse_quantity(argument.text, "-")
        except InputError as error:
            self.refuse(argument.at, str(error))

    def _with_unit(self, argument: _Argument, unit: str) -> float:
        try:
            own = dimension(unit)
            number = parse_quantity(argument.text, _si(own))
        except InputError as error:
            self.refuse(argument.at, str(error))
        if self.dimension is None:
            self.dimension, self.unit = own, " ".join(unit.split())
        elif own != self.dimension:
            told = f"{_shown(argument.text)} is of another kind than the values in {self.unit}"
            self.refuse(argument.at, f"{told}; allowed: one kind of unit in a variation")
        return number

    def _agree(self) -> None:
        """A number without a unit beside others that have one would be a trap; zero is zero in any."""
        if self.unit and self.bare is not None:
            told = f"{_shown(self.bare.text)} has no unit, and others have {self.unit}"
            self.refuse(self.bare.at, f"{told}; allowed: units for all, or for none")

    def value(self, argument: _Argument) -> Any:
        """A quantity as a number, all else as YAML."""
        match = _NUMBER.match(argument.text)
        unit = argument.text[match.end() :].strip() if match else ""
        if match and (not unit or _is_unit(unit)):
            return self.number(argument)
        try:
            return yamltext.parse(argument.text, "value").value
        except InputError as error:
            self.refuse(argument.at, "; ".join(str(error).splitlines()))


def _is_unit(text: str) -> bool:
    try:
        dimension(text)
    except InputError:
        return False
    return True


def _si(of: Dimension) -> str:
    """The unit of a dimension in SI, as text: "m^2 kg s^-2"."""
    factors = [f"{name}^{float(power):.12g}" for name, power in of._asdict().items() if power]
    return " ".join(factors) or "-"


def _shown(text: str) -> str:
    """A text in one line of at most 80 characters."""
    text = text if len(text) <= 80 else text[:77] + "..."
    return text if text.isprintable() else ascii(text)
