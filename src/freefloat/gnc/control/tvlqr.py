"""Time-varying linear quadratic regulator along a plan (REACSA eqs 4.25 to 4.38).

The Riccati equation is solved backwards in its linear form: with H = [[A, -B R^-1 B'], [-Q, -A']] and
[X; Y]' = H [X; Y], S = Y X^-1 obeys -S' = S A + A' S - S B R^-1 B' S + Q. Each step takes the exponential of the
fourth-order Magnus series of H: exact for a constant system however stiff the end weight, and symmetric to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm, solve_continuous_are

from freefloat.compiled import inner
from freefloat.errors import InputError, SimulationError
from freefloat.frames import Array

Linear = Callable[[float], tuple[Array, Array]]  # t [s] -> A (n, n), B (n, m)
GAUSS = math.sqrt(3.0) / 6.0


@dataclass(frozen=True, eq=False)
class Weights:
    """J = x_f' Qf x_f + integral of x' Q x + u' R u (eq. 4.26)."""

    Q: Array  # (n, n) >= 0
    R: Array  # (m, m) > 0
    Qf: Array  # (n, n) >= 0

    def __post_init__(self) -> None:
        for name in ("Q", "R", "Qf"):
            value = np.array(getattr(self, name), np.float64)
            if value.ndim != 2 or value.shape[0] != value.shape[1] or not np.array_equal(value, value.T):
                raise InputError(f"weight {name}: shape {value.shape}; allowed: a symmetric square matrix")
            least = float(np.linalg.eigvalsh(value)[0])
            if least <= 0.0 if name == "R" else least < -1e-12 * float(np.abs(value).max()):
                raise InputError(f"weight {name}: eigenvalue {least:.3g}; allowed: {'> 0' if name == 'R' else '>= 0'}")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if self.Q.shape != self.Qf.shape:
            raise InputError(f"weights: Q {self.Q.shape} and Qf {self.Qf.shape}; allowed: the same shape")


def riccati(linear: Linear, weights: Weights, times: Array) -> Array:
    """S (k, n, n) at rising times (k,) [s] with S = Qf at the last (eqs 4.35, 4.36); one Magnus step between two."""
    n = weights.Q.shape[0]
    S = np.empty((len(times), n, n))
    S[-1] = weights.Qf
    steps = expm(np.array([_magnus(linear, weights, a, b) for a, b in zip(times[1:], times[:-1], strict=True)]))
    for k in range(len(times) - 2, -1, -1):
        XY = steps[k] @ np.vstack([np.eye(n), S[k + 1]])
        here = np.linalg.solve(XY[:n].T, XY[n:].T)
        S[k] = 0.5 * (here + here.T)
    if not np.isfinite(S).all():
        raise SimulationError("Riccati equation: the solution is not finite; shorten the steps between the times")
    return S


def _magnus(linear: Linear, weights: Weights, start: float, end: float) -> Array:
    """Exponent of the flow of H from start to end, to fourth order (Blanes et al. 2009, two Gauss points)."""
    h, mid = end - start, 0.5 * (start + end)
    H1, H2 = (_hamiltonian(*linear(mid + c * h), weights) for c in (-GAUSS, GAUSS))
    return 0.5 * h * (H1 + H2) + 0.5 * GAUSS * h**2 * (H2 @ H1 - H1 @ H2)


def _hamiltonian(A: Array, B: Array, weights: Weights) -> Array:
    return np.block([[A, -B @ np.linalg.solve(weights.R, B.T)], [-weights.Q, -A.T]])


def steady_gain(A: Array, B: Array, Q: Array, R: Array) -> Array:
    """K (m, n) that holds an end point for ever: u = u_0 + K (x - x_0) by the algebraic Riccati equation."""
    try:
        return -np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))
    except np.linalg.LinAlgError as e:
        raise InputError(f"no steady gain: {e}; the pair (A, B) must be stabilisable") from e


@inner
def add_feedback(times: Array, gains: Array, t: float, error: Array, u: Array) -> None:
    """u += K(t) error, in place; K linear between the rising times (k,) of gains (k, m, n), constant beyond."""
    low, high = 0, times.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] <= t:
            low = middle
        else:
            high = middle
    s = min(max((t - times[low]) / (times[high] - times[low]), 0.0), 1.0)
    for i in range(u.size):
        for j in range(error.size):
            u[i] += ((1.0 - s) * gains[low, i, j] + s * gains[high, i, j]) * error[j]
