"""Units at the border: quantities such as "25 mm" in scenario files, options and protocols. Inside, all is SI.

A unit is a product of named units with exponents, then denominators: "N m/rad", "kg m^2", "W/(m^2 K)", "1/s",
"N/m^1.5", "deg/sqrt(h)". A slash binds one name, or a product in brackets. Angles carry the dimension rad, so "deg"
does not pass for "m", and "N m" (a torque) differs from "N m/rad" (a stiffness). "-" is dimensionless. Factors are
exact fractions times a power of pi, so "25 mm" is the float 0.025 and "180 deg" is math.pi.
"""

from __future__ import annotations

import difflib
import math
import re
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import NamedTuple

from freefloat.errors import InputError, unknown_name

G0 = 9.80665  # [m/s^2] standard gravity
RPM = math.pi / 30.0  # [rad/s] one turn a minute
LONGEST_TEXT = 80  # [characters] longest unit or quantity that is read


Exponent = int | Fraction


class Dimension(NamedTuple):
    """Exponents of the base units."""

    m: Exponent = 0
    kg: Exponent = 0
    s: Exponent = 0
    A: Exponent = 0
    K: Exponent = 0
    rad: Exponent = 0
    cd: Exponent = 0


@dataclass(frozen=True)
class _Unit:
    ratio: Fraction  # [-] SI units in one of this unit, apart from pi
    pi: Exponent  # of pi in the factor
    dimension: Dimension

    def times(self, other: _Unit, exponent: Exponent) -> _Unit:
        exponents = (a + exponent * b for a, b in zip(self.dimension, other.dimension, strict=True))
        power = other.ratio**exponent if isinstance(exponent, int) else Fraction(float(other.ratio) ** float(exponent))
        return _Unit(self.ratio * power, self.pi + exponent * other.pi, Dimension(*exponents))

    def scale(self, number: Fraction) -> float:
        """The number times the factor; infinite when no float holds it."""
        try:
            return float(number * self.ratio) * math.pi ** (self.pi if isinstance(self.pi, int) else float(self.pi))
        except OverflowError:
            return math.inf


_ONE = _Unit(Fraction(1), 0, Dimension())
_PREFIXES = {"n": -9, "u": -6, "m": -3, "c": -2, "": 0, "k": 3, "M": 6, "G": 9}

# name: (prefixes besides none, dimension)
_SI = {
    "m": ("n u m c k", Dimension(m=1)),
    "s": ("n u m", Dimension(s=1)),
    "A": ("u m", Dimension(A=1)),
    "K": ("m", Dimension(K=1)),
    "rad": ("u m", Dimension(rad=1)),
    "N": ("u m k M", Dimension(m=1, kg=1, s=-2)),
    "J": ("u m k M", Dimension(m=2, kg=1, s=-2)),
    "W": ("u m k M", Dimension(m=2, kg=1, s=-3)),
    "V": ("u m k", Dimension(m=2, kg=1, s=-3, A=-1)),
    "ohm": ("m k M", Dimension(m=2, kg=1, s=-3, A=-2)),
    "H": ("n u m", Dimension(m=2, kg=1, s=-2, A=-2)),
    "F": ("n u m", Dimension(m=-2, kg=-1, s=4, A=2)),
    "T": ("n u m", Dimension(kg=1, s=-2, A=-1)),
    "Pa": ("k M G", Dimension(m=-1, kg=1, s=-2)),
    "Hz": ("k M G", Dimension(s=-1)),
    "cd": ("", Dimension(cd=1)),
    "lm": ("k M", Dimension(cd=1)),  # steradians have no dimension
    "lx": ("k", Dimension(m=-2, cd=1)),
}

_OTHERS = {
    "%": _Unit(Fraction(1, 100), 0, Dimension()),
    "g": _Unit(Fraction(1, 1000), 0, Dimension(kg=1)),
    "mg": _Unit(Fraction(1, 10**6), 0, Dimension(kg=1)),
    "kg": _Unit(Fraction(1), 0, Dimension(kg=1)),
    "min": _Unit(Fraction(60), 0, Dimension(s=1)),
    "h": _Unit(Fraction(3600), 0, Dimension(s=1)),
    "d": _Unit(Fraction(86400), 0, Dimension(s=1)),
    "deg": _Unit(Fraction(1, 180), 1, Dimension(rad=1)),
    "arcmin": _Unit(Fraction(1, 180 * 60), 1, Dimension(rad=1)),
    "arcsec": _Unit(Fraction(1, 180 * 3600), 1, Dimension(rad=1)),
    "rev": _Unit(Fraction(2), 1, Dimension(rad=1)),
    "rpm": _Unit(Fraction(2, 60), 1, Dimension(s=-1, rad=1)),
    "bar": _Unit(Fraction(10**5), 0, Dimension(m=-1, kg=1, s=-2)),
    "mbar": _Unit(Fraction(100), 0, Dimension(m=-1, kg=1, s=-2)),
    "Ah": _Unit(Fraction(3600), 0, Dimension(s=1, A=1)),
    "mAh": _Unit(Fraction(36, 10), 0, Dimension(s=1, A=1)),
    "Wh": _Unit(Fraction(3600), 0, Dimension(m=2, kg=1, s=-2)),
    "kWh": _Unit(Fraction(3600 * 10**3), 0, Dimension(m=2, kg=1, s=-2)),
}

_UNITS = {
    prefix + name: _Unit(Fraction(10) ** _PREFIXES[prefix], 0, dimension)
    for name, (prefixes, dimension) in _SI.items()
    for prefix in ["", *prefixes.split()]
} | _OTHERS

# Spellings that people bring, and ours; they are refused with this hint.
_HABITS = {"Nm": "N m", "sec": "s", "hr": "h", "rot": "rev", "µm": "um", "μm": "um", "°": "deg", "Ω": "ohm"}

_COMMON = ("deg", "mm", "min", "g", "mN", "mA", "h", "kW", "kN")  # of each sort first what is used most
_NAME = re.compile(r"[A-Za-z%]+")

_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?|inf|nan)(?![0-9.]|e[+-]?[0-9])",
    re.ASCII | re.IGNORECASE,
)
_ANGLE = re.compile(r"rad(?:\^([1-9]))?(?:/s(?:\^[1-9])?)?")  # and its rates
_SEPARATOR = re.compile(r"\s*\*\s*|\s+")
_FACTOR = re.compile(r"(?:sqrt\(([^\s^*/()]+)\)|([^\s^*/()]+)(?:\^(-?(?:[1-9](?:\.[0-9]{1,16})?|0\.[0-9]{1,16})))?)")


def on_page(unit: str) -> tuple[str, float]:
    """The unit in which people read a quantity of this SI unit, and the factor to it: angles are in degrees."""
    angle = _ANGLE.fullmatch(unit)
    if angle is None:
        return unit, 1.0
    return "deg" + unit[3:], math.degrees(1.0) ** int(angle.group(1) or 1)


def parse_quantity(value: object, unit: str, *, allow_inf: bool = False) -> float:
    """The quantity as a number in `unit`: `parse_quantity("25 mm", "m") == 0.025`.

    A number, or a text that is only a number, is already in `unit`. NaN is refused; so is infinity unless `allow_inf`.
    """
    if isinstance(value, str):
        number = _parse_text(value, unit)
    elif isinstance(value, Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            raise InputError(f"expected a quantity in '{unit}', got an integer too large for a float") from None
    else:
        raise InputError(f"expected a number or a quantity such as {_example(unit)}, got {reprlib.repr(value)}")
    if math.isnan(number) or (math.isinf(number) and not allow_inf):
        raise InputError(f"expected a finite quantity in '{unit}', got {reprlib.repr(value)}")
    return number


def to_si_factor(unit: str) -> float:
    """SI units (metre, kilogram, second, ampere, kelvin, radian) in one `unit`."""
    factor = _read_unit(unit).scale(Fraction(1))
    if not 0.0 < factor < math.inf:
        raise InputError(f"the unit {unit!r} is too large or too small for a float")
    return factor


def dimension(unit: str) -> Dimension:
    """Exponents of the base units: `dimension("N m/rad")` is m=2, kg=1, s=-2, rad=-1."""
    return _read_unit(unit).dimension


def format_quantity(value: float, unit: str, *, digits: int | None = None) -> str:
    """Text such as "0.025 m" for a number in `unit`, exact or cut to significant `digits`."""
    _read_unit(unit)
    text = repr(float(value)).removesuffix(".0") if digits is None else f"{value:.{digits}g}"
    return text if unit == "-" else f"{text} {unit}"


def _parse_text(text: str, unit: str) -> float:
    target = _read_unit(unit)
    text = text.strip()
    match = _NUMBER.match(text) if len(text) <= LONGEST_TEXT else None
    if match is None:
        raise InputError(f"expected a quantity such as {_example(unit)}, got {reprlib.repr(text)}")
    digits, given = match.group(), text[match.end() :].strip()
    try:
        source = _read_unit(given) if given else target
    except _UnknownUnitError as error:
        hint = f" Did you mean {found!r}?" if (found := _meant(error.name, _alike(unit))) else ""
        told = f"unknown unit {error.name!r}.{hint} Allowed: {_units_like(unit, target)}"
        raise InputError(f"cannot read {text!r} as a quantity in '{unit}': {told}") from None
    except InputError as error:
        raise InputError(f"cannot read {text!r} as a quantity in '{unit}': {error}") from None
    if source.dimension != target.dimension:
        raise InputError(f"{text!r} has the wrong dimension; allowed: {_units_like(unit, target)}")
    if digits.lower().endswith(("inf", "nan")):
        return float(digits)
    number = source.times(target, -1).scale(Fraction(digits))
    if math.isinf(number):
        raise InputError(f"{text!r} is too large for a float")
    return number


def _example(unit: str) -> str:
    return repr(format_quantity(1.0, unit))


def _units_like(unit: str, target: _Unit) -> str:
    """What may stand for the unit: "m, cm, km, mm, nm, um"; for a compound one also with another unit in it."""
    named = sorted(name for name in _UNITS if name != unit and _UNITS[name].dimension == target.dimension)
    if unit == "-" or unit in _UNITS:
        return ", ".join([unit, *named])
    swapped = [
        unit[: match.start()] + other + unit[match.end() :]
        for match in _NAME.finditer(unit)
        if match[0] in _UNITS  # and not sqrt
        for other in _COMMON
        if other != match[0] and _UNITS[other].dimension == _UNITS[match[0]].dimension
    ]
    return ", ".join([unit, *named, *swapped[:5], "..."])


def _alike(unit: str) -> list[str]:
    """Names of units with the dimension of the unit, or of one that it is made of."""
    parts = {_read_unit(unit).dimension, *(_UNITS[name].dimension for name in _NAME.findall(unit) if name in _UNITS)}
    return [name for name in _UNITS if _UNITS[name].dimension in parts]


@lru_cache(maxsize=512)
def _read_unit(text: str) -> _Unit:
    if not text or len(text) > LONGEST_TEXT:
        raise InputError(f"expected a unit such as 'N m/rad', got {reprlib.repr(text)}")
    if text == "-":
        return _ONE
    numerator, *denominators = text.split("/")
    result = _ONE if numerator.strip() == "1" and denominators else _read_product(numerator, text)
    for part in (p.strip() for p in denominators):
        bracketed = part.startswith("(") and part.endswith(")")
        inner = part[1:-1] if bracketed else part
        if not bracketed and len(_SEPARATOR.split(inner)) > 1:
            raise InputError(f"the unit {text!r} is ambiguous after '/'; write '/({part})' or move a factor forward")
        result = result.times(_read_product(inner, text), -1)
    return result


def _read_product(product: str, text: str) -> _Unit:
    result = _ONE
    for factor in _SEPARATOR.split(product.strip()):
        match = _FACTOR.fullmatch(factor)
        if match is None:
            raise InputError(f"cannot read {factor!r} in the unit {text!r}; expected a form like 'kg m^2/s' or '1/s'")
        root, name, exponent = match.groups()
        if (root or name) not in _UNITS:
            raise _UnknownUnitError(root or name)
        result = result.times(_UNITS[root or name], _exponent("0.5" if root else exponent or "1"))
    return result


def _exponent(text: str) -> Exponent:
    exact = Fraction(text)
    return exact.numerator if exact.denominator == 1 else exact


class _UnknownUnitError(InputError):
    def __init__(self, name: str) -> None:
        self.name = name
        hint = _meant(name, ())
        told = f"unknown unit {name!r}. Did you mean {hint!r}?"
        super().__init__(told if hint else str(unknown_name("unit", name, _UNITS)))


def _meant(name: str, alike: Iterable[str]) -> str:
    """The unit that a wrong name stands for: a known habit, the same letters, or the nearest of those alike."""
    same_letters = [unit for unit in _UNITS if unit.casefold() == name.casefold()]
    nearest = difflib.get_close_matches(name, list(alike), n=1, cutoff=0.5)
    return next(iter([*filter(None, [_HABITS.get(name)]), *same_letters, *nearest]), "")
