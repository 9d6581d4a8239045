"""Several worlds in one mission: the same bytes as apart, tasks across, events that stop all, snapshots, audit, log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader

import freefloat as ff
from freefloat.engine.log.reader import read_log
from freefloat.engine.rows import uniform_gravity
from freefloat.errors import InputError, SimulationError
from freefloat.robots import asset, load_urdf

KP = np.array([50.0, 500.0, 100.0, 130.0, 4.0, 6.0, 0.1])  # [N m/rad]
KD = np.array([24.0, 250.0, 50.0, 60.0, 1.0, 1.5, 0.03])  # [N m s/rad]
START = np.array([0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0])  # [rad]


class Swing:
    """Torques that depend on what is measured, and a memory."""

    def __init__(self, gain: float) -> None:
        self.gain = gain
        self.sum = 0.0

    def update(self, t: float, meas: Any) -> dict[str, Any]:
        self.sum += float(meas["q"][0])
        goal = START + self.gain * np.sin(3.0 * t + 1e-3 * self.sum)
        return {"tau": KP * (goal - meas["q"]) - KD * meas["qd"]}


def arm(name: str, bus: str) -> list[Any]:
    mount = ff.Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    body = ff.RigidBody(bus, 400.0, frames={"mount": mount}, motion=ff.Motion(w_WL_L=(0.01, 0.02, 0.0)))
    return [body, ff.Arm(name, load_urdf(asset("arm7")), on=f"{bus}.mount", q=START.tolist())]


def swing(name: str, period: float, gain: float, **options: Any) -> ff.Task:
    reads = {"q": f"{name}.q", "qd": f"{name}.qd"}
    noise = {"q": ff.Sensor(noise=1e-4)}
    return ff.Task(Swing(gain), period, reads, {"tau": f"{name}.tau"}, noise, name=f"{name}-swing", **options)


def thrown(name: str, up: float = 3.0) -> ff.RigidBody:
    return ff.RigidBody(name, 2.0, size=(0.2, 0.2, 0.2), motion=ff.Motion(v_WL=(0.4, 0.0, up)))


GRAVITY = uniform_gravity((0.0, 0.0, -9.81))
FLIGHT = 2.0 * 3.0 / 9.81  # [s] of `thrown`


def same(a: ff.Result, b: ff.Result, names: Any) -> None:
    for name in names:
        assert np.array_equal(a[name], b[name]), name
        assert np.array_equal(a.time(name), b.time(name)), name


@pytest.mark.parametrize(
    "integrators",
    [(ff.RK4(1e-3), ff.RK4(5e-4)), (ff.RK4(7e-4), ff.Dopri5(4e-3)), (ff.Dopri54(), ff.RK4(3e-3))],
    ids=["RK4", "off the grid", "adaptive"],
)
def test_two_missions_merged_give_the_same_bytes_as_apart(integrators: Any) -> None:
    """Whatever the steps are: a world stops only where something of its own is due."""
    tasks = [swing("one", 0.004, 0.1), swing("two", 0.007, 0.15, latency=0.0013)]
    apart = [
        ff.Mission(arm("one", "bus"), tasks[:1], integrator=integrators[0]).run(0.5, seed=4),
        ff.Mission(arm("two", "carrier"), tasks[1:], integrator=integrators[1]).run(0.5, seed=4),
    ]
    setups = [
        ff.WorldSetup("left", arm("one", "bus"), integrator=integrators[0]),
        ff.WorldSetup("right", arm("two", "carrier"), integrator=integrators[1]),
    ]
    merged = ff.Mission(worlds=setups, tasks=tasks).run(0.5, seed=4)
    for world, alone in zip(("left", "right"), apart, strict=True):
        same(merged, alone, [n for n in alone.signals if not n.startswith("audit.")])
        for name, drift in alone.audit.drifts.items():
            assert merged.metrics[f"audit.{world}.{name}"] == drift
        assert np.array_equal(merged[f"audit.{world}.heat"], alone["audit.heat"])
    for name in apart[0].audit.drifts:
        assert merged.metrics[f"audit.{name}"] == max(a.audit.drifts[name] for a in apart)
    assert merged.metrics["steps"] == sum(a.metrics["steps"] for a in apart)


class Mirror:
    """What the left arm does, the right one is asked to do."""

    def update(self, t: float, meas: Any) -> dict[str, Any]:
        return {"tau": 3.0 * KP * (meas["left"] - meas["right"]) - KD * meas["rate"]}


def across(events: Any = (), **options: Any) -> ff.Mission:
    mirror = ff.Task(
        Mirror(),
        0.004,
        reads={"left": "one.q", "right": "two.q", "rate": "two.qd"},
        writes={"tau": "two.tau"},
        sensors={"left": ff.Sensor(delay=0.003, noise=1e-5), "rate": ff.Sensor(rate=333.0)},
        latency=0.0015,
    )
    setups = [
        ff.WorldSetup("left", arm("one", "bus"), integrator=ff.RK4(1e-3)),
        ff.WorldSetup("right", arm("two", "carrier"), integrator=ff.RK4(5e-4)),
    ]
    return ff.Mission(worlds=setups, tasks=[swing("one", 0.01, 0.2), mirror], events=events, **options)


def test_a_task_reads_in_one_world_and_writes_in_the_other() -> None:
    result = across().run(1.0)
    moved = np.abs(result["one.q"][-1] - result["one.q"][0]).max()
    apart = np.abs(result["two.q"] - result["one.q"])
    assert moved > 0.05
    assert apart[-1].max() < 0.2 * moved
    assert result.audit.passed


def test_snapshot_restore_and_fork_in_the_middle_go_on_as_straight_on() -> None:
    push = ff.Event(
        "push", lambda s: s.set_joint("two.elbow_pitch", 0.9, 0.1), signal="one.q", component=1, level=-0.49
    )
    mission = across([push])
    straight = mission.run(0.6, seed=2)
    assert len(straight.events) >= 1
    session = mission.session(seed=2)
    session.step(0.237)
    kept = session.snapshot()
    session.step(0.2)
    session.restore(kept)
    forked = mission.session(seed=2)
    forked.restore(kept)
    for other in (session, forked):
        result = mission.complete(other, 0.6)
        same(result, straight, straight.signals)
        assert result.events == straight.events


@pytest.mark.parametrize("steps", [(1e-3, 1e-3), (1e-3, 7e-4), (4e-4, 1e-3)])
@pytest.mark.parametrize("first", [True, False], ids=["first", "second"])
def test_an_event_in_either_stops_all_at_its_instant(first: bool, steps: Any) -> None:
    seen: list[tuple[float, float, float]] = []

    def look(session: ff.Session) -> None:
        left, right = session.worlds["left"].time, session.worlds["right"].time
        seen.append((left, right, float(session.read("fast.p_WB")[2])))

    watched = "slow" if first else "fast"
    land = ff.Event("land", look, signal=f"{watched}.p_WB", component=2, direction="falling")
    setups = [
        ff.WorldSetup("left", [thrown("slow")], rows=[GRAVITY], integrator=ff.RK4(steps[0])),
        ff.WorldSetup("right", [thrown("fast", 4.0)], integrator=ff.RK4(steps[1])),
    ]
    if not first:
        setups[1] = ff.WorldSetup("right", [thrown("fast")], rows=[other_gravity()], integrator=ff.RK4(steps[1]))
    result = ff.Mission(worlds=setups, events=[land]).run(1.0)
    assert len(seen) == 1
    left, right, height = seen[0]
    assert left == right, "to the last bit"
    assert left == pytest.approx(FLIGHT, abs=1e-11)
    if first:
        assert height == pytest.approx(4.0 * FLIGHT, abs=1e-10), "in the other world too"
    assert result.audit.passed


def other_gravity() -> Any:
    return uniform_gravity((0.0, 0.0, -9.81), name="gravity.right")


def test_a_world_that_ran_past_another_ones_event_is_set_back() -> None:
    """Both are watched; the second's event comes first, and both fire in order, at their own instants."""
    log: list[tuple[str, float, float, float]] = []

    def note(name: str) -> Any:
        def act(session: ff.Session) -> None:
            a, b = session.worlds["a"].time, session.worlds["b"].time
            log.append((name, a, b, float(session.read("early.p_WB")[2])))

        return act

    events = [
        ff.Event("late lands", note("late"), signal="late.p_WB", component=2, direction="falling", times=1),
        ff.Event("early lands", note("early"), signal="early.p_WB", component=2, direction="falling", times=1),
    ]
    setups = [
        ff.WorldSetup("a", [thrown("late", 4.0)], rows=[GRAVITY], integrator=ff.RK4(1e-3)),
        ff.WorldSetup("b", [thrown("early", 3.0)], rows=[other_gravity()], integrator=ff.RK4(7e-4)),
    ]
    result = ff.Mission(worlds=setups, events=events, record_rate=200.0).run(1.0)
    assert [name for name, *_ in log] == ["early", "late"]
    for (name, a, b, _), up in zip(log, (3.0, 4.0), strict=True):
        assert a == b, name
        assert a == pytest.approx(2.0 * up / 9.81, abs=1e-11)
    assert log[0][3] == pytest.approx(0.0, abs=1e-9)
    t = result.time("late.p_WB")
    assert np.array_equal(t, np.arange(201) / 200.0), "every row once, none of what was taken back"
    assert np.allclose(result["late.p_WB"][:, 2], 4.0 * t - 0.5 * 9.81 * t * t, rtol=0.0, atol=1e-12)
    assert np.allclose(result["early.p_WB"][:, 2], 3.0 * t - 0.5 * 9.81 * t * t, rtol=0.0, atol=1e-12)


def test_watched_worlds_go_in_stretches_and_lose_no_row() -> None:
    """More rows than a buffer holds, and no event on the way."""
    events = [ff.Event(n, lambda s: None, signal=f"{n}.p_WB", component=2, level=-1.0) for n in ("one", "two")]
    setups = [ff.WorldSetup(f"w-{n}", [ff.RigidBody(n)], integrator=ff.RK4(1e-3)) for n in ("one", "two")]
    result = ff.Mission(worlds=setups, events=events, record_rate=1000.0).run(5.0)
    assert np.array_equal(result.time("one.p_WB"), np.arange(5001) / 1000.0)
    assert len(result["two.p_WB"]) == 5001


def test_events_of_two_worlds_are_deterministic_and_snapshots_hold_them() -> None:
    def bounce(name: str) -> Any:
        def act(session: ff.Session) -> None:
            v = session.read(f"{name}.v_WB")
            session.set_velocity(name, np.zeros(3), [v[0], v[1], -0.9 * v[2]])

        return act

    events = [
        ff.Event(f"{n} bounces", bounce(n), signal=f"{n}.p_WB", component=2, direction="falling")
        for n in ("one", "two")
    ]
    setups = [
        ff.WorldSetup("a", [thrown("one", 1.0)], rows=[GRAVITY], integrator=ff.RK4(1e-3)),
        ff.WorldSetup("b", [thrown("two", 1.3)], rows=[other_gravity()], integrator=ff.Dopri54(max_step=0.02)),
    ]
    mission = ff.Mission(worlds=setups, events=events)
    first, second = mission.run(1.0), mission.run(1.0)
    same(first, second, first.signals)
    assert first.events == second.events
    session = mission.session()
    session.step(0.4)
    again = mission.session()
    again.restore(session.snapshot())
    a, b = mission.complete(session, 1.0), mission.complete(again, 1.0)
    same(a, b, a.signals)
    assert a.events == b.events


def test_names_are_unique_over_all_worlds() -> None:
    setups = [ff.WorldSetup("a", [ff.RigidBody("bus")]), ff.WorldSetup("b", [ff.RigidBody("bus")])]
    with pytest.raises(InputError, match="'bus' is in the worlds 'a' and 'b'; allowed: each name in one world"):
        ff.Mission(worlds=setups)
    with pytest.raises(InputError, match="two worlds are named 'a'"):
        ff.Mission(worlds=[ff.WorldSetup("a", [ff.RigidBody("x")]), ff.WorldSetup("a", [ff.RigidBody("y")])])
    with pytest.raises(InputError, match="world name 'a b': a name has no space"):
        ff.Mission(worlds=[ff.WorldSetup("a b", [ff.RigidBody("x")])])
    with pytest.raises(InputError, match="a mission has `worlds`, or parts of its own"):
        ff.Mission([ff.RigidBody("z")], worlds=setups)


def test_what_needs_one_world_says_which_there_are() -> None:
    mission = across()
    session = mission.session()
    with pytest.raises(InputError, match="this mission has the worlds left, right"):
        _ = session.world
    with pytest.raises(InputError, match="this mission has the worlds left, right"):
        _ = mission.blueprint
    with pytest.raises(InputError, match=r"unknown signal 'one.qq'. Did you mean 'one.q'"):
        session.read("one.qq")


def test_structure_changes_in_the_world_that_has_the_connection() -> None:
    far = ff.Motion(ff.Pose(np.eye(3), [3.0, 0.0, 0.0]), v_WL=(-0.1, 0.0, 0.0))
    pair = [ff.RigidBody("a", 10.0), ff.RigidBody("b", 10.0, motion=far)]
    setups = [
        ff.WorldSetup("dock", pair, connections=[ff.Connection("latch", "a", "b")]),
        ff.WorldSetup("other", [ff.RigidBody("c", motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))]),
    ]
    events = [ff.Event("close", lambda s: s.attach("latch"), at=0.5)]
    result = ff.Mission(worlds=setups, events=events).run(1.0)
    assert result["a.v_WB"][-1, 0] == pytest.approx(-0.05, abs=1e-14)
    assert result["c.p_WB"][-1, 0] == pytest.approx(1.0, abs=1e-12)
    assert float(result.events[0].result) == pytest.approx(0.025, rel=1e-12), "energy lost"


def test_a_failure_names_its_world() -> None:
    def explode(t, p, x, u, view, dx, tau, wrench, y, power):
        dx[0] = x[0] * x[0]

    bomb = ff.Effect("bomb", explode, states=(ff.State("x", start=100.0),))
    setups = [
        ff.WorldSetup("calm", [ff.RigidBody("a")]),
        ff.WorldSetup("wild", [ff.RigidBody("b")], rows=[bomb.row("bomb")]),
    ]
    with pytest.raises(SimulationError, match=r"no longer finite after t = 0.0\d+ s in world 'wild'"):
        ff.Mission(worlds=setups).run(1.0)


def test_a_log_holds_all_worlds_each_with_its_own_frame(tmp_path: Path) -> None:
    result = across().run(0.1, log=tmp_path / "log.mcap")
    found = read_log(tmp_path / "log.mcap")
    assert set(found.frames) >= {"left.plant", "left.audit", "right.plant", "right.audit"}
    assert set(result.frames) >= {"left.plant", "right.audit"}
    with (tmp_path / "log.mcap").open("rb") as file:
        poses = b"".join(message.data for _, _, message in make_reader(file).iter_messages(topics=["/tf"]))
    for parent, child in (("left", "bus"), ("right", "carrier"), ("W", "left"), ("W", "right")):  # fields 2 and 3
        assert b"\x12" + _text(parent) + b"\x1a" + _text(child) in poses


def _text(name: str) -> bytes:
    return bytes([len(name)]) + name.encode()


def test_rows_leave_a_ring_only_up_to_the_instant_that_is_named() -> None:
    session = ff.Mission([ff.RigidBody("a")], record_rate=100.0).session()
    session.step(0.1)
    session.recorder.drain(until_ns=50_000_000)
    assert session.recorder.rows("plant")[-1, 0] == 0.05
    session.finish()
    assert np.array_equal(session.recorder.rows("plant")[:, 0], np.arange(11) / 100.0)


class Idle:
    def update(self, t: float, meas: Any) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize("late", [False, True], ids=["quick machine", "slow machine"])
def test_two_watched_worlds_stand_together_whenever_rows_are_drained(
    late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full buffers neither let one world run past the other's event for good, nor does the load of the machine."""
    if late:
        monkeypatch.setattr("freefloat.engine.recorder.DRAIN_PERIOD", -1.0)
    seen: list[tuple[float, float]] = []

    def look(session: ff.Session) -> None:
        seen.append((session.worlds["a"].time, session.worlds["b"].time))

    events = [
        ff.Event("never", look, signal="one.p_WB", level=99.0),
        ff.Event("passes", look, signal="two.p_WB", level=2.02),
    ]
    moving = ff.Motion(v_WL=(1.0, 0.0, 0.0))
    setups = [
        ff.WorldSetup("a", [ff.RigidBody("one")]),
        ff.WorldSetup("b", [ff.RigidBody("two", motion=moving)]),
    ]
    task = ff.Task(Idle(), 0.5)
    result = ff.Mission(worlds=setups, tasks=[task], events=events, record_rate=1000.0).run(4.0)
    assert len(seen) == 1
    assert seen[0][0] == seen[0][1] == pytest.approx(2.02, abs=1e-11)
    assert np.array_equal(result.time("one.p_WB"), np.arange(4001) / 1000.0)


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_failure_that_an_event_prevents_does_not_happen(order: str) -> None:
    """World a would diverge at 1 s; an event in b at 0.5 s defuses it, whichever goes first."""

    def grow(t, p, x, u, view, dx, tau, wrench, y, power):
        dx[0] = x[0] * x[0] * (1.0 - u[p.i[0, 0]])

    bomb = ff.Effect("bomb", grow, commands=["defused"], states=(ff.State("x", start=1.0),))

    class Bomb:
        name = "bomb"

        def build(self, b: ff.Builder) -> None:
            b.add(bomb.row("bomb.row", defused=b.command("defused", (1,), "-")))

    setups = {
        "a": ff.WorldSetup("a", [ff.RigidBody("one"), Bomb()]),
        "b": ff.WorldSetup("b", [ff.RigidBody("two", motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))]),
    }
    events = [
        ff.Event("never", lambda s: None, signal="one.p_WB", level=99.0),
        ff.Event("defuse", lambda s: s.write("bomb.defused", [1.0]), signal="two.p_WB", level=0.5),
    ]
    result = ff.Mission(worlds=[setups[n] for n in order], events=events).run(2.0)
    assert [e.name for e in result.events] == ["defuse"]


def test_two_worlds_have_gravity_each_and_names_of_frames_are_refused() -> None:
    setups = [
        ff.WorldSetup("moon", [ff.RigidBody("a")], rows=[ff.uniform_gravity((0.0, 0.0, -1.6), name="moon.g")]),
        ff.WorldSetup("earth", [ff.RigidBody("b")], rows=[ff.uniform_gravity((0.0, 0.0, -9.8), name="earth.g")]),
    ]
    result = ff.Mission(worlds=setups).run(1.0)
    assert result["a.v_WB"][-1, 2] == pytest.approx(-1.6)
    assert result["b.v_WB"][-1, 2] == pytest.approx(-9.8)
    for name in ("W", "a"):
        with pytest.raises(InputError, match=f"world name '{name}' is that of a frame in the log"):
            ff.Mission(worlds=[ff.WorldSetup(name, [ff.RigidBody("a")])])


def test_a_drift_that_is_not_a_number_in_one_world_is_not_hidden_by_another() -> None:
    from freefloat.engine.audit import Audit, worst

    t = {"t": np.zeros(1)}
    found = worst({"a": Audit({"energy_drift": np.nan}, {}, t), "b": Audit({"energy_drift": 1e-12}, {}, t)})
    assert not found.passed


def test_a_snapshot_of_another_mission_changes_nothing() -> None:
    def setups(second: str) -> list[ff.WorldSetup]:
        return [ff.WorldSetup("a", [ff.RigidBody("one")]), ff.WorldSetup("b", [ff.RigidBody(second)])]

    other = ff.Mission(worlds=setups("three")).session()
    other.step(1.0)
    session = ff.Mission(worlds=setups("two")).session()
    watched = ff.Mission(worlds=setups("two"), events=[ff.Event("e", lambda s: None, signal="one.p_WB")]).session()
    for strange in (other.snapshot(), watched.snapshot()):
        with pytest.raises(InputError, match="the snapshot belongs to another mission"):
            session.restore(strange)
        assert [w.time for w in session.worlds.values()] == [0.0, 0.0]


@pytest.mark.parametrize("watch", [False, True])
def test_an_interrupted_run_leaves_its_worlds_near_each_other(watch: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freefloat.engine.recorder.DRAIN_PERIOD", -1.0)
    events = [ff.Event("never", lambda s: None, signal="one.p_WB", level=99.0)] if watch else []
    setups = [
        ff.WorldSetup("a", [ff.RigidBody("one")]),
        ff.WorldSetup("b", [ff.RigidBody("two")], integrator=ff.RK4(7e-4)),
    ]
    mission = ff.Mission(worlds=setups, events=events)
    straight = mission.run(60.0)
    session = mission.session()
    pauses: list[int] = []

    def press() -> None:
        pauses.append(1)
        if len(pauses) == 8:
            raise KeyboardInterrupt

    session.on_pause = press
    with pytest.raises(KeyboardInterrupt):
        session.step(60.0)
    a, b = (world.time for world in session.worlds.values())
    assert min(a, b) > 0.0
    assert abs(a - b) < 6.0
    session.on_pause = None
    same(mission.complete(session, 60.0), straight, ["one.p_WB", "two.p_WB", "audit.a.kinetic_energy"])
