"""LuGre friction on plain numbers, as drives and joints share it.

g(v) = Fc + (Fs - Fc) exp(-|v / vs|^a), z' = v - s0 |v| / g z, F = s0 z + s1 z' + s2 v (Canudas de Wit, Olsson, Astrom,
Lischinsky, A new model for control of systems with friction, 1995).
"""

from __future__ import annotations

import math

from freefloat.kernels.jit import inlined_kernel


@inlined_kernel
def stribeck(coulomb, stiction, width, exponent, v):
    """What stiction adds to Coulomb friction close to rest, (Fs - Fc) exp(-|v / vs|^a), and its slope over v."""
    x = v / width
    if exponent == 2.0:
        more = (stiction - coulomb) * math.exp(-x * x)
        return more, -2.0 * x / width * more
    power = abs(x) ** exponent
    more = (stiction - coulomb) * math.exp(-power)
    return more, -exponent * power / v * more if v != 0.0 else 0.0
