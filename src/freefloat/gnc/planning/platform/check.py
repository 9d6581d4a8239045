"""Whether a plan holds: its defects (eqs 4.18, 4.19), its limits, and where the model really goes with its controls.

Nothing here comes from the solver. On slopes, whole plans are swept until the slopes that they meet change no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol

import numpy as np
from numpy.polynomial.legendre import leggauss

from freefloat.frames import Array
from freefloat.gnc.planning.platform.collocation_step import Physics, midpoint, simpson
from freefloat.gnc.planning.platform.model import THETA, PlatformModel
from freefloat.gnc.planning.platform.problem import Obstacle, PlanError, PlanLimits, SlopeMap, WayPoint

DEFECT = 1e-9  # [-] each state over its bound
BOUND = 1e-5  # [-] of a bound's size
GOAL = (1e-3, math.radians(0.05))  # [m], [rad]
GOAL_RATE = 1e-3  # [-] of the limits of speed, turn rate and wheel speed
GAP = 1e-3  # [m] between knots, from walls and obstacles
NODES = 6  # within an interval
SWEEPS, SETTLED = 200, 1e-12  # [m and rad]

Accumulate = Callable[[float, Array], Array]  # the integral of rates (K, m) from x0, at the same m places


def simpson_motion(model: PlatformModel, times: Array, controls: Array, start: Array, slope: SlopeMap | None) -> Array:
    """States (N, 7) at the knots by eqs 4.18 and 4.19 from the controls: without defects; the end is what comes out."""
    h = np.diff(times)

    def accumulate(x0: float, f: Array) -> Array:
        x = x0 + np.concatenate([[0.0], np.cumsum(simpson(h, f[:, 0], f[:, 1], f[:, 2]))])
        return np.column_stack([x[:-1], midpoint(h, x[:-1], x[1:], f[:, 0], f[:, 2]), x[1:]])

    states = _swept(model, accumulate, _between(controls, np.array([0.0, 0.5, 1.0])), start, slope)
    return np.vstack([states[:, 0], states[-1:, 2]])


def true_motion(model: PlatformModel, times: Array, controls: Array, start: Array, slope: SlopeMap | None) -> Array:
    """States (N - 1, 8, 7) at both ends and six inner points of every interval, by Gauss collocation of order 12."""
    h, (places, inner, whole) = np.diff(times), gauss(NODES)

    def accumulate(x0: float, f: Array) -> Array:
        f = f[:, 1:-1]
        x = x0 + np.concatenate([[0.0], np.cumsum(h * (f @ whole))])
        return np.column_stack([x[:-1], x[:-1, None] + h[:, None] * (f @ inner.T), x[1:]])

    return _swept(model, accumulate, _between(controls, places), start, slope)


def defects(model: PlatformModel, times: Array, states: Array, controls: Array, slope: SlopeMap | None) -> Array:
    """(N - 1, 7) of eq. 4.18 with eqs 4.19 and 4.22."""
    h = np.diff(times)[:, None]
    f = derivative(model, states, controls, slope)
    middle = midpoint(h, states[:-1], states[1:], f[:-1], f[1:])
    fm = derivative(model, middle, 0.5 * (controls[:-1] + controls[1:]), slope)
    return states[1:] - states[:-1] - simpson(h, f[:-1], fm, f[1:])


class Knots(Protocol):
    """What is checked: a `Plan`."""

    @property
    def model(self) -> PlatformModel: ...
    @property
    def times(self) -> Array: ...
    @property
    def states(self) -> Array: ...
    @property
    def controls(self) -> Array: ...
    @property
    def goal(self) -> Array: ...
    @property
    def slope(self) -> SlopeMap | None: ...


def failures(plan: Knots, limits: PlanLimits, truth: Array) -> list[str]:
    """What a plan with its true motion fails, obstacles apart; empty for a plan that holds."""
    found = []
    lower, upper = state_bounds(limits, plan.slope)
    size = np.minimum(0.5 * (upper - lower), np.array([1.0, 1.0, 1.0, *upper[3:]]))
    worst = float(np.abs(defects(plan.model, plan.times, plan.states, plan.controls, plan.slope) / size).max())
    if not worst <= DEFECT:
        found.append(f"defect {worst:.2g} of a state's bound (allowed {DEFECT:g})")
    least, most = limits.controls(plan.model, 0.0 if plan.slope is None else plan.slope.margin(plan.model))
    for what, value, lo, hi in (("state", plan.states, lower, upper), ("control", plan.controls, least, most)):
        over = np.maximum(lo - value, value - hi) / np.minimum(hi - lo, 2.0 * np.maximum(np.abs(hi), 1.0))
        if not float(over.max()) <= BOUND:
            found.append(
                f"{what} {int(over.max(axis=0).argmax())} out of its bounds by {over.max():.2g} of their range"
            )
    place = truth[:, :, :2]
    if not float(np.maximum(lower[:2] - place, place - upper[:2]).max()) <= GAP:
        found.append("the body leaves its floor between knots")
    return found + _missed(truth[-1, -1], plan.goal, limits)


def penetration(truth: Array, obstacles: Sequence[Obstacle], distance: float) -> Array:
    """How far [m] the body comes nearer to each obstacle than it may along the true motion, 0 where it does not."""
    place = truth[:, :, :2].reshape(-1, 2)
    gaps = (np.linalg.norm(place - (o.x, o.y), axis=1).min() - o.radius - distance for o in obstacles)
    return np.array([max(-float(gap), 0.0) for gap in gaps])


def state_bounds(limits: PlanLimits, slope: SlopeMap | None) -> tuple[Array, Array]:
    """Lower and upper (7,), on the map where there is one."""
    lower, upper = limits.states()
    if slope is not None:
        least, most = slope.extent()
        lower[:2], upper[:2] = np.maximum(lower[:2], least), np.minimum(upper[:2], most)
    return lower, upper


def _missed(end: Array, goal: Array, limits: PlanLimits) -> list[str]:
    found = []
    off, turned = float(np.linalg.norm(end[:2] - goal[:2])), abs(float(end[THETA] - goal[THETA]))
    if not (off <= GOAL[0] and turned <= GOAL[1]):
        found.append(f"re-integration misses the goal by {off:.3g} m and {math.degrees(turned):.3g} deg")
    rates = np.abs(end[3:] - goal[3:]) / (limits.speed, limits.speed, limits.turn_rate, limits.wheel_speed)
    if not float(rates.max()) <= GOAL_RATE:
        found.append(f"re-integration misses the goal's rates by {rates.max():.2g} of their limits")
    return found


def missed_on_the_way(what: str, passed: Array, point: WayPoint, limits: PlanLimits) -> list[str]:
    """What the true state (7,) at a way-point's knot fails."""
    found = []
    off, turned = float(np.linalg.norm(passed[:2] - point.pose[:2])), abs(float(passed[THETA] - point.pose[THETA]))
    if not (off <= GOAL[0] and turned <= GOAL[1]):
        found.append(f"{what} is missed by {off:.3g} m and {math.degrees(turned):.3g} deg; use more knots")
    if point.rate is not None:
        rates = np.abs(passed[3:6] - point.rate) / (limits.speed, limits.speed, limits.turn_rate)
        if not float(rates.max()) <= GOAL_RATE:
            found.append(f"{what}'s rates are missed by {rates.max():.2g} of their limits; use more knots")
    return found


def _swept(
    model: PlatformModel, accumulate: Accumulate, controls: Array, start: Array, slope: SlopeMap | None
) -> Array:
    """States (K, m, 7) from controls (K, m, 1 + n): the angle follows from torques, then velocity, then position."""
    w = controls @ Physics.of(model).mixing.T
    states, ground = np.zeros((*w.shape[:2], 7)), np.zeros((*w.shape[:2], 3))
    states[..., 6] = accumulate(start[6], w[..., 3] / model.wheel_inertia)
    for _ in range(SWEEPS):
        before = states[..., :3].copy()
        states[..., 5] = accumulate(start[5], w[..., 2] / model.inertia + ground[..., 2])
        states[..., THETA] = accumulate(start[THETA], states[..., 5])
        push = _push(model, states[..., THETA], w) + ground[..., :2]
        for axis in range(2):
            states[..., 3 + axis] = accumulate(start[3 + axis], push[..., axis])
            states[..., axis] = accumulate(start[axis], states[..., 3 + axis])
        if slope is None or float(np.abs(states[..., :3] - before).max()) < SETTLED:
            return states
        ground = slope.acceleration(model, states[..., :3])
    raise PlanError(f"the motion over the slopes did not settle in {SWEEPS} sweeps")


def derivative(model: PlatformModel, x: Array, u: Array, slope: SlopeMap | None) -> Array:
    """x' (N, 7) of states (N, 7) and controls (N, 1 + n)."""
    w = u @ Physics.of(model).mixing.T
    rates = np.column_stack([_push(model, x[:, THETA], w), w[:, 2] / model.inertia])
    if slope is not None:
        rates += slope.acceleration(model, x[:, :3])
    return np.column_stack([x[:, 3:6], rates, w[:, 3] / model.wheel_inertia])


def _push(model: PlatformModel, angle: Array, w: Array) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * w[..., 0] - s * w[..., 1], s * w[..., 0] + c * w[..., 1]], axis=-1) / model.mass


def _between(controls: Array, places: Array) -> Array:
    """Linear controls (K, m, 1 + n) at places from 0 to 1 in every interval."""
    first, last = controls[:-1, None, :], controls[1:, None, :]
    return first + places[None, :, None] * (last - first)


@cache
def gauss(n: int) -> tuple[Array, Array, Array]:
    """Places with both ends, and the weights (n, n) up to each inner place and (n,) over the whole interval."""
    x, w = leggauss(n)
    c = 0.5 * (x + 1.0)
    powers = np.arange(n)
    inner = (c[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(c[:, None] ** powers)
    return np.concatenate([[0.0], c, [1.0]]), inner, 0.5 * w
