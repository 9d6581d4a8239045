"""Where a robot and what it carries are in time during an operation, and how near two such sweeps come.

A robot is a chain of capsules along its centre line, a module in its hand a sphere around it: both hold more than the
robot does. Between samples, what moves goes at most half the way from one to the next beyond either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.control.executive.belief import X_of_foot
from freefloat.gnc.control.executive.course import Course
from freefloat.gnc.control.executive.steps import Ask, Follow, Stand
from freefloat.gnc.planning.reconfiguration.problem import Places, Stance
from freefloat.hand_words import Order

SAMPLE = 0.5  # [s]


@dataclass(frozen=True, eq=False)
class Figure:
    """The shape of a robot for sweeps: its centre line (m, 3) [m] in the frame of the end that stands, from joint
    positions counted from there; its capsules' radius; where a module in its hand has its centre, and its radius."""

    line: Callable[[Array], Array]
    radius: float  # [m]
    depth: float  # [m] in front of the hand, along the last piece of the line
    load: float  # [m]


@dataclass(frozen=True, eq=False)
class Sweep:
    """Samples: time since the operation began (k,) [s], points in T (k, m, 3), the centre of a load (k, 3) and whether
    there is one (k,), and by how much each sample is widened for the way to its neighbours (k,) [m]."""

    times: Array
    points: Array
    loads: Array
    loaded: np.ndarray
    spread: Array
    radius: float
    load: float


def sweep_of(course: Course, stance: Stance, places: Places, figure: Figure, order_time: float) -> Sweep:
    """Of a course that begins on a stance; an order to a hand takes `order_time` [s], joints at rest."""
    end, at, loaded, t = course.stands, stance, False, 0.0
    rows: list[tuple[float, Array, Array, bool]] = []
    q, left = np.zeros(0), None  # where the module was left: it stays in others' way

    def add(time: float, q: Array) -> None:
        X = X_of_foot(places, at)
        line = figure.line(q if end == "a" else q[::-1])
        points = line @ X.R.T + X.p
        out = points[-1] - points[-2]
        held = points[-1] + figure.depth * out / np.linalg.norm(out)
        rows.append((time, points, held if left is None else left, loaded))

    for step in course.steps:
        match step:
            case Follow():
                for s in np.linspace(0.0, step.path.duration, max(2, int(step.path.duration / SAMPLE) + 1)):
                    q = step.path.at(float(s))[0]
                    add(t + float(s), q)
                t += step.duration
            case Ask():
                add(t, q)
                t += order_time
                loaded = loaded or step.order is Order.PICK
                if step.order is Order.PLACE:
                    left = rows[-1][2]
            case Stand():
                end, at = step.end, step.stance
    add(t, q)
    return _sweep(rows, figure)


def _sweep(rows: list[tuple[float, Array, Array, bool]], figure: Figure) -> Sweep:
    points, loads = np.array([r[1] for r in rows]), np.array([r[2] for r in rows])
    way = np.linalg.norm(np.diff(np.concatenate([points, loads[:, None]], axis=1), axis=0), axis=2).max(axis=1)
    # a robot that stands on its other end is looked at from there: that is no way
    way = np.where(way > 0.25, 0.0, way)
    spread = 0.5 * np.maximum(np.append(way, 0.0), np.insert(way, 0, 0.0))
    loaded = np.array([r[3] for r in rows])
    return Sweep(np.array([r[0] for r in rows]), points, loads, loaded, spread, figure.radius, figure.load)


def distance(a: Sweep, b: Sweep, lag: float, window: float) -> float:
    """[m] the least distance where b is `lag` [s] ahead of a, give or take `window`; after its end each one rests."""
    return float(
        least(
            (a.times, a.points, a.loads, a.loaded, a.spread),
            (b.times, b.points, b.loads, b.loaded, b.spread),
            np.array([a.radius, a.load, b.radius, b.load]),
            float(lag),
            float(window),
        )
    )


@onboard
def least(a, b, sizes: Array, lag: float, window: float) -> float:
    """The least of all pairs of samples that may come together."""
    found = 1e9
    for i in range(a[0].size):
        for j in range(b[0].size):
            now, then = a[0][i] + lag, b[0][j]
            apart = abs(then - now)
            resting = (j == b[0].size - 1 and then < now) or (i == a[0].size - 1 and now < then)
            if apart <= window or resting:
                found = min(found, _pair(a, b, sizes, i, j) - a[4][i] - b[4][j])
    return found


@inner
def _pair(a, b, sizes, i, j):
    found = 1e9
    for u in range(a[1].shape[1] - 1):
        for v in range(b[1].shape[1] - 1):
            far = _segments(a[1][i, u], a[1][i, u + 1], b[1][j, v], b[1][j, v + 1])
            found = min(found, far - sizes[0] - sizes[2])
    if a[3][i]:
        for v in range(b[1].shape[1] - 1):
            far = _segments(a[2][i], a[2][i], b[1][j, v], b[1][j, v + 1])
            found = min(found, far - sizes[1] - sizes[2])
    if b[3][j]:
        for u in range(a[1].shape[1] - 1):
            far = _segments(b[2][j], b[2][j], a[1][i, u], a[1][i, u + 1])
            found = min(found, far - sizes[3] - sizes[0])
    if a[3][i] and b[3][j]:
        far = _segments(a[2][i], a[2][i], b[2][j], b[2][j])
        found = min(found, far - sizes[1] - sizes[3])
    return found


@inner
def _segments(p, q, r, s):
    """Distance of two segments (Ericson 2005, sec. 5.1.9)."""
    aa = bb = ab = ac = bc = 0.0
    for k in range(3):
        d1, d2, w = q[k] - p[k], s[k] - r[k], p[k] - r[k]
        aa += d1 * d1
        bb += d2 * d2
        ab += d1 * d2
        ac += d1 * w
        bc += d2 * w
    x = y = 0.0
    if aa > 1e-18 and bb > 1e-18:
        det = aa * bb - ab * ab
        if det > 1e-18:
            x = min(max((ab * bc - ac * bb) / det, 0.0), 1.0)
        y = (ab * x + bc) / bb
        if y < 0.0:
            y, x = 0.0, min(max(-ac / aa, 0.0), 1.0)
        elif y > 1.0:
            y, x = 1.0, min(max((ab - ac) / aa, 0.0), 1.0)
    elif bb > 1e-18:
        y = min(max(bc / bb, 0.0), 1.0)
    elif aa > 1e-18:
        x = min(max(-ac / aa, 0.0), 1.0)
    total = 0.0
    for k in range(3):
        far = (p[k] + x * (q[k] - p[k])) - (r[k] + y * (s[k] - r[k]))
        total += far * far
    return np.sqrt(total)
