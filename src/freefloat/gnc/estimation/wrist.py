"""Contact wrenches from a force sensor in the wrist: the mock-up's weight and inertia are taken out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.six_axis import SixAxis


@dataclass(frozen=True, eq=False)
class WristCompensation:
    """What touches a mock-up on the flange F, from what the flange puts on it and from how it moves:

        f = M (a_cm - g) - R_WF f_s,   m_cm = I alpha + w x I w - (R_WF m_s + (x_F - x_cm) x R_WF f_s)

    with rates and accelerations of the axes from their courses. Lange, Grunwald and Albu-Schaeffer 2016, eqs 3 and 4,
    have the weight only and the other sign: that is what is left where rates and accelerations are given as zero.
    Where gears are elastic, the courses are those of the motors: what the links swing besides stays in the result.
    """

    kinematics: SixAxis  # T is the point that torques are about
    mass: float  # [kg] of the mock-up
    p_FFcm: ArrayLike  # [m]
    inertia: ArrayLike  # [kg m^2] (3, 3) about its centre of mass, in F
    gravity: ArrayLike = (0.0, 0.0, -9.81)  # [m/s^2] in W
    bias: ArrayLike = (0.0,) * 6  # [N, N m] of the sensor, where it is known

    def __post_init__(self) -> None:
        for name, shape in (("p_FFcm", (3,)), ("inertia", (3, 3)), ("gravity", (3,)), ("bias", (6,))):
            value = np.array(getattr(self, name), np.float64)
            if value.shape != shape or not np.isfinite(value).all():
                raise InputError(f"wrist: {name} {value.tolist()}; allowed: finite numbers of shape {shape}")
            object.__setattr__(self, name, value)
        if not 0.0 <= self.mass < np.inf:
            raise InputError(f"wrist: mass {self.mass!r} kg; allowed: >= 0 and finite")
        object.__setattr__(self, "_flange", SixAxis(self.kinematics.arm, self.kinematics.X_WB))

    _flange: SixAxis = field(init=False, repr=False)

    def contact(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, wrist: ArrayLike) -> Array:
        """[force; torque] (6,) in W on the mock-up from outside, torque about the tool's origin."""
        flange, rates = self._flange, np.asarray(qd, np.float64)
        X, J = flange.flange(q), flange.jacobian(q)
        w = (J @ rates)[:3]
        A = J @ np.asarray(qdd, np.float64) + flange.drift(q, rates)
        alpha, r = A[:3], X.R @ np.asarray(self.p_FFcm, np.float64)
        a_cm = A[3:] + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        read = np.asarray(wrist, np.float64) - np.asarray(self.bias, np.float64)
        f_s, m_s = X.R @ read[:3], X.R @ read[3:]
        I_W = X.R @ np.asarray(self.inertia, np.float64) @ X.R.T
        force = self.mass * (a_cm - np.asarray(self.gravity, np.float64)) - f_s
        about_cm = I_W @ alpha + np.cross(w, I_W @ w) - (m_s - np.cross(r, f_s))
        return np.concatenate([force, about_cm + np.cross(r - self._tool(X), force)])

    def _tool(self, X_WF: Pose) -> Array:
        """From the flange to the tool's origin, in W."""
        return X_WF.R @ self.kinematics.X_FT.p
