"""Numbers that users give: with or without unit, one or several, and what is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.amounts import Amount, Count, mixed, take, take_rows
from freefloat.errors import InputError


@pytest.mark.parametrize("given", [0.25, "25 cm", "0.25", np.float64(0.25), np.array(0.25), np.float32(0.25)])
def test_a_number_and_a_text_with_a_unit_are_the_same(given: Any) -> None:
    assert Amount("m", gt=0.0).number(given, "edge") == 0.25


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (-1.0, r"edge -1.0 m; allowed: > 0 and <= 2 m"),
        (math.nan, r"edge nan; allowed: > 0 and <= 2 m"),
        (math.inf, r"edge inf m; allowed"),
        (10**400, r"edge 1000.* m; allowed"),
        (True, r"edge True; allowed"),
        (None, r"edge None; allowed"),
        ([1.0], r"edge \[1.0\]; allowed"),
        ("-1 m", r"edge '-1 m'; allowed: > 0 and <= 2 m"),
        ("1 kg", r"edge: '1 kg' has the wrong dimension; allowed: m, cm, km"),
        ("wide", r"edge: expected a quantity such as '1 m', got 'wide'"),
        ("1 metre", r"edge: cannot read '1 metre'.*unknown unit 'metre'"),
    ],
)
def test_what_is_no_such_number_is_refused_with_what_is_allowed(given: Any, told: str) -> None:
    with pytest.raises(InputError, match=f"^{told}"):
        Amount("m", gt=0.0, le=2.0).number(given, "edge")


def test_several_numbers_have_a_shape_and_each_is_checked() -> None:
    amount = Amount("m", ge=0.0)
    assert amount.numbers(("1 cm", 2, np.float64(3)), (3,), "p") == (0.01, 2.0, 3.0)
    assert amount.numbers(np.eye(2), (2, 2), "p") == ((1.0, 0.0), (0.0, 1.0))
    for given, told in (
        ((1, 2), r"p \(1, 2\); allowed: 3 numbers, each >= 0 m"),
        ("1 m", r"p '1 m'; allowed: 3 numbers"),
        (7, r"p 7; allowed: 3 numbers"),
        ((1, 2, -3), r"p\[2\] -3 m; allowed: >= 0 m"),
    ):
        with pytest.raises(InputError, match=told):
            amount.numbers(given, (3,), "p")


def test_a_unit_may_be_that_of_a_hinge_or_of_a_slide() -> None:
    effort = Amount("N m or N", ge=0.0)
    assert (effort.number("3 N m", "tau"), effort.number("3 kN", "tau"), effort.number(3, "tau")) == (3.0, 3e3, 3.0)
    with pytest.raises(InputError, match=r"tau: '3 kg' has the wrong dimension; allowed: N m, .*; or in N$"):
        effort.number("3 kg", "tau")


def test_only_what_may_be_infinite_is() -> None:
    assert Amount("m", gt=0.0, inf=True).number("inf m", "reach") == math.inf
    for bad in (-math.inf, math.nan, "nan"):
        with pytest.raises(InputError, match="reach"):
            Amount("m", gt=0.0, inf=True).number(bad, "reach")


@pytest.mark.parametrize("bad", [0, 5, 2.0, True, "3", None])
def test_counts_are_whole_numbers_in_bounds(bad: Any) -> None:
    assert Count(1, 4).number(np.int64(4), "bearings") == 4
    with pytest.raises(InputError, match=r"bearings .*; allowed: a whole number from 1 to 4"):
        Count(1, 4).number(bad, "bearings")


def test_each_of_several_numbers_may_have_its_own_unit() -> None:
    assert mixed(("1 m", 2, "180 deg"), ("m", "m", "rad"), "pose") == (1.0, 2.0, math.pi)
    with pytest.raises(InputError, match=r"pose\[2\]: '1 m' has the wrong dimension"):
        mixed((1, 2, "1 m"), ("m", "m", "rad"), "pose")
    with pytest.raises(InputError, match=r"pose \(1, 2\); allowed: 3 numbers in m, m, rad"):
        mixed((1, 2), ("m", "m", "rad"), "pose")


def test_rows_of_effects_take_texts_in_the_units_of_their_columns() -> None:
    effect = ff.Effect("pull", lambda *_: None, [ff.Column("force", "N", 3)], {"body": ff.Body})
    assert effect.row("a", body="bus", force=("1 kN", 0, 0)).f == (1000.0, 0.0, 0.0)
    with pytest.raises(InputError, match=r"row 'a' of 'pull': 'force': '1 m' has the wrong dimension; allowed: N"):
        effect.row("a", body="bus", force=("1 m", 0, 0))


@dataclass(frozen=True)
class Box:
    mass: Any
    size: Any


def test_fields_of_a_frozen_record_become_floats() -> None:
    box = Box("2 kg", ["1 cm", 1])
    take(box, "box", mass=Amount("kg"))
    take_rows(box, "box", 2, size=Amount("m"))
    assert (box.mass, box.size) == (2.0, (0.01, 1.0))


UNITS = {
    "mass": (lambda: ff.RigidBody("b", "10 kg"), lambda: ff.RigidBody("b", 10)),
    "size": (lambda: ff.RigidBody("b", size=("10 cm", 1, 1)), lambda: ff.RigidBody("b", size=(0.1, 1.0, 1.0))),
    "inertia": (lambda: ff.RigidBody("b", inertia=["1 kg m^2"] * 3), lambda: ff.RigidBody("b", inertia=(1, 1, 1))),
    "motion": (lambda: ff.Motion(w_WL_L=("180 deg/s", 0, 0)), lambda: ff.Motion(w_WL_L=(math.pi, 0, 0))),
    "attitude": (lambda: ff.Pose.from_rpy(("180 deg", 0, 0)), lambda: ff.Pose.from_rpy((math.pi, 0, 0))),
    "place": (lambda: ff.Pose.from_rpy((0, 0, 0), ("1 mm", 0, 0)), lambda: ff.Pose.from_rpy((0, 0, 0), (1e-3, 0, 0))),
    "step": (lambda: ff.RK4("4 ms"), lambda: ff.RK4(0.004)),
    "largest step": (lambda: ff.Dopri54(max_step="1 min"), lambda: ff.Dopri54(max_step=60.0)),
    "rate": (lambda: ff.Record("r", ("a",), "1 kHz"), lambda: ff.Record("r", ("a",), 1e3)),
    "cycle": (lambda: ff.RealTime("10 ms"), lambda: ff.RealTime(0.01)),
    "sensor": (lambda: ff.Sensor("100 Hz", "2 ms"), lambda: ff.Sensor(100.0, 0.002)),
    "event": (lambda: ff.Event("e", print, at="1 min"), lambda: ff.Event("e", print, at=60.0)),
    "connection": (lambda: ff.Connection("c", "a", "b", eta="5 1/s"), lambda: ff.Connection("c", "a", "b", eta=5.0)),
    "shape": (lambda: ff.Shape("sphere", ("5 cm",)), lambda: ff.Shape("sphere", (0.05,))),
    "gravity": (lambda: ff.uniform_gravity((0, 0, "-9.81 m/s^2")), lambda: ff.uniform_gravity((0, 0, -9.81))),
}  # fmt: skip


@pytest.mark.parametrize("what", UNITS)
def test_what_takes_numbers_takes_texts_with_units(what: str) -> None:
    text, plain = (make() for make in UNITS[what])
    assert text == plain


def test_joints_have_units_of_their_kind() -> None:
    X = ff.Pose.identity()
    turn = ff.Joint("j", "revolute", "a", "b", X, lower="-90 deg", effort="5 N m", stiffness="2 N m/rad")
    assert (turn.lower, turn.effort, turn.stiffness) == (-math.pi / 2.0, 5.0, 2.0)
    assert ff.Joint("j", "prismatic", "a", "b", X, upper="5 cm", damping="3 N s/m").upper == 0.05
    with pytest.raises(InputError, match="joint 'j': upper: '5 cm' has the wrong dimension; allowed: rad"):
        ff.Joint("j", "revolute", "a", "b", X, upper="5 cm")
    assert ff.Link("a", "5 g", np.zeros(3), np.eye(3)).mass == 0.005


def test_a_mission_runs_for_a_text_and_refuses_what_is_no_time() -> None:
    mission = ff.Mission([ff.RigidBody("b")], record_rate="10 Hz")
    result = mission.run("200 ms")
    assert result.duration == pytest.approx(0.2)
    assert len(result.time("b.p_WB")) == 3
    for wrong in ("1 kg", -1.0, math.nan, None):
        with pytest.raises(InputError, match="mission: duration"):
            mission.run(wrong)
    with pytest.raises(InputError, match="mission: record rate 0 Hz; allowed: >= 1e-09"):
        ff.Mission([ff.RigidBody("b")], record_rate=0)
    session = mission.session()
    session.step("20 ms")
    assert session.time == pytest.approx(0.02)
    with pytest.raises(InputError, match=r"motion of 'b': w_WL_L\[2\] nan; allowed"):
        session.set_velocity("b", (0, 0, math.nan), (0, 0, 0))


def test_noise_and_levels_are_in_the_unit_of_their_signal() -> None:
    rates = ff.Signal("b.w", "rad/s", (3,))
    assert ff.Sensor(noise="180 deg/s").on(rates, "task").noise == math.pi
    assert ff.Sensor(bias=["1 rad/s", 0, 0]).on(rates, "task").bias == (1.0, 0.0, 0.0)
    with pytest.raises(InputError, match="task: sensor noise: '1 m' has the wrong dimension"):
        ff.Sensor(noise="1 m").on(rates, "task")
    with pytest.raises(InputError, match=r"plain numbers, as 'b\.pose' has units m, rad"):
        ff.Sensor(noise="1 m").on(ff.Signal("b.pose", "m, rad", (2,)), "task")
    assert ff.Event("e", print, signal="b.w", level="180 deg/s").level_in("rad/s") == math.pi
