"""What the pulse MPC does at 100 Hz: estimate pose, rate and slope, and turn the body with the wheel.

Compiled steps on plain arrays, changed in place. The filter is that of `gnc.estimation.disturbance_filter` with two
additions: the slope walks with the way over the floor, and an open valve adds noise, as its strength is not known.
"""

from __future__ import annotations

import math

from freefloat.compiled import onboard
from freefloat.frames import Array
from freefloat.gnc.control.platform.thrust import open_wrench, wrench_on_floor
from freefloat.gnc.control.platform.wheel import next_speed
from freefloat.gnc.estimation.disturbance_filter import correct_pose, is_new, predict_pose
from freefloat.gnc.estimation.kalman import wrapped
from freefloat.gnc.planning.platform.hermite_reference import hermite_at

RATE, SLOPE = 1, 2  # places in an axis' state
COMMAND, TARGET, SPEED, MEMORY = range(4)  # wheel [rad/s]: commanded, wanted, measured; how many
# of the platform (12,): masses and thrust, the angle's gains, how far [rad/s] the wheel's command and its wanted speed
# may be from the measured one, its top speed, the tick, what is not known of the floor and of a thruster's strength
MASS, INERTIA, WHEEL, THRUST, GAIN_ANGLE, GAIN_RATE, REACH, OWED, TOP, TICK, ROUGHNESS, STRENGTH = range(12)


@onboard
def sense(
    pose: Array, speed: float, valves: Array, wrenches: Array, platform: Array,
    axes: Array, x: Array, P: Array, watch: Array, last: Array, memory: Array,
) -> None:  # fmt: skip
    """Filter one tick: predict with the valves (n,) open until now and the wheel's measured change, then correct.

    (I_b + I_w) theta'' = torque of the thrusters - I_w (change of the wheel's relative speed) / T, whatever the drive
    made of its command. A pose that repeats the last one bit by bit is a lost sample.
    """
    T, push = platform[TICK], platform[THRUST] / platform[MASS]
    fx, fy, _ = wrench_on_floor(valves, wrenches, 1.0, x, T)
    torque = open_wrench(valves, wrenches, platform[THRUST])[2]
    turn = (torque - platform[WHEEL] * (speed - memory[SPEED]) / T) / (platform[INERTIA] + platform[WHEEL])
    wide = high = 0.0
    for i in range(valves.size):
        if valves[i]:
            wide, high = wide + wrenches[0, i] ** 2, high + wrenches[1, i] ** 2
    c, s = math.cos(x[2, 0] + 0.5 * T * x[2, RATE]), math.sin(x[2, 0] + 0.5 * T * x[2, RATE])
    spread = push**2 * (c * c * wide + s * s * high), push**2 * (s * s * wide + c * c * high)
    noise = platform[STRENGTH] ** 2 * spread[0], platform[STRENGTH] ** 2 * spread[1], 0.0
    predict_pose(axes, x, P, (push * fx, push * fy, turn), noise, platform[ROUGHNESS], T)
    if is_new(pose, last):
        correct_pose(axes, x, P, watch, pose, 0.0, T)
    memory[SPEED] = speed


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
    torque = open_wrench(valves, wrenches, platform[THRUST])[2]
    speed, J, body = memory[SPEED], platform[WHEEL], platform[INERTIA]
    later = x[2, RATE] - J * (memory[TARGET] - speed) / body
    wanted = (
        work[2, 2] + platform[GAIN_ANGLE] * wrapped(work[0, 2] - x[2, 0]) + platform[GAIN_RATE] * (work[1, 2] - later)
    )
    change = platform[TICK] / J * (torque - body * (wanted - x[2, SLOPE]))
    memory[TARGET] = next_speed(memory[TARGET], change, speed, platform[OWED], platform[TOP])
    memory[COMMAND] = next_speed(memory[TARGET], 0.0, speed, platform[REACH], math.inf)
