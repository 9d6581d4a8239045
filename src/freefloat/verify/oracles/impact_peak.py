"""The first peak of a hard impact of an arm with elastic gears, by its linear equations.

Links and rotors (at the output side) from the instant of touch, the contact a spring K along one direction of the tip:

    M q''   = k (th - q) + b (th' - q') - K j (j.q),   J th'' = -k (th - q) - b (th' - q')

with j the tip's row along the normal. Friction, torques of the motors and the wind-up at the touch are left out: they
are forces of some 10 N m, against the hundreds that the contact gives.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from freefloat.frames import Array

SAMPLES = 400


def first_peak(M: Array, J: Array, k: Array, b: Array, j: Array, K: float, qd: Array, thd: Array) -> float:
    """[N] the largest K j.q until it falls again; J, k, b, thd (n,) of the rotors at the output side."""
    n, inverse = len(qd), np.linalg.inv(M)
    A = np.zeros((4 * n, 4 * n))
    A[: 2 * n, 2 * n :] = np.eye(2 * n)
    gear, damper = np.diag(k), np.diag(b)
    for column, part in ((0, gear), (2 * n, damper)):
        A[2 * n : 3 * n, column : column + n] = -inverse @ part
        A[2 * n : 3 * n, column + n : column + 2 * n] = inverse @ part
        A[3 * n :, column : column + n] = part / J[:, None]
        A[3 * n :, column + n : column + 2 * n] = -part / J[:, None]
    A[2 * n : 3 * n, :n] -= inverse @ np.outer(j, K * j)
    mass = 1.0 / float(j @ inverse @ j)
    step = expm(A * (np.pi * np.sqrt(mass / K) / SAMPLES))
    x, peak = np.concatenate([np.zeros(2 * n), qd, thd]), 0.0
    for _ in range(2 * SAMPLES):
        x = step @ x
        force = K * float(j @ x[:n])
        if force < peak:
            break
        peak = force
    return peak
