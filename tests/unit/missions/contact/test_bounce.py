"""The scenario of bodies on a tilted plate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import FreefloatError

SMOOTH = {"friction.kind": "none", "law.damping": 0.0, "plate.tilt": 0.0}


def test_without_losses_a_ball_comes_back_to_where_it_fell_from() -> None:
    result = ff.run("bounce", {**SMOOTH, "place.drop_height": 0.05}, duration=0.6, strict=True)
    gap = result["touch_ball.gap"][:, 0]
    met = int(np.argmax(gap < 0.0))
    assert gap[met:].max() == pytest.approx(0.05, abs=2e-5)
    first = next(touch for touch in result.touches if touch.contact == "touch_ball.0")
    assert first.t == pytest.approx(math.sqrt(2.0 * 0.05 / 9.81), abs=1e-9)
    assert first.speed == pytest.approx(math.sqrt(2.0 * 0.05 * 9.81), rel=1e-9)


def test_with_friction_that_sticks_the_box_comes_to_rest_and_round_bodies_do_not() -> None:
    changes = {"friction.kind": "sticking", "law.kind": "spring-damper", "law.damping": 100.0, "bodies.can.mass": 1.0}
    result = ff.run("bounce", {**changes, "place.drop_height": 0.01}, duration=1.5, strict=True)
    p = result["box.p_WB"]
    assert np.linalg.norm(p[-1] - p[-50]) < 1e-6
    assert np.linalg.norm(result["ball.v_WB"][-1]) > 0.5
    assert result.metrics["bodies_at_rest"] >= 1.0


def test_in_free_fall_a_free_plate_takes_up_the_momentum_and_a_held_one_stays() -> None:
    free = ff.run("bounce", {"place.kind": "free-fall"}, duration=0.5, strict=True)
    assert free.metrics["audit.linear_momentum_drift"] < 1e-12
    assert np.linalg.norm(free["plate.v_WB"][-1]) > 0.05
    held = ff.run("bounce", {"place.kind": "free-fall", "place.fixed": True}, duration=0.5, strict=True)
    assert np.ptp(held["plate.p_WB"], axis=0).max() == 0.0
    assert held.metrics["contacts"] >= 4.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bodies.ball.mass": -1}, r"bodies.ball.mass: -1 is out of range; allowed: > 0"),
        ({"law.kind": "rubber"}, r"law.kind: 'rubber' is not known; allowed: hunt-crossley \| spring-damper"),
        ({"plate.tilt": "200 deg"}, r"plate.tilt: '200 deg' is out of range; allowed: >= -1.4 and <= 1.4 rad"),
        ({"friction.mu": -0.1}, r"friction.mu: -0.1 is out of range; allowed: >= 0"),
        ({"place.drop_height": "3 kg"}, r"place.drop_height: '3 kg' has the wrong dimension; allowed: m"),
        ({"bodies": {}}, r"bodies: \[\]; allowed: at least one"),
        ({"bodies.plate.mass": 1.0}, r"allowed: at least one, and none that is named 'plate'"),
    ],
)
def test_what_cannot_be_is_refused_with_place_value_and_what_is_allowed(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FreefloatError, match=message):
        ff.run("bounce", change, duration=0.1)
