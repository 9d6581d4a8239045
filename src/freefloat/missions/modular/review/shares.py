"""How much of their limits joints, interfaces and wheels used, from recorded signals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.engine.result import Result
from freefloat.frames import Array
from freefloat.missions.modular.review.subject import Subject


@dataclass(frozen=True)
class Worst:
    """A figure of merit at its worst: its name, value, instant [s] and where it was, in words; empty: nowhere."""

    name: str
    value: float
    t: float
    where: str


def joint_shares(result: Result, subject: Subject) -> list[Worst]:
    """Least margin to a position limit [deg], and largest shares of speed and torque, over all revolute joints."""
    margin: list[Worst] = []
    speed: list[Worst] = []
    torque: list[Worst] = []
    for robot in subject.robots:
        q, qd, tau = (result[f"{robot.name}.{n}"] for n in ("q", "qd", "tau_applied"))
        t = result.time(f"{robot.name}.q")
        for k, joint in enumerate(robot.graph.moving):
            where = f"joint {joint.name} of {robot.name}"
            if joint.kind == "revolute":
                left = np.rad2deg(np.minimum(q[:, k] - joint.lower, joint.upper - q[:, k]))
                margin.append(_least("joint_limit_margin_min_deg", left, t, where))
            speed.append(_largest("joint_speed_share_max", np.abs(qd[:, k]) / joint.velocity, t, where))
            torque.append(_largest("joint_torque_share_max", np.abs(tau[:, k]) / joint.effort, t, where))
    found = [min(margin, key=lambda w: w.value)] if margin else []
    return [*found, *(max(of, key=lambda w: w.value) for of in (speed, torque) if of)]


def interface_share(result: Result, subject: Subject) -> list[Worst]:
    """Largest share of the force or torque that a hand's interface bears."""
    found: list[Worst] = []
    for hand in (h for robot in subject.robots for h in robot.hands):
        name = f"{subject.assembly}.{hand.name}.load"
        load, t = np.nan_to_num(result[name]), result.time(name)
        for column, limit, what in ((0, hand.interface.max_force, "force"), (1, hand.interface.max_torque, "torque")):
            found.append(
                _largest("interface_load_share_max", load[:, column] / limit, t, f"{what} at hand {hand.name}")
            )
    return _one(found)


def wheel_share(result: Result, subject: Subject) -> list[Worst]:
    """Largest share of a rotor's momentum."""
    found: list[Worst] = []
    for part, most in subject.wheels.items():
        h, t = np.abs(result[f"{part}.h"]), result.time(f"{part}.h")
        found += [
            _largest("wheel_momentum_share_max", h[:, k] / most, t, f"rotor {k} of {part}") for k in range(h.shape[1])
        ]
    return _one(found)


def _one(found: Sequence[Worst]) -> list[Worst]:
    return [max(found, key=lambda w: w.value)] if found else []


def _least(name: str, values: Array, t: Array, where: str) -> Worst:
    k = int(np.argmin(values))
    return Worst(name, float(values[k]), float(t[k]), where)


def _largest(name: str, values: Array, t: Array, where: str) -> Worst:
    k = int(np.argmax(values))
    return Worst(name, float(values[k]), float(t[k]), where)
