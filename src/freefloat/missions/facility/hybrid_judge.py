"""How well the robots show the satellites: the relative pose that their links execute against the simulated one."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from freefloat.engine.result import Result
from freefloat.errors import RenderingWarning
from freefloat.facility.axes import CYCLE
from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.modes import CAUSES
from freefloat.frames import Array, Pose, quat_to_matrix
from freefloat.gnc.control.rendering.cycle import Moving
from freefloat.missions.facility.measures import Poses, axes_of, errors, executed, running
from freefloat.missions.impacts.ideal import Pair, Reference
from freefloat.missions.impacts.satellite import NAMES


def shown(result: Result) -> Poses:
    """Robot 1's user tool as robot 2's sees it, by the links."""
    return relative(*executed(result))


def simulated(result: Result, ports: tuple[Pose, Pose]) -> Poses:
    """The servicer's docking frame as the client's sees it."""
    found: list[Poses] = []
    for name, X_BU in zip(NAMES, ports, strict=True):
        R = np.array([quat_to_matrix(q) for q in result[f"{name}.q_WB"]])
        found.append(Poses(result.time(f"{name}.p_WB"), result[f"{name}.p_WB"] + R @ X_BU.p, R @ X_BU.R))
    return relative(found[0], found[1])


def relative(first: Poses, second: Poses) -> Poses:
    """The first as the second sees it."""
    p = np.einsum("nji,nj->ni", second.R, first.p - second.p)
    return Poses(first.t, p, np.einsum("nji,njk->nik", second.R, first.R))


def acted(result: Result) -> tuple[float, float]:
    """First and last instant [s] at which commands acted; both the run's end where none did."""
    t = result.time("fmc.state")
    acting = t[running(result)]
    return (float(acting[0]), float(acting[-1])) if len(acting) else (float(t[-1]), float(t[-1]))


def cut_short(result: Result) -> str:
    """Why commands ceased to act, where the facility itself ended them; empty where the operator did, or nobody."""
    code = int(result["fmc.reason"].reshape(-1)[-1])
    cause = list(CAUSES)[code]
    return "" if cause in ("none", "operator", "end") else cause


def acceleration_share(result: Result) -> float:
    """Largest acceleration of an axis over its limit, by the commands that acted."""
    axes = axes_of(result, "cmd")[running(result)]
    if len(axes) < 3:
        return 0.0
    return float((np.abs(np.diff(axes, 2, axis=0)) / CYCLE**2 / axis_limits().acceleration).max())


@dataclass(frozen=True, eq=False)
class Showing:
    """How a run shows the satellites."""

    ports: tuple[Pose, Pose]  # X_BU
    delay: float  # [s] of the facility
    ahead: float  # [s] by which records are ahead of the satellites

    @property
    def late(self) -> float:
        """[s] by which the robots are behind the satellites."""
        return self.delay - self.ahead

    def differences(self, result: Result) -> tuple[Array, Array, Array]:
        """Instants [s] at which commands were executed, and how far the relative pose then was from the simulated one
        `late` before, in m and rad. The last cycle is left out: its curve bends to what came after the commands."""
        first, last = acted(result)
        last -= CYCLE
        ought, was = simulated(result, self.ports).between(first + self.ahead, last + self.ahead), shown(result)
        if len(ought.t) < 2:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        place, angle = errors(ought, was, self.late)
        return was.between(ought.t[0] + self.late, ought.t[-1] + self.late).t, place, angle

    def judge(self, result: Result) -> dict[str, float]:
        """Of the time in which commands acted."""
        first, last = acted(result)
        why = cut_short(result)
        if why:
            told = f"the facility stopped at {last:.3f} s: {CAUSES[why]}"
            warnings.warn(f"{told}. What the satellites do after that is not shown", RenderingWarning, stacklevel=2)
        metrics = {"running_s": last - first, "not_shown_s": float(result.time("fmc.state")[-1]) - last if why else 0.0}
        _, place, angle = self.differences(result)
        if not len(place):
            return metrics
        apart = np.linalg.norm(shown(result).between(first + self.delay, last + self.delay).p, axis=1)
        return metrics | {
            "relative_position_error_m": float(place.max()),
            "relative_attitude_error_deg": float(np.degrees(angle.max())),
            "distance_start_m": float(apart[0]),
            "distance_end_m": float(apart[-1]),
            "axis_acceleration_percent": 100.0 * acceleration_share(result),
        }


def free_since(result: Result, ramp: float) -> float | None:
    """The first sample [s] at which the satellites are free, the departure being over; None: there is none."""
    t, end = result.time("servicer.p_WB"), acted(result)[0] + ramp
    later = t[t >= end + 2.0 * CYCLE]
    return float(later[0]) if len(later) > 1 else None


def reference(result: Result, pair: Pair, since: float) -> Reference:
    """The ideal motion that goes on from where the satellites were at `since` [s], apart."""
    k = int(np.argmin(np.abs(result.time("servicer.p_WB") - since)))
    start = [_moving(result, name, k) for name in NAMES]
    return Reference(pair, (start[0], start[1]))


def _moving(result: Result, name: str, k: int) -> Moving:
    p, q, v, w = (result[f"{name}.{signal}"][k] for signal in ("p_WB", "q_WB", "v_WB", "w_WB_B"))
    return Moving(Pose.from_quat(q, p), v, w)
