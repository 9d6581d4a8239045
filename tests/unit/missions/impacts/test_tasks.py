"""Tasks of the facility that renders impacts."""

from __future__ import annotations

import sys

import pytest

from freefloat.errors import InputError
from freefloat.scenario.files import load


@pytest.mark.parametrize("name", ["impact-central", "impact-cone", "impact-naive"])
def test_a_missing_ruckig_is_told_at_build_with_the_command_that_installs_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = load(name)
    monkeypatch.setitem(sys.modules, "ruckig", None)
    with pytest.raises(InputError, match=r"needs the package 'ruckig', which is not installed: pip install .*\[plan\]"):
        scenario.build()
