"""One update of `AttitudeEKF` on plain arrays."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.estimation.belief import Belief, unbiased
from freefloat.gnc.estimation.mekf_correct import correct_attitude_step, correct_direction_step
from freefloat.gnc.estimation.mekf_predict import predict_step
from freefloat.gnc.rotations import norm, quat_inverse, quat_of, quat_product, quat_unit, quaternion, scaled

TURNS = 256  # remembered steps of the gyro, at most
# places in `numbers`; q_BT has four
NOISE, WALK, SUN_SIGMA, GATE, DELAY, Q_BT = range(6)
LAST_T, COUNT = range(2)  # places in `memory`


class FilterState(NamedTuple):
    """What the filter remembers and needs."""

    filter_numbers: Array  # (9,) noise, walk, sun_sigma, gate, delay, q_BT
    tracker_noise: Array  # (3, 3) of one reading [rad^2] in B
    belief_q: Array  # (4,) q_WB
    belief_bias: Array  # (3,) [rad/s]
    belief_scale: Array  # (3,) [-]
    belief_P: Array  # (6, 6) or (9, 9)
    filter_memory: Array  # (2,) time of the last update, number of `turns`
    readings: Array  # (10,) newest w_gyro, q_WT and sun_B
    turns: Array  # (TURNS, 4) [dt, w_WB_B], newest last
    no_reading: Array  # (0,)


class FilterOut(NamedTuple):
    """What the filter returns."""

    q_WB: Array
    w_WB_B: Array
    bias: Array
    P: Array
    sigma: Array
    nis_tracker: Array
    nis_sun: Array


@inner
def believed(state: FilterState) -> Belief:
    """The estimate now; its arrays are the filter's own."""
    return Belief(state.belief_q, state.belief_bias, state.belief_scale, state.belief_P)


@onboard
def filter_step(
    t: float, w_gyro: Array, q_WT: Array, sun_B: Array, sun_W: Array, state: FilterState, out: FilterOut
) -> None:
    """Estimate at t [s]; a reading of no length is not there."""
    belief, numbers, memory, readings = believed(state), state.filter_numbers, state.filter_memory, state.readings
    present, mean = _finite(w_gyro), np.empty(3)
    for i in range(3):
        gyro = w_gyro[i] if present else readings[i]
        mean[i], readings[i] = 0.5 * (gyro + readings[i]), gyro
    if t > memory[LAST_T]:
        _turn(mean, t - memory[LAST_T], belief, state)
    memory[LAST_T] = t
    out.nis_tracker[0] = out.nis_sun[0] = math.nan
    if _is_new(q_WT, readings, 3):
        out.nis_tracker[0] = _use_tracker(q_WT, belief, state)
    if sun_W.size > 0 and _is_new(sun_B, readings, 7):
        out.nis_sun[0] = correct_direction_step(belief, sun_W, sun_B, numbers[SUN_SIGMA], numbers[GATE])
    out.w_WB_B[0], out.w_WB_B[1], out.w_WB_B[2] = unbiased(readings, belief)
    for i in range(4):
        out.q_WB[i] = belief.q_WB[i]
    for i in range(3):
        out.bias[i] = belief.bias[i]
    for i in range(6):
        for j in range(6):
            out.P[i, j] = belief.P[i, j]
    for i in range(out.sigma.size):
        out.sigma[i] = math.sqrt(belief.P[i, i])


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
def _turn(w_gyro: Array, dt: float, belief: Belief, state: FilterState) -> None:
    """Propagate over dt [s] with the gyro's mean reading, and remember the turn as long as the tracker's delay."""
    numbers, memory, turns = state.filter_numbers, state.filter_memory, state.turns
    n = int(memory[COUNT])
    if n == turns.shape[0]:
        n = _paired(turns)
    w = unbiased(w_gyro, belief)
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
    predict_step(belief, numbers[NOISE], numbers[WALK], w_gyro, dt)


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
def _use_tracker(q_WT: Array, belief: Belief, state: FilterState) -> float:
    """Use a star tracker reading, turned forward over its age; returns its normalised innovation squared."""
    numbers, turns = state.filter_numbers, state.turns
    q_WB = quat_product(quat_unit(q_WT), quat_inverse(quaternion(numbers, Q_BT)))
    q_turn, left = (1.0, 0.0, 0.0, 0.0), numbers[DELAY]
    for i in range(int(state.filter_memory[COUNT]) - 1, -1, -1):
        part = min(turns[i, 0], left)
        w = turns[i, 1], turns[i, 2], turns[i, 3]
        q_turn = quat_product(quat_of(scaled(w, part)), q_turn)
        left -= part
    age, unseen = numbers[DELAY] - left, left * norm(unbiased(state.readings, belief))
    R = state.tracker_noise.copy()
    for i in range(3):
        R[i, i] += numbers[NOISE] ** 2 * age + unseen**2
        for j in range(3):
            R[i, j] += belief.P[3 + i, 3 + j] * age**2
    q_now = np.array(quat_product(q_WB, q_turn))
    return correct_attitude_step(belief, q_now, R, numbers[GATE])
