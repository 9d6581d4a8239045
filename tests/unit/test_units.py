"""Quantities with units: exact conversions, refusals, round trips."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from freefloat import units
from freefloat.errors import InputError
from freefloat.units import Dimension, dimension, format_quantity, parse_quantity, to_si_factor

NAMES = sorted(units._UNITS)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("25 mm", "m", 0.025),
        ("25mm", "m", 0.025),
        ("0.3 km", "m", 300.0),
        ("7 um", "m", 7e-6),
        ("1 m", "mm", 1000.0),
        ("180 deg", "rad", math.pi),
        ("648000 arcsec", "rad", math.pi),
        ("60 rpm", "rad/s", 2 * math.pi),
        ("360 deg/s", "rpm", 60.0),
        ("5 mrad", "rad", 0.005),
        ("60 rad/sqrt(h)", "rad/s/sqrt(Hz)", 1.0),
        ("4 N/m^1.5", "N/m^1.5", 4.0),
        ("1 N/m^0.5", "N/sqrt(m)", 1.0),
        ("1 kN/cm^1.5", "N/m^1.5", 1e6),
        ("250 ms", "s", 0.25),
        ("2 min", "s", 120.0),
        ("1.5 h", "s", 5400.0),
        ("3 g", "kg", 0.003),
        ("2 kN", "N", 2000.0),
        ("1 Wh", "J", 3600.0),
        ("2 bar", "Pa", 2e5),
        ("3 kHz", "1/s", 3000.0),
        ("10 1/s", "Hz", 10.0),
        ("12 %", "-", 0.12),
        ("4 -", "-", 4.0),
        ("4", "-", 4.0),
        ("-1.5e3 N m/rad", "N m/rad", -1500.0),
        ("1 kN mm/mrad", "N m/rad", 1000.0),
        ("5 g cm^2", "kg m^2", 5e-7),
        ("1 W/(m^2 K)", "W/m^2/K", 1.0),
        ("2 N*m*s/rad", "N m s/rad", 2.0),
        ("3 s^-1", "1/s", 3.0),
        ("1 V A", "W", 1.0),
        ("1 V/A", "ohm", 1.0),
        ("1 V s/A", "H", 1.0),
        (" 1 m ", "m", 1.0),
    ],
)
def test_quantities_convert_to_the_nearest_float(text: str, unit: str, expected: float):
    assert parse_quantity(text, unit) == expected


@given(st.integers(-(10**15), 10**15), st.integers(0, 12))
def test_a_decimal_in_millimetres_is_the_same_float_as_the_literal_in_metres(digits: int, places: int):
    assert parse_quantity(f"{digits}e-{places} mm", "m") == float(f"{digits}e-{places + 3}")


@pytest.mark.parametrize(
    "number", [3, 3.0, np.float64(3.0), np.float32(3.0), np.int64(3), Fraction(3), "3", "+3.", "3e0"]
)
def test_a_plain_number_is_already_in_the_unit(number: object):
    assert parse_quantity(number, "mm") == 3.0


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("25 deg", "m"),
        ("25 kg", "m"),
        ("3 N m", "N m/rad"),
        ("3 N m/rad", "N m"),
        ("3 rpm", "Hz"),
        ("3 1/s", "rad/s"),
        ("3 %", "rad"),
        ("3 -", "m"),
        ("3 m", "-"),
    ],
)
def test_a_wrong_dimension_is_refused_with_value_and_expected_unit(text: str, unit: str):
    with pytest.raises(InputError) as caught:
        parse_quantity(text, unit)
    assert text in str(caught.value)
    assert unit in str(caught.value)


def test_a_refusal_lists_the_units_that_would_do():
    with pytest.raises(InputError, match="allowed: m, cm, km, mm, nm, um"):
        parse_quantity("25 kg", "m")


@pytest.mark.parametrize("text", ["25 kg", "25 quux", "25 metrs"])
@pytest.mark.parametrize("unit", ["m", "s", "rad/s", "kg m^2", "N m/rad", "W/(m^2 K)", "1/s", "Hz", "K", "rad/sqrt(s)"])
def test_every_unit_that_a_refusal_names_has_the_right_dimension(text: str, unit: str):
    with pytest.raises(InputError) as caught:
        parse_quantity(text, unit)
    named = re.split("[Aa]llowed: ", str(caught.value))[1].removesuffix(", ...").split(", ")
    assert named[0] == unit
    assert [name for name in named if dimension(name) != dimension(unit)] == []
    assert len(named) > 1


@pytest.mark.parametrize(
    ("text", "hint"),
    [("5 RPM", "'rpm'"), ("5 Nm", "'N m'"), ("5 degs", "'deg'"), ("5 µm", "'um'"), ("5 °", "'deg'"), ("5 sec", "'s'")],
)
def test_an_unknown_unit_suggests_the_nearest(text: str, hint: str):
    with pytest.raises(InputError, match=f"Did you mean {hint}"):
        parse_quantity(text, "rad/s")


@pytest.mark.parametrize(
    "value",
    [
        "", " ", "m", "mm 25", "nan", "inf", "-inf m", "1e400", "1e9999999 m", "1e-9999999 m", "1e308 km", "1_000 m",
        "0x10 m", "1.2.3 m", "1,5 m", "- 5 m", "٣ m", "5 m^", "5 m^99", "5 m^0", "5 m^2^2", "5 m^0.5", "5 m/", "5 /m",
        "5 m//s", "5 m *", "5 m -", "5 (m", "5 m)", "5 ()", "5 1", "5 \x00", "5 " + "m" * 10_000, "9" * 10_000,
        " " * 10_000, True, False, None, [1.0], {"m": 1}, (1.0, "m"), b"1 m", 1j, math.nan, math.inf, -math.inf,
        10**400, np.bool_(True), np.array([1.0, 2.0]),
    ],
)  # fmt: skip
def test_nonsense_is_refused_in_one_short_line(value: object):
    with pytest.raises(InputError) as caught:
        parse_quantity(value, "m")
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300


@given(st.text(max_size=100) | st.from_regex(r"[0-9.e+-]{1,6} ?[a-zA-Z0-9 /*^()%-]{0,12}", fullmatch=True))
def test_any_text_gives_a_finite_number_or_an_input_error(text: str):
    try:
        number = parse_quantity(text, "m")
    except InputError:
        return
    assert math.isfinite(number)


def test_infinity_is_accepted_only_when_allowed_and_nan_never():
    assert parse_quantity("inf", "N", allow_inf=True) == math.inf
    assert parse_quantity("-inf N", "N", allow_inf=True) == -math.inf
    assert parse_quantity(math.inf, "N", allow_inf=True) == math.inf
    for value in ("nan", math.nan):
        with pytest.raises(InputError, match="finite"):
            parse_quantity(value, "N", allow_inf=True)
    for text in ("1e400 N", "1e308 kN"):
        with pytest.raises(InputError, match="too large"):
            parse_quantity(text, "N", allow_inf=True)
    with pytest.raises(InputError, match="dimension"):
        parse_quantity("inf m", "N", allow_inf=True)


def test_a_product_after_a_slash_needs_brackets():
    with pytest.raises(InputError, match="ambiguous"):
        to_si_factor("W/m^2 K")
    assert dimension("W/(m^2 K)") == Dimension(kg=1, s=-3, K=-1)


@pytest.mark.parametrize(
    "unit", ["km^9 km^9 km^9 km^9 km^9 km^9 km^9 km^9 km^9 km^9 km^9 km^9", "", "m" * 1000, "furlong"]
)
def test_units_that_cannot_be_used_are_refused(unit: str):
    with pytest.raises(InputError):
        to_si_factor(unit)


def test_dimensions_name_their_exponents():
    assert dimension("N m/rad") == Dimension(m=2, kg=1, s=-2, rad=-1)
    assert dimension("-") == dimension("%") == Dimension()
    assert dimension("Hz") == dimension("1/s")
    assert dimension("J") == dimension("N m") == dimension("Wh") == dimension("V A s")
    assert dimension("T") == dimension("V s/m^2")
    assert dimension("F") == dimension("A s/V")


@given(st.floats(-1e6, 1e6), st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from([1, -1]))
def test_converting_to_si_and_back_returns_the_value(value: float, a: str, b: str, exponent: int):
    unit = f"{a} {b}^{exponent}"
    si = " ".join(f"{base}^{n}" for base, n in dimension(unit)._asdict().items() if n) or "-"
    converted = parse_quantity(format_quantity(value, unit), si)
    assert_allclose(converted, value * to_si_factor(unit), rtol=1e-14, atol=1e-300)
    assert_allclose(parse_quantity(f"{converted!r} {si}", unit), value, rtol=1e-14, atol=1e-300)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([*NAMES, "-", "N m/rad", "kg m^2", "1/s"]))
def test_formatting_and_parsing_returns_the_same_float(value: float, unit: str):
    assert parse_quantity(format_quantity(value, unit), unit) == value


def test_formatted_quantities_read_well():
    assert format_quantity(0.025, "m") == "0.025 m"
    assert format_quantity(25.0, "N m/rad") == "25 N m/rad"
    assert format_quantity(0.5, "-") == "0.5"
    assert format_quantity(math.pi, "rad", digits=4) == "3.142 rad"
    with pytest.raises(InputError, match="unknown unit"):
        format_quantity(1.0, "furlong")
