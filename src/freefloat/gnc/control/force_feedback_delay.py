"""The plainest way to render a contact: what a machine's load cell feels acts on the simulated body, cycle by cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array


@dataclass(frozen=True)
class ForceFeedback:
    """Holds the newest measured force on a simulated body over a cycle, and sends the machine along with the body.

    Under a force that is held the body's path is a parabola; it is the course, so that the machine is where the body is
    and adds no lag of its own. What is late is the measurement, by the delay of its sensor and half a cycle of holding.

    Measured: `force` (1,) [N] on the mock-up along x, `p` and `v` (3,) of the body. Returned: `wrench` on the body,
    `course` [t0, c0 .. c5] of the machine's slide along x, and `position` (1,) [m] of the body for the log.
    """

    mass: float  # [kg] of the body

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Commands for the next cycle."""
        force, x, v = float(meas["force"][0]), float(meas["p"][0]), float(meas["v"][0])
        return {
            "wrench": np.array([0.0, 0.0, 0.0, force, 0.0, 0.0]),
            "course": np.array([t, x, v, 0.5 * force / self.mass, 0.0, 0.0, 0.0]),
            "position": np.array([x]),
        }
