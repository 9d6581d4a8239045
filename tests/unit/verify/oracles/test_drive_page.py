import re

import pytest

from freefloat.errors import InputError
from freefloat.verify.oracles.drive_equations import equations
from freefloat.verify.oracles.drive_page import section, symbols
from freefloat.verify.oracles.drive_symbols import PARAMETERS


def test_the_sections_number_all_equations_from_one():
    names = list(dict.fromkeys(e.section for e in equations()))
    page = "\n".join(section(name) for name in names)
    assert [int(n) for n in re.findall(r"\\tag\{(\d+)\}", page)] == list(range(1, len(equations()) + 1))
    shown = re.findall(r"```math\n(.*)\n```", page)
    assert len(shown) == len(equations())
    assert {word for line in shown for word in re.findall(r"\\text\{(.*?)\}", line)} == {
        "for",
        "otherwise",
        "a wound motor",
        "a current loop",
    }


def test_symbols_have_units_meanings_and_fields():
    rows = symbols("parameters")
    assert {row[3] for row in rows} >= {"`motor.torque_constant`", "`driver.offset[1]`", "`gear.ratio`"}
    assert len({row[0] for row in rows}) == len(rows) == len(PARAMETERS) + 3
    assert all(all(row[1:3]) for group in ("states", "inputs", "parameters") for row in symbols(group))


def test_unknown_sections_and_groups_are_refused():
    with pytest.raises(InputError, match="section of the equations"):
        section("Gears")
    with pytest.raises(InputError, match="group of symbols"):
        symbols("outputs")
