"""A plan of the floating platform: states and controls at its knots, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from freefloat.frames import Array
from freefloat.gnc.planning.platform.check import defects, derivative, true_motion
from freefloat.gnc.planning.platform.collocation import WHEEL_WEIGHT
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.model import PlatformModel
from freefloat.gnc.planning.platform.problem import SlopeMap


@dataclass(frozen=True, eq=False)
class Plan:
    """States and controls at the knots; controls are linear between them."""

    model: PlatformModel
    times: Array  # [s] (N,)
    states: Array  # (N, 7) x, y, theta, x', y', theta', wheel speed
    controls: Array  # (N, 1 + n) wheel torque [N m], thrusts [N]
    goal: Array  # (7,) that was asked for
    kind: str  # time | quadratic | propellant
    slope: SlopeMap | None
    solver: str  # that found it: fatrop | ipopt
    iterations: int  # of the solver, all starts together
    solve_time: float  # [s] CPU time of the solver, all starts together
    starts: int  # guesses that were solved

    def __post_init__(self) -> None:
        for name in ("times", "states", "controls", "goal"):
            value = np.array(getattr(self, name), np.float64)
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.times[-1])

    @property
    def on_times(self) -> Array:
        """[s] (n,) that each thruster is open in all, at full thrust."""
        f = self.controls[:, 1:]
        return np.diff(self.times) @ (0.5 * (f[:-1] + f[1:])) / self.model.thrust

    @property
    def on_time(self) -> float:
        """[s] of all thrusters."""
        return float(self.on_times.sum())

    @property
    def cost(self) -> float:
        """Duration [s], on-time [s], or the sum of u' R u over the knots (eq. 4.8) [N^2]."""
        if self.kind == "quadratic":
            return float((self.controls[:, 1:] ** 2).sum() + WHEEL_WEIGHT * (self.controls[:, 0] ** 2).sum())
        return self.duration if self.kind == "time" else self.on_time

    def at(self, t: float) -> tuple[Array, Array]:
        """State (7,) and control (1 + n,) at t [s]; before and after the plan its ends, without control."""
        if not 0.0 <= t <= self.duration:
            return self.states[0 if t < 0.0 else -1].copy(), np.zeros(self.controls.shape[1])
        control = [np.interp(t, self.times, column) for column in self.controls.T]
        return self._spline(t), np.array(control)

    def reference(self) -> HermiteReference:
        """The true motion at the knots, bent to end in the goal itself (less than 1 mm). Both ends must be at rest."""
        inside = true_motion(self.model, self.times, self.controls, self.states[0], self.slope)
        knots = np.vstack([inside[:, 0], inside[-1:, -1]])
        s = self.times[:, None] / self.duration
        off = self.goal[:3] - knots[-1, :3]
        poses = knots[:, :3] + (3.0 - 2.0 * s) * s**2 * off
        rates = knots[:, 3:6] + 6.0 * (1.0 - s) * s * off / self.duration
        rates[-1] = self.goal[3:6]
        return HermiteReference(self.times, poses, rates)

    def defect(self) -> float:
        """Largest of eq. 4.18 [SI]."""
        found = defects(self.model, self.times, self.states, self.controls, self.slope)
        return float(np.abs(found).max())

    @cached_property
    def _spline(self) -> CubicHermiteSpline:
        """The cubic of the collocation."""
        f = derivative(self.model, self.states, self.controls, self.slope)
        return CubicHermiteSpline(self.times, self.states, f)
