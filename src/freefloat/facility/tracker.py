"""A simulated laser tracker, and the poses that it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Measure, positive, take
from freefloat.facility.axes import COUNT
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.truth import Truth
from freefloat.frames import Array

REFLECTORS = np.array([[0.3, 0.0, 0.0], [-0.15, 0.26, 0.0], [-0.15, -0.26, 0.0]])  # [m] on a plate, in T; assumed
LOWER = np.radians([-90.0, -110.0, 60.0, -180.0, -100.0, -180.0])  # [rad] of A1 to A6 in the poses; assumed
UPPER = np.radians([90.0, -30.0, 130.0, 180.0, 100.0, 180.0])
STRETCHED = math.radians(10.0)  # poses with A5 nearer to 0 are left out


@dataclass(frozen=True)
class Tracker:
    """Sees three reflectors on each plate; each coordinate in the lab with an error of its own, normal."""

    sigma: Measure = 3e-5  # [m] assumed

    def __post_init__(self) -> None:
        take(self, "laser tracker", sigma=positive("m"))

    def seen(self, truth: Truth, motors: Array, rng: np.random.Generator) -> Array:
        """Reflectors [m] (n, 2, 3, 3) in G: of each pose, plate and reflector, when the motors have come to (n, 13)."""
        points = reflectors(truth.plates(motors, truth.repeats(rng, len(motors))))
        return points + self.sigma * rng.normal(size=points.shape)


def reflectors(plates: Array) -> Array:
    """Places [m] (..., 3, 3) of the reflectors on plates (..., 12)."""
    R = plates[..., :9].reshape(*plates.shape[:-1], 3, 3)
    return plates[..., None, 9:] + np.einsum("...ij,kj->...ki", R, REFLECTORS)


def drawn_axes(rng: np.random.Generator, count: int, geometry: LabGeometry) -> Array:
    """Ideal axes (count, 13), even over the ranges: all of the rail, robots that look forwards."""
    low, high = geometry.rail
    axes = rng.uniform([low, *LOWER, *LOWER], [high, *UPPER, *UPPER], (count, COUNT))
    for wrist in (5, 11):
        even = rng.uniform(STRETCHED, UPPER[4], count)
        axes[:, wrist] = np.where(axes[:, wrist] < 0.0, -even, even)
    return axes
