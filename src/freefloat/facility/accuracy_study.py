"""How accurate a facility is: where its plates are against where they should be, before and after calibration.

What is judged are both plates T in the lab frame, robot 1's with the rail: the miss of a pose is the shift [m] and the
turn [rad] from where the lab by design has the plate at the ideal axes. 3 sigma is thrice the RMS of its norm, over the
poses and both robots.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from freefloat.amounts import Count
from freefloat.engine.randomness import stream
from freefloat.facility.calibration import Calibration, Measurement, calibrate
from freefloat.facility.chain import BARE, Loads, design_plates
from freefloat.facility.error_sizes import ErrorSizes
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.reach_step import differences
from freefloat.facility.static_model import StaticModel
from freefloat.facility.tracker import Tracker, drawn_axes
from freefloat.facility.truth import Truth, drawn_truth
from freefloat.frames import Array

POSES = 150  # that the tracker sees
JUDGED = 1000  # other poses, which nobody measures


@dataclass(frozen=True, eq=False)
class Misses:
    """By how much plates miss their poses."""

    shifts: Array  # [m] (n, 2): of each pose and robot
    turns: Array  # [rad] (n, 2)

    def three_sigma_m(self, robot: int | None = None) -> float:
        """Of both robots, or of robot 1 or 2."""
        return _three_sigma(self.shifts, robot)

    def three_sigma_deg(self, robot: int | None = None) -> float:
        """Of both robots, or of robot 1 or 2."""
        return math.degrees(_three_sigma(self.turns, robot))


@dataclass(frozen=True, eq=False)
class Study:
    """One facility, judged."""

    seed: int
    raw: Misses  # motors are told the ideal axes
    modelled: Misses  # calibrated, with the errors alone that a model can have
    calibrated: Misses  # calibrated, with all errors
    calibration: Calibration  # that of `calibrated`


@lru_cache(maxsize=32)
def calibrated(
    seed: int, sizes: ErrorSizes, geometry: LabGeometry, loads: Loads, poses: int, tracker: Tracker
) -> Calibration:
    """The calibration of the facility of a seed, from what its tracker has seen."""
    truth = drawn_truth(seed, sizes, geometry, loads)
    rng = stream(seed, "facility.calibration")
    motors = drawn_axes(rng, Count(1).number(poses, "calibration: poses"), geometry)
    return calibrate(Measurement(motors, tracker.seen(truth, motors, rng)), tracker, geometry, loads)


def misses(truth: Truth, ideal: Array, motors: Array, repeats: Array) -> Misses:
    """Of plates that should be where those by design are at `ideal` (n, 13), with motors told (n, 13)."""
    wanted = design_plates(truth.geometry, ideal)
    there, out = truth.plates(motors, repeats), np.empty((2 * len(ideal), 6))
    differences(wanted.reshape(-1, 12), there.reshape(-1, 12), out)
    norms = np.linalg.norm(out.reshape(-1, 2, 2, 3), axis=3)
    return Misses(norms[:, :, 1], norms[:, :, 0])


@lru_cache(maxsize=32)
def study(
    seed: int,
    sizes: ErrorSizes | None = None,
    geometry: LabGeometry | None = None,
    loads: Loads = BARE,
    poses: int = POSES,
    judged: int = JUDGED,
    tracker: Tracker | None = None,
) -> Study:
    """Judge the facility of a seed on `judged` poses that are not those of its calibration."""
    sizes, geometry, tracker = sizes or ErrorSizes(), geometry or LabGeometry(), tracker or Tracker()
    rng = stream(seed, "facility.judged")
    ideal = drawn_axes(rng, judged, geometry)
    found = list[Misses]()
    for size in (sizes.modelled, sizes):
        model = calibrated(seed, size, geometry, loads, poses, tracker).model
        found.append(_with(model, drawn_truth(seed, size, geometry, loads), ideal, rng))
    truth = drawn_truth(seed, sizes, geometry, loads)
    raw = misses(truth, ideal, ideal, truth.repeats(rng, judged))
    return Study(seed, raw, found[0], found[1], calibrated(seed, sizes, geometry, loads, poses, tracker))


def _with(model: StaticModel, truth: Truth, ideal: Array, rng: np.random.Generator) -> Misses:
    return misses(truth, ideal, model.to_motors(ideal), truth.repeats(rng, len(ideal)))


def _three_sigma(norms: Array, robot: int | None) -> float:
    chosen = norms if robot is None else norms[:, robot - 1]
    return 3.0 * float(np.sqrt(np.mean(np.square(chosen))))
