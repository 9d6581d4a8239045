"""Laws of the force along a contact's normal, for a penetration x and its rate x'; k, n, c, e are a row's numbers.

    spring and damper (Kelvin, Voigt)                     f = k x + c x'
    Hunt and Crossley (1975)                              f = k x^n (1 + 3/2 c x')
    Lankarani and Nikravesh (1990)                        f = k x^n (1 + 3/4 (1 - e^2) x' / x'_0)

None of them is cut off where it would pull: that is for the bank to do, by a mode or by `max`.
"""

from __future__ import annotations

import math

from freefloat.kernels.jit import kernel

SPRING_DAMPER, HUNT_CROSSLEY, LANKARANI_NIKRAVESH = range(3)


@kernel
def normal_force(law, k, n, c, e, onset, x, rate):
    """Force [N], its elastic part [N], and the energy of the spring [J]; `onset`: x'_0, the rate at first touch."""
    spring = k * (x if n == 1.0 else math.copysign(abs(x) ** n, x))
    stored = spring * x / (n + 1.0)
    if law == SPRING_DAMPER:
        return spring + c * rate, spring, stored
    if law == HUNT_CROSSLEY:
        return spring * (1.0 + 1.5 * c * rate), spring, stored
    lost = 0.75 * (1.0 - e * e) * rate / onset if onset > 0.0 else 0.0
    return spring * (1.0 + lost), spring, stored
