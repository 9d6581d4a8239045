"""What the paper's filter takes for unknown acceleration: thrusters of unequal strength, and a floor's slope."""

from __future__ import annotations

import math

import numpy as np

from freefloat.gnc.planning.platform.model import PlatformModel
from freefloat.units import G0

NOISE_OF_TABLE_5_2 = (1e-3, 1e-3, 1e-3)  # [m^2, m^2, rad^2] exaggerated variance of a measured pose
PULSE = 0.1  # [s] shortest pulse, Table 4.2
STRENGTH_ERROR = 0.1  # [-] of one thruster, sec. 6.3
PULSE_RATE = 0.5  # [1/s] assumed: of the pulses along an axis, and of those that turn the body


def process_noise(model: PlatformModel) -> tuple[float, float]:
    """Root densities of white acceleration on a flat floor: [m/s^1.5] of x and y, [rad/s^1.5] of the angle.

    What thrusters with `STRENGTH_ERROR` leave unknown at `PULSE_RATE` pulses a second: each pulse jumps the rate by
    that share of its impulse, and jumps of size e at a mean rate n have the density n e^2. At twice the rate the
    angle's steady deviation would miss Table 5.2.
    """
    jump = math.sqrt(PULSE_RATE) * STRENGTH_ERROR * model.thrust * PULSE
    push, turn = (math.sqrt(float(np.mean(w))) for w in (np.sum(model.thrusters[:2] ** 2, 0), model.thrusters[2] ** 2))
    return jump * push / model.mass, jump * turn / model.inertia


def slope_noise(slope: float, variance: float, dt: float) -> float:
    """Root density [m/s^1.5] of white acceleration that stands for a floor's unknown root mean square slope [-].

    A steady acceleration a, unknown to the filter, shifts its velocity by sqrt(2) a r^(1/4) q^(-1/2), r = variance dt;
    its own deviation is the root of sqrt(2) q^(3/2) r^(1/4). The two agree at this q.
    """
    return (math.sqrt(2.0) * (G0 * slope) ** 2 * (variance * dt) ** 0.25) ** 0.4
