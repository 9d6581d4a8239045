"""Servo of geared, elastic joints: position by a P/PI cascade, torque by a torque loop, in one compiled step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.compiled import Ticking, inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control import servo_gains as g
from freefloat.gnc.control.servo_gains import ServoDrive, ServoGains

POSITION_MODE, TORQUE_MODE = 0, 1  # values of the signal `mode`
UNTOLD = -1  # mode before the first update
RELEASE = 20.0  # [1/s] what the integral cannot take over at a switch fades at that rate
RATIO, STIFFNESS, EFFORT, COULOMB, VISCOUS, PRESLIDING = range(6)  # rows of `drive`
TURN = 2e-4  # [rad/s] reference speed over which the sign of the friction fed forward turns
INTEGRAL, TRIM, LOW, BUMP, LAST, BENT = range(6)  # rows of `memory`


class ServoState(NamedTuple):
    """What `JointServo` knows and remembers."""

    drive: Array  # (6, n)
    gains: Array  # (10, n) rows of `ServoGains`
    filters: Array  # (3, n) what is taken over in a period by trim and split, what is left of the bump
    period: Array  # [s] (1,)
    memory: Array  # (6, n)
    mode: NDArray[np.int64]  # (1,)


class ServoOut(NamedTuple):
    """What `JointServo` gives."""

    tau: Array  # [N m] effort at the output side
    error: Array  # [rad] reference minus the load's position
    torque_error: Array  # [N m] reference minus measured joint torque


class JointServo(Ticking):
    """Efforts of n joints; reads q_ref, qd_ref, tau_ref, motor_q, motor_qd, q, torque and mode (0 position, 1 torque).

    With theta = motor_q / N, w = motor_qd / N (motor side), q the load's resolver, tau the joint torque sensor, tau_ref
    the torque wanted on the link (position mode: fed forward), and the gains of `ServoGains`:

    position: P/PI cascade (Ferretti, Magnani, Rocco, Vigano, Gritti, Rusconi, Object-oriented modeling of a space
        robotic manipulator, 2004) on the motor, with its slow part from the load:
            x' = wt (q - theta + tau_ref/k - x),   e = q_ref + tau_ref/k - theta - x
            w_d = q_ref' + clip(kp e, +-rate),     u = tau_ref + F(q_ref') + kv (w_d - w) + wi kv int(w_d - w)
        with F(v) = coulomb z + viscous v where the friction is known: z = tanh(v / 2e-4 rad/s), or, where `presliding`
        d tells how far the bristles bend, z' = (v - |v| z) / d, which keeps at rest what holds the joint (Dahl 1968).
    torque: the motor's friction and inertia, divided by 1 + kt (Albu-Schaeffer, Ott, Hirzinger, A unified passivity
        based control framework for position, torque and impedance control of flexible joint robots, 2007):
            u = tau_ref + kt (tau_ref - tau) + clip(wi_t (1 + kt) int(tau_ref - tau)) - d r
        with r the rate of the wind-up, the motor's speed and the torque's rate joined: r = s/(s + wc) (w + wc tau/k);
        a joint that turns freely is not braked.

    Efforts are clipped to the effort of the drive; the integral stands still while it would push further. At a switch
    the new mode goes on from the last effort: its integral takes it over, what is beyond the integral's limit fades.
    The period must be that of the task; the gains stand one more period of latency.
    """

    def __init__(
        self,
        drive: ServoDrive,
        gains: ServoGains,
        period: float = 1e-3,  # [s]
        coulomb: ArrayLike = 0.0,  # [N m] friction that is fed forward, output side
        viscous: ArrayLike = 0.0,  # [N m s/rad]
        presliding: ArrayLike = 0.0,  # [rad] coulomb over the bristles' stiffness; 0: friction turns with the speed
    ) -> None:
        n = gains.speed.size
        rows = (drive.ratio, drive.stiffness, drive.effort, coulomb, viscous, presliding)
        known = np.stack([np.broadcast_to(np.asarray(v, np.float64), (n,)) for v in rows])
        left = np.exp(-period * np.stack([gains.trim, gains.split, np.full(n, RELEASE)]))
        filters = np.stack([1.0 - left[0], 1.0 - left[1], left[2]])
        self.state = ServoState(
            known, gains.table, filters, np.array([period]), np.zeros((6, n)), np.array([UNTOLD], np.int64)
        )
        self.out = ServoOut(np.zeros(n), np.zeros(n), np.zeros(n))

    @classmethod
    def tuned(
        cls,
        drive: ServoDrive,
        period: float = 1e-3,  # [s]
        bandwidth: ArrayLike = np.inf,  # [1/s] of the position loop, if less than the rule's
        torque_gain: ArrayLike = 4.0,  # [-] kt, if less than the rule's
        coulomb: ArrayLike = 0.0,  # [N m]
        viscous: ArrayLike = 0.0,  # [N m s/rad]
        presliding: ArrayLike = 0.0,  # [rad]
    ) -> JointServo:
        """With the gains of the rule (`ServoGains`)."""
        gains = ServoGains.tuned(drive, period, bandwidth, torque_gain)
        return cls(drive, gains, period, coulomb, viscous, presliding)

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: ServoState, out: ServoOut) -> None:
        """Efforts for the next period."""
        servo_tick(
            meas.mode,
            (meas.q_ref, meas.qd_ref, meas.tau_ref),
            (meas.motor_q, meas.motor_qd, meas.q, meas.torque),
            state.drive,
            state.gains,
            state.filters,
            state.period[0],
            state.memory,
            state.mode,
            out.tau,
            out.error,
            out.torque_error,
        )


@onboard
def servo_tick(
    wanted_mode: Array,
    wanted: tuple[Array, Array, Array],
    now: tuple[Array, Array, Array, Array],
    drive: Array,
    gains: Array,
    filters: Array,
    period: float,
    memory: Array,
    mode: NDArray[np.int64],
    tau: Array,
    error: Array,
    torque_error: Array,
) -> None:
    """One update of `JointServo`; `wanted` is q_ref, qd_ref, tau_ref, `now` is motor_q, motor_qd, q, torque."""
    if wanted_mode[0] != POSITION_MODE and wanted_mode[0] != TORQUE_MODE:
        raise InputError("joint servo: mode; allowed: 0 (position), 1 (torque)")
    new = int(wanted_mode[0])
    for i in range(tau.size):
        theta, w = now[0][i] / drive[RATIO, i], now[1][i] / drive[RATIO, i]
        wind_up = wanted[2][i] / drive[STIFFNESS, i]
        off = now[2][i] - theta + wind_up
        mixed = w + gains[g.SPLIT, i] * now[3][i] / drive[STIFFNESS, i]
        if mode[0] == UNTOLD:
            memory[TRIM, i], memory[LOW, i] = off, mixed
        memory[TRIM, i] += filters[0, i] * (off - memory[TRIM, i])
        error[i], torque_error[i] = wanted[0][i] - now[2][i], wanted[2][i] - now[3][i]
        if new == POSITION_MODE:
            e = wanted[0][i] + wind_up - theta - memory[TRIM, i]
            slip = wanted[1][i] + _clip(gains[g.POSITION, i] * e, gains[g.RATE_LIMIT, i]) - w
            z = np.tanh(wanted[1][i] / TURN)
            if drive[PRESLIDING, i] > 0.0:
                side = 1.0 if wanted[1][i] > 0.0 else -1.0
                left = np.exp(-abs(wanted[1][i]) * period / drive[PRESLIDING, i])
                z = memory[BENT, i] = side + (memory[BENT, i] - side) * left
            friction = drive[COULOMB, i] * z + drive[VISCOUS, i] * wanted[1][i]
            law = wanted[2][i] + friction + gains[g.SPEED, i] * slip
            growth = gains[g.INTEGRAL_RATE, i] * gains[g.SPEED, i] * slip
            limit = drive[EFFORT, i]
        else:
            law = wanted[2][i] + gains[g.TORQUE, i] * torque_error[i] - gains[g.DAMPING, i] * (mixed - memory[LOW, i])
            growth = gains[g.TORQUE_INTEGRAL, i] * (1.0 + gains[g.TORQUE, i]) * torque_error[i]
            limit = gains[g.INTEGRAL_LIMIT, i]
        memory[LOW, i] += filters[1, i] * (mixed - memory[LOW, i])
        if mode[0] not in (new, UNTOLD):
            gap = memory[LAST, i] - law
            memory[INTEGRAL, i] = _clip(gap, limit)
            memory[BUMP, i] = gap - memory[INTEGRAL, i]
        asked = law + memory[INTEGRAL, i] + memory[BUMP, i]
        tau[i] = memory[LAST, i] = _clip(asked, drive[EFFORT, i])
        memory[BUMP, i] *= filters[2, i]
        if asked == tau[i] or growth * asked < 0.0:
            memory[INTEGRAL, i] = _clip(memory[INTEGRAL, i] + period * growth, limit)
    mode[0] = new


@inner
def _clip(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
