"""The robot controller's side of RSI: what it makes of answers and what it sends, one cycle after the other.

`RsiRobot` knows no sockets and no clock: who runs it calls `take` with the answers that came since the last telegram,
then `telegram`, every cycle (`links.rsi_socket` has its socket).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from freefloat.errors import InputError
from freefloat.links.rsi_config import AXES, EXTERNAL, INTERNAL, POSE, TECH, RsiConfig
from freefloat.links.rsi_context import CORRECTIONS, RsiContext, check_external
from freefloat.links.rsi_corrections import Corrections
from freefloat.links.rsi_telegram import KUKA, ROBOT, SENSOR, Fields, Format, TelegramError, Value, read_telegram

WAITING, RUNNING, OFF = "waiting", "running", "off"  # for the first answer; answers act; RSI has ended
MONITORED = (*(f"POSCORRMON.{name}" for name in POSE), *(f"AXISCORRMON.{name}" for name in (*AXES, *EXTERNAL)))
# what a telegram can tell, in the order in which `telegram` lines it up
TOLD = (*(f"{name}.{a}" for name, own in INTERNAL.items() if name not in TECH for a in own), *MONITORED, "zero", "text")


class Cartesian(Protocol):
    """A robot's kinematics in its base, poses X, Y, Z [mm], A, B, C [deg], R = Rz(A) Ry(B) Rx(C)."""

    def pose(self, axes: Sequence[float]) -> Sequence[float]:
        """Of the tool, at axes A1 to A6 [deg]."""
        ...

    def corrected(self, axes: Sequence[float], correction: Sequence[float], near: Sequence[float]) -> Sequence[float]:
        """Axes [deg], of the branch near others, at which the tool's pose at `axes` is moved and turned by a
        correction: along, and about, the axes of the base. Raises `InputError` where it is not reached.
        """
        ...


@dataclass
class RsiCounters:
    """Answers by what became of them, and cycles without one, since RSI was switched on."""

    valid: int = 0  # in time; of several in a cycle, the last acts
    late: int = 0  # echo an earlier IPOC
    wrong_ipoc: int = 0  # echo one that was never sent
    wrong_type: int = 0  # of another SENTYPE, or of another root
    malformed: int = 0
    unexpected: int = 0  # with ONLYSEND
    missing: int = 0  # cycles without a valid answer, after the first


@dataclass(frozen=True)
class RobotState:
    """What a robot measures."""

    axes: Sequence[float]  # [deg] A1 to A6
    external: Sequence[float] = ()  # [mm] E1 to at most E6
    currents: Sequence[float] = (0.0,) * 6  # [%] A1 to A6
    external_currents: Sequence[float] = ()  # [%]


class RsiRobot:
    """One robot. `external` is how many external axes it has, `relative` how RSI is switched on."""

    def __init__(
        self,
        config: RsiConfig,
        context: RsiContext,
        cartesian: Cartesian | None = None,
        *,
        external: int = 0,
        relative: bool = False,
        cycle_ms: int = 4,
        ipoc: int = 0,
    ) -> None:
        check_external(config, context, external)
        self._format = Format(ROBOT, KUKA, config.send, context.precision)
        self._picked = _picked(config, context, self._format)
        self._posed = any(TOLD[n].startswith(("RIst", "RSol")) for n in self._picked)
        if cartesian is None and (self._posed or any(one.kind == "POSCORR" for one in context.correctors)):
            raise InputError(f"{config.path}: poses (RIst, RSol, RKorr) need the robot's kinematics; allowed: axes")
        self.config, self.context, self.cartesian, self.external = config, context, cartesian, external
        self.cycle_ms, self.ipoc = cycle_ms, ipoc  # [ms], [ms] of the next telegram
        self.corrections = Corrections(context, relative)
        self._fields = Fields(config.receive)
        self.switch_on((0.0,) * 6)

    def switch_on(self, axes: Sequence[float], external: Sequence[float] = ()) -> None:
        """RSI on, at programmed axes [deg] and external axes [mm], which stay; corrections begin at zero."""
        self.programmed, self.programmed_external = tuple(axes), _six(external)
        self.axes, self.external_axes = self.programmed, self.programmed_external  # with corrections
        self.state, self.reason = RUNNING if self.config.only_send else WAITING, ""
        self.delay, self.silent, self.counters = 0, 0, RsiCounters()
        self.values: dict[str, Value] = {}  # received, by key
        self.corrections.reset()
        self._near = self.programmed
        self._first = self._last = -1  # IPOC sent
        self._pose = self._pose_at(self.programmed)

    def switch_off(self, reason: str = "") -> None:
        """RSI off: nothing is sent, nothing is taken."""
        if self.state != OFF:
            self.state, self.reason = OFF, reason

    def take(self, answers: Iterable[bytes], acting: bool = True) -> None:
        """Answers that have come since the last telegram; where corrections act, `axes` and `external_axes` move."""
        if self.state == OFF:
            return
        answer, refused, waiting = None, 0, self.state == WAITING
        for data in answers:
            what, values = self._judged(data)
            setattr(self.counters, what, getattr(self.counters, what) + 1)
            if what == "valid":
                answer = values
            else:  # the cycle of a late one has counted already, unless it was spent waiting
                refused += what != "late" or waiting
        if self.config.only_send or self._last < 0:
            return
        missed = answer is None and not waiting
        self.counters.missing += missed
        self.delay += max(refused, int(missed))
        self.silent = self.silent + 1 if missed else 0
        if answer is not None:
            self.state = RUNNING
        self._hold(answer or {})
        if self.silent > self.context.timeout:
            told = f"{self.silent} cycles in a row without a valid answer"
            self.switch_off(f"{told}; allowed: {self.context.timeout} (Timeout)")
        elif self.state == RUNNING and acting:
            self._act()

    def telegram(self, measured: RobotState) -> bytes | None:
        """The telegram of this cycle; None where RSI is off."""
        if self.state == OFF:
            return None
        self._last = self.ipoc
        self._first = self._last if self._first < 0 else self._first
        self.ipoc += self.cycle_ms
        told: list[Value] = [
            *self._pose_at(measured.axes),
            *self._pose,
            *measured.axes,
            *self.programmed,
            *_six(measured.external),
            *self.programmed_external,
            *measured.currents,
            *_six(measured.external_currents),
            self.delay,
            *self.corrections.total,
            0.0,
            "",
        ]
        return self._format.write([told[n] for n in self._picked], str(self._last))

    def answers(self, data: bytes) -> bool:
        """Whether this is a valid answer to the last telegram; nothing is counted."""
        return self._judged(data)[0] == "valid"

    def _judged(self, data: bytes) -> tuple[str, dict[str, Value]]:
        """Which counter an answer belongs to, and its values."""
        if self.config.only_send:
            return "unexpected", {}
        try:
            telegram = read_telegram(data)
            values = self._fields.read(telegram.texts)
        except TelegramError:
            return "malformed", {}
        if telegram.root != SENSOR or telegram.type != self.config.sentype:
            return "wrong_type", {}
        if self._last >= 0 and telegram.ipoc == str(self._last):
            return "valid", values
        behind = self._last - int(telegram.ipoc)
        late = 0 < behind <= self._last - self._first and behind % self.cycle_ms == 0
        return "late" if late else "wrong_ipoc", {}

    def _hold(self, answer: dict[str, Value]) -> None:
        """What came; of the rest, the last value where the file says so, else zero."""
        for element in self.config.receive:
            for key in element.keys:
                if key in answer:
                    self.values[key] = answer[key]
                elif not element.hold:
                    self.values.pop(key, None)

    def _act(self) -> None:
        """Corrections of this cycle: poses first, then axes."""
        given = {e.index: self.values[e.tag] for e in self.config.receive if e.index and e.tag in self.values}
        told = self.corrections.step({n: value for n, value in given.items() if isinstance(value, float)})
        total = self.corrections.total
        if not told and not all(map(math.isfinite, total)):
            told = f"correction {dict(zip(CORRECTIONS, total, strict=True))}; allowed: finite"
        if told:
            self.switch_off(told)
            return
        try:
            if any(total[:6]) and self.cartesian is not None:
                self._near = tuple(self.cartesian.corrected(self.programmed, total[:6], self._near))
            else:
                self._near = self.programmed
        except InputError as error:
            self.switch_off(str(error))
            return
        self.axes = tuple(q + dq for q, dq in zip(self._near, total[6:12], strict=True))
        here = self.programmed_external
        self.external_axes = tuple(
            q + dq * (n < self.external) for n, (q, dq) in enumerate(zip(here, total[12:], strict=True))
        )

    def _pose_at(self, axes: Sequence[float]) -> Sequence[float]:
        return self.cartesian.pose(axes) if self._posed and self.cartesian is not None else (0.0,) * 6


def _six(values: Sequence[float]) -> tuple[float, ...]:
    return (*values, *(0.0,) * (6 - len(values)))


def _picked(config: RsiConfig, context: RsiContext, format: Format) -> list[int]:
    """Where in `TOLD` the values of a telegram are; channels that nothing feeds are zero."""
    sources = dict(context.sources)
    fed = {e.tag: sources[e.index] for e in config.send if e.index in sources and e.index is not None}
    names = (("text" if key in format.strings else fed.get(key, key)) for key in format.keys)
    return [TOLD.index(name if name in TOLD else "zero") for name in names]
