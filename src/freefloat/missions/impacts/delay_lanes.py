"""A satellite in free flight and a mock-up on a rail that renders it, once for each of several delays, side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, take, take_rows
from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import Joint, Link
from freefloat.engine.integrator import RK4, Integrator
from freefloat.engine.mission import WorldSetup
from freefloat.engine.result import Result
from freefloat.engine.rows import joint_spring, uniform_gravity
from freefloat.engine.sensing import Sensor
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.gnc.control.force_feedback_delay import ForceFeedback
from freefloat.gnc.control.loop_delay import CYCLE, DAMPING, DELAY, MASS, STIFFNESS, critical_delay
from freefloat.missions.impacts.delay_search import growth_rate
from freefloat.robots.imposed_motion import ImposedMotion
from freefloat.structure.body import RigidBody, box_inertia

LANE = 0.6  # [m] from one lane to the next
EDGE = 0.3  # [m] of a satellite and of its mock-up
MOCKUP_MASS = 20.0  # [kg] assumed; the rail moves it, whatever it weighs
SPREAD = (-0.1, -0.05, 0.0, 0.05, 0.1)  # of the delay that is expected to be critical
SETTLED = 1.0  # periods of sqrt(m / k) after which the growth is judged
GRAVITY = (0.0, 0.0, -9.81)  # [m/s^2]
GREY, BLUE, GOLD = (0.72, 0.74, 0.77, 1.0), (0.16, 0.46, 0.80, 1.0), (0.82, 0.70, 0.36, 1.0)


@dataclass(frozen=True)
class Rail:
    """Part: a mock-up on a rail, held to a wall by a spring and a damper that push and pull.

    Signals: `name.q`, `.qd` (1,) along x, 0 where the spring is at rest; `name.wall_force` (1,) [N] on the mock-up.
    """

    name: str
    place: Array  # p_WR (3,) [m] of the mock-up where the spring is at rest
    stiffness: float  # [N/m]
    damping: float  # [N s/m]
    q: float = 0.0  # [m] at the start
    qd: float = 0.0  # [m/s]

    def build(self, b: Builder) -> None:
        """The wall with its rail, the mock-up, the spring."""
        half = 0.5 * EDGE
        wall = Shape("box", (0.04, half, half), Pose(np.eye(3), [half + 0.1, 0.0, 0.0]), GREY)
        beam = Shape("box", (2.0 * half, 0.04, 0.03), Pose(np.eye(3), [0.0, 0.0, -half - 0.04]), GREY)
        b.body(Link("wall", 100.0, np.zeros(3), np.eye(3), (wall, beam)))
        b.anchor("wall", Pose(np.eye(3), self.place))
        box = Shape("box", (half, half, half), rgba=BLUE)
        b.body(Link("mockup", MOCKUP_MASS, np.zeros(3), box_inertia(MOCKUP_MASS, (EDGE,) * 3), (box,)))
        along = Joint("slide", "prismatic", "wall", "mockup", Pose.identity(), np.array([1.0, 0.0, 0.0]))
        slide = b.joint(along, self.q, self.qd)
        b.joint_signals([slide], "m")
        spring = b.add(joint_spring(slide, self.stiffness, self.damping))
        b.signal_of("wall_force", [spring], "effort", "of the wall on the mock-up, along x", "N", labels=["x"])


@dataclass(frozen=True)
class Lanes:
    """One loop at several delays: mass, spring and damper of the contact, cycle of the facility."""

    mass: Measure  # [kg] of each satellite
    stiffness: Measure  # [N/m]
    damping: Measure  # [N s/m]
    cycle: Measure  # [s]
    delays: Measures  # [s]
    speed: Measure = 0.1  # [m/s] at which the satellites come

    def __post_init__(self) -> None:
        take(self, "lanes", mass=MASS, stiffness=STIFFNESS, damping=DAMPING, cycle=CYCLE, speed=Amount("m/s"))
        take_rows(self, "lanes", len(self.delays), delays=DELAY)

    @classmethod
    def around(cls, mass: Measure, stiffness: Measure, damping: Measure, cycle: Measure, **others: Measure) -> Lanes:
        """At delays around that which is expected to be critical: the closed form less half a cycle."""
        held = 0.5 * CYCLE.number(cycle, "lanes: cycle")
        middle = max(critical_delay(mass, stiffness, damping) - held, 0.0)
        delays = tuple(round(middle * (1.0 + share), 9) for share in SPREAD)
        return cls(mass, stiffness, damping, cycle, delays, **others)

    def worlds(self, integrator: Integrator | None = None) -> list[WorldSetup]:
        """`space` with a satellite a lane, `lab` with a rail and its drive a lane; where one is, there is the other."""
        integrator = integrator or RK4(1e-3)
        satellites, rails = [], []
        for n in range(len(self.delays)):
            place = np.array([0.0, LANE * n, 0.0])
            coming = Motion(Pose(np.eye(3), place), v_WL=(self.speed, 0.0, 0.0))
            satellites.append(RigidBody(f"satellite{n + 1}", self.mass, size=(EDGE,) * 3, motion=coming, colour=GOLD))
            rails.append(Rail(f"rail{n + 1}", place, self.stiffness, self.damping, 0.0, self.speed))
            rails.append(ImposedMotion(f"drive{n + 1}", f"rail{n + 1}.slide", (0.0, self.speed)))
        heavy = uniform_gravity(GRAVITY, name="lab.gravity")
        return [
            WorldSetup("space", satellites, integrator=integrator),
            WorldSetup("lab", rails, rows=[heavy], integrator=integrator),
        ]

    @staticmethod
    def sent(lane: int) -> str:
        """The signal of a lane, counted from 1, that has the satellite's position once a cycle."""
        return f"feedback{lane}.position"

    def tasks(self) -> list[Task]:
        """The feedback of each lane: the force of `delay` ago on the satellite, the satellite's motion to the rail."""
        return [
            Task(
                ForceFeedback(self.mass),
                self.cycle,
                {
                    "force": f"rail{n}.wall_force",
                    "p": f"satellite{n}.p_WB",
                    "v": f"satellite{n}.v_WB",
                },
                {"wrench": f"satellite{n}.wrench", "course": f"drive{n}.course"},
                {"force": Sensor(delay=delay)},
                {"position": Signal(self.sent(n), "m", (1,), "W", "of the satellite along x, as sent", ("x",))},
                name=f"feedback{n}",
            )
            for n, delay in enumerate(self.delays, 1)
        ]

    def growths_of(self, result: Result) -> Array | None:
        """Those of a run."""
        return self.growths([result[self.sent(n + 1)][:, 0] for n in range(len(self.delays))])

    def growths(self, motions: Sequence[Array]) -> Array | None:
        """[1/s] per lane at which the satellites' positions x (n,), one a cycle, grow once they have settled.

        None where they are too few to tell.
        """
        swing = 2.0 * np.pi * np.sqrt(self.mass / self.stiffness)  # [s]
        begin, lag = math.ceil(SETTLED * swing / self.cycle), max(1, round(0.25 * swing / self.cycle))
        if min(map(len, motions)) - begin < 4 * lag + 2:
            return None
        return np.array([growth_rate(x[begin:], self.cycle, lag) for x in motions])

    def critical(self, growths: Array) -> float | None:
        """[s] where the growth changes its sign, on the line between the two lanes beside; None where it does not."""
        order = np.argsort(self.delays)
        for before, after in pairwise(order):
            low, high = growths[before], growths[after]
            if low < 0.0 <= high:
                share = -low / (high - low)
                return float(self.delays[before] + share * (self.delays[after] - self.delays[before]))
        return None
