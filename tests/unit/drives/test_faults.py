from __future__ import annotations

import pytest

from freefloat.drives import faults
from freefloat.errors import InputError


def test_every_fault_has_a_code_of_its_own() -> None:
    assert sorted(faults.FAULTS.values()) == [-1, 0, 1, 2, 3, 4, 5]
    assert faults.fault_code("open-phase") == faults.OPEN_PHASE == 2
    assert faults.fault_code("full-current-back") == faults.FULL_CURRENT_BACK == -1


def test_an_unknown_fault_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown fault of a drive 'open-fase'\. Did you mean 'open-phase'\?"):
        faults.fault_code("open-fase")
