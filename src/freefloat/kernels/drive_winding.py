"""Windings over a sub-step: the implicit midpoint rule, fitted to what turns with the rotor."""

from __future__ import annotations

import math

from freefloat.kernels.drive_laws import clip
from freefloat.kernels.drive_row import CURRENT_LOOPS, F
from freefloat.kernels.jit import inlined_kernel


@inlined_kernel
def fitted(x):
    """tan x / x and cos x; beyond 1.2 those of 1.2, where a sub-step turns too far to be exact."""
    if abs(x) < 0.3:
        y = x * x
        tangent = 1.0 + y * (1 / 3 + y * (2 / 15 + y * (17 / 315 + y * (62 / 2835 + y * 1382 / 155925))))
        return tangent, 1.0 - y * (1 / 2 - y * (1 / 24 - y * (1 / 720 - y * (1 / 40320 - y / 3628800))))
    x = min(abs(x), 1.2)
    return math.tan(x) / x, math.cos(x)


@inlined_kernel
def sinc(x):
    """sin x / x."""
    y = x * x
    return math.sin(x) / x if y > 0.25 else 1.0 - y / 6.0 * (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0)))


@inlined_kernel
def phase(f, d, R, i, integral, reference, offset, gain, back, rate, limit, cut):
    """A winding over a sub-step, means of both ends: i = a - b Om_mid as (a, b), v = v0 - v1 i, integral = x0 - x1 i.

    `back` = K f_X, `reference` and the supply's `limit` are means too; `rate` predicts Om_mid, by which saturation is
    decided.
    """
    if cut:
        return 0.0, 0.0, 0.0, 0.0, integral, 0.0
    stiff = 2.0 * f[F.inductance] / d
    if f[F.kind] == CURRENT_LOOPS:
        kp, half = f[F.kp], 0.5 * d * f[F.ki]
        told, grown = reference - offset, 1.0 + gain
        G = (kp + half) * grown
        v0 = integral + (kp + half) * told
        by = 1.0 / (stiff + R + G)
        a, b = (stiff * i + v0) * by, back * by
        v = v0 - G * (a - b * rate)
        if abs(v) <= limit:
            return a, b, v0, G, integral + half * told, half * grown
        v = math.copysign(limit, v)
        decay = half / kp if kp > 0.0 else 0.0  # d/2 times ki / kp: the integrator follows the limited voltage
        integral = (integral + decay * v) / (1.0 + decay)
    else:
        v = clip(f[F.resistance] * reference, limit)
    by = 1.0 / (stiff + R)
    return (stiff * i + v) * by, back * by, v, 0.0, integral, 0.0
