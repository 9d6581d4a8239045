"""Sequences of operator, sensor and link actions on the facility's operation: what must never happen does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from freefloat.errors import InputError
from freefloat.facility import actions, guard, security, sources
from freefloat.facility.axes import CYCLE
from freefloat.facility.exchange import Settings
from freefloat.facility.modes import MOTION, Mode, Reason, State
from freefloat.facility.operation import Operation
from freefloat.facility.profile import at_rest
from freefloat.facility.record import is_alive, is_moving
from freefloat.facility.trajectory import Trajectory
from freefloat.verify.facility_desk import KINEMATICS, Desk
from freefloat.verify.facility_rig import HOME

AXES = Settings().axes
STILL = np.zeros(13)
BRAKED = 180  # cycles within which a jog is slow once a door is open: from 0.5 to 0.25 m/s, the slowest component
RELEASED = 51 + 301  # cycles that a jog goes on without a request: 200 ms, then at most 0.1 s until it no longer
# speeds up, v / a + a / j = 1.1 s to rest from 0.5 m/s or 1 rad/s
START = HOME + np.array([0.002, *(0.001,) * 12])


def swing(t: float) -> np.ndarray:
    """What an application or a file moves: all axes, from rest, at up to 0.45 m/s and 0.15 rad/s."""
    way = 1.0 - np.cos(1.5 * t)
    return START + way * np.array([0.3, *(0.1, -0.05, 0.05, 0.1, 0.05, 0.1) * 2])


FILE = Trajectory.of(KINEMATICS.from_axes(3, swing(k * CYCLE)) for k in range(150))


class Facility(RuleBasedStateMachine):
    """Everything that may happen at the facility, and what must hold after each cycle.

    What is looked at are set-points, the security's own sensors and which action came last; never the tables or the
    answers by which the operation decides.
    """

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk()
        self.t = 0.0  # [s] of the application's motion
        self.confirmed = False
        self.opened = 0  # cycles since a door was opened
        self.requested = 0  # cycle of the last request to jog

    @property
    def op(self) -> Operation:
        return self.desk.op

    def act(self, name: str, /, **arguments: Any) -> None:
        """An action: a refused one changes nothing; only some lead where they do."""
        op, before = self.op, self.op.state
        axes = op.motion[0].copy()
        try:
            op.do(name, **arguments)
        except InputError:
            assert op.state is before, f"{name} was refused and changed the state"
        else:
            if name == "confirm":
                self.confirmed = True
            if name == "jog":
                self.requested = self.desk.n
        np.testing.assert_array_equal(op.motion[0], axes)
        if before is State.FAULT and op.state is not State.FAULT:
            assert name == "acknowledge", f"{name} led out of fault"
            assert not any(op.security.estops.values()), "out of fault with an emergency stop pressed"
            assert not any(op.security.errors.values()), "out of fault with errors"
        self.secure()

    def secure(self) -> None:
        s = self.op.security
        opened = any(s.doors.values()) or any(s.gates.values())
        if s.laser:
            assert not opened, "laser with a door open"
            assert not any(s.blinds.values()), "laser with a blind up"
        if s.lamp:
            assert not any(s.blinds.values()), "lamp with a blind up"
        if any(s.estops.values()):
            assert self.op.state in (State.STOPPING, State.FAULT), "an emergency stop without effect"
        if any(s.errors.values()):
            assert self.op.state in (State.STOPPING, State.FAULT), "an error without effect"

    def step(self, answer: np.ndarray | None = None, **inputs: Any) -> None:
        """One cycle and what must hold."""
        desk, s = self.desk, self.op.security
        before = self.op.state
        moved, manual = desk.rows[-1], self.op.mode is Mode.MCU
        out = desk.cycle(answer, **{"corrections": None if manual else STILL, **inputs})
        opened = any(s.doors.values()) or any(s.gates.values())
        self.opened = self.opened + 1 if opened else 0
        moves = bool((out.axes != moved).any())
        if moves:
            assert out.power or before in MOTION, "motion with power off"
            assert before in MOTION or out.state in MOTION, f"motion in state {out.state}"
            if opened and not manual:
                assert before is State.STOPPING or out.state is State.STOPPING, "automatic motion with a door open"
        if out.state in (State.OFF, State.FAULT):
            assert not out.power
            assert out.brakes
        if opened and not manual:
            begun = out.state in (State.MOVING, State.RUNNING, State.READY, State.WAITING)
            assert not begun, "automatic motion with a door open"
        if out.state is State.RUNNING and not manual:
            assert self.confirmed, "commands act before Confirm"
        if out.state is not State.RUNNING:
            self.confirmed = False
        if out.state is State.RUNNING and manual:
            assert desk.n - self.requested <= RELEASED, "a jog without requests"
        if before is State.FAULT:
            assert out.state is State.FAULT
        assert is_alive(out.record[1]) is (out.state is State.RUNNING and out.mode is Mode.SYNC)
        assert is_moving(out.record[1]) is (out.state is State.MOVING)
        self.smooth()
        if opened and manual and self.opened > BRAKED:
            here, there = (KINEMATICS.tool_poses(q) for q in desk.rows[-2:])
            fastest = max(float(np.linalg.norm(b.p - a.p)) for a, b in zip(here, there, strict=True)) / CYCLE
            assert fastest <= 0.25 * (1 + 1e-6), f"{fastest} m/s with a door open"
        self.secure()

    def smooth(self) -> None:
        """Set-points go on: no step in velocity beyond what an emergency stop may brake, no speed beyond limits."""
        a, b, c = self.desk.rows[-3:] if len(self.desk.rows) > 2 else (self.desk.rows[0],) * 3
        assert (np.abs(c - 2 * b + a) <= AXES.emergency * CYCLE**2 * (1 + 1e-6)).all(), "a step in velocity"
        # a stop that begins while an axis speeds up cannot but speed up further while its acceleration fades
        stops = self.desk.out.state is State.STOPPING
        most = AXES.speed + AXES.acceleration**2 / (2 * AXES.jerk) * stops
        assert (np.abs(c - b) <= most * CYCLE * (1 + 1e-6)).all(), "too fast"

    def answer(self) -> np.ndarray:
        running = self.op.state is State.RUNNING
        self.t = self.t + CYCLE if running else 0.0
        return self.desk.answer(swing(self.t))

    @initialize(mode=st.sampled_from(["sync", "async", "mcu", "sine", "rsi"]), shut=st.booleans())
    def begin(self, mode: str, shut: bool) -> None:
        self.act("load", trajectory=FILE)
        self.act("sine", frame="GLC", robot=2, component="y", amplitude=0.05, frequency=0.5)
        for name in self.op.security.blinds:
            self.act("blind", name=name, up=not shut)
        self.act("mode", mode=mode)
        self.act("power")

    @rule(mode=st.sampled_from(["sync", "sync", "async", "sine", "rsi"]))
    def start_and_confirm(self, mode: str) -> None:
        """The whole procedure."""
        self.act("stop")
        for _ in range(400):
            if self.op.state is not State.STOPPING:
                break
            self.step()
        self.all_well()
        self.act("mode", mode=mode)
        self.act("start")
        for _ in range(600):
            if self.op.state not in (State.WAITING, State.MOVING):
                break
            self.step(self.answer())
        self.act("confirm")
        for _ in range(30):
            self.step(self.answer())

    @rule(name=st.sampled_from(["start", "confirm", "stop", "acknowledge", "laser", "lamp", "hardware"]))
    def press(self, name: str) -> None:
        self.act(name)

    @rule(on=st.booleans(), name=st.sampled_from(["power", "laser", "lamp"]))
    def turn(self, name: str, on: bool) -> None:
        self.act(name, on=on)

    @rule(mode=st.sampled_from(list(Mode)))
    def choose(self, mode: Mode) -> None:
        self.act("mode", mode=mode)

    @rule(order=st.permutations(["rail", "rob1", "rob2"]))
    def sort(self, order: list[str]) -> None:
        self.act("order", order=order)

    @rule(what=st.sampled_from(["door", "gate", "blind"]), which=st.integers(0, 1), on=st.booleans())
    def sense(self, what: str, which: int, on: bool) -> None:
        s = self.op.security
        table, word = {"door": (s.doors, "open"), "gate": (s.gates, "open"), "blind": (s.blinds, "up")}[what]
        self.act(what, **{"name": list(table)[which], word: on})

    @rule(place=st.sampled_from(security.ESTOPS[:2]), cycles=st.sampled_from([0, 3, 150]), released=st.booleans())
    def emergency(self, place: str, cycles: int, released: bool) -> None:
        self.act("estop", place=place)
        for _ in range(cycles):
            self.step(self.answer())
        if released:
            self.act("estop", place=place, pressed=False)

    @rule()
    def all_well(self) -> None:
        """Somebody closes everything and brings the facility back up."""
        s = self.op.security
        for what, table, word in (("door", s.doors, "open"), ("gate", s.gates, "open"), ("blind", s.blinds, "up")):
            for name in table:
                self.act(what, **{"name": name, word: False})
        for place in s.estops:
            self.act("estop", place=place, pressed=False)
        self.step(self.answer())
        self.act("acknowledge")
        self.act("power")

    @rule(cycles=st.sampled_from([20, 60, 400]))
    def leave_alone(self, cycles: int) -> None:
        for _ in range(cycles):
            self.step()

    @rule(what=st.sampled_from([("door", "lab"), ("gate", "gate1")]), on=st.booleans())
    def shine(self, what: tuple[str, str], on: bool) -> None:
        """A laser, and a door before or after it."""
        if on:
            self.act("laser")
            self.act(what[0], name=what[1])
        else:
            self.act(what[0], name=what[1])
            self.act("laser")

    @rule(component=st.sampled_from(["x", "y", "z"]), speed=st.sampled_from([-0.4, 0.4]))
    def work_inside(self, component: str, speed: float) -> None:
        """Somebody goes in and jogs."""
        self.act("mode", mode="mcu")
        for n in range(12):
            self.act("jog", frame="GLC", robot=1, component=component, speed=speed * (1 if n < 8 else -1))
            if n == 2:
                self.act("door", name="lab")
            for _ in range(30):
                self.step()

    @rule(cycles=st.integers(1, 60))
    def answered(self, cycles: int) -> None:
        for _ in range(cycles):
            self.step(self.answer())

    @rule(cycles=st.integers(1, 10))
    def silent(self, cycles: int) -> None:
        for _ in range(cycles):
            self.t += CYCLE
            self.step()

    @rule(bad=st.sampled_from(["nan", "late", "frame", "size", "jump", "push", "reach"]), runs=st.booleans())
    def misled(self, bad: str, runs: bool) -> None:
        if runs:
            self.start_and_confirm("sync")
        record = self.answer()
        if bad == "size":
            record = record[:-1]
        elif bad == "jump":
            record[23] += 50.0
        elif bad == "push":
            record[23] += 0.5
        else:
            place, value = {"nan": (5, np.nan), "late": (0, -3.0), "frame": (1, 7.0), "reach": (2, 200.0)}[bad]
            record[place] = value
        self.step(record)

    @rule(which=st.integers(0, 1), cycles=st.integers(1, 5))
    def robot_error(self, which: int, cycles: int) -> None:
        errors = ("E1", "") if which else ("", "E2")
        for _ in range(cycles):
            self.step(self.answer(), errors=errors)
        self.act("acknowledge")

    @rule(cycles=st.integers(1, 40), push=st.floats(-2e-4, 2e-4), gone=st.booleans())
    def corrected(self, cycles: int, push: float, gone: bool) -> None:
        for k in range(cycles):
            given = None if gone else push * (1 - np.cos(0.1 * k)) * np.ones(13)
            self.step(self.answer(), corrections=given)

    @rule(
        what=st.sampled_from([("IJT", 0, "E1"), ("IJT", 2, "A1"), ("GLC", 1, "y"), ("CLW", 2, "rz"), ("IDC", 2, "z")]),
        speed=st.sampled_from([-1.0, -0.2, 0.0, 0.1, 0.4, 1.0]),
        requests=st.integers(1, 5),
    )
    def jog(self, what: tuple[str, int, str], speed: float, requests: int) -> None:
        for _ in range(requests):
            self.act("jog", frame=what[0], robot=what[1], component=what[2], speed=speed)
            for _ in range(45):
                self.step()


def sequences(count: int, *, shrink: bool = True) -> settings:
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(
        max_examples=count,
        stateful_step_count=14,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=checks,
        phases=phases,
        print_blob=False,
    )


def test_nothing_unsafe_happens_in_any_sequence() -> None:
    run_state_machine_as_test(Facility, settings=sequences(200))


@pytest.mark.slow
def test_nothing_unsafe_happens_in_ten_thousand_sequences() -> None:
    run_state_machine_as_test(Facility, settings=sequences(10_000))


@contextmanager
def broken(owner: Any, name: str, value: Any) -> Iterator[None]:
    """A guard that does not do its work."""
    kept = owner[name] if isinstance(owner, dict) else owner.__dict__[name]
    try:
        owner.__setitem__(name, value) if isinstance(owner, dict) else setattr(owner, name, value)
        yield
    finally:
        owner.__setitem__(name, kept) if isinstance(owner, dict) else setattr(owner, name, kept)


def _lock(name: str, **without: Any) -> tuple[Any, str, Any]:
    return security.INTERLOCKS, name, replace(security.INTERLOCKS[name], **without)


def _careless_stop(self: Operation, reason: Reason, *, emergency: bool = False) -> None:
    """A stop that forgets how the axes move."""
    self.motion = at_rest(self.motion[0])
    _STOP(self, reason, emergency=emergency)


def _unheard(self: Operation) -> None:
    """Interlocks are looked at in actions only for emergencies."""
    if self.security.causes("emergency stop"):
        _WATCH(self)


_STOP, _WATCH = Operation.stop, Operation._watch
_START, _POWER = (actions.ACTIONS[name].handler for name in ("start", "power"))


def _eager_start(op: Operation) -> None:
    """Confirm, without being asked."""
    _START(op)
    if op.state is State.READY:
        actions.ACTIONS["confirm"].handler(op)


def _cure(op: Operation, on: bool) -> None:
    """Power on, out of anything."""
    if op.state is State.FAULT:
        op.state = State.IDLE
    else:
        _POWER(op, on=on)


BREAKAGES: dict[str, tuple[tuple[Any, str, Any], str]] = {  # what is broken, and what is seen of it
    "doors cause no stop": (_lock("door", causes=("laser off",)), "automatic motion with a door open"),
    "doors let lasers on": (
        _lock("door", forbids=("automatic", "fast"), causes=("safe stop",)),
        "laser with a door open",
    ),
    "doors allow fast jogs": (_lock("door", forbids=("automatic", "laser")), "m/s with a door open"),
    "gates cause no stop": (_lock("gate", causes=("laser off",)), "automatic motion with a door open"),
    "blinds let lasers on": (_lock("blind", forbids=("lamp",), causes=("lamp off",)), "laser with a blind up"),
    "emergency stops cause nothing": (_lock("estop", causes=()), "an emergency stop without effect"),
    "errors cause nothing": (_lock("error", causes=()), "an error without effect"),
    "interlocks are not watched": ((Operation, "_watch", _unheard), "automatic motion with a door open"),
    "stops begin from rest": ((Operation, "stop", _careless_stop), "a step in velocity"),
    "no limit is seen": ((guard.Guard, "check", lambda *_: None), "a step in velocity|too fast"),
    "jogs need no requests": (
        (sources.Jogging, "_ahead", lambda self, *_: setattr(self, "_requested", 1e9)),
        "a jog without requests",
    ),
    "a start confirms itself": (
        (actions.ACTIONS, "start", actions.Action(_eager_start, "", {})),
        "commands act before Confirm",
    ),
    "power leads out of fault": (
        (actions.ACTIONS, "power", actions.Action(_cure, "", {"on": True})),
        "power led out of fault",
    ),
}


QUICK = ("doors let lasers on", "emergency stops cause nothing", "stops begin from rest", "a start confirms itself")


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in BREAKAGES])
def test_sequences_find_a_guard_that_is_broken(name: str) -> None:
    breakage, seen = BREAKAGES[name]
    with broken(*breakage), pytest.raises(AssertionError, match=seen):
        run_state_machine_as_test(Facility, settings=sequences(400, shrink=False))
