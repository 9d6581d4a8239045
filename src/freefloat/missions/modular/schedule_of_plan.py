"""A plan in time: when each operation begins if nothing goes wrong, by which hand, and what it asks of that hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.gnc.control.executive.course import OTHER
from freefloat.gnc.control.executive.steps import SETTLE
from freefloat.gnc.planning.reconfiguration.motions import Leg
from freefloat.gnc.planning.reconfiguration.problem import Operation
from freefloat.missions.modular.rebuilding import Rebuilding
from freefloat.structure.tensor_body import TensorBody

PAUSE = 0.1  # [s] by which the executive notices that a step is done
SAMPLES = 400  # of a motion


@dataclass(frozen=True, eq=False)
class Foreseen:
    """An operation before it begins."""

    operation: Operation
    begin: float  # [s]
    end: float  # [s]
    hand: str  # that works
    body: TensorBody  # the structure before
    legs: tuple[Leg, ...]
    torque: float  # [N m] largest at hand or foot by what is carried


def foreseen(job: Rebuilding) -> list[Foreseen]:
    """All operations of the plan one after the other, by one robot at a time."""
    members, body = job.members(), job.body.copy()
    stances = list(job.pair.problem.robots)
    ends = ["a"] * len(members)
    interface = body.catalogue.interface("active")
    found: list[Foreseen] = []
    now = 0.0
    for o in job.plan.operations:
        others = [s for k, s in enumerate(stances) if k != o.robot]
        legs = job.planning.legs(o, job.contents(body), others)
        rests = len(legs) * (SETTLE + PAUSE)
        orders = (1 if o.carry is None else 2) * (interface.closing_time + interface.opening_time + 2.0 * PAUSE)
        end = now + sum(leg.path.duration for leg in legs) + rests + orders
        hand = members[o.robot].hands[OTHER[ends[o.robot]]]
        torque = 0.0 if o.carry is None else carried_torque(job, body, o, legs[1])
        found.append(Foreseen(o, now, end, hand, body.copy(), tuple(legs), torque))
        now = end
        if o.carry is not None:
            turned = job.turned(o.carry.turn, int(body.orientation[o.carry.source]))
            body.insert(o.carry.target, body.remove(o.carry.source), turned)  # it may be the same place
        else:
            assert o.to is not None
            stances[o.robot], ends[o.robot] = o.to, OTHER[ends[o.robot]]
    return found


def carried_torque(job: Rebuilding, body: TensorBody, o: Operation, leg: Leg) -> float:
    """[N m] the largest torque that a carried module asks of hand or foot by its inertia; the structure is still."""
    chain, kind = job.walker.chain("a", "b"), body.module(o.carry.source).type if o.carry is not None else None
    assert kind is not None
    times = np.linspace(0.0, leg.path.duration, SAMPLES)
    poses = [chain.pose(leg.path.at(float(t))[0]) for t in times]
    h = float(times[1] - times[0])
    depth = 0.5 * body.grid.spacing
    p = np.array([X.p + depth * X.R[:, 2] for X in poses])
    a = np.diff(p, n=2, axis=0) / h**2
    lever = np.array([depth * X.R[:, 2] for X in poses])[1:-1]
    spin = np.array([_rate(poses[k].R, poses[k + 1].R, h) for k in range(len(poses) - 1)])
    alpha = np.diff(spin, axis=0) / h
    inertia = float(np.max(np.diag(np.array(kind.I_MMcm_M))))
    push, turn = float(kind.mass) * a, inertia * alpha
    at_hand, at_foot = turn + np.cross(lever, push), turn + np.cross(p[1:-1], push)
    return float(max(np.linalg.norm(torque, axis=1).max() for torque in (at_hand, at_foot)))


def _rate(R0: np.ndarray, R1: np.ndarray, h: float) -> np.ndarray:
    skew = (R1 @ R0.T - R0 @ R1.T) / (2.0 * h)
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
