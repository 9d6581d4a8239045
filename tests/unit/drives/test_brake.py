from __future__ import annotations

import pytest

from freefloat.drives import Brake
from freefloat.errors import InputError


def test_a_negative_torque_is_refused_and_none_is_no_brake() -> None:
    with pytest.raises(InputError, match=r"brake: torque -0\.5.*; allowed: >= 0"):
        Brake(torque=-0.5)
    assert Brake(torque=0.0).torque == 0.0
