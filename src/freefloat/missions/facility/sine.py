"""A sine of one axis or component, by which the facility's delay and gain are measured."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import about
from freefloat.facility.axes import CYCLE
from freefloat.facility.components import Component, component
from freefloat.facility.procedure import Step, automatic
from freefloat.facility.record import UNITS
from freefloat.frames import Array
from freefloat.missions.facility.measures import running
from freefloat.missions.facility.scenario import FacilityScenario
from freefloat.scenario.fields import Settings, quantity, setting
from freefloat.scenario.registry import register

EDGE = 2  # cycles at either end that are not judged: it grows and fades for one


class SineSettings(Settings):
    """Which component moves, and how."""

    frame: Literal["IJT", "IDC", "GLC", "CLW"] = setting("IJT", "frame of the component")
    component: str = setting("E1", "E1 or A1 to A6 (IJT), x y z A B C (IDC, GLC), x y z rx ry rz (CLW), lin")
    robot: int = quantity(0, "-", "whose component: 1 or 2; 0 for E1 and lin", ge=0, le=2)
    amplitude: float = quantity(0.3, "-", "in m, or in rad of what turns", gt=0, le=10)
    frequency: float = quantity(0.2, "Hz", "frequency", gt=0, le=20)
    cycles: int = quantity(8, "-", "whole cycles at full amplitude; it grows and fades for a cycle more", ge=3, le=1000)

    def moves(self) -> Component:
        """The component, which must exist."""
        with about("sine.component"):
            return component(self.frame, self.component, self.robot)


@register
class EposSine(FacilityScenario):
    """The facility's own sine (mode sine): commanded and executed motion of one component."""

    kind: ClassVar[str] = "epos-sine"
    title: ClassVar[str] = "The docking facility moves one axis or component by a sine: its delay and its gain"

    duration: float = quantity(52.0, "s", "simulated time", gt=0, le=1e9)
    sine: SineSettings = setting(SineSettings(), "the motion")

    def build(self) -> Mission:
        """The operator sets the sine and starts it."""
        moves, s = self.sine.moves(), self.sine
        given = {"frame": s.frame, "component": s.component, "robot": s.robot, "amplitude": s.amplitude}
        told = Step("sine", given | {"frequency": s.frequency, "cycles": s.cycles})
        judge, write = partial(self._judge, moves), partial(self._write, moves)
        return self.mission(automatic("sine", told, confirm=self.facility.confirm), judge=judge, writers=[write])

    def _judge(self, moves: Component, result: Result) -> dict[str, float]:
        """Delay and gain from two fits of a sine in the same window: to the set-points, and to what was executed.

        Nothing of a run that ends before there is a whole cycle to judge.
        """
        acting, t = running(result), result.time("fmc.state")
        if np.count_nonzero(acting) * CYCLE < (2 * EDGE + 1) / self.sine.frequency:
            return {}
        first = float(t[acting][0]) + EDGE / self.sine.frequency
        last = float(t[acting][-1]) - EDGE / self.sine.frequency
        name, entry = f"{self.sine.frame.lower()}", moves.index
        told, done = (
            _amplitude(t, result[f"{which}.{name}"][:, entry], first, last, self.sine.frequency)
            for which in ("cmd", "act")
        )
        ratio = done / told
        delay = -math.atan2(ratio.imag, ratio.real) / (2.0 * math.pi * self.sine.frequency)
        scale = _scale(moves)
        return {
            "delay_s": delay,
            "gain_error": abs(ratio) - 1.0,
            f"amplitude_commanded_{moves.unit}": abs(told) * scale,
            f"amplitude_executed_{moves.unit}": abs(done) * scale,
        }

    def _write(self, moves: Component, result: Result, out: Path) -> None:
        from freefloat.missions.facility.pictures import draw_sine  # heavy, and only needed here

        draw_sine(result, moves, out)


def _amplitude(t: Array, x: Array, first: float, last: float, frequency: float) -> complex:
    """Of the sine in x between two instants, by least squares beside a constant: its amplitude and phase."""
    kept = (t >= first) & (t <= last)
    w = 2.0 * math.pi * frequency
    columns = np.stack([np.ones(kept.sum()), np.cos(w * t[kept]), np.sin(w * t[kept])], axis=1)
    _, c, s = np.linalg.lstsq(columns, x[kept], rcond=None)[0]
    return complex(c, -s)


def _scale(moves: Component) -> float:
    """To m or rad from the record's unit."""
    return {"mm": 1e-3, "deg": math.radians(1.0)}.get(UNITS[moves.frame][moves.index], 1.0)
