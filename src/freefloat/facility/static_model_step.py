"""Ideal axes to motor axes and back by a static model of the facility, compiled."""

from __future__ import annotations

from freefloat.compiled import inner, onboard
from freefloat.facility.chain_step import Chain, chain_in, settle, walk
from freefloat.facility.rail_errors import spline_at
from freefloat.facility.reach_step import reach
from freefloat.facility.truth_step import Room, room_in
from freefloat.frames import Array

RAIL_ROUNDS = 4  # each gains a factor of more than 1000


@inner
def _take(axes: Array, n: int, first: int, theta: Array) -> None:
    for i in range(6):
        theta[i] = axes[n, first + i]


@inner
def _give(theta: Array, axes: Array, n: int, first: int) -> None:
    for i in range(6):
        axes[n, first + i] = theta[i]


@inner
def _design_pose(chain: Chain, e1: float, room: Room) -> None:
    """The pose by design of the plate, with the axes at `room.theta`, as the target."""
    for i in range(6):
        room.work.q[i] = room.theta[i]
    walk(chain, e1, room.straight, room.work)
    room.target[:] = room.work.pose


@onboard
def motors_of(
    chains: Array, coefficients: Array, ends: Array, ideal: Array, given: Array, motors: Array, miss: Array
) -> None:
    """Motors (n, 13) at which the plates of the model are where those of the ideal lab are at `ideal` (n, 13).

    `chains` (4, CHAIN): robots 1 and 2 of the model, and by design; the rail as for `spline_at`; `given` (ROOM,);
    `miss` (n, 2) [m or rad] is what the search leaves.
    """
    chain1, chain2, design1, design2 = (
        chain_in(chains[0]),
        chain_in(chains[1]),
        chain_in(chains[2]),
        chain_in(chains[3]),
    )
    room = room_in(given)
    for n in range(ideal.shape[0]):
        e1 = ideal[n, 0]
        for _ in range(RAIL_ROUNDS):
            spline_at(coefficients, ends, e1, room.rail)
            e1 = ideal[n, 0] - room.rail[3]
        motors[n, 0] = e1
        spline_at(coefficients, ends, e1, room.rail)
        _take(ideal, n, 1, room.theta)
        _design_pose(design1, ideal[n, 0], room)
        miss[n, 0] = reach(chain1, e1, room.rail, room.target, room.theta, room.work)
        _give(room.theta, motors, n, 1)
        _take(ideal, n, 7, room.theta)
        _design_pose(design2, 0.0, room)
        miss[n, 1] = reach(chain2, 0.0, room.straight, room.target, room.theta, room.work)
        _give(room.theta, motors, n, 7)


@onboard
def ideals_of(
    chains: Array, coefficients: Array, ends: Array, motors: Array, given: Array, ideal: Array, miss: Array
) -> None:
    """Ideal axes (n, 13) at which the plates of the ideal lab are where those of the model are at `motors` (n, 13)."""
    chain1, chain2, design1, design2 = (
        chain_in(chains[0]),
        chain_in(chains[1]),
        chain_in(chains[2]),
        chain_in(chains[3]),
    )
    room = room_in(given)
    for n in range(motors.shape[0]):
        e1 = motors[n, 0]
        spline_at(coefficients, ends, e1, room.rail)
        ideal[n, 0] = e1 + room.rail[3]
        _take(motors, n, 1, room.theta)
        settle(chain1, e1, room.rail, room.theta, room.work)
        room.target[:] = room.work.pose
        miss[n, 0] = reach(design1, ideal[n, 0], room.straight, room.target, room.theta, room.work)
        _give(room.theta, ideal, n, 1)
        _take(motors, n, 7, room.theta)
        settle(chain2, 0.0, room.straight, room.theta, room.work)
        room.target[:] = room.work.pose
        miss[n, 1] = reach(design2, 0.0, room.straight, room.target, room.theta, room.work)
        _give(room.theta, ideal, n, 7)
