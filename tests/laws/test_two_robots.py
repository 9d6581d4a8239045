"""Two robots on one structure: they work at once where they keep apart, whatever becomes of their times."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.unit.gnc.control.executive.kinematic_plant import Joints, Plant, PlantRobot

from freefloat.frames import Array
from freefloat.gnc.control.executive.belief import X_of_foot
from freefloat.gnc.control.executive.company import APART
from freefloat.gnc.control.executive.executive import Executive
from freefloat.gnc.control.executive.onboard_models import ModelKeeper
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.planning.reconfiguration.problem import Carry, Operation
from freefloat.missions.modular.planning import JOINT_SPEED
from freefloat.missions.modular.rebuilding import ROUND, THICK, Rebuilding, centre_line, rebuilding_of
from freefloat.missions.modular.reconfiguration import known_modules

UP = 4  # the side +z
LOOK = 1.0  # [s] between looks at how far robots are apart
Cells = tuple[tuple[int, int, int], tuple[int, int, int]]


def job(robots: int) -> Rebuilding:
    plan = "slab-to-two-towers" if robots == 2 else "slab-to-two-towers-alone"
    return rebuilding_of("slab-10x2", "two-towers", plan, "type", robots, JOINT_SPEED)


class Flight:
    """The executive with one or both robots of `two-robots`, on a plant without dynamics."""

    def __init__(self, robots: int = 2) -> None:
        self.job = job(robots)
        problem, crew, limb = self.job.pair.problem, self.job.members(), self.job.planning.motions.limb
        self.joints = [Joints(m.q) for m in crew]
        robots = [PlantRobot(m.name, j, m.hands, limb.pose) for m, j in zip(crew, self.joints, strict=True)]
        self.plant = Plant(problem.places, problem.kinds, problem.start, robots, [m.stance for m in crew])
        for hand in self.plant.hands:
            self.plant.busy[hand] = 10.0
        led = [Robot(m.name, j, m.hands, m.stance) for m, j in zip(crew, self.joints, strict=True)]  # pyright: ignore[reportArgumentType]
        planning = replace(self.job.planning, replan=None)
        modules = known_modules(self.job.pair.body())
        self.executive = Executive(planning, self.job.plan, led, modules, ModelKeeper(0.2))
        self.t, self.least, self.at_once = 0.0, np.inf, 0.0

    def ask_for(self, *transfers: Cells) -> None:
        """In place of the plan: one transfer by each robot, in any order."""
        problem = self.job.pair.problem
        index = {tuple(cell): k for k, cell in enumerate(problem.places.cells.tolist())}
        operations = []
        for robot, (source, target) in enumerate(transfers):
            carry = Carry(index[source], index[target], UP, 0)
            module = int(problem.start.identity[carry.source])
            operations.append(Operation(robot + 1, robot, problem.robots[robot], None, carry, module))
        self.executive.agenda = replace(self.executive.agenda, operations=tuple(operations))

    def fly(self, longest: float) -> Flight:
        while self.t < longest and not (self.executive.finished or self.executive.stopped):
            self.plant.obey(self.t, self.executive.update(self.t, self.plant.measure(self.t)))
            self.at_once += 0.1 * (len(self.executive.attempts) == 2)
            if round(self.t / LOOK, 6) % 1.0 == 0.0:
                self.plant.check()
                if len(self.joints) == 2:
                    self.least = min(self.least, self.apart())
            self.t = round(self.t + 0.1, 10)
        return self

    def apart(self) -> float:
        """[m] between the robots as capsules, with balls round what they carry."""
        (a, r), (b, s) = (self.shape(k) for k in range(2))
        return float((np.linalg.norm(a[:, None] - b[None], axis=2) - r[:, None] - s[None]).min())

    def shape(self, number: int) -> tuple[Array, Array]:
        """Points along the centre line, 17 mm apart or less, and of the load; with their radii."""
        robot, job = self.executive.robots[number], self.job
        X, q = X_of_foot(job.pair.problem.places, robot.stance), self.joints[number].q
        line = X.apply(centre_line(job.planning.motions.limb, q if robot.stands == "a" else q[::-1]))
        points = [np.linspace(a, b, 40) for a, b in pairwise(line)]
        radii = [np.full(40, THICK)] * len(points)
        pitch, out = job.pair.grid.spacing, line[-1] - line[-2]
        if any(self.plant.hands[hand].held[1] for hand in robot.hands.values()):
            points.append((line[-1] + 0.5 * pitch * out / np.linalg.norm(out))[None])
            radii.append(np.array([ROUND * pitch]))
        return np.concatenate(points), np.concatenate(radii)


def test_two_robots_fly_their_plan_at_once_and_keep_apart() -> None:
    flight = Flight().fly(1500.0)
    assert flight.executive.finished
    assert flight.executive.recoveries == flight.executive.replans == 0
    assert flight.least >= APART
    assert flight.at_once > 0.75 * flight.t


def test_two_robots_keep_apart_however_long_a_hand_takes() -> None:
    """The right one puts a module beside where the left one still grips, which it should have left long ago."""
    flight = Flight()
    flight.ask_for(((4, 2, 0), (2, 2, 1)), ((6, 2, 0), (5, 2, 1)))
    flight.plant.busy["left_b"] = 45.0
    flight.fly(500.0)
    assert flight.executive.transfers == 2
    assert flight.least >= APART


def test_a_robot_that_rests_in_the_way_goes_home_first() -> None:
    """The right one is turned towards the left one and stretched out, as after a recovery."""
    flight = Flight()
    flight.ask_for(((4, 2, 0), (2, 2, 1)))
    home = flight.joints[1].q.copy()
    flight.joints[1].q = np.array([2.8, 0.6, 0.0, 0.9, 0.0, 0.6, 0.0])
    flight.fly(500.0)
    assert flight.executive.transfers == 1
    assert np.abs(flight.joints[1].q - home).max() < 1e-6
    assert flight.least >= APART


@pytest.mark.slow
def test_two_robots_take_at_most_0_6_of_the_time_of_one_that_flies_a_plan_of_its_own() -> None:
    one, two = Flight(1).fly(3000.0), Flight(2).fly(3000.0)
    assert one.executive.finished
    assert two.executive.finished
    assert two.t <= 0.6 * one.t
    predicted = one.job.plan.cost  # what `makespan_ratio` compares with
    assert predicted <= one.t <= 1.05 * predicted
