"""The onboard models of all robots, kept in line with what is reported: where each stands, what it carries, what the
structure weighs."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from freefloat.frames import Pose
from freefloat.gnc.control.executive.belief import Modules, X_of_foot, moved
from freefloat.gnc.control.executive.course import OTHER
from freefloat.gnc.control.executive.hand_words import Says
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.control.executive.telemetry import HandReport, Report
from freefloat.gnc.control.inverse_dynamics import Mass, read_mass
from freefloat.gnc.control.joint_modes import Footing

HELD = (Says.CARRYING, Says.PLACING)


class ModelKeeper:
    """Writes masses and stances into the footings of robots where reports have changed; `depth` [m] is from a hand's
    frame to the centre of the module in it."""

    def __init__(self, depth: float) -> None:
        self.depth = depth
        self._known: tuple[object, ...] = ()

    def keep(self, report: Report, robots: Sequence[Robot], modules: Modules) -> bool:
        """Take over a report; whether anything is new in it."""
        hands = tuple((h.state in HELD, h.module, h.orientation) for h in report.hands.values())
        stances = tuple((r.stands, r.stance) for r in robots)
        known = report.identity.tobytes(), report.orientation.tobytes(), hands, stances
        if known == self._known:
            return False
        self._known = known
        structure = modules.mass(modules.contents(report.identity, report.orientation))
        for robot in robots:
            payload = self._payload(report.hands[robot.hands[OTHER[robot.stands]]], modules)
            robot.modes.stand_on(robot.stands)
            footing = robot.modes.footing
            footing.stand_at(X_of_foot(modules.places, robot.stance))
            footing.set_payload(payload)
        for robot in robots:
            others = [as_lump(r.modes.footing, report.q[r.name]) for r in robots if r is not robot]
            robot.modes.footing.set_stack(sum(others, structure))
        return True

    def _payload(self, hand: HandReport, modules: Modules) -> Mass:
        held = hand.module if hand.state in HELD else 0
        return modules.payload(held, hand.orientation, self.depth)


def as_lump(footing: Footing, q: np.ndarray) -> Mass:
    """A robot with its payload in a posture, as mass of the structure T on which it stands."""
    model, data = footing.model, mujoco.MjData(footing.model)
    for name, angle in zip(footing.joints, q, strict=True):
        data.qpos[int(model.joint(name).qposadr[0])] = angle
    mujoco.mj_kinematics(model, data)
    stack = model.body(footing.stack).id
    X_TW = Pose(data.xmat[stack].reshape(3, 3), data.xpos[stack]).inverse()
    total = Mass.none()
    for body in range(1, model.nbody):
        if body != stack and model.body_mass[body] > 0.0:
            X_TB = X_TW @ Pose(data.xmat[body].reshape(3, 3), data.xpos[body])
            total += moved(read_mass(model, model.body(body).name), X_TB.R, X_TB.p)
    return total
