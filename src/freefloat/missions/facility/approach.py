"""An approach that is played from a trajectory file."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import FieldError, InputError, RenderingWarning, about
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.part import START
from freefloat.facility.procedure import Step, automatic
from freefloat.facility.trajectory import Trajectory, read_trajectory, write_trajectory
from freefloat.facility.user_tool import write_user_tools
from freefloat.missions.facility.courses import Approach
from freefloat.missions.facility.measures import (
    Poses,
    commanded,
    encoded,
    errors,
    executed,
    running,
    trajectory_poses,
)
from freefloat.missions.facility.scenario import FacilityScenario
from freefloat.scenario.fields import Settings, file, quantity, setting
from freefloat.scenario.registry import register

SAME = 1e-9  # [m, -] within which a set-point is that of a row


class ApproachSettings(Settings):
    """The chaser comes along the rail; the target rolls about the line between them."""

    far: float = quantity(20.0, "m", "between the user tools at the start", gt=0.2, le=22)
    near: float = quantity(1.0, "m", "between them at the end", gt=0.2, le=22)
    speed: float = quantity(0.5, "m/s", "of the chaser, at most", gt=0, le=1.4)
    beside: float = quantity(0.3, "m", "of the chaser beside the line, and half of it above, at the start", ge=-1, le=1)
    roll_rate: float = quantity(math.radians(3.0), "rad/s", "of the target", ge=-2, le=2)

    def course(self) -> Approach:
        """As records."""
        return Approach(self.far, self.near, self.speed, self.beside, self.roll_rate)


@register
class EposApproach(FacilityScenario):
    """Robot 1 carries the servicer along the rail, robot 2 rolls the client (mode async: a file of records)."""

    kind: ClassVar[str] = "epos-approach"
    title: ClassVar[str] = "The docking facility plays an approach from 20 m to 1 m to a rolling client"

    duration: float = quantity(96.0, "s", "simulated time", gt=0, le=1e9)
    approach: ApproachSettings = setting(ApproachSettings(), "the motion, where no file is given")
    trajectory: str = file("", "an ASCII trajectory of 23 columns; empty: the approach")

    def begin(self) -> Sequence[float]:
        """Robot 1 waits a little before where the approach begins."""
        rail = min(max(self.approach.far + 2.0, 0.0), 25.0) if not self.trajectory else START[0]
        return rail, *START[1:]

    def rows(self) -> Trajectory:
        """What is played."""
        if self.trajectory:
            with about("trajectory"):
                return read_trajectory(self.trajectory)
        if self.approach.near >= self.approach.far:
            raise FieldError(
                "approach.near", f"{self.approach.near:g} m; allowed: below approach.far {self.approach.far:g} m"
            )
        return self.approach.course().trajectory()

    def build(self) -> Mission:
        """The operator loads the file, moves to its start and confirms."""
        rows, kinematics = self.rows(), self.kinematics()
        try:
            kinematics.to_axes(rows.record(0), self.begin())
        except InputError as error:
            raise FieldError("trajectory" if self.trajectory else "approach", f"first row: {error}") from None
        steps = automatic("async", Step("load", {"trajectory": rows}), confirm=self.facility.confirm)
        return self.mission(
            steps,
            judge=partial(self._judge, rows, kinematics),
            writers=[partial(self._write, rows, kinematics)],
        )

    def _judge(self, rows: Trajectory, kinematics: Kinematics, result: Result) -> dict[str, float]:
        """Rows that were not executed, and how far encoders and links were from the file, with the delay removed."""
        acting = running(result)
        if not acting.any():
            _tell(len(rows), len(rows), result)
            return {"rows": float(len(rows)), "rows_missing": float(len(rows))}
        start = float(result.time("fmc.state")[acting][0])
        ought = trajectory_poses(rows, kinematics, start)
        missing = _missing(ought, commanded(result, kinematics))
        _tell(missing, len(rows), result)
        metrics = {"rows": float(len(rows)), "rows_missing": float(missing)}
        for name, seen in (("tracking", encoded(result, kinematics)), ("executed", executed(result))):
            off = [errors(o, s, self.facility.delay) for o, s in zip(ought, seen, strict=True)]
            metrics[f"{name}_error_m"] = max(float(place.max()) for place, _ in off)
            metrics[f"{name}_error_deg"] = float(np.degrees(max(float(angle.max()) for _, angle in off)))
        first, second = (poses.between(start, result.duration) for poses in executed(result))
        return metrics | _distances(first, second)

    def _write(self, rows: Trajectory, kinematics: Kinematics, result: Result, out: Path) -> None:
        from freefloat.missions.facility.pictures import draw_approach  # heavy, and only needed here

        write_trajectory(out / "trajectory.txt", rows)
        write_user_tools(out / "user_tool.val", kinematics.tools)
        draw_approach(result, out)


def _missing(ought: tuple[Poses, Poses], told: tuple[Poses, Poses]) -> int:
    """Rows that were the set-point of no cycle of their own."""
    count = min(len(ought[0].t), len(told[0].t))
    same = np.ones(count, dtype=bool)
    for o, c in zip(ought, told, strict=True):
        same &= np.abs(o.p[:count] - c.p[:count]).max(axis=1) <= SAME
        same &= np.abs(o.R[:count] - c.R[:count]).max(axis=(1, 2)) <= SAME
    return len(ought[0].t) - int(same.sum())


def _tell(missing: int, rows: int, result: Result) -> None:
    """Why rows were not executed."""
    if missing:
        operation = result.controllers["fmc"].operation
        why = operation.reason.text or "nothing stopped it; a longer duration lets it go on"
        told = f"{missing} of {rows} rows were not executed; the facility ended in state {operation.state}: {why}"
        warnings.warn(told, RenderingWarning, stacklevel=2)


def _distances(first: Poses, second: Poses) -> dict[str, float]:
    apart = np.linalg.norm(first.p - second.p, axis=1)
    return {"distance_start_m": float(apart[0]), "distance_end_m": float(apart[-1])}
