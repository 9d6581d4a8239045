"""What the pulse MPC does at 100 Hz: estimate pose, rate and slope, and turn the body with the wheel.

Compiled steps on plain arrays, changed in place. The filter is that of `gnc.estimation.disturbance_filter` with two
additions: the slope walks with the way over the floor, and an open valve adds noise, as its strength is not known.
"""

from __future__ import annotations

import math

from freefloat.compiled import onboard
from freefloat.frames import Array
from freefloat.gnc.estimation.disturbance_filter import correct_axis, predict_axis
from freefloat.gnc.estimation.kalman import wrapped
from freefloat.gnc.planning.hermite_reference import hermite_at

RATE, SLOPE = 1, 2  # places in an axis' state
COMMAND, TARGET, SPEED, LAST, MEMORY = 0, 1, 2, 3, 6  # wheel [rad/s]: commanded, wanted, measured; last pose; size
# of the platform (10,): masses and thrust, the angle's gains, how far [rad/s] the wheel's command and its wanted speed
# may be from the measured one, its top speed, the tick
MASS, INERTIA, WHEEL, THRUST, GAIN_ANGLE, GAIN_RATE, REACH, OWED, TOP, TICK = range(10)
SIGMA, NOISE, WALK, TRAVEL, STRENGTH, JUMP, DRIFT, ALARM = range(8)  # of an axis, rows of (3, 8)


@onboard
def sense(
    pose: Array, speed: float, valves: Array, wrenches: Array, platform: Array, axes: Array,
    x: Array, P: Array, watch: Array, memory: Array,
) -> None:  # fmt: skip
    """Filter one tick: predict with the valves (n,) open until now and the wheel's measured change, then correct.

    (I_b + I_w) theta'' = torque of the thrusters - I_w (change of the wheel's relative speed) / T, whatever the drive
    made of its command. A pose that repeats the last one bit by bit is a lost sample.
    """
    T, push = platform[TICK], platform[THRUST] / platform[MASS]
    fx = fy = torque = wide = high = 0.0
    for i in range(valves.size):
        if valves[i] > 0.0:
            fx, fy = fx + wrenches[0, i], fy + wrenches[1, i]
            torque += platform[THRUST] * wrenches[2, i]
            wide, high = wide + wrenches[0, i] ** 2, high + wrenches[1, i] ** 2
    c, s = math.cos(x[2, 0] + 0.5 * T * x[2, RATE]), math.sin(x[2, 0] + 0.5 * T * x[2, RATE])
    turn = (torque - platform[WHEEL] * (speed - memory[SPEED]) / T) / (platform[INERTIA] + platform[WHEEL])
    known = (push * (c * fx - s * fy), push * (s * fx + c * fy), turn)
    spread = (push**2 * (c * c * wide + s * s * high), push**2 * (s * s * wide + c * c * high), 0.0)
    travel = math.sqrt(x[0, RATE] ** 2 + x[1, RATE] ** 2)
    memory[SPEED] = speed
    lost = True
    for i in range(3):
        noise = axes[i, NOISE] ** 2 + axes[i, STRENGTH] ** 2 * spread[i]
        walk = axes[i, WALK] ** 2 + axes[i, TRAVEL] ** 2 * travel
        predict_axis(x[i], P[i], known[i], T, noise, walk)
        lost = lost and pose[i] == memory[LAST + i]
        memory[LAST + i] = pose[i]
    if not lost:
        for i in range(3):
            nu = pose[i] - x[i, 0]
            a = axes[i]
            correct_axis(x[i], P[i], watch[i], nu if i < 2 else wrapped(nu), T, a[SIGMA], a[JUMP], a[DRIFT], a[ALARM])


@onboard
def steer(
    t: float, valves: Array, wrenches: Array, platform: Array, knots: tuple[Array, Array, Array], x: Array,
    memory: Array, work: Array,
) -> None:  # fmt: skip
    """The wheel's next command: the open valves' torque fed forward, and a PD on the angle (eq. 3.7).

    The wanted speed integrates the wanted torque, and the command follows it as fast as the motor can: a pulse asks for
    more torque than there is, and the wheel makes up for it after the pulse. Therefore the PD judges the rate that the
    body will have once the wheel is at its wanted speed. At most two pulses' worth may be owed.
    """
    hermite_at(knots[0], knots[1], knots[2], t, work)
    torque = 0.0
    for i in range(valves.size):
        if valves[i] > 0.0:
            torque += platform[THRUST] * wrenches[2, i]
    speed, J, body = memory[SPEED], platform[WHEEL], platform[INERTIA]
    later = x[2, RATE] - J * (memory[TARGET] - speed) / body
    wanted = (
        work[2, 2] + platform[GAIN_ANGLE] * wrapped(work[0, 2] - x[2, 0]) + platform[GAIN_RATE] * (work[1, 2] - later)
    )
    target = memory[TARGET] + platform[TICK] / J * (torque - body * (wanted - x[2, SLOPE]))
    owed, reach, top = platform[OWED], platform[REACH], platform[TOP]
    memory[TARGET] = max(-top, min(top, max(speed - owed, min(speed + owed, target))))
    memory[COMMAND] = max(speed - reach, min(speed + reach, memory[TARGET]))
