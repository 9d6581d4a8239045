"""The loop through the two worlds, at several delays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.gnc.control.loop_delay import sampled_critical_delay, sampled_growth
from freefloat.missions.impacts.delay_lanes import Lanes

LOOP = (50.0, 5e4, 500.0, 4e-3)


def test_the_mock_up_is_where_the_satellite_is_and_growths_are_the_eigenvalues() -> None:
    lanes = Lanes.around(*LOOP)
    result = ff.Mission(worlds=lanes.worlds(), tasks=lanes.tasks(), record_rate=1000.0).run(0.6, strict=True)
    assert np.abs(result["satellite5.p_WB"][:, 0] - result["rail5.q"][:, 0]).max() < 1e-10
    growths = lanes.growths_of(result)
    assert growths is not None
    assert growths == pytest.approx([sampled_growth(*LOOP, h) for h in lanes.delays], abs=1e-6)
    assert lanes.critical(growths) == pytest.approx(sampled_critical_delay(*LOOP), rel=1e-5)


def test_a_run_too_short_tells_no_growth_and_delays_that_all_decay_have_no_crossing() -> None:
    lanes = Lanes(*LOOP, (3e-3, 1e-3))
    assert lanes.growths([np.zeros(60), np.zeros(60)]) is None
    assert lanes.critical(np.array([-1.0, -2.0])) is None
    assert lanes.critical(np.array([1.0, -1.0])) == pytest.approx(2e-3), "delays need not be in order"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mass": -1.0}, "lanes: mass -1.0 kg; allowed: > 0 kg"),
        ({"stiffness": "-2 N/mm"}, "lanes: stiffness '-2 N/mm'; allowed: > 0 N/m"),
        ({"delays": (1e-3, -1e-3)}, r"lanes: delays\[1\] -0.001 s; allowed: >= 0 s"),
    ],
)
def test_what_no_loop_can_have_is_refused_with_its_unit(change: dict[str, Any], message: str) -> None:
    given = {"mass": 50.0, "stiffness": 5e4, "damping": 500.0, "cycle": "4 ms", "delays": ["3 ms"]}
    assert Lanes(**given).delays == (3e-3,)
    with pytest.raises(InputError, match=message):
        Lanes(**given | change)
