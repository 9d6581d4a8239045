"""Legs of a limb between a rest posture and faces: postures and straight ways first, then joint motion between them.

All angles are as compiled steps count them; poses of the hand H are in the limb's frame C or in the structure's T.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm import limb_search_step as search
from freefloat.gnc.planning.arm.curve_proof_step import Ways, proven
from freefloat.gnc.planning.arm.flown_curve import flown
from freefloat.gnc.planning.arm.limb_body import OWN, LimbBody
from freefloat.gnc.planning.arm.limb_locked_step import stuck_swivels
from freefloat.gnc.planning.arm.limb_search_step import SAMPLE, Room
from freefloat.gnc.planning.arm.smooth_curve_step import hermite

Flags = NDArray[np.bool_]
ALL_FREE = np.ones(7, np.bool_)


@dataclass(frozen=True)
class SearchLimits:
    """How much is tried; counts, never times."""

    swivels: int = 16  # of the elbow at a face
    distances: tuple[float, ...] = (0.1, 0.2, 0.45)  # [m] tried in turn for the straight ways off a face
    look: float = 0.05  # [m] between checks of a straight way before it is proven
    pairs: int = 24  # of postures at both ends that are tried by straight joint motion
    searches: int = 4  # pairs between which a way is searched
    samples: int = 300  # draws of a search
    effort: int = 4000  # checks of a search
    straight: int = 300  # checks of a straight motion
    step: float = 0.8  # [rad] by which its trees grow
    seed: int = 1
    margin: float = 0.02  # [m] that is kept on the flown curve
    spare: float = 0.004  # [m] more that postures at faces and homes keep
    tight: float = 0.001  # [m] more than the margin that ways between them keep: less, so that they can begin
    # curves tried in turn: how far they swing out at turns, time [s] between control points, rounds of fitting them
    bends: tuple[tuple[float, float, int], ...] = (
        (0.8, 0.35, 0),
        (0.8, 0.35, 4),
        (0.8, 0.2, 0),
        (0.3, 0.2, 0),
        (0.05, 0.12, 0),
    )
    checks: int = 20_000  # of one curve's proof


@dataclass(frozen=True, eq=False)
class Face:
    """A pose of the hand to reach, and what hand and load may touch on the straight way off it."""

    X_TH: Pose
    X_CH: Pose
    hand_free: Flags
    load_free: Flags


class Retreat(NamedTuple):
    """A way of the hand off a face: straight, at its end aside."""

    off: float  # [m] its length along the straight line
    out: tuple[float, float, float] = (0.0, 0.0, -1.0)  # unit vector in H
    side: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m] in H, at right angles to it: how far it goes aside

    def along(self, R: Array) -> Array:
        """(2, 3) `out` and `side` in another frame, with R of H there: what compiled steps want."""
        return np.array([R @ self.out, R @ self.side])

    def at(self, R: Array, share: float) -> Array:
        """[m] (3,) how far the hand has come after a share of the way."""
        out, side = self.along(R)
        return share * self.off * out + search.aside(share * self.off, self.off) * side


@dataclass(frozen=True, eq=False)
class Stops:
    """Postures at a face that have a clear straight way off it."""

    face: Face
    retreat: Retreat
    at: Array  # (k, 7) at the face
    away: Array  # (k, 7) at the ways' ends
    told: Array  # (k, 2) swivel and branch
    up: Array  # (3,) from which swivels count
    why: str = ""  # there is none

    def __len__(self) -> int:
        return len(self.at)


@dataclass(frozen=True, eq=False)
class Curve:
    """A proven motion as knots [s] and states (k, 3, 7)."""

    times: Array
    states: Array

    @property
    def seconds(self) -> float:
        return float(self.times[-1])


@dataclass(frozen=True, eq=False)
class Way:
    """Way-points of one leg: off the face at its beginning, over, and on to the face at its end."""

    room: Room
    points: Array  # (m, 7) from the end of the one straight way to the beginning of the other
    leave: tuple[Stops, int] | None = None
    reach: tuple[Stops, int] | None = None
    shift: tuple[Array | float, Array | float] = (0.0, 0.0)  # [rad] of the joints beyond what stops have, at both ends


@dataclass(frozen=True, eq=False)
class LimbPlanner:
    """What is the same for all legs of a limb."""

    limits: Array  # (3, 7) speed, acceleration, jerk as steps count joints
    tries: SearchLimits = field(default_factory=SearchLimits)
    free: Flags = field(default_factory=ALL_FREE.copy)  # (7,) joints that move

    @property
    def swivels(self) -> Array:
        """[rad] at which the elbow is tried."""
        return -math.pi + 2.0 * math.pi * np.arange(self.tries.swivels) / self.tries.swivels

    def swivels_at(self, body: LimbBody, X_CH: Pose, up: Array) -> Array:
        """[rad] at which the elbow is tried with the hand at a pose; where a joint is stuck, those that it leaves."""
        stuck = bool((body.lower == body.upper).any())
        return stuck_swivels(body, X_CH.p, X_CH.R, up) if stuck else self.swivels

    def stops(self, room: Room, face: Face, retreats: Sequence[Retreat], near: Array) -> Stops:
        """Postures at a face with a way off it by the first of the retreats for which there are any."""
        t, X = self.tries, face.X_CH
        room = _touching(room, face)
        k, up = 8 * t.swivels, across(X)
        within = clear = 0
        for retreat in retreats:
            out = retreat.along(X.R)
            at, away, told = np.empty((k, 7)), np.empty((k, 7)), np.empty((k, 2))
            steps = max(math.ceil(retreat.off / t.look), 1)
            swivels = self.swivels_at(room.body, X, up)
            n, some, there = search.postures(room, X.p, X.R, out, up, swivels, near, retreat.off, steps, at, away, told)
            if n:
                return Stops(face, retreat, at[:n].copy(), away[:n].copy(), told[:n].copy(), up)
            within, clear = max(within, some), max(clear, there)
            if clear == 0:
                break
        why = "no posture within the limits" if not within else "no clear posture" if not clear else "no straight way"
        return Stops(face, Retreat(0.0), np.empty((0, 7)), np.empty((0, 7)), np.empty((0, 2)), up, why)

    def join(self, room: Room, q0: Array, q1: Array, seed: int, by_search: bool) -> Array | None:
        """Way-points (m, 7) from q0 to q1 of clear straight joint motions, or None."""
        t, need = self.tries, room.need.copy()
        need[:OWN] += t.tight - t.spare
        room = room._replace(need=need)
        if search.straight(room, q0, q1, t.straight) > 0:
            return np.stack([q0, q1])
        if not by_search:
            return None
        out = np.empty((400, 7))
        n, _ = search.connect(room, q0, q1, self.free, t.seed + seed, t.samples, t.effort, t.step, out)
        if n == 0:
            return None
        n = search.shortened(room, out, n, t.straight)
        return out[:n].copy()

    def curve(self, way: Way) -> Curve | None:
        """The flown curve of a leg, proven to keep the margin and all limits; None where no bend of it does."""
        t = self.tries
        room = way.room._replace(need=np.full(10, t.margin))
        straight = [(s[0], turn) for s, turn in zip((way.leave, way.reach), way.shift, strict=True) if s is not None]
        ways = _ways(room, straight)
        first = None if way.leave is None else self._line(room, *way.leave, way.shift[0])
        last = None if way.reach is None else self._line(room, *way.reach, way.shift[1])
        if (way.leave is not None and first is None) or (way.reach is not None and last is None):
            return None
        for bend, step, fit in t.bends:
            points = _dense(way.points, first, last, bend, self.limits[0])
            times, states = flown(points, self.limits, step, fit)
            until, _ = proven(room, ways, times, states, t.checks)
            if until >= times[-1]:
                return Curve(times, states)
        return None

    def _line(self, room: Room, stops: Stops, k: int, shift: Array | float) -> Array | None:
        """Joint angles (n, 7) from the face to the end of the way off it; None where finer samples show a jump."""
        off = stops.retreat.off
        n = max(round(off / SAMPLE), 4)
        Q = np.empty((n + 1, 7))
        psi, b = float(stops.told[k, 0]), int(stops.told[k, 1])
        X = stops.face.X_CH
        along = stops.retreat.along(X.R)
        whole = search.way_off(room.body, X.p, X.R, along, stops.up, psi, b, stops.at[k], off, n, Q) == n + 1
        return Q + shift if whole else None


def across(X_CH: Pose) -> Array:
    """A direction across straight ways of the wrist off a face: swivels count from it without a jump."""
    z = X_CH.R[:, 2]
    up = np.cross(z, X_CH.p)
    size = float(np.linalg.norm(up))
    if size > 1e-6:
        return up / size
    other = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    up = np.cross(z, other)
    return up / np.linalg.norm(up)


def _touching(room: Room, face: Face) -> Room:
    return room._replace(hand_free=face.hand_free, load_free=face.load_free)


def _ways(room: Room, stops: Sequence[tuple[Stops, Array | float]]) -> Ways:
    n = len(room.around.places)
    faces, out = np.empty((len(stops), 4, 3)), np.empty((len(stops), 2, 3))
    for row, along, (s, shift) in zip(faces, out, stops, strict=True):
        roll = float(np.broadcast_to(shift, 7)[6])
        X = s.face.X_TH @ Pose.from_rpy((0.0, 0.0, roll))
        row[:3], row[3] = X.R.T, X.p
        along[:] = s.retreat.along(s.face.X_TH.R)
    far = np.array([s.retreat.off + 1e-6 for s, _ in stops])
    hand = np.array([s.face.hand_free for s, _ in stops], np.bool_).reshape(len(stops), n)
    load = np.array([s.face.load_free for s, _ in stops], np.bool_).reshape(len(stops), n)
    return Ways(faces, out, far, hand, load)


def travel(q: Array, home: Array, speed: Array) -> Array:
    """Time [s] (k,) of postures from a home at full speed; joint 7 does not count, nor whole turns of the rolls."""
    apart = np.abs(q[:, :6] - home[:6])
    return (apart / speed[:6]).max(axis=1)


def _dense(way: Array, first: Array | None, last: Array | None, bend: float, speed: Array) -> Array:
    """Points of the whole leg about 0.1 s apart at full speed, the straight ways as they are, turns swung out."""
    m = len(way)
    chords = np.diff(way, axis=0)
    long = np.maximum(np.linalg.norm(chords, axis=1), 1e-9)
    heading = (
        [chords[0] / long[0]]
        + [_unit(chords[i - 1] / long[i - 1] + chords[i] / long[i]) for i in range(1, m - 1)]
        + [chords[-1] / long[-1]]
    )
    if first is not None:
        heading[0] = _unit(first[-1] - first[-2])
    if last is not None:
        heading[-1] = _unit(last[-2] - last[-1])
    parts = [way[:1] if first is None else first]
    for i in range(m - 1):
        n = max(math.ceil(float((np.abs(chords[i]) / speed).max()) / 0.1), 4)
        out = np.empty((n, 7))
        straight = chords[i]
        ends = [
            bend * long[i] * h if _turns(i + e, m, first, last) else straight for e, h in enumerate(heading[i : i + 2])
        ]
        hermite(way[i], way[i + 1], ends[0], ends[1], n, out)
        parts.append(out)
    if last is not None:
        parts.append(last[::-1][1:])
    return np.ascontiguousarray(np.vstack(parts))


def _turns(k: int, m: int, first: Array | None, last: Array | None) -> bool:
    """Whether the curve has to head somewhere at way-point k, rather than begin or end there."""
    return not ((k == 0 and first is None) or (k == m - 1 and last is None))


def _unit(v: Array) -> Array:
    size = float(np.linalg.norm(v))
    return v / size if size > 1e-12 else np.zeros_like(v)
