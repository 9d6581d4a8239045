"""From the torque wanted of a platform's wheel to the speed that its drive is told."""

from __future__ import annotations

from freefloat.compiled import inner


@inner
def next_speed(command: float, change: float, speed: float, reach: float, top: float) -> float:
    """[rad/s] to command next: the last command and the change that the torque makes in this tick (eq. 3.7).

    It stays within `reach` of the measured speed, which the drive can follow, so that a wheel at its limits does not
    wind it up; then within the top speed.
    """
    ahead = min(max(command + change, speed - reach), speed + reach)
    return min(max(ahead, -top), top)
