"""Whatever a plan file holds, it is read or refused at a place in it: never a traceback."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from freefloat.errors import InputError
from freefloat.gnc.planning.reconfiguration.problem import Carry, Operation, Plan, Stance
from freefloat.missions.modular.design_pair import DesignPair, pair_of
from freefloat.missions.modular.plan_file import plan_data, plan_of, plan_text
from freefloat.structure.design.file import load_design

WORDS = st.sampled_from(["+x", "-z", "top", "wm", "step", "transfer", "", "inf"])
NUMBERS = st.one_of(st.booleans(), st.integers(-3, 30), st.floats())
LISTS = st.lists(st.integers(-1, 9), max_size=4)
GROUPS = st.dictionaries(st.text(max_size=4), st.none())
ODD = st.one_of(st.none(), NUMBERS, WORDS, st.text(max_size=4), LISTS, GROUPS)


@lru_cache
def pair() -> DesignPair:
    return pair_of(load_design("slab-20"), load_design("turned-20"))


@lru_cache
def data() -> dict[str, Any]:
    """Some operations that can be done, though they do not lead to the goal."""
    grid, top = pair().grid, 4
    there = Stance(grid.index((1, 1, 1)), top)
    operations = (
        Operation(1, 0, pair().problem.robots[0], to=there, module=13),
        Operation(2, 0, there, carry=Carry(grid.index((3, 1, 1)), grid.index((2, 1, 2)), top), module=17, after=(1,)),
        Operation(
            3, 0, there, carry=Carry(grid.index((2, 1, 2)), grid.index((2, 2, 2)), top, 3), module=17, after=(2,)
        ),
    )
    return plan_data(Plan(operations, 90.0, 30.0, 2, 5, 5), pair())


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in plain data."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, item in inner for p in places(item, (*path, key)))]


def read(text: str) -> None:
    try:
        plan_of(text, "p.json", pair())
    except InputError as error:
        lines = str(error).splitlines()
    else:
        lines = []
    assert all(line.startswith("p.json") for line in lines)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_any_value_in_any_field_is_read_or_refused_at_its_place(drawn: st.DataObject) -> None:
    changed = json.loads(json.dumps(data()))
    for _ in range(drawn.draw(st.integers(1, 2))):
        path = drawn.draw(st.sampled_from([p for p in places(changed) if p]))
        spot: Any = changed
        for step in path[:-1]:
            spot = spot[step]
        if isinstance(spot, dict) and drawn.draw(st.booleans()):
            del spot[path[-1]]
        else:
            spot[path[-1]] = drawn.draw(ODD)
    read(json.dumps(changed))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_any_damage_to_the_text_is_read_or_refused_at_its_place(drawn: st.DataObject) -> None:
    text = plan_text(data())
    begin = drawn.draw(st.integers(0, len(text)))
    end = drawn.draw(st.integers(begin, min(len(text), begin + 12)))
    read(text[:begin] + drawn.draw(st.text(max_size=6)) + text[end:])


def test_the_untouched_plan_is_refused_only_because_it_ends_early() -> None:
    with pytest.raises(InputError, match=r"^p.json:\d+:\d+: operations: the last operation leaves cell .0, 0, 0."):
        plan_of(plan_text(data()), "p.json", pair())
