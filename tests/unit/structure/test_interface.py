"""The state machine of a standard interface, and misalignment modulo its symmetry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose, so3_exp
from freefloat.structure import (
    InterfaceType,
    Misalignment,
    StandardInterface,
    State,
    cubic,
    mated_rotation,
    misalignment,
    nearest_symmetric,
)

ACTIVE = InterfaceType("active", closing_time=10.0, opening_time=4.0, position_tolerance=0.01, angle_tolerance=0.1)
PASSIVE = InterfaceType("passive", active=False)
NEAR, GONE, LATCHED = Misalignment(5e-3, 0.05), Misalignment(0.02, 0.0), Misalignment(1e-10, 1e-10)


def ordered(fault: str = "") -> StandardInterface:
    """Closing since t = 1 s."""
    interface, record = StandardInterface(ACTIVE, fault=fault).command("close", 1.0, NEAR, PASSIVE)  # pyright: ignore
    assert record.accepted
    return interface


def closed() -> StandardInterface:
    interface, record = ordered().update(11.0, LATCHED)
    assert record is not None
    return interface


def test_it_closes_after_its_time_and_opens_after_its_time() -> None:
    interface = ordered()
    assert (interface.state, interface.holds) == (State.CLOSING, True)
    interface, record = interface.update(10.9, LATCHED)
    assert (interface.state, record) == (State.CLOSING, None)
    interface, record = interface.update(11.0, LATCHED)
    assert record is not None
    assert (interface.state, record.what, record.t) == (State.CLOSED, "closed", 11.0)
    interface, record = interface.command("open", 20.0)
    assert record.accepted
    interface, record = interface.update(23.9)
    assert (interface.state, interface.holds, record) == (State.OPENING, True, None)
    interface, record = interface.update(24.0)
    assert record is not None
    assert (interface.state, interface.holds, record.what) == (State.OPEN, False, "opened")


def test_it_does_not_latch_before_the_residual_is_gone() -> None:
    interface, record = ordered().update(15.0, Misalignment(2e-9, 0.0))
    assert (interface.state, record) == (State.CLOSING, None)
    interface, record = interface.update(16.0, Misalignment(0.0, 2e-9))
    assert (interface.state, record) == (State.CLOSING, None)
    interface, record = interface.update(17.0, Misalignment(1e-9, 1e-9))
    assert interface.state is State.CLOSED


@pytest.mark.parametrize(
    ("interface", "order", "measured", "mate", "words"),
    [
        (StandardInterface(ACTIVE), "close", Misalignment(0.011, 0.0), PASSIVE, "misaligned by 0.011 m and 0 rad"),
        (StandardInterface(ACTIVE), "close", Misalignment(0.0, 0.11), PASSIVE, "allowed: 0.01 m and 0.1 rad"),
        (StandardInterface(ACTIVE), "close", Misalignment(math.nan, 0.0), PASSIVE, "misaligned by nan m"),
        (StandardInterface(ACTIVE), "close", None, PASSIVE, "no other half was measured"),
        (StandardInterface(PASSIVE), "close", NEAR, ACTIVE, "'passive' has no drive"),
        (StandardInterface(ACTIVE), "close", NEAR, InterfaceType("x", standard="x"), "'active' does not mate with 'x'"),
        (ordered(), "close", NEAR, PASSIVE, "it is closing; allowed: open"),
        (closed(), "close", NEAR, PASSIVE, "it is closed; allowed: open"),
        (StandardInterface(ACTIVE), "open", None, None, "it is open; allowed: closed | closing"),
    ],
)
def test_a_refused_order_says_why_and_changes_nothing(interface, order, measured, mate, words: str) -> None:
    after, record = interface.command(order, 30.0, measured, mate)
    assert after == interface
    assert (record.accepted, record.state) == (False, interface.state)
    assert words in record.reason


def test_an_order_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(InputError, match=r"order 'shut'; allowed: close \| open"):
        StandardInterface(ACTIVE).command("shut", 0.0)  # pyright: ignore[reportArgumentType]


def test_closing_may_be_broken_off() -> None:
    interface, record = ordered().command("open", 3.0)
    assert record.accepted
    interface, _ = interface.update(7.0)
    assert interface.state is State.OPEN


def test_a_fault_while_closing_fails_at_the_end_and_lets_go() -> None:
    interface, record = ordered("close").update(10.0, LATCHED)
    assert record is None
    interface, record = interface.update(11.0, LATCHED)
    assert record is not None
    assert (interface.state, interface.holds) == (State.FAILED, False)
    assert (record.what, record.reason) == ("failed", "it did not close (injected fault)")
    _, refused = interface.command("close", 12.0, NEAR, PASSIVE)
    assert refused.reason == "it is failed; allowed: open"


def test_a_fault_while_opening_fails_and_keeps_holding() -> None:
    interface, _ = StandardInterface(ACTIVE, State.CLOSED, holds=True, fault="open").command("open", 0.0)
    interface, record = interface.update(4.0)
    assert record is not None
    assert (interface.state, interface.holds) == (State.FAILED, True)
    assert "did not open" in record.reason


def test_a_half_that_leaves_while_closing_fails_at_once() -> None:
    interface, record = ordered().update(2.0, GONE)
    assert record is not None
    assert (interface.state, interface.holds) == (State.FAILED, False)
    assert "the other half left: 0.02 m" in record.reason


def test_a_pair_that_is_never_drawn_in_fails() -> None:
    interface, record = ordered().update(30.9, NEAR)
    assert (interface.state, record) == (State.CLOSING, None)
    interface, record = interface.update(31.0, NEAR)
    assert record is not None
    assert interface.state is State.FAILED
    assert "not drawn in" in record.reason


@pytest.mark.parametrize(("force", "torque"), [(250.1, 0.0), (0.0, 204.1), (math.nan, 0.0), (math.inf, 0.0)])
def test_an_overload_fails_once_and_keeps_holding(force: float, torque: float) -> None:
    interface, record = closed().overload(40.0, force, torque)
    assert record is not None
    assert (interface.state, interface.holds, interface.overloaded) == (State.FAILED, True, True)
    assert (record.what, record.t) == ("overload", 40.0)
    assert "allowed: 250 N and 204 N m" in record.reason
    assert interface.overload(41.0, force, torque) == (interface, None)


def test_loads_below_the_limit_or_on_an_open_interface_are_no_overload() -> None:
    assert closed().overload(40.0, 249.9, 203.9) == (closed(), None)
    assert closed().overload(40.0, 250.0, 204.0, bears=(260.0, 210.0)) == (closed(), None)
    assert closed().overload(40.0, 20.0, 0.0, bears=(15.0, 210.0))[0].overloaded
    assert StandardInterface(ACTIVE).overload(0.0, 1e6, 1e6) == (StandardInterface(ACTIVE), None)


def test_a_repair_opens_what_holds() -> None:
    interface, _ = closed().overload(40.0, 1e3, 0.0)
    interface, record = interface.reset(50.0)
    assert record.accepted
    assert (interface.state, interface.overloaded) == (State.OPENING, False)
    interface, _ = interface.update(54.0)
    assert (interface.state, interface.holds) == (State.OPEN, False)
    failed, _ = ordered("close").update(11.0, LATCHED)
    repaired, _ = failed.reset(60.0)
    assert (repaired.state, repaired.fault) == (State.OPEN, "")
    _, refused = closed().reset(60.0)
    assert not refused.accepted


@pytest.mark.parametrize("symmetry", [1, 2, 3, 4, 6])
def test_the_nearest_roll_and_what_is_left_give_back_the_rotation(symmetry: int) -> None:
    rng = np.random.default_rng(symmetry)
    for roll in range(symmetry):
        left = rng.normal(size=3)
        left *= 0.9 * math.pi / symmetry * rng.random() / np.linalg.norm(left)
        R = so3_exp(left) @ mated_rotation(roll, symmetry)
        found, rotation = nearest_symmetric(R, symmetry)
        assert found == roll
        assert np.allclose(rotation, left, atol=1e-14)


def test_misalignment_is_the_smallest_over_the_rolls() -> None:
    rng = np.random.default_rng(9)
    for _ in range(50):
        X = Pose(so3_exp(rng.normal(size=3)), rng.normal(size=3))
        found = misalignment(X)
        angles = [math.acos((np.sum(mated_rotation(k) * X.R) - 1.0) / 2.0) for k in range(4)]
        assert found.angle == pytest.approx(min(angles), abs=1e-9)
        assert found.position == pytest.approx(float(np.linalg.norm(X.p)), rel=1e-15)


def test_neighbours_on_a_grid_are_mated_in_every_orientation() -> None:
    grid = cubic(2, 1, 1)
    step = Pose(np.eye(3), (0.4, 0.0, 0.0))
    for R, shown in zip(grid.R_PM, grid.side_at, strict=True):
        own = int(np.flatnonzero(shown == 1)[0])
        found = misalignment(grid.X_PF[0].inverse() @ step @ Pose(R) @ grid.X_PF[own])
        assert found.within(1e-15, 1e-15)
