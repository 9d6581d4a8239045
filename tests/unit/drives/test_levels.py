"""Drives of a whole robot from the names of levels and drives."""

from __future__ import annotations

import pytest

from freefloat.drives import load_drive
from freefloat.drives.levels import drives_at
from freefloat.errors import InputError


def test_one_name_stands_for_all_joints() -> None:
    assert drives_at("full", "walker", 3, "robot") == [load_drive("walker")] * 3
    assert drives_at("ideal", "walker", 3, "robot") == [None] * 3


def test_lists_go_joint_by_joint() -> None:
    found = drives_at(("ideal", "elastic", "full"), ("walker", "walker", "spider-wrist"), 3, "robot")
    assert found == [None, load_drive("walker").at("elastic"), load_drive("spider-wrist")]


def test_names_of_drives_are_not_looked_at_where_all_is_ideal() -> None:
    assert drives_at("ideal", "nothing", 2, "robot") == [None, None]


def test_what_does_not_fit_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match=r"arm.drives: 2 levels for 3 joints; allowed: one, or 3"):
        drives_at(("full", "full"), "walker", 3, "arm")
    with pytest.raises(InputError, match=r"arm.drive: 2 drives for 3 joints; allowed: one, or 3"):
        drives_at("full", ("walker", "walker"), 3, "arm")
    with pytest.raises(InputError, match="walker"):
        drives_at("full", "walkr", 3, "arm")
