"""Declaring imposed motions: starts, pieces handed over by a task, snapshots, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import freefloat as ff
from freefloat.engine.graph import Joint, Link
from freefloat.errors import InputError, StepWarning
from freefloat.robots import load_robot

START = (0.3, -0.5)
PERIOD = 4e-3  # [s] of a robot's interpolator
FASTER = 2.0  # [rad/s] of the sine below


def mission(*drives: Any, tasks: Any = (), q: Any = START, **options: Any) -> ff.Mission:
    return ff.Mission([ff.Arm("arm", load_robot("planar_two_link"), q=q), *drives], tasks, **options)


def test_without_a_course_a_joint_is_held_where_it_starts() -> None:
    session = mission(ff.ImposedMotion("drive", "arm.elbow")).session()
    assert session.read("drive.course").tolist() == [0.0, START[1], 0.0, 0.0, 0.0, 0.0, 0.0]
    session.write("arm.tau", [0.3, -0.2])
    session.step(0.5)
    assert session.world.joint("arm.elbow") == pytest.approx((START[1], 0.0), abs=1e-12)
    assert abs(session.read("arm.q")[0] - START[0]) > 1e-3, "the other joint is free"


def test_a_joint_at_rest_takes_the_rate_of_its_course() -> None:
    session = mission(ff.ImposedMotion("drive", "arm.shoulder", (START[0], 0.4))).session()
    assert session.world.joint("arm.shoulder") == (START[0], 0.4)
    assert session.read("drive.error").tolist() == [0.0]


def test_several_joints_have_one_command_with_a_row_each() -> None:
    courses = [(START[0], 0.1), (START[1],)]
    drive = ff.ImposedMotion("drive", ["arm.shoulder", "arm.elbow"], courses)
    session = mission(drive).session()
    assert session.read("drive.course").shape == (2, 7)
    session.step(0.5)
    assert session.read("arm.q") == pytest.approx([START[0] + 0.05, START[1]], abs=1e-12)
    assert session.read("drive.effort").shape == (2,)
    assert np.abs(session.read("drive.error")).max() < 1e-12
    units = {s.name: s.unit for s in session.signals()}
    assert units["drive.effort"] == "N m"
    assert units["drive.error"] == "rad"


def piece(t: float) -> list[float]:
    """The quintic through position, rate and acceleration of a sine at t and t + PERIOD."""
    ends = []
    for s in (t, t + PERIOD):
        a = FASTER * s
        ends.append((START[0] + np.sin(a), FASTER * np.cos(a), -(FASTER**2) * np.sin(a)))
    (q, v, a), (Q, V, A), h = *ends, PERIOD
    d, e, f = Q - q - h * v - 0.5 * h * h * a, V - v - h * a, A - a
    c = [10.0 * d / h**3 - 4.0 * e / h**2 + 0.5 * f / h]
    c += [-15.0 * d / h**4 + 7.0 * e / h**3 - f / h**2, 6.0 * d / h**5 - 3.0 * e / h**4 + 0.5 * f / h**3]
    return [t, q, v, 0.5 * a, *c]


def test_pieces_handed_over_by_a_task_every_4_ms_make_one_smooth_motion(law: Any) -> None:
    task = ff.Task(law(lambda t, _: {"course": piece(t)}), PERIOD, writes={"course": "drive.course"})
    drive = ff.ImposedMotion("drive", "arm.shoulder", piece(0.0)[1:])
    run = mission(drive, tasks=[task]).run(1.0, strict=True)
    t = run.time("arm.q")
    assert np.abs(run["arm.q"][:, 0] - START[0] - np.sin(FASTER * t)).max() < 1e-9
    assert np.abs(run["drive.error"]).max() < 1e-9
    assert run.audit.drifts["energy_drift"] < 1e-8
    assert run.audit.drifts["angular_momentum_drift"] < 1e-9


def test_a_written_course_acts_at_once() -> None:
    session = mission(ff.ImposedMotion("drive", "arm.shoulder")).session()
    session.step(0.1)
    at_rest = session.read("drive.effort")[0]
    session.write("drive.course", [0.1, START[0], 0.0, 0.5, 0.0, 0.0, 0.0])
    assert abs(session.read("drive.effort")[0] - at_rest) > 0.1
    assert session.read("arm.qdd")[0] == pytest.approx(1.0, abs=1e-9)


def test_a_restored_snapshot_goes_on_with_the_same_bytes() -> None:
    session = mission(ff.ImposedMotion("drive", "arm.shoulder", (START[0], 0.1, 0.2, -0.05, 0.03, 0.01))).session()
    session.step(0.3)
    session.write("drive.course", [0.3, *Polynomial((0.35, 0.2, 0.1, 0.0, 0.0, 0.0)).coef])
    saved = session.snapshot()
    names = ("arm.q", "arm.qd", "drive.effort", "drive.error", "drive.course", "arm.base.p_WB")

    def goes_on() -> list[bytes]:
        session.step(0.2)
        return [session.read(name).tobytes() for name in names]

    first = goes_on()
    session.restore(saved)
    assert goes_on() == first


class Table:
    """A body that glides in the plane."""

    name = "table"

    def build(self, b: Any) -> None:
        b.body(Link("body", 20.0, np.array([0.1, 0.0, 0.0]), np.diag([2.0, 2.5, 3.0])))
        b.glide("body", (1.0, 0.0, 0.2), (0.0, 0.0, 0.0))


def test_a_coordinate_of_a_planar_joint_can_be_imposed() -> None:
    drive = ff.ImposedMotion("drive", "table.glide.theta", (0.2, 0.5, 0.3))
    sliding = ff.ImposedMotion("slide", "table.glide.x", (1.0,))
    built = ff.Mission([Table(), drive, sliding])
    session = built.session()
    result = built.complete(session, 1.0, strict=True)
    assert session.read("table.pose")[[0, 2]] == pytest.approx([1.0, 1.0], abs=1e-9)
    assert {s.name: s.unit for s in session.signals()}["slide.effort"] == "N"
    assert result.audit.drifts["energy_drift"] < 1e-8


class Turning:
    """A turntable that starts with a rate of its own, and a fixed joint."""

    name = "bench"

    def build(self, b: Any) -> None:
        inertia = np.diag([1.0, 1.0, 1.0])
        b.body(Link("foot", 1.0, np.zeros(3), inertia))
        b.anchor("foot", ff.Pose.identity())
        b.body(Link("plate", 1.0, np.zeros(3), inertia))
        b.joint(Joint("turn", "revolute", "foot", "plate", ff.Pose.identity()), 0.1, 0.2)
        b.body(Link("top", 1.0, np.zeros(3), inertia))
        b.joint(Joint("bolt", "fixed", "plate", "top", ff.Pose.identity()))


@pytest.mark.parametrize(
    ("drives", "told"),
    [
        ([ff.ImposedMotion("d", "bench.trun")], r"unknown joint 'bench.trun'. Did you mean 'bench.turn'\?"),
        ([ff.ImposedMotion("d", "bench.bolt")], "joint 'bench.bolt' is fixed; only a joint that moves"),
        (
            [ff.ImposedMotion("d", "bench.turn"), ff.ImposedMotion("e", "bench.turn")],
            "joint 'bench.turn' follows 'd.course' already; one course per joint",
        ),
        ([ff.ImposedMotion("d", "bench.turn", (0.2, 0.2))], "starts at 0.1 rad, its course at 0.2; start the joint"),
        ([ff.ImposedMotion("d", "bench.turn", (0.1, 0.3))], "starts with 0.2 rad/s, its course with 0.3; give both"),
        ([ff.ImposedMotion("d", "bench.turn", (0.1 + 2e-9, 0.2))], "starts at 0.1 rad, its course at 0.100000002"),
        ([ff.ImposedMotion("d", "bench.turn", (0.1,) * 7)], "allowed: 1 to 6 numbers c0, c1"),
        ([ff.ImposedMotion("d", "bench.turn", ())], "allowed: 1 to 6 numbers c0, c1"),
        ([ff.ImposedMotion("d", "bench.turn", (0.1, float("nan")))], "allowed: 1 to 6 numbers c0, c1"),
        ([ff.ImposedMotion("d", ["bench.turn"], (("a",),))], "expected a quantity such as '1 rad', got 'a'"),
    ],
)
def test_what_cannot_be_imposed_is_refused(drives: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        ff.Mission([Turning(), *drives])


def test_a_command_must_have_seven_numbers_per_joint() -> None:
    class Short:
        name = "short"

        def build(self, b: Any) -> None:
            b.impose(["bench.turn"], b.command("course", (6,), "rad"))

    with pytest.raises(InputError, match=r"command 'short.course' has 6 numbers; 1 courses need 7 each"):
        ff.Mission([Turning(), Short()])

    class Nowhere:
        name = "nowhere"

        def build(self, b: Any) -> None:
            b.impose(["bench.turn"], "nowhere.curse")

    with pytest.raises(InputError, match=r"unknown command 'nowhere.curse'"):
        ff.Mission([Turning(), Nowhere()])


def test_a_step_too_long_for_eta_is_warned_of_and_auto_takes_one_that_will_do() -> None:
    drive = ff.ImposedMotion("drive", "bench.turn", eta=1000.0)
    with pytest.warns(StepWarning, match="imposed motion of 'bench.turn': a step of 1 ms is too long; 0.5 ms would do"):
        ff.Mission([Turning(), drive], integrator=ff.RK4(1e-3)).session()
    session = ff.Mission([Turning(), drive], integrator=ff.RK4("auto")).session()
    assert session.world.step == 5e-4


def test_a_course_may_have_units() -> None:
    at, rate = 0.1, 0.2
    texts = ff.ImposedMotion("d", "bench.turn", (f"{at} rad", f"{rate} rad/s"))
    starts = [
        ff.Mission([Turning(), m]).blueprint.starts for m in (texts, ff.ImposedMotion("d", "bench.turn", (at, rate)))
    ]
    assert starts[0] == starts[1]


def test_a_rate_below_zero_is_refused() -> None:
    with pytest.raises(InputError, match=r"imposed motion 'd': eta -1.0 1/s; allowed: >= 0 1/s"):
        ff.ImposedMotion("d", "bench.turn", eta=-1.0)
