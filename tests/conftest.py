"""Settings of the whole suite (seeded, without deadlines) and small worlds that several tests build."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("freefloat", deadline=None, derandomize=True)
settings.load_profile("freefloat")


class Law:
    """A controller made of one function; it keeps what it measured."""

    def __init__(self, law: Callable[[float, Mapping[str, np.ndarray]], Mapping[str, Any]]) -> None:
        self.law = law
        self.seen: list[tuple[float, dict[str, np.ndarray]]] = []

    def update(self, t: float, meas: Mapping[str, np.ndarray]) -> Mapping[str, Any]:
        self.seen.append((t, {name: value.copy() for name, value in meas.items()}))
        return self.law(t, meas)


@dataclass(frozen=True)
class Robot:
    """A robot graph as a part with start rates; `name.tau` drives every joint, `springs` are keywords per joint."""

    name: str
    graph: Any
    q: Mapping[str, float] = field(default_factory=dict)
    qd: Mapping[str, float] = field(default_factory=dict)
    motion: Any = None  # None: floating, at rest
    springs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    anchored: bool = False

    def build(self, b: Any) -> None:
        from freefloat.engine.blueprint import Motion, RowOutput
        from freefloat.engine.rows import joint_spring, joint_torque
        from freefloat.engine.signals import Signal
        from freefloat.frames import Pose

        for link in self.graph.links:
            b.body(link, (self.motion or Motion()) if link.name == self.graph.root and not self.anchored else None)
        if self.anchored:
            b.anchor(self.graph.root, Pose.identity())
        names = [b.joint(j, self.q.get(j.name, 0.0), self.qd.get(j.name, 0.0)) for j in self.graph.joints]
        b.joint_signals(names)
        tau = b.command("tau", (len(names),), "N m")
        for i, name in enumerate(names):
            b.add(joint_torque(name, tau, i))
        for joint, spring in self.springs.items():
            row = b.add(joint_spring(b.full(joint), **spring))
            b.signal(Signal(b.full(f"{joint}.effort"), "N m"), [RowOutput(row.name)])


@pytest.fixture(scope="session")
def law() -> type[Law]:
    """Make a controller of a function (t, meas) -> commands."""
    return Law


@pytest.fixture(scope="session")
def robot_part() -> type[Robot]:
    """Make a part of a robot graph."""
    return Robot


@pytest.fixture(scope="session")
def random_robot() -> Callable[..., Robot]:
    """A branched robot of `size` links with random inertias, joints and motion, called `robot`."""

    def make(seed: int, size: int = 6, **options: Any) -> Robot:
        from freefloat.engine.blueprint import Motion
        from freefloat.verify.models import random_state, random_tree

        rng = np.random.default_rng(seed)
        graph = random_tree(rng, size)
        state = random_state(rng, graph)
        V, R = np.asarray(state.V_WR_W), state.X_WR.R
        motion = Motion(state.X_WR, tuple(R.T @ V[:3]), tuple(V[3:]))
        return Robot("robot", graph, state.q, state.qd, options.pop("motion", motion), **options)

    return make


@pytest.fixture(scope="session")
def bus_with_arm() -> Callable[..., list[Any]]:
    """A 1000 kg satellite `bus` with the shipped seven-joint `arm`; keywords go to the bus."""

    def make(**bus: Any) -> list[Any]:
        import freefloat as ff
        from freefloat.robots import asset

        mount = {"mount": ff.Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))}
        arm = ff.Arm("arm", ff.load_urdf(asset("arm7")), on="bus.mount", q=(0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0))
        return [ff.RigidBody("bus", frames=mount, **bus), arm]

    return make


@pytest.fixture(scope="session")
def swing() -> Callable[[float, Mapping[str, np.ndarray]], Mapping[str, Any]]:
    """A joint law that moves the shipped arm gently: slow torques, and damping that suits each joint's inertia."""
    size = np.array([3.0, 3.0, 3.0, 3.0, 0.05, 0.05, 0.001])

    def update(t: float, meas: Mapping[str, np.ndarray]) -> Mapping[str, Any]:
        return {"tau": size * (np.sin(0.7 * t + np.arange(7.0)) - meas["qd"])}

    return update
