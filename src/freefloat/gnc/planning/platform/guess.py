"""First guesses of a plan: cubic Hermite motion through a few nodes, with the controls that it needs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from freefloat.frames import Array
from freefloat.gnc.planning.platform.model import STATES, THETA, PlatformModel
from freefloat.gnc.planning.platform.problem import Obstacle, PlanLimits, SlopeMap, WayPoint

QUARTER = math.pi / 2.0
BURN = 0.1  # [-] share of the duration in which an aligned guess speeds up, and slows down
DETOUR = 1.3  # [-] of a guess around an obstacle, in radii


@dataclass(frozen=True)
class Guess:
    """How a first guess moves. An aligned one turns a thruster axis into the line of travel before it speeds up."""

    aligned: bool = False
    first: int = 0  # quarter turns beyond the nearest alignment at the start
    last: int = 0  # and at the goal
    side: int = 1  # obstacles are passed on the left (1) or right (-1)


def guesses(aligned_first: bool, blocked: bool) -> Iterator[Guess]:
    """Guesses in the order in which they are tried; those around obstacles on both sides."""
    plain = [Guess(aligned_first), Guess(not aligned_first)]
    turned = [Guess(True, first, last) for first, last in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))]
    for guess in plain + turned:
        yield guess
        if blocked:
            yield Guess(guess.aligned, guess.first, guess.last, -1)


def duration_guess(model: PlatformModel, limits: PlanLimits, nodes: Sequence[Array]) -> float:
    """[s] one and a half times what the way takes at two thrusters' acceleration, or half the wheel's momentum."""
    push = 2.0 * model.thrust / model.mass
    spin = 0.5 * limits.turn_rate**2  # a turn at half the limit's pace, at least
    total = 0.0
    for a, b in itertools.pairwise(nodes):
        d = np.abs(b[:3] - a[:3])
        total += max(
            2.0 * math.sqrt(float(np.hypot(d[0], d[1])) / push),
            *(float(e) / limits.speed + limits.speed / push for e in d[:2] if e > 0.5 * limits.speed**2 / push),
            2.0 * math.sqrt(float(d[THETA]) / spin),
            limits.speed / push / 4.0,
        )
    return 1.5 * total


def blocking(start: Array, goal: Array, obstacles: Sequence[Obstacle], distance: float) -> list[Obstacle]:
    """Obstacles that the straight way from start to goal comes nearer than `distance` [m], in order along it."""
    way = goal[:2] - start[:2]
    length2 = max(float(way @ way), 1e-12)
    found = []
    for disc in obstacles:
        to = np.array([disc.x, disc.y]) - start[:2]
        s = float(np.clip(to @ way / length2, 0.0, 1.0))
        if np.linalg.norm(to - s * way) < disc.radius + distance:
            found.append((s, disc))
    return [disc for _, disc in sorted(found, key=lambda pair: pair[0])]


def motion(
    guess: Guess,
    model: PlatformModel,
    start: Array,
    goal: Array,
    way: Sequence[WayPoint],
    passed: Sequence[tuple[Obstacle, float]],  # with the distance [m] that the centre keeps
    times: Array,  # [s] (N,)
    at_way: Array,  # [s] when the way-points are passed
    slope: SlopeMap | None,
) -> tuple[Array, Array]:
    """States (N, 7) and controls (N, 1 + n), not yet within their limits."""
    T = float(times[-1])
    t, p, v = _places(guess, start, goal, way, passed, T, at_way)
    ta, angle, turn = _angles(guess, start, goal, way, T, at_way)
    place, turned = CubicHermiteSpline(t, p, v), CubicHermiteSpline(ta, angle, turn)
    pose, rate, acceleration = (np.column_stack([place(times, k), turned(times, k)]) for k in (0, 1, 2))
    if slope is not None:
        acceleration = acceleration - slope.acceleration(model, pose)
    wheel = start[6] + (goal[6] - start[6]) * times / T
    controls = np.array([model.feedforward(q[THETA], a) for q, a in zip(pose, acceleration, strict=True)])
    states = np.column_stack([pose, rate, wheel])
    return states.reshape(-1, STATES), controls


def _places(
    guess: Guess,
    start: Array,
    goal: Array,
    way: Sequence[WayPoint],
    passed: Sequence[tuple[Obstacle, float]],
    T: float,
    at_way: Array,
) -> tuple[Array, Array, Array]:
    """Times, positions and velocities of the nodes of the way."""
    if way:
        p = np.array([start[:2], *(w.pose[:2] for w in way), goal[:2]])
        t = np.concatenate([[0.0], at_way, [T]])
        v = _chords(t, p)
        for i, w in enumerate(way, start=1):
            v[i] = v[i] if w.rate is None else w.rate[:2]
    elif passed:
        p = np.array([start[:2], *(_beside(start, goal, *one, guess.side) for one in passed), goal[:2]])
        lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
        t = T * lengths / lengths[-1]
        v = _chords(t, p)
    elif guess.aligned:
        v0 = (goal[:2] - start[:2]) / (T * (1.0 - BURN))
        run = 0.5 * BURN * T * v0
        t = T * np.array([0.0, BURN, 1.0 - BURN, 1.0])
        p = np.array([start[:2], start[:2] + run, goal[:2] - run, goal[:2]])
        v = np.array([v0, v0, v0, v0])
    else:
        t, p, v = np.array([0.0, T]), np.array([start[:2], goal[:2]]), np.zeros((2, 2))
    v[0], v[-1] = start[3:5], goal[3:5]
    return t, p, v


def _angles(
    guess: Guess, start: Array, goal: Array, way: Sequence[WayPoint], T: float, at_way: Array
) -> tuple[Array, Array, Array]:
    """Times, angles and rates of the nodes of the turn."""
    if way:
        angle = np.array([start[THETA], *(w.pose[THETA] for w in way), goal[THETA]])
        t = np.concatenate([[0.0], at_way, [T]])
        rate = _chords(t, angle)
        for i, w in enumerate(way, start=1):
            rate[i] = rate[i] if w.rate is None else w.rate[THETA]
    elif guess.aligned:
        heading = math.atan2(goal[1] - start[1], goal[0] - start[0])
        a, b = (
            heading + QUARTER * (round((theta - heading) / QUARTER) + quarters)
            for theta, quarters in ((start[THETA], guess.first), (goal[THETA], guess.last))
        )
        t = T * np.array([0.0, BURN, 1.0 - BURN, 1.0])
        angle, rate = np.array([start[THETA], a, b, goal[THETA]]), np.zeros(4)
    else:
        t, angle, rate = np.array([0.0, T]), np.array([start[THETA], goal[THETA]]), np.zeros(2)
    rate[0], rate[-1] = start[5], goal[5]
    return t, angle, rate


def _beside(start: Array, goal: Array, disc: Obstacle, distance: float, side: int) -> Array:
    way = goal[:2] - start[:2]
    left = np.array([-way[1], way[0]]) / max(float(np.linalg.norm(way)), 1e-12)
    return np.array([disc.x, disc.y]) + side * DETOUR * distance * left


def _chords(t: Array, p: Array) -> Array:
    """Rates at the nodes from their neighbours, zero at the ends."""
    rates = np.zeros(p.shape)
    span = (t[2:] - t[:-2]).reshape(-1, *([1] * (p.ndim - 1)))
    rates[1:-1] = (p[2:] - p[:-2]) / span
    return rates
