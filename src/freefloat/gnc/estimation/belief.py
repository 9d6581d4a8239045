"""What an attitude filter believes, and what it knows of its gyro."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from freefloat.compiled import inner
from freefloat.errors import InputError
from freefloat.frames import Array, quat_canonical
from freefloat.gnc.rotations import Numbers, Vector


@dataclass(frozen=True)
class GyroModel:
    """Errors of a rate gyro, the same on each axis."""

    noise: float = 1e-5  # [rad/s^0.5] angle random walk; one sample over dt has noise / sqrt(dt)
    walk: float = 1e-8  # [rad/s^1.5] bias random walk
    bias_sigma: float = 5e-5  # [rad/s] at the start
    scale_sigma: float = 0.0  # [-] 0: the scale is known, and no state

    def __post_init__(self) -> None:
        if not (self.noise > 0.0 and self.walk >= 0.0 and self.bias_sigma > 0.0 and self.scale_sigma >= 0.0):
            raise InputError(f"gyro model: {self} needs noise, bias_sigma > 0 and walk, scale_sigma >= 0")


class Belief(NamedTuple):
    """Estimate and covariance of its error."""

    q_WB: Array
    bias: Array  # [rad/s]
    scale: Array  # [-]
    P: Array  # (6, 6) or (9, 9) of [th, db(, ds)]

    @classmethod
    def start(cls, gyro: GyroModel, q_WB: ArrayLike = (1.0, 0.0, 0.0, 0.0), sigma: float = math.pi) -> Belief:
        """At attitude q_WB, known to `sigma` [rad] on each axis (pi: not at all), bias and scale zero."""
        sigmas = [sigma, gyro.bias_sigma] + ([gyro.scale_sigma] if gyro.scale_sigma > 0.0 else [])
        P = np.diag(np.repeat(np.square(sigmas), 3))
        return cls(quat_canonical(q_WB), np.zeros(3), np.zeros(3), P)

    def rate(self, w_gyro: Array) -> Array:
        """w_WB_B [rad/s] from a gyro reading."""
        return (w_gyro - self.bias) / (1.0 + self.scale)

    def copy(self) -> Belief:
        """With arrays of its own."""
        return Belief(self.q_WB.copy(), self.bias.copy(), self.scale.copy(), self.P.copy())


@inner
def unbiased(w_gyro: Numbers, belief: Belief) -> Vector:
    """w_WB_B [rad/s] from a gyro reading."""
    bias, scale = belief.bias, belief.scale
    return (
        (w_gyro[0] - bias[0]) / (1.0 + scale[0]),
        (w_gyro[1] - bias[1]) / (1.0 + scale[1]),
        (w_gyro[2] - bias[2]) / (1.0 + scale[2]),
    )
