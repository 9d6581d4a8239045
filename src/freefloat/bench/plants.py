"""The plants that are raced: a seven-joint arm on a free 1000 kg bus, ours and MuJoCo's from one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import mujoco
import numpy as np

from freefloat.engine.blueprint import Motion, Part
from freefloat.engine.connection import Connection
from freefloat.engine.event import Event
from freefloat.engine.graph import Vector
from freefloat.engine.mission import Mission, WorldSetup
from freefloat.engine.sensing import Sensor
from freefloat.engine.session import Session
from freefloat.engine.task import Task
from freefloat.engine.upkeep import Upkeep
from freefloat.frames import Pose
from freefloat.robots import asset, load_urdf
from freefloat.robots.arm import Arm
from freefloat.structure import RigidBody

START = (0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0)  # [rad]
TORQUE = np.array([0.2, 1.2, 0.4, 0.2, 0.004, 0.004, 0.00014])  # [N m] about 0.08 rad/s^2 at every joint
MOUNT = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
STEP = 1e-3  # [s]


@dataclass(frozen=True)
class JointPD:
    """A controller as a user writes it: tau = kp (q_d - q) - kd q', joint by joint."""

    target: Vector = field(default_factory=lambda: np.array(START) + 0.1)  # [rad]
    kp: Vector = field(default_factory=lambda: np.array([50.0, 500.0, 100.0, 130.0, 4.0, 6.0, 0.1]))  # [N m/rad]
    kd: Vector = field(default_factory=lambda: np.array([24.0, 250.0, 50.0, 60.0, 1.0, 1.5, 0.03]))  # [N m s/rad]

    def update(self, t: float, meas: Mapping[str, Vector]) -> dict[str, Vector]:
        return {"tau": self.kp * (self.target - meas["q"]) - self.kd * meas["qd"]}


class PDState(NamedTuple):
    """Target and gains of the compiled PD."""

    target: Vector
    kp: Vector
    kd: Vector


class PDOut(NamedTuple):
    """What it gives."""

    tau: Vector


class CompiledPD:
    """The same law as onboard code of the plant's loop."""

    def __init__(self) -> None:
        law = JointPD()
        self.state, self.out = PDState(law.target, law.kp, law.kd), PDOut(np.zeros(len(START)))

    @staticmethod
    def tick(t: float, meas: Any, state: PDState, out: PDOut) -> None:
        for i in range(out.tau.size):
            out.tau[i] = state.kp[i] * (state.target[i] - meas.q[i]) - state.kd[i] * meas.qd[i]


def tree(tasks: tuple[Task, ...] = (), bus: str = "bus", arm: str = "arm", events: tuple[Event, ...] = ()) -> Mission:
    """The arm on the bus."""
    return Mission(arm_on_bus(bus, arm), tasks, events)


def arm_on_bus(bus: str, arm: str) -> list[Part]:
    """The parts of it, under these names."""
    body = RigidBody(bus, frames={"mount": MOUNT})
    return [body, Arm(arm, load_urdf(asset("arm7")), on=f"{bus}.mount", q=START)]


def two_worlds(tasks: tuple[Task, ...], events: tuple[Event, ...] = ()) -> Mission:
    """Two such arms, each in a world of its own."""
    setups = [WorldSetup("left", arm_on_bus("bus", "arm")), WorldSetup("right", arm_on_bus("other_bus", "other_arm"))]
    return Mission(worlds=setups, tasks=tasks, events=events)


def welded() -> Mission:
    """The arm on a second free body of 200 kg that a constraint welds to the bus."""
    bus = RigidBody("bus", frames={"mount": MOUNT})
    carrier = RigidBody("carrier", 200.0, size=(1.0, 1.0, 0.4), frames={"mount": MOUNT}, motion=Motion(MOUNT))
    arm = Arm("arm", load_urdf(asset("arm7")), on="carrier.mount", q=START)
    return Mission(
        [bus, carrier, arm], connections=[Connection("weld", "bus.mount", "carrier", hold="constraint", closed=True)]
    )


def controller_task(compiled: bool = False) -> Task:
    """The PD at 250 Hz behind sensors with noise and quantisation."""
    return Task(
        CompiledPD() if compiled else JointPD(),
        period=0.004,
        reads={"q": "arm.q", "qd": "arm.qd"},
        writes={"tau": "arm.tau"},
        sensors={"q": Sensor(noise=1e-5, quantum=1e-5), "qd": Sensor(noise=1e-4, quantum=1e-4)},
        name="pd",
    )


def bare(mission: Mission, seed: int, tended: Callable[[Upkeep], bool] = lambda upkeep: True) -> Session:
    """A session of the mission's worlds without tasks; upkeeps only where they are wanted."""
    grounds = {
        name: replace(ground, upkeeps=tuple(u for u in ground.upkeeps if tended(u)))
        for name, ground in mission.grounds.items()
    }
    return Session(grounds, (), mission.events, mission.record_rate, seed, mission.records)


class Plant(Protocol):
    """What is raced: back to its start, under joint torques [N m] that are held, for some steps."""

    def reset(self) -> None: ...

    def push(self, tau: Vector) -> None: ...

    def run(self, steps: int) -> None: ...

    def state(self) -> tuple[Vector, Vector]: ...


class Ours:
    """A session as every run has it: audit and recorder at their defaults."""

    def __init__(self, mission: Mission) -> None:
        self.session: Session = mission.session()
        self._start = self.session.snapshot()

    def reset(self) -> None:
        self.session.restore(self._start)

    def push(self, tau: Vector) -> None:
        self.session.write("arm.tau", tau)

    def run(self, steps: int) -> None:
        self.session.step(steps * STEP)

    def state(self) -> tuple[Vector, Vector]:
        """qpos and qvel."""
        data = self.session.world.compiled().data
        return data.qpos, data.qvel


class Mujoco:
    """MuJoCo's own RK4 on the model of a session, with its equality constraints in place of ours."""

    def __init__(self, ours: Ours) -> None:
        tree = ours.session.world.compiled()
        spec = tree.spec.copy()
        for edge in tree.loops:
            X_AB = edge.X_PJ @ edge.X_JC
            spec.add_equality(
                type=mujoco.mjtEq.mjEQ_WELD,
                objtype=mujoco.mjtObj.mjOBJ_BODY,
                name1=edge.parent,
                name2=edge.child,
                data=[0.0, 0.0, 0.0, *X_AB.p, *X_AB.q, 1.0, 0.0],
            )
        self.model: mujoco.MjModel = spec.compile()
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.timestep = STEP
        self.data = mujoco.MjData(self.model)
        self._start = ours.state()
        self._arm = [tree.rate[name] for name in tree.rate if name.startswith("arm.")]
        self.reset()

    def reset(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = self._start

    def push(self, tau: Vector) -> None:
        self.data.qfrc_applied[self._arm] = tau

    def run(self, steps: int) -> None:
        mujoco.mj_step(self.model, self.data, steps)

    def state(self) -> tuple[Vector, Vector]:
        """qpos and qvel."""
        return self.data.qpos.copy(), self.data.qvel.copy()
