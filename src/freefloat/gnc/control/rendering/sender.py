"""Set-points for the robots from the simulated satellites."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from freefloat.frames import Array, quat_to_matrix

AT_REST = np.zeros(6)  # accelerations; robots cannot follow those of an impact, and free flight has none


class Sender:
    """Reads `p1, q1, v1, w1` and `p2, q2, v2, w2` of the satellites, now or ahead; returns `setpoint1`, `setpoint2`
    (19,): [p_WT, q_WT, v_WT, w_WT_W, a_WT, alpha_WT_W]."""

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """What the robots are to do."""
        return {f"setpoint{k}": _setpoint(*(meas[f"{name}{k}"] for name in "pqvw")) for k in (1, 2)}


def _setpoint(p: Array, q: Array, v: Array, w_B: Array) -> Array:
    return np.concatenate([p, q, v, quat_to_matrix(q) @ w_B, AT_REST])
