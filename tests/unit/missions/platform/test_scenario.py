"""How REACSA's scenarios wire plant and controller: a controller of the test's own sees, switches and spins."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.api import execute, metrics_json
from freefloat.engine.integrator import Dopri5, Dopri54
from freefloat.errors import FreefloatError, InputError
from freefloat.missions.platform.control import PERIOD, Idling, TrackerSetup
from freefloat.platforms.height_map import synthetic
from freefloat.scenario.base import Scenario
from freefloat.scenario.files import load
from freefloat.units import RPM

Pattern = Callable[[float], np.ndarray]
EXACT = {"capture.position_variance": 0.0, "capture.angle_variance": 0.0, "capture.wheel_variance": 0.0}
LEVEL = {"floor.kind": "flat"}


class Puppet:
    """Opens valves by a pattern of time, damps the turn with the wheel, and keeps what it saw."""

    def __init__(self, valves: Pattern) -> None:
        self.valves = valves
        self.seen: list[tuple[float, np.ndarray, np.ndarray]] = []

    def update(self, t: float, meas: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        self.seen.append((t, meas["pose"].copy(), meas["wheel"].copy()))
        speed = meas["wheel"] + 0.5 * meas["pose"][2:3]
        return {
            "valves": self.valves(t),
            "wheel": speed,
            "estimate": np.append(meas["pose"], np.zeros(3)),
            "slope": np.zeros(3),
        }


def restless(t: float) -> np.ndarray:
    """Asks every valve for another state nearly every tick."""
    k = np.arange(8)
    return (((7 * round(t / 0.01) + 3 * k) % 5) < 2).astype(float)


def pulse(t: float) -> np.ndarray:
    """Valve 0 for 0.3 s and valve 3 for 0.1 s."""
    out = np.zeros(8)
    out[0], out[3] = t < 0.3 - 1e-9, 0.5 - 1e-9 < t < 0.6 - 1e-9
    return out


@pytest.fixture(scope="module")
def flown() -> Callable[..., tuple[Scenario, ff.Result]]:
    """Run a scenario with a puppet in the place of its `best` controller; the same run is made once."""
    done: dict[Any, tuple[Scenario, ff.Result]] = {}

    def run(valves: Pattern = pulse, name: str = "reacsa-line", **changes: Any) -> tuple[Scenario, ff.Result]:
        key = (valves, name, *sorted(changes.items()))
        if key not in done:
            done[key] = fly(valves, name, **changes)
        return done[key]

    return run


def fly(valves: Pattern, name: str, **changes: Any) -> tuple[Scenario, ff.Result]:
    scenario = load(name, {"controller": "best", "duration": 1.0, **changes})
    with puppet(valves):
        return scenario, execute(scenario, strict=True)


@contextmanager
def puppet(valves: Pattern) -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrackerSetup, "_best", lambda self: self._idling(Puppet(valves)))
        yield


Flown = Callable[..., tuple[Scenario, ff.Result]]


def test_on_times_are_the_commanded_open_times(flown: Flown) -> None:
    _, result = flown(**EXACT)
    assert result.metrics["on_time_s.0"] == pytest.approx(0.3, abs=1e-9)
    assert result.metrics["on_time_s.3"] == pytest.approx(0.1, abs=1e-9)
    assert result.metrics["total_on_time_s"] == pytest.approx(0.4, abs=1e-9)
    assert result.metrics["propellant_kg"] == pytest.approx(0.4 * 10.36 / (65.0 * 9.80665), rel=1e-9)


def test_valve_lags_and_pressure_drop_do_not_change_the_commanded_times(flown: Flown) -> None:
    real = {"thrusters.opening": 3.3e-3, "thrusters.closing": 3.3e-3, "thrusters.drop": 0.11, "thrusters.sag": 0.43}
    _, result = flown(**EXACT, **real)
    assert result.metrics["total_on_time_s"] == pytest.approx(0.4, abs=1e-9)
    assert result["thrusters.impulse"][-1, 3] < 0.1 * 10.36


def test_exact_sensors_show_the_true_pose_and_wheel(flown: Flown) -> None:
    _, result = flown(**EXACT)
    t, pose, wheel = result.time("reacsa.pose"), result["reacsa.pose"], result["wheel.speed"]
    for at, seen, speed in result.controllers["onboard"].seen[:-1]:
        k = int(np.searchsorted(t, at - 1e-9))
        assert seen.tolist() == pose[k].tolist()
        assert speed.tolist() == wheel[k].tolist()


def test_noise_has_the_variances_of_the_settings(flown: Flown) -> None:
    _, result = flown(lambda t: np.zeros(8), duration=8.0, **LEVEL)
    seen = result.controllers["onboard"].seen
    t, pose = result.time("reacsa.pose"), result["reacsa.pose"]
    at = np.minimum(np.searchsorted(t, [s[0] - 1e-9 for s in seen]), len(t) - 1)
    off = np.array([s[1] for s in seen]) - pose[at]
    n = len(seen)
    assert np.var(off, axis=0) == pytest.approx([1e-5] * 3, rel=5.0 * np.sqrt(2.0 / n))
    assert np.abs(off.mean(axis=0)).max() < 5.0 * np.sqrt(1e-5 / n)
    wheel = np.array([s[2][0] for s in seen]) - result["wheel.speed"][at, 0]
    assert np.var(wheel) == pytest.approx(1e-4, rel=5.0 * np.sqrt(2.0 / n))


def test_a_delayed_pose_is_that_of_the_delay_ago_and_the_wheel_is_not_delayed(flown: Flown) -> None:
    _, result = flown(**EXACT, **{"capture.delay": 0.02})
    t, pose, wheel = result.time("reacsa.pose"), result["reacsa.pose"], result["wheel.speed"]
    for at, seen, speed in result.controllers["onboard"].seen[5:-1]:
        k = int(np.searchsorted(t, at - 1e-9))
        assert seen == pytest.approx(pose[k - 2], abs=1e-12)
        assert speed == pytest.approx(wheel[k], abs=1e-12)


def test_lost_poses_repeat_the_one_before_bit_by_bit(flown: Flown) -> None:
    _, result = flown(duration=5.0, **{"capture.dropout": 0.2})
    poses = np.array([s[1] for s in result.controllers["onboard"].seen])
    repeated = np.all(poses[1:] == poses[:-1], axis=1)
    n = len(repeated)
    assert repeated.mean() == pytest.approx(0.2, abs=5.0 * np.sqrt(0.16 / n))
    _, whole = flown()
    poses = np.array([s[1] for s in whole.controllers["onboard"].seen])
    assert not np.any(np.all(poses[1:] == poses[:-1], axis=1))


def test_the_valve_driver_keeps_the_dwell_limits_of_a_restless_controller(flown: Flown) -> None:
    _, result = flown(restless, duration=4.0, **{"thrusters.min_on": 0.1, "thrusters.min_off": 0.2})
    t, on = result.time("thrusters.thrust"), result["thrusters.thrust"] > 0.0
    switched = 0
    for k in range(8):
        edges = np.flatnonzero(np.diff(on[:, k].astype(int))) + 1
        spans, opens = np.diff(t[edges]), on[edges[:-1], k]
        switched += len(edges)
        assert spans[opens].min() >= 0.1 - 1e-9
        assert spans[~opens].min() >= 0.2 - 1e-9
    assert switched > 8 * 12


def test_the_valve_driver_adds_no_delay_of_its_own(flown: Flown) -> None:
    _, result = flown(**EXACT, **{"thrusters.min_on": 0.1, "thrusters.min_off": 0.2})
    t, on = result.time("thrusters.on_time"), result["thrusters.on_time"]
    assert on[:, 0] == pytest.approx(np.minimum(t, 0.3), abs=1e-9)
    assert on[:, 3] == pytest.approx(np.clip(t - 0.5, 0.0, 0.1), abs=1e-9)


def test_without_dwell_limits_the_controller_has_the_valves_themselves(flown: Flown) -> None:
    _, result = flown(restless)
    t, on = result.time("thrusters.thrust"), result["thrusters.thrust"] > 0.0
    wanted = np.array([restless(at) for at in t[:-1]]) > 0.5
    assert np.array_equal(on[:-1], wanted)


def test_an_idle_speed_shifts_the_wheel_and_not_the_motion(flown: Flown) -> None:
    idle = 20.0
    _, still = flown(**LEVEL)
    _, spinning = flown(**LEVEL, **{"wheel.idle": idle})
    assert spinning["reacsa.pose"] == pytest.approx(still["reacsa.pose"], abs=1e-11)
    assert spinning["wheel.speed"] - idle == pytest.approx(still["wheel.speed"], abs=1e-9)
    assert spinning["wheel.speed"][0, 0] == pytest.approx(idle, rel=1e-12)
    assert np.ptp(still["wheel.speed"]) > 1e-3
    assert spinning.metrics["wheel_speed_max_rpm"] == pytest.approx(np.abs(spinning["wheel.speed"]).max() / RPM)


def test_an_idling_controller_sees_and_gives_speeds_about_the_idle_speed() -> None:
    puppet = Puppet(pulse)
    out = Idling(puppet, 5.0).update(0.0, {"pose": np.array([0.0, 0.0, 0.4]), "wheel": np.array([5.5])})
    assert puppet.seen[0][2].tolist() == [0.5]
    assert out["wheel"] == pytest.approx([5.0 + 0.5 + 0.2])
    assert out["valves"].tolist() == pulse(0.0).tolist()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(flown: Flown) -> None:
    errors = {"thrusters.strength_sigma": 0.1, "thrusters.tilt_sigma": 0.02, "capture.dropout": 0.1}
    one, two, other = (metrics_json(fly(pulse, "reacsa-line", seed=seed, **errors)[1].metrics) for seed in (3, 3, 4))
    assert one == two
    assert one != other


@pytest.mark.parametrize("stop", [0.55, 0.755])
def test_a_run_saved_in_the_middle_goes_on_to_the_same_bytes(flown: Flown, tmp_path: Path, stop: float) -> None:
    rough = {
        "capture.delay": 0.02,
        "capture.dropout": 0.05,
        "thrusters.opening": 3.3e-3,
        "thrusters.closing": 3.3e-3,
        "thrusters.drop": 0.11,
        "thrusters.min_on": 0.1,
        "thrusters.min_off": 0.2,
        "thrusters.strength_sigma": 0.1,
        "integrator.step": 5e-4,
    }
    scenario, result = flown(restless, seed=5, **rough)
    with puppet(restless):
        session, mission = scenario.build().session(scenario.seed), scenario.build()
    session.step(stop)
    saved = session.snapshot().save(tmp_path / "middle")
    other = mission.session(0)
    other.restore(ff.Snapshot.load(saved))
    again = mission.complete(other, scenario.duration)
    for name in ("reacsa.pose", "wheel.speed", "thrusters.impulse", "onboard.estimate", "gas.pressure"):
        assert again[name].tobytes() == result[name].tobytes(), name
    assert metrics_json({**mission.judge(again), **again.metrics}) == metrics_json(result.metrics)


def test_a_push_gives_both_platforms_the_momentum_of_eq_5_5(flown: Flown) -> None:
    _, result = flown(lambda t: np.zeros(8), "reacsa-stabilise", **LEVEL, **{"push.at": 0.5})
    t, free = result.time("uncontrolled.rate"), result["uncontrolled.rate"]
    after = np.searchsorted(t, 0.51 - 1e-9)
    assert not free[: after - 1].any()
    assert free[after] == pytest.approx([5.0 / 221.67, 5.0 / 221.67, 1.0 / 12.129], rel=1e-6)
    assert free[-1] == pytest.approx(free[after], abs=1e-12), "level floor, nobody controls it"
    assert result["reacsa.rate"][after, :2] == pytest.approx(free[after, :2], rel=1e-6)
    assert "hold_position_max_m" not in result.metrics, "the run ends before the hold is judged"
    assert result.metrics["uncontrolled_distance_max_m"] == pytest.approx(0.5 * np.hypot(5.0, 5.0) / 221.67, rel=2e-3)


def test_the_two_platforms_of_a_stabilisation_do_not_touch(flown: Flown) -> None:
    _, result = flown(pulse, "reacsa-stabilise", **EXACT, **LEVEL, **{"push.force": (0.0, 0.0), "push.torque": 0.0})
    assert np.abs(result["uncontrolled.pose"]).max() == 0.0
    assert np.abs(result["reacsa.pose"]).max() > 1e-3


def test_a_floor_from_a_file_is_the_floor_of_the_run(flown: Flown, tmp_path: Path) -> None:
    m = synthetic(9, (4.8, 9.0))
    np.save(tmp_path / "floor.npy", m.heights)
    made = {"floor.map": str(tmp_path / "floor.npy"), "floor.smoothing": 0.0}
    _, loaded = flown(**EXACT, **made)
    _, seeded = flown(**EXACT, **{"floor.seed": 9})
    assert loaded["reacsa.floor"] == pytest.approx(seeded["reacsa.floor"], abs=1e-12)


def test_a_contact_is_single_or_three(flown: Flown) -> None:
    _, one = flown(**EXACT, **{"floor.contact": "single"})
    _, three = flown(**EXACT)
    assert not one["reacsa.floor"][:, 3].any()
    assert three["reacsa.floor"][:, 3].any()


def test_the_gas_of_a_run_is_drawn_from_its_bottles(flown: Flown) -> None:
    _, result = flown(lambda t: np.ones(8), duration=2.5, **EXACT, **{"thrusters.pressure": 8e5})
    assert result.metrics["bottle_pressure_Pa"] < 8e5
    assert result["thrusters.thrust"][-1].max() < 10.36


@pytest.mark.parametrize("lags", [(3.3e-3, 3.3e-3), (3e-3, 8e-3), (0.02, 0.05), (1e-3, 5e-4)])
def test_the_step_is_a_whole_part_of_the_period_and_no_longer_than_a_lag(lags: tuple[float, float]) -> None:
    changes = {"thrusters.opening": lags[0], "thrusters.closing": lags[1]}
    step = stepper(changes).step
    assert step <= min(*lags, PERIOD)
    assert PERIOD / step == pytest.approx(round(PERIOD / step), abs=1e-9)
    finer = stepper({**changes, "integrator.step": 1e-4})
    assert finer == Dopri5(1e-4), "a step that is short enough stays"
    assert isinstance(stepper({**changes, "integrator.method": "dopri54"}), Dopri54)


def stepper(changes: dict[str, Any]) -> Any:
    with puppet(pulse):
        return load("reacsa-line", changes).build().grounds[""].integrator


def test_ideal_valves_are_stepped_with_the_period() -> None:
    assert stepper({}) == stepper({"integrator.step": "auto"}) == Dopri5(PERIOD)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"controller": "bets"}, "controller"),
        ({"floor.kind": "icy"}, "floor.kind"),
        ({"floor.contact": "two"}, "floor.contact"),
        ({"floor.seed": -1}, "floor.seed"),
        ({"capture.dropout": 1.0}, "capture.dropout"),
        ({"thrusters.drop": 0.5}, "thrusters.drop"),
        ({"thrusters.opening": -1.0}, "thrusters.opening"),
        ({"wheel.lag": 0.0}, "wheel.lag"),
        ({"wheel.idel": 1.0}, "wheel.idel"),
        ({"paper.modulator": "pwm"}, "paper.modulator"),
        ({"mpc.iterations": 0}, "mpc.iterations"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_its_name(change: Any, says: str) -> None:
    with pytest.raises(InputError, match=says.replace(".", r"\.")):
        load("reacsa-line", change)


def test_one_lag_without_the_other_is_refused_before_the_run() -> None:
    with pytest.raises(FreefloatError, match=r"opening 0\.003 s, closing 0 s; allowed: both 0 or both positive"):
        load("reacsa-line", {"thrusters.opening": 3e-3, "controller": "paper"}).build()


def test_a_map_that_is_not_there_is_refused_before_the_run() -> None:
    with pytest.raises(InputError, match=r"height map 'nowhere.png': no such file"):
        load("reacsa-line", {"floor.map": "nowhere.png", "controller": "paper"}).build()


def test_the_log_shows_floor_reference_path_gone_and_jets(tmp_path: Path, shown_by: Any) -> None:
    scenario = load("reacsa-line", {"duration": 4.0})
    result = scenario.build().run(scenario.duration, log=tmp_path / "log.mcap")
    shown = shown_by(tmp_path / "log.mcap")
    (floor,) = shown.topic_at("/scene/floor", 0.0).values()
    assert [kind for kind, _, _ in floor].count("triangles") == 1
    (reference,) = shown.topic_at("/scene/paths", 4.0).values()
    path = next(what for kind, _, what in reference if kind == "line")
    ends = scenario._reference.sampled(np.array([0.0, scenario._reference.duration]))[0]
    np.testing.assert_allclose(path[[0, -1], :2], ends[:, :2], atol=1e-9)
    ((_, _, gone),) = shown.topic_at("/scene/trails", 4.0)["reacsa.body"]
    assert np.abs(gone[0] - result["reacsa.body.p_WB"][0]).max() <= 1e-12
    fired = 0
    for t, thrust in zip(result.time("thrusters.thrust"), result["thrusters.thrust"], strict=True):
        firing = {f"thrusters.thruster{k}" for k in np.flatnonzero(thrust > 0.5)}
        assert set(shown.topic_at("/scene/jets", t)) == firing
        fired += len(firing)
    assert fired > 0
    pose = result["reacsa.pose"][-1]
    X = shown.X("reacsa", round(4e9))
    np.testing.assert_allclose([X.p[0], X.p[1], np.arctan2(X.R[1, 0], X.R[0, 0])], pose, atol=1e-9)
