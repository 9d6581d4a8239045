"""Limits of one cycle: each kind is met at its limit, and told where it is broken."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.facility.axes import CYCLE, NAMES
from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.clearance import Nearest
from freefloat.facility.kinematics import Kinematics, UnreachableError
from freefloat.facility.limits import QUANTITIES, Limits, Violation
from freefloat.facility.record import Frame, Record
from freefloat.frames import Array
from freefloat.gnc.planning.arm.six_axis import SixAxis

KINEMATICS = Kinematics()
LIMITS = Limits(KINEMATICS)
FACING = np.array([6.55, *np.radians([0, -59.073, 129.8348, 0, -70.7617, 0, 0, -96.6903, 120.3313, 0, -23.6409, 0])])
PLACE = {quantity.name: k for k, quantity in enumerate(QUANTITIES)}


def _moved(axis: str, by: float) -> Array:
    axes = FACING.copy()
    axes[NAMES.index(axis)] += by
    return axes


def _of_row(*rows: Array) -> Array:
    return LIMITS.measures(np.array(rows))[0]


def test_standing_still_within_the_ranges_is_fine() -> None:
    assert LIMITS.check(FACING, FACING, FACING) is None


@pytest.mark.parametrize("axis", range(13))
def test_every_axis_may_move_at_its_speed_and_not_faster(axis: int) -> None:
    speed = axis_limits().speed[axis]
    step = np.zeros(13)
    step[axis] = speed * CYCLE
    row = _of_row(FACING - 2 * step, FACING - step, FACING)
    assert row[PLACE[f"{QUANTITIES[axis].device} {QUANTITIES[axis].axis} speed"]] == pytest.approx(speed)
    slow = LIMITS.check(FACING, FACING - 0.999 * step, FACING - 2 * 0.999 * step)
    assert slow is None or slow.kind.startswith("tool")
    fast = LIMITS.check(FACING, FACING - 1.01 * step, FACING - 2 * 1.01 * step)
    assert fast is not None
    assert (fast.kind, f"{fast.device} {fast.axis}") == ("speed", f"{QUANTITIES[axis].device} {QUANTITIES[axis].axis}")
    assert fast.value == pytest.approx(1.01 * fast.limit)


def test_rates_at_the_limit_pass_with_rounding_and_accelerations_are_second_differences() -> None:
    t = CYCLE * np.arange(400)
    rows = np.tile(FACING, (len(t), 1))
    rows[:, 0] = 5.0 + 0.5 * t**2  # 1 m/s^2 from rest: the rail's limit
    table = LIMITS.measures(rows)
    k = PLACE["rail E1 acceleration"]
    assert np.allclose(table[:, k], 1.0, atol=1e-9)
    assert all(LIMITS.check(rows[i], rows[i - 1], rows[i - 2]) is None for i in range(2, 300))
    rows[:, 0] = 5.0 + 0.5 * 1.001 * t**2
    broken = LIMITS.check(rows[9], rows[8], rows[7])
    assert broken is not None
    assert str(broken) == "rail E1 acceleration 1.001 m/s^2; allowed: at most 1 m/s^2"


def test_a_jump_is_a_speed_and_a_place_beyond_is_a_range() -> None:
    jump = LIMITS.check(_moved("rob1 A6", math.radians(1.0)), FACING, FACING)
    assert str(jump) == "rob1 A6 speed 250 deg/s; allowed: at most 238 deg/s"
    away = _moved("rob1 A3", 1.0)
    assert str(LIMITS.check(away, away, away)) == "rob1 A3 187.131 deg; allowed: at most 155 deg"
    back = _moved("E1", -7.0)
    assert str(LIMITS.check(back, back, back)) == "rail E1 -0.45 m; allowed: at least 0 m"


def test_robot_1_rolls_to_300_deg_and_robot_2_without_end() -> None:
    zero = KINEMATICS.tool_poses(_moved("rob1 A6", math.radians(10.0)))[0].R
    assert math.degrees(math.atan2(zero[2, 1], zero[2, 2])) == pytest.approx(10.0, abs=1e-3)
    for degrees, fine in ((299.9, True), (-299.9, True), (300.1, False), (-300.1, False)):
        axes = _moved("rob1 A6", math.radians(degrees))
        assert _of_row(axes, axes, axes)[PLACE["rob1 tool roll"]] == pytest.approx(math.radians(degrees), abs=1e-6)
        found = LIMITS.check(axes, axes, axes)
        assert (found is None) == fine
        assert fine or (found is not None and (found.kind, found.axis) == ("tool range", "roll"))
    axes = _moved("rob2 A6", 200.0 * 2.0 * math.pi)
    assert LIMITS.check(axes, axes, axes) is None


def test_tools_keep_the_ranges_and_speeds_of_table_3() -> None:
    high = KINEMATICS.to_axes(_glc(1.4), FACING)
    assert LIMITS.check(high, high, high) is None
    low = KINEMATICS.to_axes(_glc(-0.52, 2.0), FACING)
    found = LIMITS.check(low, low, low)
    assert str(found) == "rob2 tool z -0.52 m; allowed: at least -0.5 m"
    # rail and arm together are faster than either
    axes, d = FACING.copy(), np.zeros(13)
    d[0], d[2] = 1.4 * CYCLE, math.radians(60.0) * CYCLE
    row = _of_row(axes, axes, axes + d)
    p = [KINEMATICS.tool_poses(q)[0].p for q in (axes, axes + d)]
    assert row[PLACE["rob1 tool's speed"]] == pytest.approx(np.linalg.norm(p[1] - p[0]) / CYCLE)
    assert row[PLACE["rob2 tool's speed"]] == 0.0
    turn = _of_row(FACING, FACING, _moved("rob2 A6", 0.004))
    assert turn[PLACE["rob2 tool's angular speed"]] == pytest.approx(1.0, rel=1e-9)


def _glc(z2: float, x2: float = 1.4) -> Record:
    values = np.zeros(22)
    values[[0, 21, 7, 8, 9]] = 5.0, 1.5, x2, 1.5, z2
    return Record(Frame.GLC, values)


def test_singularity_is_measured_as_the_arm_tells_it_and_not_refused() -> None:
    rng = np.random.default_rng(1)
    geometry = KINEMATICS.geometry
    for axes in rng.uniform(-2.5, 2.5, (20, 13)):
        row = _of_row(axes, axes, axes)
        for i in (1, 2):
            arm: SixAxis = geometry.robot(i)
            at = arm.singularity(axes[1 + 6 * (i - 1) : 7 + 6 * (i - 1)])
            told = [row[PLACE[f"rob{i} {name}"]] for name in ("wrist", "shoulder", "elbow")]
            assert told == pytest.approx([at.wrist, at.shoulder, at.elbow], abs=1e-12)
    straight = _moved("rob2 A5", math.radians(23.6409))
    assert LIMITS.check(straight, straight, straight) is None


def test_numbers_that_are_none_are_refused() -> None:
    for bad in (math.nan, math.inf):
        found = LIMITS.check(_moved("rob2 A3", bad), FACING, FACING)
        assert found is not None
        assert (found.kind, found.device, found.axis) == ("number", "rob2", "A3")
        assert "allowed: a finite number" in str(found)


def test_other_refusals_read_alike() -> None:
    with pytest.raises(UnreachableError) as refused:
        KINEMATICS.to_axes(_glc(3.0), FACING)
    text = str(Violation.unreachable(refused.value))
    assert text.startswith("rob2 misses its place by ")
    assert text.endswith("allowed: in reach")
    near = Violation.too_near(Nearest(0.031, "rob1 plate", "rob2 plate"), 0.05)
    assert str(near) == "clearance of rob1 plate and rob2 plate 0.031 m; allowed: at least 0.05 m"
