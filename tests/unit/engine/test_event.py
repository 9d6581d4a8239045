"""Events: located crossings and instants, with actions applied once and logged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.log.reader import read_log
from freefloat.errors import InputError, SimulationError

G = 9.81  # [m/s^2]
INTEGRATORS = [ff.RK4(1e-3), ff.Dopri5(1e-3), ff.Dopri54()]
each_integrator = pytest.mark.parametrize("integrator", INTEGRATORS, ids=["rk4", "dopri5", "dopri54"])


def nothing(session: ff.Session) -> None:
    pass


def thrown(*events: ff.Event, speed: float = 3.0, integrator: Any = None) -> ff.Mission:
    """A body thrown up from z = 0 at t = 0: z = speed t - g t^2 / 2."""
    body = ff.RigidBody("ball", motion=ff.Motion(v_WL=(1.0, 0.0, speed)))
    return ff.Mission([body], events=events, rows=[ff.uniform_gravity((0.0, 0.0, -G))], integrator=integrator)


def watch(name: str, direction: Any, level: float = 0.4, **options: Any) -> ff.Event:
    return ff.Event(name, nothing, "ball.p_WB", 2, level, direction, **options)


def crossings(level: float, speed: float = 3.0) -> tuple[float, float]:
    root = np.sqrt(speed**2 - 2.0 * G * level)
    return (speed - root) / G, (speed + root) / G


@each_integrator
@pytest.mark.parametrize(("direction", "which"), [("rising", [0]), ("falling", [1]), ("both", [0, 1])])
def test_a_crossing_is_found_in_its_direction_at_the_closed_forms_time(
    integrator: Any, direction: Any, which: list[int]
) -> None:
    result = thrown(watch("e", direction), integrator=integrator).run(0.7)
    expected = np.array(crossings(0.4))[which]
    assert np.allclose([f.t for f in result.events], expected, rtol=0.0, atol=1e-9)
    assert result.metrics["events"] == len(which)


@each_integrator
def test_a_bouncing_ball_hits_the_floor_at_the_closed_forms_times(integrator: Any) -> None:
    restitution, speed = 0.8, 3.0

    def bounce(session: ff.Session) -> str:
        v = session.read("ball.v_WB")
        session.set_velocity("ball", (0.0, 0.0, 0.0), v * [1.0, 1.0, -restitution])
        return f"{v[2]:.6f}"

    floor = ff.Event("floor", bounce, "ball.p_WB", 2, 0.0, "falling")
    result = thrown(floor, integrator=integrator).run(2.0)
    times = 2.0 * speed / G * np.cumsum(restitution ** np.arange(4))
    found = [f.t for f in result.events]
    assert np.allclose(found[:4], times, rtol=0.0, atol=1e-9)
    assert [f.result for f in result.events][:2] == ["-3.000000", "-2.400000"]
    assert result["ball.p_WB"][:, 2].min() > -1e-3
    assert result.audit.passed


def test_an_event_fires_no_more_often_than_its_times() -> None:
    result = thrown(watch("once", "both", times=1), watch("always", "both")).run(0.7)
    assert [f.name for f in result.events] == ["once", "always", "always"]


@each_integrator
def test_two_events_within_one_step_both_fire_in_order(integrator: Any) -> None:
    gap = 1e-5  # [m]: a few microseconds apart
    result = thrown(watch("b", "rising", 0.4 + gap), watch("a", "rising", 0.4), integrator=integrator).run(0.5)
    assert [f.name for f in result.events] == ["a", "b"]
    expected = [crossings(0.4)[0], crossings(0.4 + gap)[0]]
    assert np.allclose([f.t for f in result.events], expected, rtol=0.0, atol=1e-9)


def test_two_events_on_the_same_crossing_both_fire_once() -> None:
    result = thrown(watch("a", "rising"), watch("b", "rising")).run(0.7)
    assert [f.name for f in result.events] == ["a", "b"]


@each_integrator
def test_a_watched_run_without_crossings_has_the_same_bits(integrator: Any) -> None:
    plain = thrown(integrator=integrator).run(0.5)
    watched = thrown(watch("never", "both", 99.0), integrator=integrator).run(0.5)
    assert np.array_equal(plain["ball.p_WB"], watched["ball.p_WB"])


@each_integrator
def test_an_event_whose_action_does_nothing_leaves_the_motion_as_it_was(integrator: Any) -> None:
    plain = thrown(integrator=integrator).run(0.7)
    watched = thrown(watch("e", "both"), integrator=integrator).run(0.7)
    assert np.array_equal(plain.time("ball.p_WB"), watched.time("ball.p_WB"))
    assert np.allclose(plain["ball.p_WB"], watched["ball.p_WB"], rtol=0.0, atol=1e-12)


def test_time_events_fire_once_at_their_nanosecond_before_sensors_and_tasks(law: Any) -> None:
    order: list[str] = []
    instants = [
        ff.Event(n, lambda s, n=n: order.append(n), at=t) for n, t in (("late", 0.0301), ("b", 0.02), ("a", 0.0))
    ]
    task = ff.Task(law(lambda t, m: order.append(f"task {t:.2f}") or {}), 0.02)
    result = ff.Mission([ff.RigidBody("bus")], [task], instants).run(0.05)
    assert order == ["a", "task 0.00", "b", "task 0.02", "late", "task 0.04"]
    assert np.allclose([f.t for f in result.events], [0.0, 0.02, 0.0301], rtol=0.0, atol=1e-15)


def test_a_time_event_after_the_end_does_not_fire() -> None:
    result = ff.Mission([ff.RigidBody("bus")], events=[ff.Event("e", nothing, at=0.3)]).run(0.3)
    assert result.events == ()


def test_events_may_watch_commands_of_any_length(law: Any) -> None:
    class Wide:
        name = "wide"

        def build(self, b: Any) -> None:
            b.command("u", (200,), "-")

    ramp = law(lambda t, m: {"u": np.linspace(0.0, 1.0, 200) - 0.5 + t})
    event = ff.Event("e", nothing, "wide.u", 150, 0.8, "rising", times=1)
    task = ff.Task(ramp, 0.01, writes={"u": "wide.u"})
    result = ff.Mission([ff.RigidBody("bus"), Wide()], [task], [event]).run(1.0)
    assert [f.t for f in result.events] == [pytest.approx(0.55, abs=0.011)]


def test_what_an_action_returns_is_in_the_log(tmp_path: Any) -> None:
    event = ff.Event("half way", lambda s: f"z = {s.read('ball.p_WB')[2]:.4f}", "ball.p_WB", 2, 0.4, "rising")
    thrown(event).run(0.5, log=tmp_path / "log.mcap")
    events = read_log(tmp_path / "log.mcap").events
    assert events["name"].to_list() == ["half way"]
    assert "z = 0.4000" in str(events.row(0))


def test_an_action_that_fails_ends_the_run_with_event_time_and_reason() -> None:
    def fail(session: ff.Session) -> None:
        raise RuntimeError("no\nfuel")

    event = ff.Event("burn", fail, at=0.1)
    with pytest.raises(SimulationError, match=r"^event 'burn' at t = 0.100000000 s: RuntimeError: no fuel$"):
        ff.Mission([ff.RigidBody("bus")], events=[event]).run(1.0)


def test_an_unknown_name_in_an_action_is_reported_as_such() -> None:
    event = ff.Event("grasp", lambda s: s.read("bus.p_WX"), at=0.1)
    with pytest.raises(InputError, match=r"unknown signal 'bus.p_WX'"):
        ff.Mission([ff.RigidBody("bus")], events=[event]).run(1.0)


@each_integrator
def test_chattering_without_end_is_an_error_not_a_hang(integrator: Any) -> None:
    def slide(session: ff.Session) -> None:
        """Dry friction by a switched force: it reverses with the velocity, again and again at rest."""
        session.write("ball.wrench", [0.0, 0.0, 0.0, -1e3 * np.sign(session.read("ball.v_WB")[0]), 0.0, 0.0])

    stop = ff.Event("slide", slide, "ball.v_WB", 0, 0.0, "both")
    start = ff.Event("start", slide, at=0.0)
    with pytest.raises(SimulationError, match=r"event 'slide' fires without end at t = 1.00.*chattering"):
        thrown(stop, start, integrator=integrator).run(5.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give either a signal to watch or a time"),
        ({"signal": "bus.p_WB", "at": 1.0}, "give either"),
        ({"signal": "bus.p_WB", "direction": "up"}, "direction 'up'; allowed: rising, falling, both"),
        ({"signal": "bus.p_WB", "level": np.nan}, "level nan"),
        ({"signal": "bus.p_WB", "times": 0}, "times 0"),
        ({"at": -1.0}, "at -1.0 s; allowed"),
        ({"at": np.inf}, "at inf s; allowed"),
    ],
)
def test_an_impossible_event_is_refused_by_name(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"event 'e': {message}"):
        ff.Event("e", nothing, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"signal": "bus.p_WX"}, r"unknown signal 'bus.p_WX'. Did you mean 'bus.p_WB'"),
        ({"signal": "bus.p_WB", "component": 3}, "component 3 of 3"),
        ({"signal": "bus.p_WB", "component": -1}, "component -1 of 3"),
    ],
)
def test_an_event_on_nothing_is_refused_before_the_run(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ff.Mission([ff.RigidBody("bus")], events=[ff.Event("e", nothing, **given)]).session()


def test_a_crossing_inside_a_very_long_step_is_found() -> None:
    body = ff.RigidBody("b", motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))
    event = ff.Event("there", lambda s: None, "b.p_WB", 0, 30000.0, "rising")
    integrator = ff.Dopri54(max_step=4e4, step=1e4)
    result = ff.Mission([body], events=[event], integrator=integrator, record_rate=1e-4).run(40000.0)
    assert [e.t for e in result.events] == pytest.approx([30000.0], abs=1e-6)


def test_an_error_of_ours_inside_an_action_is_told_with_event_and_time() -> None:
    event = ff.Event("latch", lambda session: session.attach("nothing"), at="20 ms")
    with pytest.raises(InputError, match=r"^event 'latch' at t = 0.020000000 s: unknown connection 'nothing'"):
        ff.Mission([ff.RigidBody("bus")], events=[event]).run(0.1)
