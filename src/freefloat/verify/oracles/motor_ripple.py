"""Torque ripple of a two-phase motor with current loops, turned at an imposed speed w with the reference amplitude I.

With s = j k w for the k-th harmonic of a turn, each phase is a linear circuit without regard to the other:

    i = H (i_ref - offset) - Y K w f,   H = (kp s + ki) / D,   Y = s / D,   D = L s^2 + (R + kp) s + ki

so that its steady state follows harmonic by harmonic, and the torque K (i_A f_A + i_B f_B) from the product of series.
A gain error 1 + g of the current sensor multiplies kp and ki in D. For one imperfection alone, with w_e = p w and
I_1 = H(j w_e) I - Y(j w_e) K w, the amplitudes of the ripple per electrical turn are

    mean        K Re I_1
    offset d    K d                                at 1
    unbalance u (K / 2) u |I_1 - Y(j w_e) K w|     at 2, to first order in u
    third a_3   K a_3 |I_1 - Y(3 j w_e) K w|       at 4

Saturation and the change of resistance with temperature are not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array

_POINTS = 4096  # samples of a turn


@dataclass(frozen=True)
class Ripple:
    """Mean torque and amplitudes [N m] at multiples of the electrical turn."""

    mean: float
    amplitudes: Array  # [N m] by harmonic of the motor's turn; the first is 0
    pole_pairs: int
    voltage: float  # [V] largest

    def at(self, multiple: int) -> float:
        """Amplitude over the mean [-] at this multiple of the electrical frequency."""
        return float(self.amplitudes[multiple * self.pole_pairs] / abs(self.mean))


def transfer(drive: Any, s: complex) -> tuple[complex, complex]:
    """H [-] and Y [A/V] of the current loop."""
    motor, driver = drive.motor, drive.driver
    D = motor.inductance * s**2 + (motor.resistance + driver.kp) * s + driver.ki
    return (driver.kp * s + driver.ki) / D, s / D


def mean_torque(drive: Any, speed: float, current: float) -> float:
    """K Re I_1 [N m] of a motor without imperfections, `speed` [rad/s] at the motor, `current` [A]."""
    return float(drive.motor.torque_constant * _first(drive, speed, current).real)


def offset_ripple(drive: Any, offset: float) -> float:
    """Amplitude [N m] at the electrical frequency by a sensor's `offset` [A] in one phase."""
    return float(drive.motor.torque_constant * abs(offset))


def unbalance_ripple(drive: Any, speed: float, current: float, unbalance: float) -> float:
    """Amplitude [N m] at twice the electrical frequency by the `unbalance` of the phases, to its first order."""
    K = drive.motor.torque_constant
    _, Y = transfer(drive, 1j * drive.motor.pole_pairs * speed)
    return float(0.5 * K * abs(unbalance) * abs(_first(drive, speed, current) - Y * K * speed))


def third_harmonic_ripple(drive: Any, speed: float, current: float, third: float) -> float:
    """Amplitude [N m] at four times the electrical frequency by the third harmonic of the back-EMF."""
    K = drive.motor.torque_constant
    _, Y = transfer(drive, 3j * drive.motor.pole_pairs * speed)
    return float(K * abs(third) * abs(_first(drive, speed, current) - Y * K * speed))


def harmonic_balance(drive: Any, speed: float, current: float) -> Ripple:
    """The exact steady state with all imperfections of the drive together, cogging and resolver error too."""
    motor, driver = drive.motor, drive.driver
    if motor.kind != "brushless" or driver.kind != "current":
        raise InputError(f"ripple of a {motor.kind!r} motor with a {driver.kind!r} driver; allowed: brushless, current")
    K, p = motor.torque_constant, motor.pole_pairs
    th = 2.0 * np.pi * np.arange(_POINTS) / _POINTS
    seen = th + drive.motor_resolver.error * np.sin(2.0 * th)
    f_A = (1.0 + motor.unbalance) * (np.cos(p * th) + motor.third_harmonic * np.cos(3 * p * th))
    f_B = np.sin(p * th) - motor.third_harmonic * np.sin(3 * p * th)
    torque = -motor.cogging * np.sin(motor.cogging_count * th) - motor.viscous * speed
    largest = 0.0
    for f, wave, offset, gain in zip((f_A, f_B), (np.cos, np.sin), driver.offset, driver.gain, strict=True):
        i, v = _phase(drive, speed, current * wave(p * seen) - offset, f, 1.0 + gain)
        torque = torque + K * i * f
        largest = max(largest, float(np.max(np.abs(v))))
    spectrum = np.abs(np.fft.rfft(torque)) * 2.0 / _POINTS
    spectrum[0] = 0.0
    return Ripple(float(np.mean(torque)), spectrum, p, largest)


def _phase(drive: Any, speed: float, reference: Array, f: Array, gain: float) -> tuple[Array, Array]:
    """Current and voltage of a phase over a turn."""
    motor, driver = drive.motor, drive.driver
    s = 1j * speed * np.arange(_POINTS // 2 + 1)
    asked, emf = np.fft.rfft(reference), np.fft.rfft(motor.torque_constant * speed * f)
    D = motor.inductance * s**2 + (motor.resistance + driver.kp * gain) * s + driver.ki * gain
    i = ((driver.kp * s + driver.ki) * asked - s * emf) / D
    v = (motor.inductance * s + motor.resistance) * i + emf
    return np.fft.irfft(i, _POINTS), np.fft.irfft(v, _POINTS)


def _first(drive: Any, speed: float, current: float) -> complex:
    H, Y = transfer(drive, 1j * drive.motor.pole_pairs * speed)
    return H * current - Y * drive.motor.torque_constant * speed
