"""A rigid bus with reaction wheels, integrated here and not by the engine; the onboard model of an arm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from freefloat.engine.blueprint import draw
from freefloat.frames import Pose, skew
from freefloat.gnc.control.operational_model import ArmModel
from freefloat.missions.arm.control import joints_of, onboard_model
from freefloat.robots import load_robot
from freefloat.robots.arm import Arm
from freefloat.structure import RigidBody


@dataclass
class Spacecraft:
    """Bus with n wheels: I is its inertia without the rotors' spin, J that of each rotor, `axes` (n, 3) in B."""

    inertia: np.ndarray
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))
    J: float = 1e-3
    q: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    w: np.ndarray = field(default_factory=lambda: np.zeros(3))
    speed: np.ndarray | None = None

    def __post_init__(self) -> None:
        self.inverse = np.linalg.inv(self.inertia)
        if self.speed is None:
            self.speed = np.zeros(len(self.axes))

    def momentum(self) -> np.ndarray:
        """Total angular momentum in B."""
        return self.inertia @ self.w + self.axes.T @ (self.J * (self.speed + self.axes @ self.w))

    def rates(self, x: np.ndarray, tau_wheel: np.ndarray, tau_ext: np.ndarray) -> np.ndarray:
        w, speed = x[4:7], x[7:]
        H = self.inertia @ w + self.axes.T @ (self.J * (speed + self.axes @ w))
        S = skew(w)
        dw = self.inverse @ (tau_ext - S @ H - self.axes.T @ tau_wheel)
        dq = 0.5 * np.array([-(x[1:4] @ w), *(x[0] * w - S @ x[1:4])])
        return np.concatenate([dq, dw, tau_wheel / self.J - self.axes @ dw])

    def step(self, tau_wheel: np.ndarray, tau_ext: np.ndarray, h: float) -> None:
        """One RK4 step."""
        x = np.concatenate([self.q, self.w, self.speed])
        k1 = self.rates(x, tau_wheel, tau_ext)
        k2 = self.rates(x + 0.5 * h * k1, tau_wheel, tau_ext)
        k3 = self.rates(x + 0.5 * h * k2, tau_wheel, tau_ext)
        k4 = self.rates(x + h * k3, tau_wheel, tau_ext)
        x = x + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
        self.q, self.w, self.speed = x[:4] / np.linalg.norm(x[:4]), x[4:7], x[7:]

    def run(
        self,
        command: Callable[[float, dict[str, np.ndarray]], tuple[np.ndarray, np.ndarray]],
        duration: float,
        period: float,
        steps: int = 1,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Times and states [q, w, speed] under `command(t, meas) -> (tau_wheel, tau_ext)`, held over each period."""
        times, states = [], []
        for k in range(round(duration / period)):
            t = k * period
            times.append(t)
            states.append(np.concatenate([self.q, self.w, self.speed]))
            tau_wheel, tau_ext = command(t, {"q_WB": self.q, "w_WB_B": self.w, "speed": self.speed})
            for _ in range(steps):
                self.step(tau_wheel, tau_ext, period / steps)
        return np.array(times), np.array(states)


@pytest.fixture(scope="session")
def spacecraft() -> type[Spacecraft]:
    return Spacecraft


@pytest.fixture
def spider_on() -> Callable[..., ArmModel]:
    """SPIDER's onboard model, without jaws: `spider_on(mount, mass)` on a solid base."""

    def make(mount: Pose | None = None, mass: float = 100.0) -> ArmModel:
        robot = load_robot("spider")
        bus = RigidBody("bus", mass, size=(1.0, 1.0, 1.0), frames={"mount": mount or Pose.identity()})
        blueprint = draw([bus, Arm("arm", robot, on="bus.mount")])
        tree = onboard_model(blueprint)
        names = tuple(joints_of("arm", blueprint, tree))
        lower, upper = (np.array([getattr(j, end) for j in robot.moving]) for end in ("lower", "upper"))
        return ArmModel(tree.model, names, "arm.base", "arm.tool", "arm.hand", lower, upper)

    return make
