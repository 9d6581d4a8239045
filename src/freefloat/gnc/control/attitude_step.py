"""One update of `AttitudeController` on plain arrays."""

from __future__ import annotations

import math

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.control.pointing import refer
from freefloat.gnc.rotations import (
    Numbers,
    Vector,
    cross,
    matrix,
    matrix_of,
    norm,
    quat_inverse,
    quat_product,
    quat_unit,
    scaled,
    times,
    transposed,
    vector,
)

DETUMBLE, POINTING = 0.0, 1.0  # values of the output `mode`
# places in `numbers`
KP, KD, KI, TORQUE_LIMIT, RATE_LIMIT, DETUMBLE_GAIN, HANDOVER, RESUME = range(8)
MODE, LAST_T = range(2)  # places in `memory`


@onboard
def attitude_step(
    t: float,
    q_WB: Array,
    w: Array,
    h_B: Array,
    tau_ff: Array,
    inertia: Array,
    p_ECI: Array,
    v_ECI: Array,
    a_ECI: Array,
    sun_W: Array,
    pointing: Array,
    reference: Array,
    numbers: Array,
    memory: Array,
    integral: Array,
    tau: Array,
    error: Array,
    rate_error: Array,
    mode: Array,
) -> None:
    """Torque on the bus at t [s]; what the pointing mode reads has no length where it is not measured."""
    dt = 0.0 if math.isnan(memory[LAST_T]) else t - memory[LAST_T]
    memory[LAST_T] = t
    refer(pointing, p_ECI, v_ECI, a_ECI, sun_W, reference)
    q_RB = quat_product(quat_inverse(reference), q_WB)
    R_BR = transposed(matrix_of(q_RB))
    w_r, a_r = times(R_BR, vector(reference, 4)), times(R_BR, vector(reference, 7))
    e = scaled(quat_unit(q_RB)[1:], 2.0)
    w_e = w[0] - w_r[0], w[1] - w_r[1], w[2] - w_r[2]
    _choose_mode(norm(w), numbers, memory, integral)
    if memory[MODE] == DETUMBLE:
        acceleration, slewing = scaled(w, -numbers[DETUMBLE_GAIN]), False
    else:
        acceleration, slewing = _pointing_acceleration(a_r, cross(w, w_r), e, w_e, integral, numbers)
    H, A = times(matrix(inertia), w), times(matrix(inertia), acceleration)
    gyroscopic = cross(w, (H[0] + h_B[0], H[1] + h_B[1], H[2] + h_B[2]))
    largest = 0.0
    for i in range(3):
        tau[i] = gyroscopic[i] + A[i] + tau_ff[i]
        largest = max(largest, abs(tau[i]))
    saturated = largest > numbers[TORQUE_LIMIT]
    for i in range(3):
        shrinks = e[i] * integral[i] < 0.0
        if memory[MODE] == POINTING and numbers[KI] > 0.0 and (shrinks or not (slewing or saturated)):
            integral[i] += e[i] * dt
        if saturated:
            tau[i] *= numbers[TORQUE_LIMIT] / largest
        error[i], rate_error[i] = e[i], w_e[i]
    mode[0] = memory[MODE]


@inner
def _pointing_acceleration(
    a_r: Vector, w_cross_w_r: Vector, e: Vector, w_e: Vector, integral: Numbers, numbers: Array
) -> tuple[Vector, bool]:
    """Wanted derivative of w_WB_B, and whether the rate limit cuts the error."""
    kp, kd, ki = numbers[KP], numbers[KD], numbers[KI]
    size, largest = norm(e), numbers[RATE_LIMIT] * kd / kp
    cut = size > largest
    shown = kp * largest / size if cut else kp
    return (
        a_r[0] - w_cross_w_r[0] - kd * w_e[0] - shown * e[0] - ki * integral[0],
        a_r[1] - w_cross_w_r[1] - kd * w_e[1] - shown * e[1] - ki * integral[1],
        a_r[2] - w_cross_w_r[2] - kd * w_e[2] - shown * e[2] - ki * integral[2],
    ), cut


@inner
def _choose_mode(rate: float, numbers: Array, memory: Array, integral: Array) -> None:
    if memory[MODE] == DETUMBLE and rate < numbers[HANDOVER]:
        memory[MODE] = POINTING
    elif memory[MODE] == POINTING and rate > numbers[RESUME]:
        memory[MODE] = DETUMBLE
        integral[0] = integral[1] = integral[2] = 0.0
