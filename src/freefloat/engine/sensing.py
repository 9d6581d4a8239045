"""The one sensor wrapper: rate, delay, quantisation, noise, bias, dropout between a true signal and what a task reads.

A delayed sample is taken at the delayed instant itself (the plant stops there); nothing is rounded to a step.
"""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.graph import Vector
from freefloat.engine.schedule import LONGEST
from freefloat.errors import InputError

DRAWN_AHEAD = 256  # samples


class SensorModel(Protocol):
    """A sensor's own physics: drifting bias, scale error, noise on a rotation. Each channel works on a copy."""

    def measure(self, t: float, truth: Vector, rng: np.random.Generator) -> Vector:
        """A reading of the true value at time t [s]; called with rising t."""
        ...


@dataclass(frozen=True)
class Sensor:
    """Measurement = quantise(truth + bias + noise), `delay` later; a lost sample repeats the one before.

    Units are those of the signal; arrays apply entry by entry.
    """

    rate: float | None = None  # [Hz] None: whenever the task runs
    delay: float = 0.0  # [s]
    noise: ArrayLike = 0.0  # standard deviation of white noise per sample
    bias: ArrayLike = 0.0
    quantum: ArrayLike = 0.0  # smallest step of the reading; 0: continuous
    dropout: float = 0.0  # probability that a sample is lost
    model: SensorModel | None = None  # what makes the reading from the truth, before bias, noise and quantum

    def __post_init__(self) -> None:
        if self.rate is not None and not 1e-9 <= self.rate <= 1e9:
            raise InputError(f"sensor rate {self.rate!r} Hz: must be between 1e-9 and 1e9 Hz")
        if not 0.0 <= self.delay <= LONGEST:
            raise InputError(f"sensor delay {self.delay!r} s: must be between 0 and {LONGEST:g} s")
        if not 0.0 <= self.dropout < 1.0:
            raise InputError(f"sensor dropout {self.dropout!r}: must be a probability below 1")
        for name, least in (("noise", 0.0), ("quantum", 0.0), ("bias", -np.inf)):
            value = np.asarray(getattr(self, name), dtype=np.float64)
            if not (np.isfinite(value).all() and np.all(value >= least)):
                rule = "finite" if name == "bias" else "finite and not negative"
                raise InputError(f"sensor {name} {getattr(self, name)!r}: must be {rule}")

    @property
    def samples_with_task(self) -> bool:
        """Whether each sample is taken at the instant when the task reads it."""
        return self.rate is None and self.delay == 0.0

    def check(self, shape: tuple[int, ...], where: str) -> None:
        """Refuse numbers that do not fit a signal of this shape."""
        for name in ("noise", "quantum", "bias"):
            given = np.shape(getattr(self, name))
            if given not in ((), shape):
                raise InputError(f"{where}: sensor {name} has shape {given}; allowed: one number or shape {shape}")


class Channel:
    """One sensor on one signal: its random stream, the samples under way and the newest one delivered."""

    def __init__(self, sensor: Sensor, signal: str, rng: np.random.Generator) -> None:
        self.sensor = sensor
        self.signal = signal
        self.rng = rng
        self.value: Vector | None = None
        self.last: Vector | None = None  # the newest sample taken, which a lost one repeats
        self.under_way: deque[tuple[int, Vector]] = deque()
        self.model = copy.deepcopy(sensor.model)
        self._draws: Vector = np.zeros((0, 0))  # noise drawn ahead, where nothing else draws from the stream
        self._next = 0
        self._ahead = sensor.dropout == 0.0 and sensor.model is None
        self._noisy = bool(np.any(np.asarray(sensor.noise)))
        self._biased = bool(np.any(np.asarray(sensor.bias)))
        self._quantised = bool(np.any(np.asarray(sensor.quantum)))
        self._continuous = bool(np.any(np.asarray(sensor.quantum) == 0.0))  # in some entry
        self._noise = np.asarray(sensor.noise, dtype=np.float64)
        self._bias = np.asarray(sensor.bias, dtype=np.float64)
        self._quantum = np.asarray(sensor.quantum, dtype=np.float64)
        self._plain = self._ahead and self._noisy and not self._biased and not self._quantised
        self._step = np.where(self._quantum > 0.0, self._quantum, 1.0)

    def measure(self, t: float, truth: Vector) -> Vector:
        """One sample of the true value at t (always a new array)."""
        if self._plain:
            return truth + self._drawn(truth)
        if self.sensor.dropout and self.rng.random() < self.sensor.dropout and self.last is not None:
            return self.last.copy()
        if self.model is not None:
            truth = self.model.measure(t, truth.copy(), self.rng)
        value = truth + self._bias if self._biased else truth.copy()
        if self._noisy:
            value += self._drawn(value) if self._ahead else self._noise * self.rng.standard_normal(value.shape)
        if self._quantised:
            reading = np.rint(value / self._step) * self._step
            value = np.where(self._quantum > 0.0, reading, value) if self._continuous else reading
        if self.sensor.dropout:
            self.last = value.copy()
        return value

    def _drawn(self, value: Vector) -> Vector:
        """The noise of the next sample, in the shape of `value`: one call of the generator for many."""
        if self._next == len(self._draws):
            self._draws, self._next = self._noise * self.rng.standard_normal((DRAWN_AHEAD, *value.shape)), 0
        self._next += 1
        return self._draws[self._next - 1]

    def state(self) -> tuple[Any, ...]:
        """Everything that changes (to be copied by the caller)."""
        return self.value, self.last, self.under_way, self.rng, self.model, self._draws, self._next

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take over a state made by `state`."""
        self.value, self.last, self.under_way, self.rng, self.model, self._draws, self._next = state

    def take(self, truth: Vector, now_ns: int, delay_ns: int) -> None:
        """Take a sample that arrives `delay_ns` later; the first one arrives at once."""
        value = self.measure(now_ns / 1e9, truth)
        if self.value is None:
            self.value = value
        self.under_way.append((now_ns + delay_ns, value))

    def newest(self, now_ns: int) -> Vector:
        """A copy of the newest sample that has arrived."""
        while self.under_way and self.under_way[0][0] <= now_ns:
            self.value = self.under_way.popleft()[1]
        assert self.value is not None  # a channel takes a sample before any task reads it
        return self.value.copy()
