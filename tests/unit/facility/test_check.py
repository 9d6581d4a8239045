"""A whole trajectory is judged row by row; what it breaks is told once, with first and worst line."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.axes import CYCLE
from freefloat.facility.check import BLOCK, CheckReport, check_trajectory
from freefloat.facility.clearance import Clearance
from freefloat.facility.exchange import Inputs
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.limits import Limits
from freefloat.facility.modes import State
from freefloat.facility.operation import Operation
from freefloat.facility.part import START
from freefloat.facility.record import Frame, Record
from freefloat.facility.trajectory import Trajectory
from freefloat.frames import Array

KINEMATICS = Kinematics()
LIMITS, CLEARANCE = Limits(KINEMATICS), Clearance()


def _approach(n: int = 2 * BLOCK + 500, end: float = 5.0, turns: float = 1.0) -> Array:
    """GLC rows: robot 1 from 12 m to `end`, robot 2 rolling, both from rest to rest."""
    s = np.linspace(0.0, 1.0, n)
    s = 10.0 * s**3 - 15.0 * s**4 + 6.0 * s**5
    values = np.zeros((n, 22))
    values[:, 0], values[:, 7], values[:, 12], values[:, 21] = 12.0 + (end - 12.0) * s, 1.9, 360.0 * turns * s, 1.5
    return values


def _check(values: Array, frame: Frame = Frame.GLC) -> CheckReport:
    return check_trajectory(Trajectory(np.full(len(values), frame), values), LIMITS, CLEARANCE, START)


def test_a_slow_approach_is_executable_and_its_extremes_are_told() -> None:
    values = _approach()
    report = _check(values)
    assert report.ok
    assert (report.findings, report.warnings) == ((), ())
    assert report.rows == len(values)
    assert report.duration == pytest.approx((len(values) - 1) * CYCLE)
    extremes = {e.name: e for e in report.extremes}
    peak = 1.875 * 7.0 / report.duration
    assert extremes["rail E1 speed"].least == pytest.approx(-peak, rel=1e-4)
    assert extremes["rob2 tool's angular speed"].most == pytest.approx(1.875 * 360.0 / report.duration, rel=1e-4)
    assert (extremes["rail E1"].least, extremes["rail E1"].most) == pytest.approx((6.55, 13.55))
    assert extremes["rob2 tool roll"].most == pytest.approx(360.0)
    assert report.nearest is not None
    assert (
        report.nearest.distance == CLEARANCE.at(KINEMATICS.to_axes(_row(values, report.nearest_line), START)).distance
    )


def _row(values: Array, line: int) -> Record:
    return Trajectory(np.full(len(values), Frame.GLC), values).record(line - 1)


def test_a_jump_is_told_in_its_line_wherever_blocks_end() -> None:
    for row in (1, BLOCK - 1, BLOCK, BLOCK + 1):
        values = _approach()
        values[row:, 0] -= 0.05
        report = _check(values)
        speed = next(f for f in report.findings if f.first.kind == "speed")
        assert (speed.line, speed.lines, speed.first.device, speed.first.axis) == (row + 1, 1, "rail", "E1")
        assert str(speed) == str(speed.first)
        jolt = next(f for f in report.findings if f.first.kind == "acceleration")
        assert (jolt.line, jolt.lines, jolt.last_line) == (row + 1, 2, row + 2)
        assert jolt.first.value == pytest.approx(-0.05 / CYCLE**2, rel=1e-2)
        assert {f.first.kind for f in report.findings} == {"speed", "acceleration", "tool speed"}


def test_what_is_broken_in_many_lines_is_told_once_with_its_worst() -> None:
    values = _approach(turns=30.0)
    report = _check(values)
    (speed,) = (f for f in report.findings if f.first.kind == "speed")
    rate = np.abs(np.diff(values[:, 12])) / CYCLE
    fast = np.flatnonzero(rate > 184.0 * (1.0 + 1e-6))
    assert (speed.first.device, speed.first.axis) == ("rob2", "A6")
    assert (speed.line, speed.lines, speed.last_line) == (fast[0] + 2, len(fast), fast[-1] + 2)
    assert abs(speed.worst.value) == pytest.approx(rate.max())
    assert speed.worst_line == pytest.approx(np.argmax(rate) + 2, abs=1)
    assert "worst in line" in str(speed)
    assert speed.data()["limit"] == pytest.approx(-184.0)


def test_rows_out_of_reach_are_told_and_leave_the_others_judged() -> None:
    values = _approach()
    values[100:200, 7] = 4.5
    report = _check(values)
    (reach,) = report.findings
    assert (reach.first.kind, reach.first.device, reach.line, reach.lines) == ("reach", "rob2", 101, 100)
    assert reach.first.value == pytest.approx(1.4494, abs=1e-3)
    back = values.copy()
    back[:, 0] += 20.0
    beyond = _check(back).findings[0]
    assert (beyond.first.kind, beyond.first.device, beyond.first.axis, beyond.line) == ("range", "rail", "E1", 1)


def test_an_approach_that_is_too_near_is_told_with_both_solids() -> None:
    report = _check(_approach(end=1.5))
    stop, near = report.findings
    assert (stop.first.kind, near.first.kind) == ("stop clearance", "clearance")
    assert stop.line < near.line
    assert str(stop).startswith("where a stop would end: clearance of rob")
    assert near.first.limit == CLEARANCE.margin
    assert near.first.value < CLEARANCE.margin
    assert near.worst.value == pytest.approx(report.nearest.distance if report.nearest else np.nan)
    assert near.worst_line == report.nearest_line
    assert {near.first.device.split()[0], near.first.axis.split()[0]} == {"rob1", "rob2"}


def test_singular_axes_and_motion_at_the_end_are_warnings() -> None:
    values = np.zeros((500, 22))
    values[:, :6] = np.degrees(START[1:7])
    values[:, 7:13] = np.degrees(START[7:13])
    s = np.linspace(0.0, 1.0, 500)
    values[:, 21] = 1e3 * (5.0 + 0.5 * 0.5 * (CYCLE * np.arange(500)) ** 2)
    values[:, 11] = np.degrees(START[11]) * (1.0 - s**2 * (3.0 - 2.0 * s))
    report = _check(values, Frame.IJT)
    assert report.ok
    wrist, end = report.warnings
    assert (wrist.first.kind, wrist.first.device, wrist.first.axis) == ("singularity", "rob2", "wrist")
    assert "deg from singular; allowed: at least" in str(wrist)
    assert (end.first.kind, end.first.axis, end.line) == ("end", "E1", 500)
    assert end.first.value == pytest.approx(0.5 * CYCLE * 498.5)
    assert "else a Safe Stop follows" in str(end)


def test_a_start_in_motion_breaks_the_acceleration_of_its_second_line() -> None:
    values = _approach()[BLOCK:]
    first = _check(values).findings[0]
    assert (first.first.kind, first.line) == ("acceleration", 2)


def test_a_quaternion_that_is_none_is_bad_input() -> None:
    values = np.zeros((3, 22))
    values[:, [6, 13, 20]] = 1.0
    values[:, 0], values[:, 7], values[:, 21] = 5.0, 1.9, 1.5
    values[1, 6] = 0.5
    with pytest.raises(InputError, match=r"line 2: CLW record: rob1 quaternion .* of length 0.5; allowed: length 1"):
        _check(values, Frame.CLW)


def test_progress_is_told_up_to_the_end() -> None:
    values, told = _approach(), list[tuple[int, int]]()
    rows = Trajectory(np.full(len(values), Frame.GLC), values)
    check_trajectory(rows, LIMITS, CLEARANCE, START, lambda done, of: told.append((done, of)))
    assert told == [(BLOCK, 4500), (2 * BLOCK, 4500), (4500, 4500)]


def _executed(values: Array) -> tuple[int, str]:
    """Rows that the operation executes, and why it stops."""
    rows = Trajectory(np.full(len(values), Frame.GLC), values)
    operation = Operation(KINEMATICS, LIMITS, CLEARANCE, start_axes=KINEMATICS.to_axes(rows.record(0), START))
    for action, arguments in (("power", {"on": True}), ("mode", {"mode": "async"}), ("load", {"trajectory": rows})):
        operation.do(action, **arguments)
    operation.do("start")
    done, state = 0, State.MOVING
    for cycle in range(len(values) + 20):
        out = operation.cycle(Inputs(cycle, cycle * CYCLE, operation.motion[0]))
        if state is not State.READY and out.state is State.READY:
            operation.do("confirm")
        state = out.state
        done += state is State.RUNNING
        if done and state is not State.RUNNING:
            break
    return done, operation.reason.cause


def test_the_operation_stops_in_the_line_that_the_check_names() -> None:
    still = np.tile(_approach()[0], (60, 1))
    assert _executed(still) == (60, "end")
    assert _check(still).ok
    jump, far, spin = still.copy(), still.copy(), still.copy()
    jump[30:, 0] -= 0.05
    far[40:, 7] = 4.5
    spin[10:, 12] = 10_000.0 / 6.0 * (CYCLE * np.arange(50)) ** 3  # [deg] a jerk of 10,000 deg/s^3
    for values in (jump, far, spin):
        done, cause = _executed(values)
        assert cause not in ("end", "none")
        assert _check(values).findings[0].line == done + 1
