"""The attitude system of a satellite on what it knows: its ECI state from GNSS, and the Sun from an almanac."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from freefloat.compiled import Ticking, inner, joined, onboard
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.attitude_system import AttitudeSystem, filtered_tick
from freefloat.orbit.ephemeris import TABLE_STEP

NO_ALMANAC = np.zeros((0, 2, 3))
NO_ALMANAC.flags.writeable = False


class Known(NamedTuple):
    """What the attitude system reads."""

    w_gyro: Array
    q_WT: Array
    speed: Array
    p_ECI: Array
    v_ECI: Array
    sun_W: Array


class KnownState(NamedTuple):
    """Where the satellite and the Sun are."""

    p_ECI: Array  # (3,) [m]
    v_ECI: Array  # (3,) [m/s]
    sun_W: Array  # (3,) unit vector; (0,) without an almanac
    almanac: Array  # (m, 2, 3)


class KnownOut(NamedTuple):
    """What is returned besides the attitude system's."""

    P_attitude: Array  # (3, 3) [rad^2] the filter's covariance of its attitude


@inner
def onboard_attitude_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """One update of `OnboardAttitude`."""
    _locate(t, meas.p_IW, meas.p_WB, meas.v_IW, meas.v_WB, state.almanac, state.p_ECI, state.v_ECI, state.sun_W)
    known = Known(meas.w_gyro, meas.q_WT, meas.speed, state.p_ECI, state.v_ECI, state.sun_W)
    filtered_tick(t, known, state, out)
    for i in range(3):
        for j in range(3):
            out.P_attitude[i, j] = out.P[i, j]


@onboard
def _locate(
    t: float,
    p_IW: Array,
    p_WB: Array,
    v_IW: Array,
    v_WB: Array,
    almanac: Array,
    p_ECI: Array,
    v_ECI: Array,
    sun_W: Array,
) -> None:
    """Position and velocity, and the unit vector to the Sun by cubic Hermite interpolation."""
    for i in range(3):
        p_ECI[i], v_ECI[i] = p_IW[i] + p_WB[i], v_IW[i] + v_WB[i]
    if almanac.shape[0] == 0:
        return
    k = int(t / TABLE_STEP)
    if k > almanac.shape[0] - 2:
        raise InputError("onboard almanac: it ends a day after the scenario's duration; give a longer duration")
    s, size = t / TABLE_STEP - k, 0.0
    a, b = almanac[k], almanac[k + 1]
    for i in range(3):
        ends = (1.0 + 2.0 * s) * (1.0 - s) ** 2 * a[0, i] + s**2 * (3.0 - 2.0 * s) * b[0, i]
        slopes = TABLE_STEP * s * (1.0 - s) * ((1.0 - s) * a[1, i] - s * b[1, i])
        sun_W[i] = ends + slopes - p_ECI[i]
        size += sun_W[i] ** 2
    for i in range(3):
        sun_W[i] /= math.sqrt(size)


@dataclass(frozen=True, eq=False)
class OnboardAttitude(Ticking):
    """An attitude system with a filter. Reads w_gyro, q_WT, speed, p_IW, v_IW of the falling frame and p_WB, v_WB.

    Returns what the system returns, and P_attitude. `almanac` has the Sun's position [m] and velocity [m/s] in ECI
    every `TABLE_STEP` from 0 on (`sun_knots`), for a system that points to it.
    """

    system: AttitudeSystem
    almanac: Array = field(default_factory=lambda: NO_ALMANAC)  # (m, 2, 3)
    known: KnownState = field(init=False, repr=False)
    more: KnownOut = field(init=False, repr=False)

    tick = staticmethod(onboard_attitude_tick)

    def __post_init__(self) -> None:
        sun = np.zeros(3 if len(self.almanac) else 0)
        object.__setattr__(self, "known", KnownState(np.zeros(3), np.zeros(3), sun, np.array(self.almanac)))
        object.__setattr__(self, "more", KnownOut(np.zeros((3, 3))))

    @property
    def state(self) -> Any:
        """The system's, and where the satellite and the Sun are."""
        return joined(self.system.state, self.known)

    @property
    def out(self) -> Any:
        """The system's, and more."""
        return joined(self.system.out, self.more)
