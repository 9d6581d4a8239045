"""One interval of Hermite-Simpson collocation of the platform in CasADi's symbols (REACSA eqs 4.18, 4.19 and 4.22).

A wrench w = [F_x, F_y in B, torque on the body, torque on the wheel] stands for the control. All in SI.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.optional import casadi
from freefloat.gnc.planning.platform.model import PlatformModel
from freefloat.gnc.planning.platform.problem import SlopeMap
from freefloat.units import G0

WRENCH = 4


@dataclass(frozen=True)
class Physics:
    """The numbers of a `PlatformModel` that shape a program; equal ones share it."""

    mass: float  # [kg]
    inertia: float  # [kg m^2]
    wheel_inertia: float  # [kg m^2]
    thrusters: tuple[tuple[float, ...], ...]  # (3, n) wrench in B per newton

    @classmethod
    def of(cls, model: PlatformModel) -> Physics:
        rows = tuple(tuple(map(float, row)) for row in model.thrusters)
        return cls(model.mass, model.inertia, model.wheel_inertia, rows)

    @cached_property
    def mixing(self) -> Array:
        """(4, 1 + n) from the control to the wrench."""
        thrusters = np.array(self.thrusters)
        mixing = np.zeros((WRENCH, 1 + thrusters.shape[1]))
        mixing[:3, 1:] = thrusters
        mixing[2:, 0] = -1.0, 1.0
        return mixing


def simpson(h: Any, first: Any, middle: Any, last: Any) -> Any:
    """Eq. 4.16."""
    return h / 6.0 * (first + 4.0 * middle + last)


def midpoint(h: Any, x0: Any, x1: Any, f0: Any, f1: Any) -> Any:
    """Eq. 4.19."""
    return 0.5 * (x0 + x1) + h / 8.0 * (f0 - f1)


def explicit_step(physics: Physics, x: Any, w0: Any, w1: Any, h: Any) -> Any:
    """The state at the interval's end on a flat floor. The angle first: it depends on the torque alone."""
    ca = casadi()
    wm = 0.5 * (w0 + w1)
    a0, am, a1 = (w[2] / physics.inertia for w in (w0, wm, w1))
    turn0 = x[5]
    turn1 = turn0 + simpson(h, a0, am, a1)
    angle0 = x[2]
    angle1 = angle0 + simpson(h, turn0, midpoint(h, turn0, turn1, a0, a1), turn1)
    angles = (angle0, midpoint(h, angle0, angle1, turn0, turn1), angle1)
    b0, bm, b1 = (_push(physics, angle, w) for angle, w in zip(angles, (w0, wm, w1), strict=True))
    v0 = x[3:5]
    v1 = v0 + simpson(h, b0, bm, b1)
    p1 = x[0:2] + simpson(h, v0, midpoint(h, v0, v1, b0, b1), v1)
    wheel1 = x[6] + simpson(h, w0[3], wm[3], w1[3]) / physics.wheel_inertia
    return ca.vertcat(p1, angle1, v1, turn1, wheel1)


def implicit_defect(physics: Physics, slope: SlopeMap, x0: Any, w0: Any, x1: Any, w1: Any, h: Any) -> Any:
    """x1 less what eq. 4.18 makes of x0, on a floor with slopes."""
    ground = _Ground(physics, slope)
    f0, f1 = ground.derivative(x0, w0), ground.derivative(x1, w1)
    fm = ground.derivative(midpoint(h, x0, x1, f0, f1), 0.5 * (w0 + w1))
    return x1 - x0 - simpson(h, f0, fm, f1)


def _push(physics: Physics, angle: Any, w: Any) -> Any:
    """[x'', y''] of a force in B."""
    ca = casadi()
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(c * w[0] - s * w[1], s * w[0] + c * w[1]) / physics.mass


class _Ground:
    """The map's spline in CasADi: the same coefficients as `SlopeMap.spline`."""

    def __init__(self, physics: Physics, slope: SlopeMap) -> None:
        self.physics, self.contacts = physics, slope.contacts
        ca = casadi()
        tx, ty = slope.spline.get_knots()
        shape = (len(tx) - 4, len(ty) - 4)
        coefficients = slope.spline.get_coeffs().reshape(shape).ravel(order="F")
        place = ca.MX.sym("place", 2)
        height = ca.bspline(place, ca.DM(coefficients), [list(tx), list(ty)], [3, 3], 1, {})
        self.gradient = ca.Function("gradient", [place], [ca.gradient(height, place)])

    def derivative(self, x: Any, w: Any) -> Any:
        ca = casadi()
        c, s = ca.cos(x[2]), ca.sin(x[2])
        force, torque = 0.0, 0.0
        for bx, by in self.contacts:
            arm = ca.vertcat(c * bx - s * by, s * bx + c * by)
            g = self.gradient(x[0:2] + arm)
            force, torque = force - g, torque - (arm[0] * g[1] - arm[1] * g[0])
        pull = G0 / len(self.contacts)
        spin = (w[2] + self.physics.mass * pull * torque) / self.physics.inertia
        return ca.vertcat(x[3:6], _push(self.physics, x[2], w) + pull * force, spin, w[3] / self.physics.wheel_inertia)
