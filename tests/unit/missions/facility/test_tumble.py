import pytest

import freefloat as ff

SHORT = {"tumble.turns": 1.5, "tumble.rate": "90 deg/s", "tumble.ramp": "2 s", "duration": "12 s"}


def test_the_client_turns_on_its_cone_as_often_as_told() -> None:
    m = ff.run("epos-tumble", SHORT, strict=True).metrics
    assert m["turns_executed"] == pytest.approx(1.5, abs=1e-6)
    assert m["axis_turns_A6"] == pytest.approx(-1.5, abs=0.1)
    assert m["tracking_error_deg"] < 1e-6
    assert m["axis_step_max_deg"] < 184.0 * 0.004  # A6's fastest in a cycle
