"""A sensor in one file, with public names only: a resolver with a ripple over the angle and a zero that wanders."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import SimulationError

RIPPLE, WALK = 2e-3, 1e-4  # [rad], [rad/s^0.5]


@dataclass
class Resolver:
    """Angle with a ripple of two periods a turn and a zero that walks."""

    ripple: float = RIPPLE  # [rad]
    walk: float = WALK  # [rad/s^0.5]
    zero: float = 0.0  # [rad]
    last: float = field(default=0.0)  # [s]

    def measure(self, t: float, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.zero += self.walk * np.sqrt(t - self.last) * rng.standard_normal()
        self.last = t
        return truth + self.ripple * np.sin(2.0 * truth) + self.zero


class See(NamedTuple):
    """What the onlooker gives."""

    seen: np.ndarray


class Look:
    """Onboard code that passes on what it measures."""

    def __init__(self) -> None:
        self.state, self.out = See(np.zeros(1)), See(np.zeros(1))

    @staticmethod
    def tick(t: float, meas: Any, state: Any, out: Any) -> None:
        out.seen[0] = meas.angle[0]


class PythonLook:
    """The same in Python."""

    def update(self, t: float, meas: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {"seen": meas["angle"]}


class Wheel:
    """A disc that turns on a body."""

    name = "wheel"

    def build(self, b: ff.Builder) -> None:
        b.body(ff.Link("hub", 10.0, np.zeros(3), 0.4 * np.eye(3)), ff.Motion())
        b.body(ff.Link("disc", 1.0, np.zeros(3), 0.02 * np.eye(3)))
        b.joint_signals([b.joint(ff.Joint("axle", "revolute", "hub", "disc", ff.Pose.identity()), qd=1.5)])


def mission(controller: Any, sensor: ff.Sensor) -> ff.Mission:
    seen = ff.Signal("look.angle", "rad", (1,), meaning="measured angle")
    task = ff.Task(
        controller, 0.01, {"angle": "wheel.q"}, sensors={"angle": sensor}, records={"seen": seen}, name="look"
    )
    return ff.Mission([Wheel()], [task])


@pytest.mark.parametrize("delay", [0.0, 0.015])
def test_a_sensor_of_ones_own_measures_for_compiled_and_python_controllers_alike(delay: float) -> None:
    sensor = ff.Sensor(model=Resolver(), delay=delay, quantum=1e-5)
    ours, python = (mission(c, sensor).run(4.0, seed=6) for c in (Look(), PythonLook()))
    assert ours["look.angle"].tobytes() == python["look.angle"].tobytes()
    angle = 1.5 * np.maximum(ours.time("look.angle") - delay, 0.0)
    error = ours["look.angle"][:, 0] - angle
    ripple = RIPPLE * np.sin(2.0 * angle)
    assert np.corrcoef(error, ripple)[0, 1] > 0.98
    assert 1e-5 < np.abs(error - ripple).max() < 6.0 * WALK * np.sqrt(4.0)


def test_its_memory_is_saved_and_restored() -> None:
    made = mission(Look(), ff.Sensor(model=Resolver(), delay=0.015))
    straight = made.run(1.0, seed=2)["look.angle"]
    session = made.session(2)
    session.step(0.3)
    saved = pickle.loads(pickle.dumps(session.snapshot()))
    session.step(0.2)
    session.restore(saved)
    assert made.complete(session, 1.0)["look.angle"].tobytes() == straight.tobytes()


def test_a_model_that_gives_too_many_numbers_or_fails_is_told_with_the_task() -> None:
    class Wrong:
        def measure(self, t: float, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            return np.zeros(2)

    class Broken:
        def measure(self, t: float, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            raise RuntimeError("no light")

    for delay in (0.0, 0.004):
        with pytest.raises(SimulationError, match=r"task 'look' at t = 0.000000 s: 'angle': its sensor model gave 2"):
            mission(Look(), ff.Sensor(model=Wrong(), delay=delay)).run(0.1)
        with pytest.raises(SimulationError, match=r"task 'look' at t = .* s: .*RuntimeError: no light"):
            mission(Look(), ff.Sensor(model=Broken(), delay=delay)).run(0.1)
