"""One tick of `WrenchTracker` on plain arrays: estimate, and at the start of each period share out a wrench."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freefloat.compiled import inlined, onboard
from freefloat.frames import Array
from freefloat.gnc.control.platform.commands import PlatformCommands, tell
from freefloat.gnc.control.platform.least_thrust import allocate
from freefloat.gnc.control.platform.modulation import Valves, pulse_width_tick
from freefloat.gnc.control.platform.thrust import wrench_on_floor
from freefloat.gnc.estimation.disturbance_filter import correct_pose, is_new, predict_pose
from freefloat.gnc.estimation.kalman import wrapped
from freefloat.gnc.planning.platform.hermite_reference import hermite_at

# places in `numbers`; from LOOPS k_p, k_d and reach of x, y, theta
DT, MASS, INERTIA, THRUST, PERIOD, MIN_ON, MIN_OFF, DELAY, LOOPS = range(9)


class WrenchState(NamedTuple):
    """What the tracker remembers and what it needs."""

    axes: Array  # of `pose_filter`, as are the next four
    x: Array
    P: Array
    watch: Array
    last: Array
    times: Array  # of the reference, as are the next two
    poses: Array
    rates: Array
    thrusters: Array  # (3, n)
    bases: Array  # of `thrust_bases`
    numbers: Array
    carry: Array  # (3,) wrench that rounding left over
    pulses: Array  # (n, 2) of the modulators
    on: Valves  # (n,)


@onboard
def wrench_tick(t: float, pose: Array, state: WrenchState, out: PlatformCommands) -> None:
    """One update of `WrenchTracker`."""
    started = not math.isnan(state.last[0])
    fresh = is_new(pose, state.last)
    if started:
        _observe(pose, fresh, state)
    elif fresh:
        state.x[0, 0], state.x[1, 0], state.x[2, 0] = pose[0], pose[1], wrapped(pose[2])
    else:
        return
    _open(t, state)
    for i in range(state.on.size):
        out.valves[i] = 1.0 if state.on[i] else 0.0
    tell(state.x, out)


@inlined
def _observe(pose: Array, fresh: bool, state: WrenchState) -> None:
    """Predict over the last tick with the thrust commanded; correct with a new pose."""
    axes, x, P, numbers = state.axes, state.x, state.P, state.numbers
    dt, m = numbers[DT], numbers[MASS]
    force_x, force_y, torque = wrench_on_floor(state.on, state.thrusters, numbers[THRUST], x, dt)
    known = force_x / m, force_y / m, torque / numbers[INERTIA]
    predict_pose(axes, x, P, known, (0.0, 0.0, 0.0), 0.0, dt)
    if fresh:
        correct_pose(axes, x, P, state.watch, pose, numbers[DELAY], dt)
    x[2, 0] = wrapped(x[2, 0])


@inlined
def _open(t: float, state: WrenchState) -> None:
    """The valves of this tick; at the start of a period for the wrench wanted, whose rounding is carried on."""
    numbers, pulses, n = state.numbers, state.pulses, state.on.size
    f, wrench, share = np.zeros(n), np.empty(3), 1.0
    starts = pulses[0, 1] == 0.0
    if starts:
        _wanted(t, state, wrench)
        share = allocate(state.bases, wrench, numbers[THRUST], f)
    pulse_width_tick(pulses, f, state.on, numbers[THRUST], numbers[PERIOD], numbers[MIN_ON], numbers[MIN_OFF])
    if starts:
        for a in range(3):
            made = 0.0
            for i in range(n):
                made += state.thrusters[a, i] * numbers[THRUST] * pulses[i, 0] / numbers[PERIOD]
            state.carry[a] = share * wrench[a] - made


@inlined
def _wanted(t: float, state: WrenchState, wrench: Array) -> None:
    """Wrench in B over the coming period: the PD law's, and what the last one owed."""
    numbers, x, carry = state.numbers, state.x, state.carry
    target, a = np.empty((3, 3)), np.empty(3)
    hermite_at(state.times, state.poses, state.rates, t, target)
    for k in range(3):
        gap = target[0, k] - x[k, 0]
        gap = wrapped(gap) if k == 2 else gap
        stiffness, resistance, reach = numbers[LOOPS + 3 * k], numbers[LOOPS + 3 * k + 1], numbers[LOOPS + 3 * k + 2]
        gap = min(max(gap, -reach), reach)
        a[k] = target[2, k] + stiffness * gap + resistance * (target[1, k] - x[k, 1]) - x[k, 2]
    angle = x[2, 0] + 0.5 * numbers[PERIOD] * numbers[DT] * x[2, 1]
    c, s = math.cos(angle), math.sin(angle)
    wrench[0] = numbers[MASS] * (c * a[0] + s * a[1]) + carry[0]
    wrench[1] = numbers[MASS] * (c * a[1] - s * a[0]) + carry[1]
    wrench[2] = numbers[INERTIA] * a[2] + carry[2]
