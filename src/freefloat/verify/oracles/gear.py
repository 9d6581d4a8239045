"""A gear's parts where they have closed forms: hysteresis, wind-up with backlash, efficiency, brake.

Dahl's torque goes exponentially with the wind-up, tau_h' = sh d' (1 - tau_h sgn(d') / Fh). Between +-D the loop closes
with the torques +-T, T = Fh tanh(sh D / Fh), and encloses

    4 Fh (D - (Fh / sh) tanh(sh D / Fh))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.frames import Array


def dahl_peak(limit: float, stiffness: float, amplitude: float) -> float:
    """Torque [N m] at the ends of the closed loop between +-amplitude [rad]."""
    return float(limit * np.tanh(stiffness * amplitude / limit))


def dahl_branch(limit: float, stiffness: float, d: ArrayLike, amplitude: float, rising: bool) -> Array:
    """Torque [N m] on the rising or falling branch of the closed loop at the wind-ups d [rad]."""
    sign = 1.0 if rising else -1.0
    since = sign * np.asarray(d, dtype=np.float64) + amplitude
    return sign * (limit - (limit + dahl_peak(limit, stiffness, amplitude)) * np.exp(-stiffness * since / limit))


def dahl_area(limit: float, stiffness: float, amplitude: float) -> float:
    """Energy [J] lost in one closed loop."""
    return 4.0 * limit * (amplitude - dahl_peak(limit, stiffness, amplitude) / stiffness)


def wind_up(gear: Any, torque: float) -> float:
    """Static wind-up d [rad] under a `torque` [N m] on the spring: half the gap, then k1 d + k3 d^3."""
    size = abs(torque)
    spring = size / gear.stiffness
    for _ in range(100):  # Newton's method; the curve is convex
        slope = gear.stiffness + 3.0 * gear.cubic * spring**2
        spring -= (gear.stiffness * spring + gear.cubic * spring**3 - size) / slope
    return float(np.sign(torque) * (spring + 0.5 * gear.backlash))


def lost_motion(gear: Any, torque: float = 0.0) -> float:
    """Motion [rad] of the output between -torque and +torque while the motor stands; without torque the backlash."""
    return gear.backlash if torque == 0.0 else 2.0 * wind_up(gear, abs(torque))


def lost_motor_motion(gear: Any) -> float:
    """Turn of the motor [rad] through the gap, during which the output gets no torque."""
    return gear.ratio * gear.backlash


def hysteresis_loss(gear: Any) -> float:
    """Width [rad] at zero torque of a wide loop of spring and hysteresis: 2 Fh / k1."""
    return 2.0 * gear.hysteresis / gear.stiffness


def driving_efficiency(gear: Any) -> float:
    """Torque at the output over N times the motor's beyond Coulomb and viscous friction, while the motor drives."""
    return 1.0 / (1.0 + gear.torque_loss)


def back_driving_efficiency(gear: Any) -> float:
    """N times the motor's torque over that at the output, while the output drives."""
    return 1.0 - gear.torque_loss


def steady_motor_torque(drive: Any, speed: float, torque: float) -> float:
    """Motor torque T_m [N m] that turns the motor at `speed` [rad/s] against the gear torque tau [N m].

    N T_m = tau + sgn(v) (g(v) + mu_t |tau|) + s2 v with v = speed / N; kinematic error and hysteresis are not in it.
    """
    friction, gear = drive.friction, drive.gear
    v = speed / gear.ratio
    fall = np.exp(-(abs(v / friction.stribeck) ** friction.exponent))
    g = friction.coulomb + (friction.stiction - friction.coulomb) * fall + gear.torque_loss * abs(torque)
    return float((torque + np.sign(v) * g + friction.viscous * v) / gear.ratio)


def brake_motion(inertia: float, brake: float, speed: float, torque: float, t: ArrayLike) -> tuple[Array, Array]:
    """Speed [rad/s] and angle [rad] of a rotor at times t [s] with its brake closed at t = 0, under a constant torque.

    It slips with the brake's torque against its motion until it stops, then holds while |torque| <= brake. Beyond that
    it slips with the torque, from rest or after a reversal.
    """
    t = np.asarray(t, dtype=np.float64)
    direction = np.sign(speed) if speed else np.sign(torque)
    slowing = (torque - direction * brake) / inertia
    if speed * slowing >= 0.0:
        if not speed and abs(torque) <= brake:
            return np.zeros_like(t), np.zeros_like(t)
        return speed + slowing * t, speed * t + 0.5 * slowing * t**2
    stop = -speed / slowing
    after = np.maximum(t - stop, 0.0)
    again = np.sign(torque) * max(abs(torque) - brake, 0.0) / inertia
    before = np.minimum(t, stop)
    rate = np.where(t < stop, speed + slowing * t, again * after)
    return rate, speed * before + 0.5 * slowing * before**2 + 0.5 * again * after**2
