"""Jacobi's elliptic functions from the complementary parameter m1 = 1 - m, so that m -> 1 costs no digits.

SciPy's `ellipj` takes m itself and changes to a first-order expansion near m = 1, which is wrong beyond one period.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipkm1, elliprf

from freefloat.frames import Array


def quarter_period(m1: float) -> float:
    """K(1 - m1); infinite at m1 = 0."""
    return float(ellipkm1(m1))


def jacobi(u: Array, m1: float) -> tuple[Array, Array, Array]:
    """sn, cn, dn of u for 0 <= m1 <= 1, by Landen's descent on the arithmetic-geometric mean.

    Bulirsch (1965), Numerical calculation of elliptic integrals and elliptic functions, Numer. Math. 7, procedure
    `sncndn`. Accurate for |u| up to about K; the caller takes whole periods off.
    """
    if m1 == 0.0:
        return np.tanh(u), 1.0 / np.cosh(u), 1.0 / np.cosh(u)
    means, roots = [], []
    a, g = 1.0, np.sqrt(m1)
    while True:
        means.append(a)
        roots.append(g)
        c = 0.5 * (a + g)
        if abs(a - g) <= 1e-9 * a:
            break
        a, g = c, np.sqrt(a * g)
    sn, cn, dn = np.sin(c * u), np.cos(c * u), np.ones_like(u)
    turning = np.abs(sn) > 1e-140  # below it sn u = u, and the squares of cn / sn would overflow
    ratio = np.where(turning, cn / np.where(turning, sn, 1.0), 0.0)
    c = ratio * c
    for a, g in zip(reversed(means), reversed(roots), strict=True):
        ratio = c * ratio
        c = c * dn
        dn = (g + ratio) / (a + ratio)
        ratio = c / a
    magnitude = 1.0 / np.sqrt(c * c + 1.0)
    new_sn = np.where(sn < 0.0, -magnitude, magnitude)
    return np.where(turning, new_sn, u), np.where(turning, c * new_sn, cn), np.where(turning, dn, 1.0)


def first_kind(s: float, c: float, m1: float) -> float:
    """F(phi | 1 - m1) from s = sin phi and c = cos phi >= 0, in Carlson's form (DLMF 19.25.5)."""
    return float(s * elliprf(c * c, c * c + m1 * s * s, 1.0))
