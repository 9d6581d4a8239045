"""Whether an arm can go along a line: in reach, within joint limits, not too fast; the place where it cannot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, Pose, so3_exp, so3_log
from freefloat.gnc.planning.arm.chain import Chain
from freefloat.gnc.planning.arm.joint_path import state_at
from freefloat.gnc.planning.arm.paced_line import JointLine, Line, Pace, TipLine

SAMPLES = (40, 100)  # fewest and most on a line
SPACING = 0.05  # [s] between samples where that is neither
OFF = 1e-4  # [m and rad] of the tip that counts as out of reach
DAMPING = 1e-6  # as in `gnc.control.operational`
ROUNDING = 1.0 + 1e-6


@dataclass(frozen=True, eq=False)
class LineLimits:
    """What an arm keeps on its way."""

    speed: Array  # [rad/s] of each joint
    posture: Array  # [rad] wanted where the tip leaves a choice
    tip_speed: float = 0.1  # [m/s]
    posture_gain: float = 0.1  # [1/s]
    posture_speed: float = 0.02  # [rad/s]


def check_speed(speed: float, most: float, where: str) -> float:
    """A speed of the tip [m/s] within its limit."""
    if not 0.0 < speed <= most:
        raise InputError(f"{where}: speed {speed!r} m/s; allowed: above 0, up to {most:g} m/s")
    return float(speed)


def joint_line(
    chain: Chain, q0: ArrayLike, q1: ArrayLike, speed: float, acceleration: float, limits: LineLimits
) -> JointLine:
    """The line of joints on which the tip goes at `speed` [m/s], or slower where a joint would be too fast."""
    a, b = np.array(q0, np.float64), np.array(q1, np.float64)
    if b.shape != a.shape or not np.isfinite(b).all():
        raise InputError(f"joint path: {b.tolist()}; allowed: {a.size} finite numbers")
    d = b - a
    way = max(float(np.linalg.norm((chain.pose_and_jacobian(a + x * d)[1] @ d)[3:])) for x in np.linspace(0, 1, 41))
    if np.abs(d).max() < 1e-12:
        return JointLine.resting(a)
    rate = min(speed / max(way, 1e-9), float(np.min(limits.speed / np.maximum(np.abs(d), 1e-12))))
    return JointLine(a, b, Pace.of(rate, acceleration / max(way, float(np.abs(d).max()))))


def check_line(chain: Chain, q: ArrayLike, line: Line, limits: LineLimits, where: str) -> Array:
    """Joint positions at the end of a line that begins in q; `InputError` with the place where it cannot go on."""
    if isinstance(line, JointLine):
        return _check_joints(chain, line, limits, where)
    return _check_tip(chain, np.array(q, np.float64), line, limits, where)


def _check_joints(chain: Chain, line: JointLine, limits: LineLimits, where: str) -> Array:
    d = line.q1 - line.q0
    for x in np.linspace(0.0, 1.0, SAMPLES[0] + 1):
        q = line.q0 + x * d
        X, J = chain.pose_and_jacobian(q)
        here = _place(where, x, X)
        _check_limits(chain, q, here)
        speed = line.pace.rate * float(np.linalg.norm((J @ d)[3:]))
        if speed > limits.tip_speed * ROUNDING:
            raise InputError(f"{here}: the tip at {speed:.3g} m/s; allowed: up to {limits.tip_speed:g} m/s")
        _check_rates(chain, line.pace.rate * d, limits, here)
    return line.q1.copy()


def _check_tip(chain: Chain, q: Array, line: TipLine, limits: LineLimits, where: str) -> Array:
    """Follow the line as the controller would, sample by sample."""
    duration = line.pace.duration
    count = int(np.clip(duration / SPACING, *SAMPLES))
    way, turn = line.end.p - line.start.p, line.turn
    rate = line.pace.rate * float(np.linalg.norm(way))
    if rate > limits.tip_speed * ROUNDING:
        raise InputError(f"{where}: the tip at {rate:.3g} m/s; allowed: up to {limits.tip_speed:g} m/s")
    dt, too_fast = duration / count, list[InputError]()  # told only where all of the line is in reach
    for t in np.linspace(dt, duration, count):
        s = float(state_at(line.pace.times, line.pace.knots, float(t))[0][0])
        X = Pose(line.start.R @ so3_exp(s * turn), line.start.p + s * way)
        here = _place(where, s, X)
        last = q
        free = np.clip(limits.posture_gain * (limits.posture - q), -limits.posture_speed, limits.posture_speed)
        for k in range(3):
            now, J = chain.pose_and_jacobian(q)
            inverse = J.T @ np.linalg.inv(J @ J.T + DAMPING * np.eye(6))
            q = q + inverse @ np.concatenate([so3_log(X.R @ now.R.T), X.p - now.p])
            if k == 0:
                q = q + dt * (free - inverse @ (J @ free))
        angle, off = chain.residual(q, X)
        if max(angle, off) > OFF:
            raise InputError(f"{here}: beyond reach by {off:.3g} m, {angle:.3g} rad; allowed: within reach")
        _check_limits(chain, q, here)
        try:
            _check_rates(chain, (q - last) / dt, limits, here)
        except InputError as e:
            too_fast.append(e)
    if too_fast:
        raise too_fast[0]
    return q


def _place(where: str, s: float, X: Pose) -> str:
    at = ", ".join(f"{x:.3f}" for x in X.p)
    return f"{where}, {100.0 * s:.0f} % of the way, at ({at}) m"


def _check_limits(chain: Chain, q: Array, here: str) -> None:
    for name, value, low, high in zip(chain.joints, q, chain.lower, chain.upper, strict=True):
        if not low - 1e-9 <= value <= high + 1e-9:
            raise InputError(f"{here}: joint {name!r} at {value:.4g} rad; allowed: {low:.4g} to {high:.4g} rad")


def _check_rates(chain: Chain, rates: Array, limits: LineLimits, here: str) -> None:
    for name, rate, most in zip(chain.joints, np.abs(rates), limits.speed, strict=True):
        if rate > most * ROUNDING:
            raise InputError(f"{here}: joint {name!r} at {rate:.3g} rad/s; allowed: up to {most:.3g} rad/s")
