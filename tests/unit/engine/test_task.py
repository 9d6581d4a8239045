"""Tasks: order, wiring, latency, what a controller may return."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.log.reader import read_log
from freefloat.errors import InputError, SimulationError

PUSH = np.array([0.0, 0.0, 0.0, 10.0, 0.0, 0.0])  # [N m, N] on a body of 1000 kg


def mission(*tasks: ff.Task, names: tuple[str, ...] = ("bus",)) -> ff.Mission:
    return ff.Mission([ff.RigidBody(n) for n in names], tasks)


def test_tasks_at_one_instant_run_in_declared_order(law: Any) -> None:
    order: list[str] = []

    def note(name: str) -> Any:
        return law(lambda t, m: order.append(f"{name}@{t:.3f}") or {})

    mission(ff.Task(note("slow"), 0.02, name="slow"), ff.Task(note("fast"), 0.01, name="fast")).run(0.03)
    assert order == ["slow@0.000", "fast@0.000", "fast@0.010", "slow@0.020", "fast@0.020"]


def test_a_task_sees_the_command_that_an_earlier_task_wrote_at_the_same_instant(law: Any) -> None:
    writer = ff.Task(law(lambda t, m: {"w": PUSH * t}), 0.01, writes={"w": "bus.wrench"}, name="writer")
    reader = ff.Task(law(lambda t, m: {}), 0.01, {"w": "bus.wrench"}, name="reader")
    seen = mission(writer, reader).run(0.05).controllers["reader"].seen
    assert all(np.array_equal(m["w"], PUSH * t) for t, m in seen)


def test_updates_come_every_period_from_the_offset_in_whole_nanoseconds(law: Any) -> None:
    seen = mission(ff.Task(law(lambda t, m: {}), 0.0033, name="a", offset=0.0021)).run(1.0).controllers["a"].seen
    times = np.round(np.array([t for t, _ in seen]) * 1e9).astype(int)
    assert np.array_equal(times, np.arange(2_100_000, 1_000_000_000, 3_300_000))


@pytest.mark.parametrize("latency", [0.0, 0.0013, 0.01, 0.0237])
def test_a_command_acts_from_its_update_plus_the_latency(law: Any, latency: float) -> None:
    step = law(lambda t, m: {"w": PUSH if t >= 0.02 else 0.0 * PUSH})
    task = ff.Task(step, 0.01, writes={"w": "bus.wrench"}, latency=latency)
    result = mission(task).run(0.1)
    acting = 0.1 - 0.02 - latency
    assert result["bus.v_WB"][-1, 0] == pytest.approx(0.01 * acting, rel=1e-12)
    assert result["bus.p_WB"][-1, 0] == pytest.approx(0.005 * acting**2, rel=1e-12)


def test_a_latent_command_is_a_copy_of_what_the_controller_returned(law: Any) -> None:
    value = np.zeros(6)

    def reuse(t: float, meas: Any) -> Any:
        value[:] = PUSH if t == 0.0 else 0.0
        return {"w": value}

    result = mission(ff.Task(law(reuse), 0.01, writes={"w": "bus.wrench"}, latency=0.015)).run(0.05)
    assert result["bus.v_WB"][-1, 0] == pytest.approx(0.01 * 0.01, rel=1e-12)


def test_two_writers_of_one_command_are_refused(law: Any) -> None:
    tasks = [ff.Task(law(lambda t, m: {}), 0.01, writes={"w": "bus.wrench"}, name=n) for n in "ab"]
    with pytest.raises(InputError, match=r"command 'bus.wrench' has two writers: tasks 'a' and 'b'"):
        mission(*tasks).session()


@pytest.mark.parametrize(
    ("wiring", "message"),
    [
        ({"reads": {"p": "bus.p_WC"}}, r"unknown signal 'bus.p_WC'. Did you mean 'bus.p_WB'"),
        ({"writes": {"w": "bus.wrech"}}, r"command \(written by task 'law'\) 'bus.wrech'. Did you mean 'bus.wrench'"),
        ({"records": {"e": ff.Signal("bus.p_WB", "m", (3,))}}, "there is a signal of that name"),
        ({"name": "plant"}, "task name 'plant' is taken"),
        ({"name": "audit"}, "task name 'audit' is taken"),
    ],
)
def test_bad_wiring_is_refused_before_the_run(law: Any, wiring: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mission(ff.Task(law(lambda t, m: {}), 0.01, **wiring)).session()


def test_two_tasks_of_one_name_are_refused(law: Any) -> None:
    with pytest.raises(InputError, match="two tasks are named 'law'"):
        mission(*(ff.Task(law(lambda t, m: {}), 0.01) for _ in range(2))).session()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"period": 0.0}, "task 'x': period 0.0 s; allowed: >= 1e-09 and <= "),
        ({"period": np.nan}, "period nan"),
        ({"period": np.inf}, "period inf"),
        ({"offset": -1.0}, "offset -1.0 s; allowed: >= 0 and <= "),
        ({"latency": np.inf}, "latency inf s"),
        ({"sensors": {"q": ff.Sensor()}}, "sensor for 'q', but the task reads only"),
        ({"controller": object()}, "has no method update"),
    ],
)
def test_an_impossible_task_is_refused_by_name(law: Any, given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ff.Task(**({"controller": law(lambda t, m: {}), "period": 0.01, "name": "x"} | given))


RETURNS = {
    "nothing": (None, "returned NoneType, not a mapping of"),
    "another name": ({"force": PUSH}, r"returned \['force'\], not 'w'"),
    "nan": ({"w": PUSH * np.nan}, "command 'bus.wrench': value .* is not finite"),
    "too few numbers": ({"w": [1.0, 2.0]}, "2 numbers given, 6 needed"),
    "text": ({"w": "much"}, "could not convert"),
    "a list of lists": ({"w": [[1.0], [2.0, 3.0]]}, "inhomogeneous"),
}


@pytest.mark.parametrize("latency", [0.0, 0.005])
@pytest.mark.parametrize("kind", RETURNS)
def test_a_useless_return_ends_the_run_with_task_time_and_reason_in_one_line(
    law: Any, kind: str, latency: float
) -> None:
    value, message = RETURNS[kind]
    task = ff.Task(
        law(lambda t, m: {"w": PUSH} if t < 0.015 else value), 0.01, writes={"w": "bus.wrench"}, latency=latency
    )
    with pytest.raises(SimulationError, match=rf"^task 'law' at t = 0.020000 s: .*{message}") as error:
        mission(task).run(1.0)
    assert "\n" not in str(error.value)


def test_an_exception_in_a_controller_ends_the_run_with_its_reason_and_keeps_the_log(law: Any, tmp_path: Any) -> None:
    def fail(t: float, meas: Any) -> Any:
        return {} if t < 0.05 else {}[f"gain\nat {t:.2f}"]

    with pytest.raises(SimulationError, match=r"^task 'law' at t = 0.050000 s: KeyError: .*gain") as error:
        mission(ff.Task(law(fail), 0.01)).run(1.0, log=tmp_path / "log.mcap")
    assert "\n" not in str(error.value)
    log = read_log(tmp_path / "log.mcap")
    assert log.complete
    assert log.frames["plant"]["t"].max() == pytest.approx(0.05)


def test_records_are_signals_at_the_tasks_own_rate(law: Any) -> None:
    signals = {"e": ff.Signal("look.error", "m", (2,)), "n": ff.Signal("look.count", "-")}
    task = ff.Task(law(lambda t, m: {"e": [t, -t], "n": 7.0}), 0.025, records=signals, name="look")
    result = mission(task).run(0.1)
    assert np.allclose(result.time("look.error"), [0.0, 0.025, 0.05, 0.075])
    assert np.allclose(result["look.error"], np.outer(result.time("look.error"), [1.0, -1.0]))
    assert np.array_equal(result["look.count"], [7.0] * 4)


@pytest.mark.parametrize("value", [{}, {"e": [1.0, 2.0, 3.0]}])
def test_a_missing_or_wrongly_sized_record_ends_the_run_with_its_reason(law: Any, value: Any) -> None:
    task = ff.Task(law(lambda t, m: value), 0.01, records={"e": ff.Signal("look.error", "m", (2,))})
    with pytest.raises(SimulationError, match=r"task 'law' at t = 0.000000 s: .*('e'|3 numbers to record, 2 declared)"):
        mission(task).run(0.1)


def test_a_mission_runs_again_from_the_start_with_fresh_controllers(law: Any) -> None:
    m = mission(ff.Task(law(lambda t, m: {}), 0.01, name="a"))
    assert len(m.run(0.1).controllers["a"].seen) == len(m.run(0.1).controllers["a"].seen) == 10


def test_a_controller_with_a_live_link_runs_uncopied() -> None:
    class Linked:
        def __init__(self) -> None:
            self.lock, self.count = threading.Lock(), 0  # cannot be copied

        def update(self, t: float, meas: Any) -> dict[str, Any]:
            with self.lock:
                self.count += 1
            return {}

    link = Linked()
    mission = ff.Mission([ff.RigidBody("a")], tasks=[ff.Task(link, 0.1, live=True)])
    mission.run(0.5)
    assert link.count == 5
    with pytest.raises(InputError, match="restore: task 'linked' has a live link"):
        mission.session().restore(ff.Mission([ff.RigidBody("a")]).session().snapshot())
    with pytest.raises(InputError, match="cannot be copied"):
        ff.Mission([ff.RigidBody("a")], tasks=[ff.Task(link, 0.1)]).session()


@pytest.mark.parametrize("kind", [InputError, SimulationError])
def test_a_controllers_own_error_is_told_with_task_and_time_and_keeps_its_kind(law: Any, kind: Any) -> None:
    def refuse(t: float, meas: Any) -> Any:
        if t > 0.015:
            raise kind("gain 7; allowed: below 3")
        return {}

    with pytest.raises(kind, match=r"^task 'law' at t = 0.020000 s: gain 7; allowed: below 3$"):
        mission(ff.Task(law(refuse), 0.01)).run(0.1)
