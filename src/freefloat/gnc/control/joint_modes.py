"""Joint control of a walking robot on a floating stack: position mode, compliance mode, either end as its base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError, unknown_name
from freefloat.gnc.control.inverse_dynamics import Mass, Onboard, mass_of, write_mass
from freefloat.gnc.planning.jerk_limited import MotionLimits, Path, Stop

Array = NDArray[np.float64]
Mode = Literal["position", "compliance"]


@dataclass(frozen=True, eq=False)
class Footing:
    """The onboard model for one way the robot stands: its base end on the stack, the other end free.

    The stack is the body of the model's free joint; `joints` gives the order of q. `tip` carries the payload.
    """

    model: mujoco.MjModel
    joints: tuple[str, ...]
    stack: str
    tip: str
    onboard: Onboard = field(init=False, repr=False)
    own: Mass = field(init=False, repr=False)  # of the tip without a payload

    def __post_init__(self) -> None:
        names = [self.model.joint(i).name for i in range(self.model.njnt)]
        for name in self.joints:
            if name not in names:
                raise unknown_name("joint", name, filter(None, names))
        dofs = np.array([int(self.model.joint(name).dofadr[0]) for name in self.joints], np.intp)
        object.__setattr__(self, "onboard", Onboard(self.model, dofs))
        object.__setattr__(self, "own", mass_of(self.model, self.tip))

    def set_stack(self, mass: Mass) -> None:
        """Mass properties of the stack, in the frame of its body."""
        write_mass(self.model, self.stack, mass)

    def set_payload(self, payload: Mass) -> None:
        """What the tip holds, in the frame of the tip's body; `Mass.none()` for nothing."""
        write_mass(self.model, self.tip, self.own + payload)


class JointModes:
    """tau for the joints; reads q, qd and the base's q_WB, v_WB, w_WB_B; returns tau, the reference and the error.

    position:   inverse dynamics of q_d'' + 2 z w (q_d' - q') + w^2 (q_d - q), the base left to react
    compliance: tau = K (q_d - q) - D q' + c*, with q_d as it was at the switch and c* the bias of the floating robot;
                D gives every mode of K against the floating inertia M* the same damping ratio: with M* = L L^T,
                D = 2 z L (L^-1 K L^-T)^(1/2) L^T (Albu-Schaeffer, Ott, Frese and Hirzinger 2003)

    Efforts are clipped to `effort`. Until a path is set, position mode holds where the first measurement finds it.
    """

    def __init__(
        self,
        footings: Mapping[str, Footing],
        base: str,
        effort: ArrayLike,  # [N m]
        bandwidth: float = 8.0,  # [rad/s] w above
        damping: float = 1.0,  # [-] z above
        stiffness: ArrayLike = 30.0,  # [N m/rad] K of each joint; its fastest mode must be slower than the update rate
        compliance_damping: float = 0.7,  # [-] z of the compliance
    ) -> None:
        self.footings = dict(footings)
        self.stand_on(base)
        n = len(self.footings[base].joints)
        self.effort, self.stiffness = (
            np.broadcast_to(np.asarray(v, np.float64), (n,)).copy() for v in (effort, stiffness)
        )
        self.bandwidth, self.damping, self.compliance_damping = bandwidth, damping, compliance_damping
        self.mode: Mode = "position"
        self._path: Path | None = None
        self._start = 0.0
        self._held: Array | None = None  # q_d where no path runs

    def stand_on(self, base: str) -> None:
        """Choose the footing; the motion in progress goes on."""
        if base not in self.footings:
            raise unknown_name("footing", base, self.footings)
        self.base = base

    @property
    def footing(self) -> Footing:
        return self.footings[self.base]

    def follow(self, path: Path, start: float) -> None:
        """Position mode along a path whose time 0 is `start` [s]."""
        self.mode, self._path, self._start = "position", path, start

    def hold(self, q: ArrayLike | None = None) -> None:
        """Position mode at q, or where the next measurement finds the joints."""
        self.mode, self._path = "position", None
        self._held = None if q is None else np.array(q, np.float64)

    def comply(self, q: ArrayLike | None = None) -> None:
        """Compliance mode about q, or about where the next measurement finds the joints."""
        self.mode, self._path = "compliance", None
        self._held = None if q is None else np.array(q, np.float64)

    def stop(self, t: float, limits: MotionLimits) -> None:
        """Brake from the reference at t [s] within limits, then hold."""
        if self._path is None:
            return
        q, qd, qdd = self.reference(t)
        self.follow(Stop(q, qd, np.clip(qdd, -limits.acceleration, limits.acceleration), limits), t)

    def reference(self, t: float) -> tuple[Array, Array, Array]:
        """q_d, q_d', q_d'' at t [s]."""
        if self._path is not None:
            return self._path.at(t - self._start)
        if self._held is None:
            raise InputError("joint modes: no reference before the first measurement")
        return self._held, np.zeros_like(self._held), np.zeros_like(self._held)

    def finished(self, t: float) -> bool:
        """Whether the path has ended at t [s]."""
        return self._path is None or t >= self._start + self._path.duration

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Efforts for the next period."""
        if self._path is None and self._held is None:
            self._held = np.array(meas["q"], np.float64)
        q, qd, qdd = self.reference(t)
        error = q - meas["q"]
        onboard = self.footing.onboard
        if self.mode == "position":
            a = qdd + 2.0 * self.damping * self.bandwidth * (qd - meas["qd"]) + self.bandwidth**2 * error
            tau = onboard.efforts(a, meas)
        else:
            M, bias = onboard.inertia_and_bias(meas)
            D = 2.0 * self.compliance_damping * _geometric_mean(M, self.stiffness)
            tau = self.stiffness * error + D @ (qd - meas["qd"]) + bias
        return {"tau": np.clip(tau, -self.effort, self.effort), "error": error, "q_ref": q}


def _geometric_mean(M: Array, K: Array) -> Array:
    """L (L^-1 diag(K) L^-T)^(1/2) L^T with M = L L^T: damping at which every mode of M and K has the ratio 1/2."""
    L = np.linalg.cholesky(M)
    inverse = np.linalg.inv(L)
    values, vectors = np.linalg.eigh(inverse @ (K[:, None] * inverse.T))
    half = L @ vectors
    return (half * np.sqrt(np.maximum(values, 0.0))) @ half.T
