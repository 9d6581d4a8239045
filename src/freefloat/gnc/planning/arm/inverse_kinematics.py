"""Joint positions that bring the tip of a chain to a pose: mink's quadratic programs from several starts, then Newton.

mink (Zakka 2024) steps the damped least-squares problem within the joint limits, with a weak pull to a comfortable
posture that settles the redundancy; the last digits come from Newton steps dq = J^+ e on the joints off their limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import SimulationError
from freefloat.frames import Array, Pose, so3_log
from freefloat.gnc.planning.arm.chain import TIP, Chain
from freefloat.gnc.planning.optional import mink

TOLERANCE = 1e-10  # [m and rad] of a solution
COARSE = 1e-4  # [m and rad] where Newton takes over
LONGEST_STEP = 0.5  # [rad or m] of one joint in one step
DESCENT_STEPS = 60
NEWTON_STEPS = 30
DISTINCT = 1e-3  # [rad or m] closer solutions count as one


class UnreachableError(SimulationError):
    """No joint positions within the limits bring the tip to the target."""


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Solver for one chain. The same seed gives the same solutions."""

    chain: Chain
    posture: Array  # [rad or m] comfortable joint positions
    starts: int = 40  # tried before the target counts as out of reach
    seed: int = 0
    pull: float = 0.03  # [-] weight of the posture against 1 m or 1 rad of the tip
    _descent: _Descent = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "posture", np.array(self.posture, np.float64))
        object.__setattr__(self, "_descent", _Descent(self.chain, self.posture, self.pull))

    def solve(self, X_AT: Pose, start: ArrayLike | None = None, choices: int = 4) -> Array:
        """Joint positions with the tip at X_AT: of the first `choices` solutions the nearest to `start` or the posture.

        Raises `UnreachableError` with the best residual that was found.
        """
        reference = self.posture if start is None else np.asarray(start, np.float64)
        found: list[Array] = []
        for q in self.solutions(X_AT, start):
            found.append(q)
            if len(found) == choices:
                break
        if not found:
            raise self._unreachable(X_AT)
        return min(found, key=lambda q: float(np.linalg.norm(q - reference)))

    def solutions(self, X_AT: Pose, start: ArrayLike | None = None) -> Iterator[Array]:
        """Distinct solutions: by the shortest way from `start`, from there towards the posture, then from the posture
        and from seeded random positions.
        """
        found: list[Array] = []
        reference = self.posture if start is None else np.asarray(start, np.float64)
        near = [] if start is None else [reference]
        for q0 in chain(near, (self._descent.run(X_AT, q) for q in self._starts(start))):
            q = self.refine(X_AT, q0)
            if q is None:
                continue
            q = self._unwound(q, reference)
            if all(np.abs(q - other).max() > DISTINCT for other in found):
                found.append(q)
                yield q

    def refine(self, X_AT: Pose, q: ArrayLike) -> Array | None:
        """The solution near q by Newton steps, or None where they do not converge within the limits."""
        q = np.clip(np.asarray(q, np.float64), self.chain.lower, self.chain.upper)
        for _ in range(NEWTON_STEPS):
            X, J = self.chain.pose_and_jacobian(q)
            e = np.concatenate([so3_log(X_AT.R @ X.R.T), X_AT.p - X.p])
            if np.linalg.norm(e[:3]) <= 0.1 * TOLERANCE and np.linalg.norm(e[3:]) <= 0.1 * TOLERANCE:
                return q
            q = self._newton_step(q, J, e)
        return q if max(self.chain.residual(q, X_AT)) <= TOLERANCE else None

    def _newton_step(self, q: Array, J: Array, e: Array) -> Array:
        """One damped step; joints that would leave their limits stay."""
        lower, upper = self.chain.lower, self.chain.upper
        free = np.ones(q.size, bool)
        damping = 1e-6 * min(float(e @ e), 1.0)
        dq = np.zeros(q.size)
        for _ in range(q.size):
            A = J[:, free]
            dq[:] = 0.0
            dq[free] = A.T @ np.linalg.solve(A @ A.T + (damping + 1e-16) * np.eye(6), e)
            stuck = free & (((q >= upper) & (dq > 0.0)) | ((q <= lower) & (dq < 0.0)))
            if not stuck.any():
                break
            free &= ~stuck
        dq *= min(1.0, LONGEST_STEP / max(float(np.abs(dq).max()), 1e-300))
        return np.clip(q + dq, lower, upper)

    def _starts(self, start: ArrayLike | None) -> Iterator[Array]:
        rng = np.random.default_rng(self.seed)
        lower, upper = np.maximum(self.chain.lower, -np.pi), np.minimum(self.chain.upper, np.pi)
        if start is not None:
            yield np.asarray(start, np.float64)
        yield self.posture
        for _ in range(self.starts):
            yield rng.uniform(lower, upper)

    def _unwound(self, q: Array, near: Array) -> Array:
        """The same configuration with whole turns taken off where a joint can do without them."""
        turned = q - 2.0 * np.pi * np.round((q - near) / (2.0 * np.pi))
        inside = (turned >= self.chain.lower) & (turned <= self.chain.upper) & self.chain.hinges
        return np.where(inside, turned, q)

    def _unreachable(self, X_AT: Pose) -> UnreachableError:
        best = min((self.chain.residual(self._descent.run(X_AT, q), X_AT) for q in self._starts(None)), key=max)
        at = ", ".join(f"{x:.4g}" for x in X_AT.p)
        return UnreachableError(
            f"inverse kinematics: the tip does not reach ({at}) m, q {np.round(X_AT.q, 4).tolist()}, in the base frame"
            f" within the joint limits; best of {self.starts + 1} starts {best[1]:.3g} m, {best[0]:.3g} rad"
        )


class _Descent:
    """mink's tasks for one chain, made once."""

    def __init__(self, chain: Chain, posture: Array, pull: float) -> None:
        mk = mink()
        self._chain = chain
        self._mink: Any = mk
        self._configuration = mk.Configuration(chain.model)
        self._tip = mk.FrameTask(TIP, "site", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
        self._posture = mk.PostureTask(chain.model, cost=pull)
        self._posture.set_target(chain.order(posture))
        self._limits = [mk.ConfigurationLimit(chain.model)]

    def run(self, X_AT: Pose, q0: Array) -> Array:
        """Joint positions near the target, best effort."""
        mk, configuration, chain = self._mink, self._configuration, self._chain
        configuration.update(chain.order(np.clip(q0, chain.lower, chain.upper)))
        self._tip.set_target(mk.SE3(np.concatenate([X_AT.q, X_AT.p])))
        tasks = [self._tip, self._posture]
        for _ in range(DESCENT_STEPS):
            dq = mk.solve_ik(configuration, tasks, 1.0, "daqp", damping=1e-6, limits=self._limits)
            length = float(np.abs(dq).max())
            configuration.integrate_inplace(dq * min(1.0, LONGEST_STEP / max(length, 1e-300)), 1.0)
            if length < COARSE:
                break
        return chain.pick(configuration.q)
