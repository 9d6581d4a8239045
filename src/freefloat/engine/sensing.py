"""The one sensor wrapper: rate, delay, quantisation, noise, bias, dropout between a true signal and what a task reads.

A delayed sample is taken at the delayed instant itself (the plant stops there); nothing is rounded to a step.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from freefloat.amounts import Amount, Measure, has_text, take
from freefloat.engine.cells import Cells, Integers, Queue
from freefloat.engine.graph import Vector
from freefloat.engine.schedule import LONGEST, nanoseconds
from freefloat.engine.signals import Signal
from freefloat.errors import InputError
from freefloat.kernels.entry import MEASURE, SAMPLE, compiled
from freefloat.kernels.tasks import BLOCK, CHANNEL, N_CHANNEL


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

    rate: Measure | None = None  # [Hz] None: whenever the task runs
    delay: Measure = 0.0  # [s]
    noise: Measure | ArrayLike = 0.0  # standard deviation of white noise per sample
    bias: Measure | ArrayLike = 0.0
    quantum: Measure | ArrayLike = 0.0  # smallest step of the reading; 0: continuous
    dropout: Measure = 0.0  # [-] probability that a sample is lost
    model: SensorModel | None = None  # what makes the reading from the truth, before bias, noise and quantum

    def __post_init__(self) -> None:
        take(self, "sensor", rate=Amount("Hz", ge=1e-9, le=1e9), delay=Amount("s", ge=0.0, le=LONGEST))
        take(self, "sensor", dropout=Amount("-", ge=0.0, lt=1.0))
        for name in ("noise", "bias", "quantum"):
            if not has_text(getattr(self, name)):  # texts are read where the signal's unit is known
                self._check(name)

    def _check(self, name: str) -> None:
        try:
            value = np.asarray(getattr(self, name), dtype=np.float64)
        except (TypeError, ValueError):
            value = np.array(np.nan)
        if not (np.isfinite(value).all() and (name == "bias" or np.all(value >= 0.0))):
            rule = "finite" if name == "bias" else "finite and not negative"
            raise InputError(f"sensor: {name} {getattr(self, name)!r}; allowed: numbers, {rule}")

    def on(self, signal: Signal, where: str) -> Sensor:
        """The sensor with its texts ("0.1 deg") as numbers in the unit of the signal that it measures."""
        units = [unit.strip() for unit in signal.unit.split(",")]
        read: dict[str, Any] = {}
        for name in ("noise", "bias", "quantum"):
            given, what = getattr(self, name), f"{where}: sensor {name}"
            if not has_text(given):
                continue
            if len(set(units)) > 1:
                raise InputError(
                    f"{what} {given!r}; allowed: plain numbers, as {signal.name!r} has units {signal.unit}"
                )
            amount = Amount(units[0])
            read[name] = (
                amount.number(given, what) if isinstance(given, str) else amount.numbers(given, signal.shape, what)
            )
        return replace(self, **read)

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
    """One sensor on one signal: its random streams, the samples under way and the newest one delivered.

    Compiled code measures (`kernels.tasks`); Python draws its noise ahead and runs a sensor's own model.
    """

    def __init__(
        self,
        sensor: Sensor,
        truth: Vector,  # where readers put the signal, in its shape
        meas: Vector,  # where the task finds the measurement, flat
        streams: Callable[[str], np.random.Generator],
        row: Integers | None = None,
    ) -> None:
        self.sensor = sensor
        self.model = copy.deepcopy(sensor.model)
        self._truth, self._meas = truth, meas
        self._reading = truth if self.model is None else np.zeros_like(truth)  # what the rest of the sensor works on
        self._rng = streams("")
        self._lost = streams(".dropout")
        n = truth.size
        self.cells = Cells(CHANNEL, np.zeros(N_CHANNEL, dtype=np.int64) if row is None else row)
        self.noise = np.broadcast_to(np.asarray(sensor.noise, dtype=np.float64), truth.shape)
        bias, quantum = (np.broadcast_to(np.asarray(v, np.float64), truth.shape) for v in (sensor.bias, sensor.quantum))
        self.cells.set(
            size=n,
            noisy=bool(self.noise.any()),
            biased=bool(bias.any()),
            quantised=bool(quantum.any()),
            drops=sensor.dropout > 0.0,
            late=not sensor.samples_with_task,
            delay=nanoseconds(sensor.delay),
            model=self.model is not None,
            drawn=BLOCK,
            chanced=BLOCK,
        )
        self.cells.hold(
            truth=self._reading,
            meas=meas,
            draws=np.zeros(BLOCK * n),
            bias=bias.flatten(),
            quantum=quantum.flatten(),
            probability=np.array([sensor.dropout]),
            chances=np.zeros(BLOCK),
            last=np.zeros(n),
            value=np.zeros(n),
        )
        self._queue = Queue(self.cells, n)

    def prepare(self) -> None:
        """Draw noise for the next samples and make room for them, where there is none left."""
        self._draw_losses()
        if self.model is None:
            self._draw_noise(BLOCK)
        self._queue.make_room()

    def _draw_losses(self) -> None:
        cells = self.cells
        if cells["drops"] and cells["chanced"] == BLOCK:
            cells.arrays["chances"][:] = self._lost.random(BLOCK)
            cells.set(chanced=0)

    def _draw_noise(self, samples: int) -> None:
        cells = self.cells
        if cells["noisy"] and cells["drawn"] == BLOCK:
            noise = self.noise * self._rng.standard_normal((samples, *self.noise.shape))
            cells.arrays["draws"][-noise.size :] = noise.reshape(-1)
            cells.set(drawn=BLOCK - samples)

    def _run_model(self, t: float) -> None:
        """Let the sensor's own model make its reading of the truth, unless the sample is lost. Noise is drawn after it,
        one by one: it comes from the same stream.
        """
        cells = self.cells
        self._draw_losses()
        self._queue.make_room()
        lost = cells["drops"] and cells.arrays["chances"][cells["chanced"]] < self.sensor.dropout
        if lost and cells["has_last"]:
            return
        assert self.model is not None
        reading = np.asarray(self.model.measure(t, self._truth.copy(), self._rng), dtype=np.float64)
        if reading.size != self._truth.size:
            raise InputError(f"its sensor model gave {reading.size} numbers; {self._truth.size} are needed")
        self._reading[...] = reading.reshape(self._truth.shape)
        self._draw_noise(1)

    def measure(self, t: float) -> None:
        """Measure with the sensor's own model, now."""
        self._run_model(t)
        compiled()(self.cells.address, MEASURE, 0, 0, self._meas)

    def sample(self, now_ns: int) -> None:
        """Take a sample with the sensor's own model that arrives later."""
        self._run_model(now_ns / 1e9)
        compiled()(self.cells.address, SAMPLE, now_ns, 0, self._meas)

    def state(self) -> tuple[Any, ...]:
        """Everything that changes (random streams and model to be copied by the caller)."""
        return self._rng, self._lost, self.model, self.cells.state(_COUNTS, _ARRAYS)

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take over a state made by `state`."""
        self._rng, self._lost, self.model, cells = state
        self.cells.set_state(cells)


_COUNTS = (*Queue.NUMBERS, "drawn", "chanced", "has_last", "has_value")
_ARRAYS = (*Queue.ARRAYS, "draws", "chances", "last", "value")
