"""Gains of a joint servo from the data of its drive, good from the bare link to the heaviest payload."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array

SPEED, INTEGRAL_RATE, POSITION, RATE_LIMIT, TRIM = range(5)  # rows of `ServoGains.table`: position mode,
TORQUE, DAMPING, SPLIT, TORQUE_INTEGRAL, INTEGRAL_LIMIT = range(5, 10)  # torque mode
CLAMPED = 1e9  # [kg m^2] a link in firm contact
DAMPED_ENOUGH = 0.05  # [-] below that gains are refused


@dataclass(frozen=True, eq=False)
class ServoDrive:
    """What a servo knows of its joints; a number stands for all of them."""

    ratio: Array  # [-] N
    rotor_inertia: Array  # [kg m^2] at the motor; J = N^2 times it at the output
    stiffness: Array  # [N m/rad] k of the gear
    damping: Array  # [N m s/rad] b of the gear
    effort: Array  # [N m] largest, output side
    link_least: Array  # [kg m^2] inertia that the joint turns, least over poses and payloads
    link_largest: Array  # [kg m^2] and largest

    def __post_init__(self) -> None:
        names = [f.name for f in fields(self)]
        values = np.broadcast_arrays(*(np.atleast_1d(np.asarray(getattr(self, n), np.float64)) for n in names))
        for name, value in zip(names, values, strict=True):
            if value.ndim != 1 or not (np.isfinite(value).all() and (value > 0.0).all()):
                raise InputError(f"servo drive: {name} {value.tolist()}; allowed: positive, one per joint")
            object.__setattr__(self, name, value.copy())
        if (self.link_least > self.link_largest).any():
            least, largest = self.link_least.tolist(), self.link_largest.tolist()
            raise InputError(f"servo drive: link_least {least}; allowed: up to link_largest {largest}")

    @property
    def rotor(self) -> Array:
        """[kg m^2] J, at the output."""
        return self.rotor_inertia * self.ratio**2


@dataclass(frozen=True, eq=False)
class ServoGains:
    """Gains (n,) of `JointServo`, all at the output side.

    The rule of `tuned`, with J = N^2 J_rotor, M the largest link inertia, k and b of the gear, T the period:

        kv = min(0.6 sqrt(k (J + M)), 0.4 J / T)   the motor ends the spring k with nearly its wave resistance, so the
                                                   loop takes the swing of the heaviest link out (a stiffer motor would
                                                   leave it to b); lighter links swing faster and keep
                                                   sqrt(k m) / (2 kv) or the gear's b / (2 sqrt(k m))
        kp = kv / (3 (J + M))                      position slower than the speed loop with its payload
        wi = kp / 2                                integral slower than both
        wt = kp / 4                                load side slower than all: a P on the load's position alone is
                                                   unstable above kp = b / M
        rate = effort / (2 kp (J + M))             so slow that half the effort brakes the payload as kp asks
        kt = 4, or less, with (1 + kt) k / J <= (0.3 / T)^2
        d  = 2 0.7 sqrt(J k (1 + kt)) - (1 + kt) b damping ratio 0.7 against a held link
        wc = 0.2 / T, torque integral 5 rad/s and at most 5 % of the effort

    kv beyond the steepest fall of the Stribeck curve, 0.86 (Fs - Fc) / vs - viscous, leaves no stick-slip.
    """

    speed: Array  # [N m s/rad] kv
    integral_rate: Array  # [1/s] wi: ki = wi kv
    position: Array  # [1/s] kp
    rate_limit: Array  # [rad/s] largest rate that kp asks for
    trim: Array  # [rad/s] wt, above it the motor's position counts, below it the load's
    torque: Array  # [-] kt: friction and rotor inertia are divided by 1 + kt
    damping: Array  # [N m s/rad] d on the rate of the wind-up
    split: Array  # [rad/s] wc, above it the wind-up's rate is the motor's, below it the torque's
    torque_integral: Array  # [1/s]
    integral_limit: Array  # [N m] of the torque mode

    @classmethod
    def tuned(
        cls,
        drive: ServoDrive,
        period: float = 1e-3,  # [s]
        bandwidth: ArrayLike = np.inf,  # [1/s] largest kp; the rule's where that is less
        torque_gain: ArrayLike = 4.0,  # [-] largest kt
    ) -> ServoGains:
        """By the rule; `InputError` where a sampled loop, with a period of latency or without, is damped below 0.05."""
        J, k, b, total = drive.rotor, drive.stiffness, drive.damping, drive.rotor + drive.link_largest
        kv = np.minimum(0.6 * np.sqrt(k * total), 0.4 * J / period)
        kp = np.minimum(kv / (3.0 * total), bandwidth)
        kt = np.clip((0.3 / period) ** 2 * J / k - 1.0, 0.0, torque_gain)
        d = np.maximum(1.4 * np.sqrt(J * k * (1.0 + kt)) - (1.0 + kt) * b, 0.0)
        split, integral = np.full_like(kv, 0.2 / period), np.full_like(kv, 5.0)
        rate = drive.effort / (2.0 * kp * total)
        gains = cls(kv, 0.5 * kp, kp, rate, 0.25 * kp, kt, d, split, integral, 0.05 * drive.effort)
        least = np.minimum(gains.least_damping(drive, period), gains.least_damping(drive, period, latency=True))
        if not (least > DAMPED_ENOUGH).all():
            raise InputError(f"servo gains: damping ratio {least.round(3).tolist()}; allowed: over {DAMPED_ENOUGH}")
        return gains

    @property
    def table(self) -> Array:
        """The gains as rows, in the order of the fields."""
        return np.stack([getattr(self, f.name) for f in fields(self)])

    def least_damping(self, drive: ServoDrive, period: float, latency: bool = False) -> Array:
        """[-] (n,) least damping ratio of both sampled loops from the least to the largest link, and a held one.

        Friction counts as none, limits as not reached; with latency, efforts come a period late.
        """
        parts = drive.stiffness, drive.damping, drive.link_least, drive.link_largest
        out = np.empty(self.speed.size)
        for i, (g, J, k, b, least, largest) in enumerate(zip(self.table.T, drive.rotor, *parts, strict=True)):
            links = np.geomspace(least, largest, 7)
            loops = [position_loop(g, J, k, b, m, period, latency) for m in links]
            loops += [torque_loop(g, J, k, b, m, period, latency) for m in (*links, CLAMPED)]
            out[i] = min(damping_ratio(A, period) for A in loops)
        return out


def position_loop(g: Array, J: float, k: float, b: float, link: float, period: float, latency: bool) -> Array:
    """One period of the position mode on (theta, theta', q, q', integral, trim, last effort)."""
    theta, thetad, q, _, integral, trim, last = np.eye(7)
    trim_next = trim + (1.0 - np.exp(-g[TRIM] * period)) * (q - theta - trim)
    slip = -g[POSITION] * (theta + trim_next) - thetad
    effort = g[SPEED] * slip + integral
    links = _driven(J, k, b, link, period, last if latency else effort)
    return np.vstack([links, integral + period * g[INTEGRAL_RATE] * g[SPEED] * slip, trim_next, effort])


def torque_loop(g: Array, J: float, k: float, b: float, link: float, period: float, latency: bool) -> Array:
    """One period of the torque mode on (theta, theta', q, q', integral, filter, last effort)."""
    theta, thetad, q, qd, integral, low, last = np.eye(7)
    tau = k * (theta - q) + b * (thetad - qd)
    mixed = thetad + g[SPLIT] * tau / k
    effort = integral - g[TORQUE] * tau - g[DAMPING] * (mixed - low)
    links = _driven(J, k, b, link, period, last if latency else effort)
    integral_next = integral - period * g[TORQUE_INTEGRAL] * (1.0 + g[TORQUE]) * tau
    return np.vstack([links, integral_next, low + (1.0 - np.exp(-g[SPLIT] * period)) * (mixed - low), effort])


def damping_ratio(A: Array, period: float) -> float:
    """Least damping ratio of x_next = A x; modes at rest (the free turn of both masses) and dead-beat ones aside."""
    z = np.linalg.eigvals(A).astype(np.complex128)
    s = np.log(z[np.abs(z) > 1e-9]) / period
    s = s[np.abs(s) > 1e-2]
    return float(np.min(-s.real / np.abs(s)))


def _driven(J: float, k: float, b: float, link: float, period: float, effort: Array) -> Array:
    """Rows (4, 7): rotor and link after a period of a constant effort, a row on the state."""
    A = np.zeros((5, 5))
    A[0, 1] = A[2, 3] = 1.0
    A[1, :4] = np.array([-k, -b, k, b]) / J
    A[3, :4] = np.array([k, b, -k, -b]) / link
    A[1, 4] = 1.0 / J
    from scipy.linalg import expm  # takes as long to import as half of the engine, and few runs need it

    E = expm(A * period)
    return E[:4, :4] @ np.eye(7)[:4] + np.outer(E[:4, 4], effort)
