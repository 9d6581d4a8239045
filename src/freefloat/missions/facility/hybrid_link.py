"""The program between simulated satellites and the facility: their poses as records, every cycle."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from freefloat.facility.record import LIN, POV, ROB1, ROB2, VALUES, Frame, Record
from freefloat.frames import Array, Pose
from freefloat.missions.facility.courses import DATA_LIN
from freefloat.missions.facility.hybrid_space import X_GP


def record_of(ports: tuple[Pose, Pose], X_TU1: Pose, rail: float | None) -> Record:
    """The CLW record of docking frames in the satellites' frame P, which is fixed in the lab.

    `data lin` is constant, so that the rail carries the servicer along x; with `rail` [m] given, it is the x of robot
    1's plate before a carriage that stands there:  data lin = E1 - x_GT.
    """
    values = np.zeros(VALUES)
    for part, X in ((ROB1, ports[0]), (ROB2, ports[1]), (POV, X_GP)):
        values[part] = [*X.p, *X.q[1:], X.q[0]]
    X_GT = X_GP @ ports[0] @ X_TU1.inverse()
    values[LIN] = DATA_LIN if rail is None else rail - float(X_GT.p[0])
    return Record(Frame.CLW, values)


class Shown:
    """A controller that reads `state` (24,) and the satellites' `p1, q1, p2, q2`, of now or ahead; returns `record`.

    It shows the satellites as they are, in every cycle: they rest at the start until the facility runs.
    """

    def __init__(self, X_BU: tuple[Pose, Pose], X_TU1: Pose, rail: float | None = None) -> None:
        self.X_BU, self.X_TU1, self.rail = X_BU, X_TU1, rail

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """The answer to a state."""
        first, second = (Pose.from_quat(meas[f"q{k}"], meas[f"p{k}"]) @ self.X_BU[k - 1] for k in (1, 2))
        return {"record": record_of((first, second), self.X_TU1, self.rail).row(int(meas["state"][0]))}
