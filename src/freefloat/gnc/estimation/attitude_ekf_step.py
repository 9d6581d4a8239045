"""One update of `AttitudeEKF` on plain arrays."""

from __future__ import annotations

import math

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.estimation.mekf_step import correct_attitude_step, correct_direction_step, predict_step, unbiased
from freefloat.gnc.rotations import norm, quat_inverse, quat_of, quat_product, quat_unit, quaternion, scaled

# places in `numbers`; q_BT has four
NOISE, WALK, SUN_SIGMA, GATE, DELAY, Q_BT = range(6)
LAST_T, COUNT = range(2)  # places in `memory`


@onboard
def filter_step(
    t: float,
    w_gyro: Array,
    q_WT: Array,
    sun_B: Array,
    sun_W: Array,
    numbers: Array,
    tracker_noise: Array,
    q: Array,
    bias: Array,
    scale: Array,
    P: Array,
    memory: Array,
    readings: Array,
    turns: Array,
    q_WB: Array,
    w_WB_B: Array,
    out_bias: Array,
    out_P: Array,
    sigma: Array,
    nis_tracker: Array,
    nis_sun: Array,
) -> None:
    """Estimate at t [s]; a reading of no length is not there."""
    present, mean = _finite(w_gyro), np.empty(3)
    for i in range(3):
        gyro = w_gyro[i] if present else readings[i]
        mean[i], readings[i] = 0.5 * (gyro + readings[i]), gyro
    if t > memory[LAST_T]:
        _turn(mean, t - memory[LAST_T], numbers, q, bias, scale, P, memory, turns)
    memory[LAST_T] = t
    nis_tracker[0] = nis_sun[0] = math.nan
    if _is_new(q_WT, readings, 3):
        nis_tracker[0] = _use_tracker(q_WT, readings, numbers, tracker_noise, q, bias, scale, P, memory, turns)
    if sun_W.size > 0 and _is_new(sun_B, readings, 7):
        nis_sun[0] = correct_direction_step(q, bias, scale, P, sun_W, sun_B, numbers[SUN_SIGMA], numbers[GATE])
    w_WB_B[0], w_WB_B[1], w_WB_B[2] = unbiased(readings, bias, scale)
    for i in range(4):
        q_WB[i] = q[i]
    for i in range(3):
        out_bias[i] = bias[i]
    for i in range(6):
        for j in range(6):
            out_P[i, j] = P[i, j]
    for i in range(sigma.size):
        sigma[i] = math.sqrt(P[i, i])


@inner
def _finite(reading: Array) -> bool:
    """Whether there is a reading, of finite numbers."""
    good = reading.size > 0
    for i in range(reading.size):
        good = good and math.isfinite(reading[i])
    return good


@inner
def _is_new(reading: Array, readings: Array, place: int) -> bool:
    """Whether there is a reading, not zero and another than the last, which is at `place`; it becomes the last."""
    if not _finite(reading):
        return False
    zero = same = True
    for i in range(reading.size):
        zero = zero and reading[i] == 0.0
        same = same and reading[i] == readings[place + i]
    if zero or same:
        return False
    for i in range(reading.size):
        readings[place + i] = reading[i]
    return True


@inner
def _turn(
    w_gyro: Array,
    dt: float,
    numbers: Array,
    q: Array,
    bias: Array,
    scale: Array,
    P: Array,
    memory: Array,
    turns: Array,
) -> None:
    """Propagate over dt [s] with the gyro's mean reading, and remember the turn as long as the tracker's delay."""
    n = int(memory[COUNT])
    if n == turns.shape[0]:
        n = _paired(turns)
    w = unbiased(w_gyro, bias, scale)
    turns[n, 0], turns[n, 1], turns[n, 2], turns[n, 3] = dt, w[0], w[1], w[2]
    n += 1
    first, age = n, 0.0
    while first > 0 and age < numbers[DELAY]:
        first -= 1
        age += turns[first, 0]
    for i in range(first, n):
        for j in range(4):
            turns[i - first, j] = turns[i, j]
    memory[COUNT] = n - first
    predict_step(q, bias, scale, P, numbers[NOISE], numbers[WALK], w_gyro, dt)


@inner
def _paired(turns: Array) -> int:
    """Neighbours taken together at their mean rate; returns how many turns are left."""
    half = turns.shape[0] // 2
    for i in range(half):
        a, b = turns[2 * i, 0], turns[2 * i + 1, 0]
        for j in range(1, 4):
            turns[i, j] = (a * turns[2 * i, j] + b * turns[2 * i + 1, j]) / (a + b)
        turns[i, 0] = a + b
    return half


@inner
def _use_tracker(
    q_WT: Array,
    w_gyro: Array,
    numbers: Array,
    tracker_noise: Array,
    q: Array,
    bias: Array,
    scale: Array,
    P: Array,
    memory: Array,
    turns: Array,
) -> float:
    """Use a star tracker reading, turned forward over its age; returns its normalised innovation squared."""
    q_WB = quat_product(quat_unit(q_WT), quat_inverse(quaternion(numbers, Q_BT)))
    q_turn, left = (1.0, 0.0, 0.0, 0.0), numbers[DELAY]
    for i in range(int(memory[COUNT]) - 1, -1, -1):
        part = min(turns[i, 0], left)
        w = turns[i, 1], turns[i, 2], turns[i, 3]
        q_turn = quat_product(quat_of(scaled(w, part)), q_turn)
        left -= part
    age, unseen = numbers[DELAY] - left, left * norm(unbiased(w_gyro, bias, scale))
    R = tracker_noise.copy()
    for i in range(3):
        R[i, i] += numbers[NOISE] ** 2 * age + unseen**2
        for j in range(3):
            R[i, j] += P[3 + i, 3 + j] * age**2
    q_now = np.array(quat_product(q_WB, q_turn))
    return correct_attitude_step(q, bias, scale, P, q_now, R, numbers[GATE])
