"""How accurate the robots of a run are: ideal, calibrated or raw; what a part and its controllers ask of it.

    accuracy = Accuracy("calibrated", seed=3, joints="rigid", loads=mounted(robot1, robot2))

    commands   ideal axes -> accuracy.model.to_motor -> motor set-points -> accuracy.executed -> courses of the plant
    plant      starts where executed(motors) is, with the robots of accuracy.erred(robot, number)
    encoders   what motors were told, or accuracy.encoders(axes of the courses) -> accuracy.model.to_ideal -> reports

`executed` belongs in front of the interpolation of set-points (motors are told every cycle): it is smooth, so a cubic
through its values differs from the one through its arguments by the fourth order of a cycle's motion.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.randomness import stream
from freefloat.errors import InputError
from freefloat.facility.accuracy_study import POSES, calibrated
from freefloat.facility.axes import COUNT
from freefloat.facility.chain import BARE, Load, Loads, design_plates, pose
from freefloat.facility.error_sizes import ErrorSizes
from freefloat.facility.exchange import Identity, StaticModel
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.model_file import read_model
from freefloat.facility.tracker import Tracker
from freefloat.facility.truth import Truth, drawn_truth
from freefloat.frames import Array, Pose
from freefloat.robots.industrial import IndustrialRobot, Joints

Kind = Literal["ideal", "calibrated", "raw"]
KINDS = ("ideal", "calibrated", "raw")


def mounted(robot1: IndustrialRobot, robot2: IndustrialRobot, geometry: LabGeometry | None = None) -> Loads:
    """What hangs on the flanges of both robots: plates, equipment and mock-ups."""
    X_FT = (geometry or LabGeometry()).X_FT
    return Load.of(robot1, X_FT), Load.of(robot2, X_FT)


@dataclass(frozen=True, eq=False)
class Accuracy:
    """True errors of a facility by a seed, and the model that its control corrects them with.

    "ideal": none of either; that elastic gears give way is the plant's. "raw": errors, and control that knows of none.
    "calibrated": the same errors, and the model of a calibration (`accuracy_study.calibrated`), or that of `file`.
    """

    kind: Kind = "ideal"
    seed: int = 0
    joints: Joints = "rigid"
    loads: Loads = BARE  # of robots 1 and 2: `Load.of(robot, X_FT)`
    geometry: LabGeometry = field(default_factory=LabGeometry)
    sizes: ErrorSizes = field(default_factory=ErrorSizes)
    poses: int = POSES  # that the tracker sees in a calibration
    tracker: Tracker = field(default_factory=Tracker)
    file: str | Path = ""  # of a model to correct with, by `freefloat facility calibrate`
    truth: Truth | None = field(init=False, repr=False, default=None)
    model: StaticModel = field(init=False, repr=False)
    _repeat: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"accuracy {self.kind!r}; allowed: {', '.join(KINDS)}")
        if self.file and self.kind != "calibrated":
            raise InputError(f"accuracy {self.kind!r} with the model {str(self.file)!r}; allowed: calibrated")
        repeat, model = np.zeros(COUNT), Identity()
        if self.kind != "ideal":
            truth = drawn_truth(self.seed, self.sizes, self.geometry, self.loads)
            repeat = truth.repeats(stream(self.seed, "facility.repeat"), 1)[0]
            object.__setattr__(self, "truth", truth)
        if self.kind == "calibrated":
            known = (self.seed, self.sizes, self.geometry, self.loads, self.poses, self.tracker)
            model = read_model(self.file, self.geometry) if self.file else calibrated(*known).model
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "_repeat", repeat)

    def executed(self, motors: ArrayLike) -> Array:
        """Axes (13,) [m, rad] for the courses of the plant, where motors are told (13,): links of rigid joints with
        their sag, output sides of the motors of elastic ones. Repeatability is one draw a run."""
        if self.truth is None:
            return np.array(motors, np.float64)
        return self.truth.executed(motors, self._repeat, self.joints == "elastic")

    def links(self, motors: ArrayLike) -> Array:
        """Axes (13,) [m, rad] of the links at rest, where motors are told (13,), of rigid and elastic joints alike."""
        return np.array(motors, np.float64) if self.truth is None else self.truth.executed(motors, self._repeat)

    def plates(self, motors: ArrayLike) -> tuple[Pose, Pose]:
        """X_GT of both plates at rest, where motors are told (13,)."""
        told, repeat = np.array(motors, np.float64)[None], self._repeat[None]
        rows = design_plates(self.geometry, told) if self.truth is None else self.truth.plates(told, repeat)
        return pose(rows[0, 0]), pose(rows[0, 1])

    def encoders(self, axes: ArrayLike) -> Array:
        """Motors (13,) as their encoders show them where the courses of the plant are at these axes."""
        if self.truth is None:
            return np.array(axes, np.float64)
        return self.truth.motors(axes, self._repeat, self.joints == "elastic")

    def erred(self, robot: IndustrialRobot, number: int) -> IndustrialRobot:
        """Robot 1 or 2 with its true geometry and stiffness; its axes at the start are the caller's: `executed`."""
        if self.truth is None:
            return robot
        stiffness = tuple(self.truth.stiffness[number - 1].tolist())
        return replace(robot, errors=self.truth.errors[number - 1], stiffness=stiffness)
