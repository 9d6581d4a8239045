"""What the axes and plates of a facility with errors truly do when its motors are told where to be, compiled.

Motors are told m (13,); gears turn the axes by more or less than they should:

    theta_i = m_i + repeat_i + sum over k of a_ik sin(n_k m_i + phi_ik)

with theta the output side; behind it come the zeros and links of the geometry, the sag, and the carriage of robot 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from freefloat.compiled import inner, onboard
from freefloat.facility.axes import COUNT
from freefloat.facility.chain_step import WORK, Work, chain_in, settle, work_in
from freefloat.facility.rail_errors import waves_at
from freefloat.facility.reach_step import reach
from freefloat.frames import Array

ROOM = WORK + 30


class Errors(NamedTuple):
    """All that is not as it should be."""

    chains: Array  # (2, CHAIN) robots 1 and 2
    numbers: Array  # (n,) [-] how often in a turn the errors of the gears repeat
    gears: Array  # (12, 2 n) [rad] amplitudes and phases of the axes of robots 1 and 2
    waves: Array  # (m, 13) of the rail: `waves_at`
    scale: Array  # (1,) [-] of the rail


class Room(NamedTuple):
    """Room that the functions here write into, all in one array of ROOM numbers."""

    work: Work
    rail: Array  # (6,)
    straight: Array  # (6,) zeros
    theta: Array  # (6,)
    target: Array  # (12,)


@inner
def room_in(a: Array) -> Room:
    """Views of an array (ROOM,) of zeros."""
    w = WORK
    return Room(work_in(a[:w]), a[w : w + 6], a[w + 6 : w + 12], a[w + 12 : w + 18], a[w + 18 : w + 30])


@inner
def _drive(numbers: Array, gears: Array, robot: int, motors: Array, repeat: Array, theta: Array) -> None:
    """Output sides of a robot's gears."""
    count = numbers.shape[0]
    for i in range(6):
        j = 6 * robot + i
        m = motors[1 + j]
        theta[i] = m + repeat[1 + j]
        for k in range(count):
            theta[i] += gears[j, k] * math.sin(numbers[k] * m + gears[j, count + k])


@onboard
def true_plates(
    chains: Array,
    numbers: Array,
    gears: Array,
    waves: Array,
    scale: Array,
    motors: Array,
    repeat: Array,
    given: Array,
    plates: Array,
) -> None:
    """X_GT (n, 2, 12) of both plates at rest, with motors (n, 13) and `repeat` (n, 13) added to what they reach."""
    chain1, chain2, room = chain_in(chains[0]), chain_in(chains[1]), room_in(given)
    for n in range(motors.shape[0]):
        e1 = motors[n, 0] + repeat[n, 0]
        waves_at(waves, scale, e1, room.rail)
        _drive(numbers, gears, 0, motors[n], repeat[n], room.theta)
        settle(chain1, e1, room.rail, room.theta, room.work)
        plates[n, 0, :] = room.work.pose
        _drive(numbers, gears, 1, motors[n], repeat[n], room.theta)
        settle(chain2, 0.0, room.straight, room.theta, room.work)
        plates[n, 1, :] = room.work.pose


@inner
def _give(room: Room, first: int, links: Array, wound: Array) -> None:
    for i in range(6):
        links[first + i], wound[first + i] = room.work.q[i], room.theta[i]


@onboard
def executed_axes(
    chains: Array,
    numbers: Array,
    gears: Array,
    waves: Array,
    scale: Array,
    motors: Array,
    repeat: Array,
    given: Array,
    links: Array,
    wound: Array,
) -> None:
    """Axes (13,) of a plant with a straight rail and this geometry, whose plates are where the true ones are.

    `links` for rigid joints, with the sag in them; `wound` for the motors of elastic ones. The carriage's shift along x
    is in E1; robot 1's axes make up for the rest of its displacement.
    """
    chain1, chain2, room = chain_in(chains[0]), chain_in(chains[1]), room_in(given)
    e1 = motors[0] + repeat[0]
    waves_at(waves, scale, e1, room.rail)
    links[0] = wound[0] = e1 + room.rail[3]
    _drive(numbers, gears, 0, motors, repeat, room.theta)
    settle(chain1, e1, room.rail, room.theta, room.work)
    room.target[:] = room.work.pose
    reach(chain1, links[0], room.straight, room.target, room.theta, room.work)
    _give(room, 1, links, wound)
    _drive(numbers, gears, 1, motors, repeat, room.theta)
    settle(chain2, 0.0, room.straight, room.theta, room.work)
    _give(room, 7, links, wound)


@onboard
def told_motors(
    chains: Array,
    numbers: Array,
    gears: Array,
    waves: Array,
    scale: Array,
    axes: Array,
    elastic: bool,
    repeat: Array,
    given: Array,
    motors: Array,
) -> None:
    """Motors (13,) for which `executed_axes` gives these axes: what encoders show. Each round gains a factor of 200."""
    links, wound = axes.copy(), axes.copy()
    motors[:] = axes
    for _ in range(6):
        executed_axes(chains, numbers, gears, waves, scale, motors, repeat, given, links, wound)
        for i in range(COUNT):
            motors[i] += axes[i] - (wound[i] if elastic else links[i])
