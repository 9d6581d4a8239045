"""What is true in the laboratory and what the facility assumes: the errors between them, from the run's seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from freefloat.engine.randomness import stream
from freefloat.frames import Array
from freefloat.robots.industrial import Joints

Errors = Literal["none", "typical"]
STIFFNESS, FRAME, GEARS = 0.1, 1e-3, 0.1  # [-] of the tools, [m] of each tool's place, [-] of the gears
FORCE, TORQUE = 1.0, 0.1  # [N], [N m] standard deviations of the wrists


@dataclass(frozen=True, eq=False)
class Truth:
    """Factors and offsets by which the laboratory differs from what is assumed of it; nothing of it goes to gnc."""

    joints: Joints = "rigid"
    stiffness: float = 1.0  # of the tools' contact, true over assumed
    tip: Array = field(default_factory=lambda: np.zeros(3))  # [m] in the servicer's frame
    surface: Array = field(default_factory=lambda: np.zeros(3))  # [m] in the client's frame
    gears: Array = field(default_factory=lambda: np.ones((2, 6)))  # stiffness of the gears, true over assumed
    noise: Array = field(default_factory=lambda: np.zeros(6))  # [N, N m] of the wrists


def drawn(errors: Errors, seed: int) -> Truth:
    """Of `typical` errors the sizes are fixed and signs and directions are drawn; gears are off by up to a tenth."""
    if errors == "none":
        return Truth()
    rng = stream(seed, "facility.errors")
    return Truth(
        "elastic",
        1.0 + STIFFNESS * float(rng.choice([-1.0, 1.0])),
        FRAME * _direction(rng),
        FRAME * _direction(rng),
        rng.uniform(1.0 - GEARS, 1.0 + GEARS, (2, 6)),
        np.array([FORCE] * 3 + [TORQUE] * 3),
    )


def _direction(rng: np.random.Generator) -> Array:
    v = rng.standard_normal(3)
    return v / np.linalg.norm(v)
