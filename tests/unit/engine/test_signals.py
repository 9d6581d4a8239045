"""Signals know what their entries are called and in which unit they are."""

from __future__ import annotations

import pytest

from freefloat.engine.signals import Signal, select
from freefloat.errors import InputError


def test_vectors_quaternions_and_wrenches_know_their_labels() -> None:
    assert Signal("bus.p_WB", "m", (3,), "W").labels == ("x", "y", "z")
    assert Signal("bus.q_WB", "-", (4,), "W").is_attitude
    assert Signal("latch.load", "N, N m", (6,), "W").labels[2:4] == ("force z", "torque x")
    assert Signal("touch.f_W", "N", (2, 3), "W").labels == ("0 x", "0 y", "0 z", "1 x", "1 y", "1 z")
    assert Signal("wheels.h", "N m s", (4,)).labels == ()
    assert Signal("wheels.h", "N m s", (2,)).components() == ["[0]", "[1]"]


def test_units_are_those_of_the_entries() -> None:
    assert Signal("p.pose", "m, m, rad", (3,)).units() == ["m", "m", "rad"]
    assert Signal("c.load", "N, N m", (6,)).units() == ["N"] * 3 + ["N m"] * 3
    assert Signal("old.slope", "m/s^2, rad/s^2", (3,)).units() == ["m/s^2, rad/s^2"] * 3


@pytest.mark.parametrize("labels", [("a",), ("a", "a")])
def test_labels_that_do_not_fit_are_refused(labels: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="allowed: 2 that differ"):
        Signal("arm.q", "rad", (2,), labels=labels)


def test_an_entry_is_chosen_by_number_or_label_and_numbers_come_first() -> None:
    signals = {"arm.q": Signal("arm.q", "rad", (3,), labels=("elbow", "0", "7"))}
    assert select(signals, "arm.q[elbow]")[1] == [0]
    assert select(signals, "arm.q[0]")[1] == [0]
    assert select(signals, "arm.q[7]")[1] == [2]
    with pytest.raises(InputError, match="allowed: 0 to 2, elbow, 0, 7"):
        select(signals, "arm.q[wrist]")
