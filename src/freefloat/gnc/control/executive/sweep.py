"""The room that a robot and what it carries take during steps, and how near two such rooms come, whenever that is.

A robot is a chain of capsules along its centre line, a module in its hand a ball around it: both hold more than the
robot does. Between two samples, every point is within half the length of its way of one of them.

Nothing here is about time: a robot may stop, go back on its curve or wait for a hand as long as it likes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.control.executive.belief import X_of_foot
from freefloat.gnc.control.executive.steps import Ask, Follow, Stand, Step
from freefloat.gnc.planning.arm.jerk_limited import Path
from freefloat.gnc.planning.reconfiguration.problem import Places, Stance
from freefloat.hand_words import Order

SAMPLE = 0.5  # [s] of a curve between samples
PARTS = 5  # pieces between two samples by which a way's length is taken
LONGER = 1.05  # [-] a way that bends, over the length of its chords


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
    """Samples: in which of the steps (k,), points in T (k, m, 3), the centre of a load (k, 3) and whether there is one
    (k,), and by how much each sample is widened for the way to its neighbours (k,) [m]."""

    step: np.ndarray
    points: Array
    loads: Array
    loaded: np.ndarray
    spread: Array
    radius: float
    load: float

    def since(self, step: int) -> Sweep:
        """What is left from the beginning of a step on; where the robot rests afterwards in any case."""
        kept = self.step >= min(step, int(self.step[-1]))
        arrays = {name: getattr(self, name)[kept] for name in ("step", "points", "loads", "loaded", "spread")}
        return replace(self, **arrays)


class _Sampler:
    """Goes through steps and keeps samples."""

    def __init__(self, stands: str, stance: Stance, places: Places, figure: Figure) -> None:
        self.places, self.figure = places, figure
        self.stand(stands, stance)
        self.step, self.loaded = 0, False
        self.left: Array | None = None  # where the load was put down
        self.rows: list[tuple[int, Array, Array, bool, float]] = []

    def stand(self, end: str, stance: Stance) -> None:
        self.end, self.X_TE = end, X_of_foot(self.places, stance)

    def posture(self, q: Array) -> Array:
        """(m + 1, 3) the centre line, then the centre of what the hand would hold."""
        points = self.figure.line(q if self.end == "a" else q[::-1]) @ self.X_TE.R.T + self.X_TE.p
        out = points[-1] - points[-2]
        return np.vstack([points, points[-1] + self.figure.depth * out / np.linalg.norm(out)])

    def add(self, posture: Array, spread: float = 0.0) -> None:
        load = posture[-1] if self.left is None else self.left
        self.rows.append((self.step, posture[:-1], load, self.loaded, spread))

    def follow(self, path: Path) -> None:
        """Samples of a curve, each widened by half the longest way of a point to the samples beside it."""
        n = max(1, int(np.ceil(path.duration / SAMPLE)))
        times = np.linspace(0.0, path.duration, n * PARTS + 1)
        seen = np.array([self.posture(path.at(float(t))[0]) for t in times])
        ways = LONGER * np.linalg.norm(np.diff(seen, axis=0), axis=2).reshape(n, PARTS, -1).sum(axis=1).max(axis=1)
        for k in range(n + 1):
            self.add(seen[k * PARTS], 0.5 * float(ways[max(k - 1, 0) : k + 1].max()))

    def sweep(self) -> Sweep:
        step, points, loads, loaded, spread = (np.array(x) for x in zip(*self.rows, strict=True))
        return Sweep(step, points, loads, loaded, spread, self.figure.radius, self.figure.load)


def sweep_of(steps: Sequence[Step], stands: str, stance: Stance, places: Places, figure: Figure) -> Sweep:
    """Of steps that begin with an end on a stance; a module stays in others' way where it is put down."""
    going, q = _Sampler(stands, stance, places, figure), np.zeros(0)
    for going.step, step in enumerate(steps):
        match step:
            case Follow():
                going.follow(step.path)
                q = step.path.at(step.path.duration)[0]
            case Ask():
                going.add(going.posture(q))
                going.loaded = going.loaded or step.order is Order.PICK
                if step.order is Order.PLACE:
                    going.left = going.rows[-1][2]
            case Stand():
                going.stand(step.end, step.stance)
    going.add(going.posture(q))
    return going.sweep()


def resting(q: Array, stands: str, stance: Stance, places: Places, figure: Figure) -> Sweep:
    """Of a robot that rests with joints at q, counted from end A, its hand empty."""
    going = _Sampler(stands, stance, places, figure)
    going.add(going.posture(q))
    return going.sweep()


def distance(a: Sweep, b: Sweep) -> float:
    """[m] the least distance of anything in one from anything in the other."""
    sizes = np.array([a.radius, a.load, b.radius, b.load])
    return float(least((a.points, a.loads, a.loaded, a.spread), (b.points, b.loads, b.loaded, b.spread), sizes))


@onboard
def least(a, b, sizes: Array) -> float:
    """The least of all pairs of samples."""
    found = 1e9
    for i in range(a[0].shape[0]):
        for j in range(b[0].shape[0]):
            found = min(found, _pair(a, b, sizes, i, j) - a[3][i] - b[3][j])
    return found


@inner
def _pair(a, b, sizes, i, j):
    found = 1e9
    for u in range(a[0].shape[1] - 1):
        for v in range(b[0].shape[1] - 1):
            far = _segments(a[0][i, u], a[0][i, u + 1], b[0][j, v], b[0][j, v + 1])
            found = min(found, far - sizes[0] - sizes[2])
    if a[2][i]:
        for v in range(b[0].shape[1] - 1):
            far = _segments(a[1][i], a[1][i], b[0][j, v], b[0][j, v + 1])
            found = min(found, far - sizes[1] - sizes[2])
    if b[2][j]:
        for u in range(a[0].shape[1] - 1):
            far = _segments(b[1][j], b[1][j], a[0][i, u], a[0][i, u + 1])
            found = min(found, far - sizes[3] - sizes[0])
    if a[2][i] and b[2][j]:
        far = _segments(a[1][i], a[1][i], b[1][j], b[1][j])
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
