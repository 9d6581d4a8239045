"""How accurate the docking facility is, raw and calibrated: facilities with errors by lot, measured and judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.rows import uniform_gravity
from freefloat.facility.accuracy import Accuracy, mounted
from freefloat.facility.accuracy_study import JUDGED, POSES, Misses, Study, study
from freefloat.facility.error_sizes import ErrorSizes
from freefloat.facility.part import START, DockingFacility
from freefloat.facility.tracker import Tracker
from freefloat.frames import Pose, so3_log
from freefloat.missions.facility.error_settings import ErrorSettings
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import quantity, setting
from freefloat.scenario.registry import register


class Labs:
    """The facilities of a run, judged when somebody asks."""

    def __init__(self, one: Callable[[int], Study], seeds: Sequence[int]) -> None:
        self._one, self._seeds = one, seeds

    @cached_property
    def studies(self) -> list[Study]:
        """One each."""
        return [self._one(seed) for seed in self._seeds]


@register
class EposCalibration(Scenario):
    """Facilities of the seeds `seed`, `seed` + 1, ... have geometry, gear, sag and rail errors by lot. A laser tracker
    sees reflectors on their plates; least squares give each a static model; plates are judged at other poses.

    In the world the first facility, calibrated, elastic and with its mock-ups, stands at rest: its plates must be where
    the study says that they are.
    """

    kind: ClassVar[str] = "epos-calibration"
    title: ClassVar[str] = "The docking facility measured by a laser tracker: accuracy raw and calibrated"

    duration: float = quantity(0.5, "s", "simulated time", gt=0, le=1e9)
    labs: int = quantity(5, "-", "facilities: of seeds `seed`, `seed` + 1, ...", ge=1, le=100)
    poses: int = quantity(POSES, "-", "that the tracker sees of each", ge=25, le=10_000)
    judged: int = quantity(JUDGED, "-", "other poses at which each is judged", ge=1, le=100_000)
    tracker: float = quantity(3e-5, "m", "sigma of each coordinate of a reflector", gt=0, le=0.1)
    errors: ErrorSettings = setting(ErrorSettings(), "sizes of the errors")

    def build(self) -> Mission:
        """The first facility at rest; all are judged when the run has ended."""
        sizes, tracker = self.errors.sizes(), Tracker(self.tracker)
        one = partial(study, sizes=sizes, poses=self.poses, judged=self.judged, tracker=tracker)
        labs = Labs(one, range(self.seed, self.seed + self.labs))
        part = self._part(sizes, tracker)
        return Mission(
            [part],
            rows=[uniform_gravity(part.gravity)],
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=partial(_judged, labs, part),
            writers=[partial(_drawn, labs)],
        )

    def _part(self, sizes: ErrorSizes, tracker: Tracker) -> DockingFacility:
        """Calibrated, at the ideal axes of the part's start."""
        bare = DockingFacility(joints="elastic")
        loads = mounted(bare.robot(1), bare.robot(2))
        known = {"sizes": sizes, "poses": self.poses, "tracker": tracker}
        accuracy = Accuracy("calibrated", self.seed, "elastic", loads, **known)
        told = accuracy.model.to_motor(np.array(START))
        return DockingFacility(start=tuple(told.tolist()), joints="elastic", accuracy=accuracy)


def _judged(labs: Labs, part: DockingFacility, result: Result) -> dict[str, float]:
    """Means over the facilities, their spread, and the first one in the world against the study."""
    metrics, found = dict[str, float](), labs.studies
    for name in ("raw", "modelled", "calibrated"):
        of: list[Misses] = [getattr(one, name) for one in found]
        for unit, figure in (("m", Misses.three_sigma_m), ("deg", Misses.three_sigma_deg)):
            each = [figure(misses) for misses in of]
            metrics[f"{name}_3sigma_{unit}"] = float(np.mean(each))
            metrics[f"{name}_3sigma_least_{unit}"], metrics[f"{name}_3sigma_most_{unit}"] = min(each), max(each)
            for robot in (1, 2) if name == "calibrated" else ():
                own = [figure(misses, robot) for misses in of]
                metrics[f"{name}_robot{robot}_3sigma_{unit}"] = float(np.mean(own))
    return metrics | _world(part, result)


def _world(part: DockingFacility, result: Result) -> dict[str, float]:
    """By how much the plates of the elastic plant at rest are beside those of the study, at most."""
    shifts, turns = list[float](), list[float]()
    for number, X in zip((1, 2), part.accuracy.plates(part.start), strict=True):
        tool = f"{part.name}.rob{number}.tool"
        there = Pose.from_quat(result[f"{tool}.q_WF"][-1], result[f"{tool}.p_WF"][-1])
        shifts.append(float(np.linalg.norm(there.p - X.p)))
        turns.append(float(np.linalg.norm(so3_log(X.R.T @ there.R))))
    return {"plant_difference_m": max(shifts), "plant_difference_deg": float(np.degrees(max(turns)))}


def _drawn(labs: Labs, result: Result, out: Path) -> None:
    from freefloat.missions.facility.calibration_picture import draw_calibration  # heavy, and only needed here

    draw_calibration(labs.studies, out / "plots" / "accuracy.png")
