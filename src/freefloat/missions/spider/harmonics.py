"""What a periodic torque is made of: its mean and its harmonics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array


@dataclass(frozen=True)
class Harmonics:
    """x(t) = mean + sum_k a_k cos(k w t + phase_k)."""

    w: float  # [rad/s] of the first
    mean: float
    amplitudes: Array  # (n,), that of the first harmonic first
    phases: Array  # [rad] (n,)


def fit_harmonics(t: Array, x: Array, w: float, count: int) -> Harmonics:
    """By least squares: the discrete Fourier transform on whole periods, without its leakage elsewhere."""
    angle = np.multiply.outer(t, w * np.arange(1, count + 1))
    columns = np.hstack([np.ones((t.size, 1)), np.cos(angle), -np.sin(angle)])
    found = np.linalg.lstsq(columns, x, rcond=None)[0]
    z = found[1 : count + 1] + 1j * found[count + 1 :]
    return Harmonics(w, float(found[0]), np.abs(z), np.angle(z))


def measured_frequencies(t: Array, x: Array, w: float, count: int) -> Array:
    """[Hz] (count,) of the lines next to the multiples of w [rad/s].

    By how far their phases move on from the first half of the samples to the second.
    """
    middle = t.size // 2
    first, second = (fit_harmonics(t[part], x[part], w, count) for part in (slice(0, middle), slice(middle, None)))
    apart = float(np.mean(t[middle:]) - np.mean(t[:middle]))
    moved = np.angle(np.exp(1j * (second.phases - first.phases)))
    return (w * np.arange(1, count + 1) + moved / apart) / (2.0 * np.pi)
