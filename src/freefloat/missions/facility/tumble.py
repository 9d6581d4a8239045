"""A tumbling client, commanded by an application in every cycle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.part import START
from freefloat.facility.procedure import automatic
from freefloat.frames import Array
from freefloat.missions.facility.courses import Tumble
from freefloat.missions.facility.measures import (
    axes_of,
    course_poses,
    encoded,
    errors,
    executed,
    running,
    steps_of,
)
from freefloat.missions.facility.scenario import FacilityScenario, check_start
from freefloat.scenario.fields import Settings, quantity, setting
from freefloat.scenario.registry import register


class TumbleSettings(Settings):
    """The client turns about x with its axis on a cone; the servicer keeps its place and sways a little."""

    turns: float = quantity(20.0, "-", "whole turns of the client, from rest to rest", gt=0, le=1000)
    rate: float = quantity(math.radians(60.0), "rad/s", "of the client, at most", gt=0, le=3)
    cone: float = quantity(math.radians(10.0), "rad", "half angle of the cone", ge=0, le=0.5)
    distance: float = quantity(3.0, "m", "of the servicer's tool from the client's", gt=0.2, le=20)
    sway: float = quantity(0.1, "m", "of the servicer to both sides", ge=0, le=1)
    ramp: float = quantity(5.0, "s", "from rest to the rate, and back", gt=0.1, le=100)

    def course(self) -> Tumble:
        """As records."""
        return Tumble(self.turns, self.rate, self.cone, self.distance, self.sway, self.ramp)


@register
class EposTumble(FacilityScenario):
    """An application in CLW coordinates: robot 2 turns the client on its endless axes (mode sync)."""

    kind: ClassVar[str] = "epos-tumble"
    title: ClassVar[str] = "The docking facility turns a tumbling client for many turns, on a cone, by an application"

    duration: float = quantity(135.0, "s", "simulated time", gt=0, le=1e9)
    tumble: TumbleSettings = setting(TumbleSettings(), "the motion")

    def begin(self) -> Sequence[float]:
        """The rail near where the servicer is to stand."""
        return min(self.tumble.distance + 3.0, 25.0), *START[1:]

    def build(self) -> Mission:
        """The application answers from the start; the operator moves to its first command and confirms."""
        course, kinematics = self.tumble.course(), self.kinematics()
        check_start(kinematics, course, self.begin(), "tumble")
        judge = partial(self._judge, course, kinematics)
        return self.mission(
            automatic("sync", confirm=self.facility.confirm), course, judge=judge, writers=[self._write]
        )

    def _judge(self, course: Tumble, kinematics: Kinematics, result: Result) -> dict[str, float]:
        """How many turns the links made, how even, and how far off the course."""
        acting = running(result)
        metrics = {"turns_commanded": self.tumble.turns, "turns_executed": _turns(executed(result)[1].R)}
        if not acting.any():
            return metrics
        t = result.time("fmc.state")[acting]
        ought = course_poses(course, t)
        for name, seen in (("tracking", encoded(result, kinematics)), ("executed", executed(result))):
            off = [errors(o, s, self.facility.delay) for o, s in zip(ought, seen, strict=True)]
            metrics[f"{name}_error_m"] = max(float(place.max()) for place, _ in off)
            metrics[f"{name}_error_deg"] = float(np.degrees(max(float(angle.max()) for _, angle in off)))
        axes = axes_of(result, "act")
        metrics["axis_turns_A6"] = float((axes[-1, 12] - axes[acting][0, 12]) / (2.0 * math.pi))
        return metrics | {"axis_step_max_deg": float(np.degrees(steps_of(result)[1:].max()))}

    def _write(self, result: Result, out: Path) -> None:
        from freefloat.missions.facility.pictures import draw_tumble  # heavy, and only needed here

        draw_tumble(result, out)


def _turns(R: Array) -> float:
    """Of the tool about x of G, from the first sample to the last: how its z goes round."""
    angle = np.unwrap(np.arctan2(R[:, 2, 1] - R[:, 1, 2], R[:, 1, 1] + R[:, 2, 2]))
    return float((angle[-1] - angle[0]) / (2.0 * math.pi))
