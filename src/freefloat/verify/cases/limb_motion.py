"""The walking manipulator's compiled clearance and its flown curves, judged by MuJoCo's distances of drawn shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.limb_search_step import slack
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions
from freefloat.gnc.planning.reconfiguration.motions import Leg
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Stance
from freefloat.structure.grid import Grid, hexagon_rings, hexagonal
from freefloat.structure.interface import mated_rotation
from freefloat.verify.case import Comparison, at_least, at_most, case
from freefloat.verify.limb_rig import FAR, X_EM, Judge, beside, carries, chain, motions, sampled, slab, walker

POSTURES = 2000  # of each kind
LESS = 0.030  # [m]
MARGIN = 0.02  # [m]
TRANSFERS, STEPS = 6, 3  # flown
RATE = 1000.0  # [Hz]
SOURCE = "MuJoCo's distances of the links' cylinders and the modules' prisms"


@case("robot-clearance", source=SOURCE)
def robot_clearance() -> Iterator[Comparison]:
    """Compiled distances of random postures are never more than the true ones, and at most 30 mm less."""
    yield from clearances(POSTURES)


def clearances(count: int) -> Iterator[Comparison]:
    """Over postures of the empty and the loaded robot, on cubes and on hexagons."""
    rings = hexagonal(hexagon_rings(1), across_flats=0.6, height=0.2)
    # MuJoCo keeps a mesh's corners in single precision
    for name, (grid, occupied), stance, side, exact in (
        ("cubes", slab(), (2, 1, 1), 4, 1e-9),
        ("hexagons", (rings, np.ones(rings.n, bool)), (0, 0), 6, 1e-6),
    ):
        foot = Stance(grid.index(stance), side)
        for what in ("empty", "loaded"):
            more, less, told, wrong = _compared(grid, occupied, foot, what == "loaded", count)
            about = f"{name}, {what}: {told} of {count} random postures that overlap nowhere"
            yield at_most(f"{about}: largest excess over the true distance", "m", ours=more, tolerance=exact)
            yield at_most(f"{about}: largest lack", "m", ours=less, tolerance=LESS)
            yield at_most(f"{name}, {what}: overlaps taken for clear", "-", ours=wrong, tolerance=0.0)


def _compared(grid: Grid, occupied: Flags, foot: Stance, loaded: bool, count: int) -> tuple[float, float, int, int]:
    """Largest excess and lack [m], postures without overlap, and overlaps that were not seen."""
    ground = motions(grid).ground
    body = ground.scenes.held(foot.side) if loaded else ground.body
    X = (grid.X_PF[foot.side] @ Pose(mated_rotation(0))).inverse() if loaded else None
    judge = Judge(grid, occupied, foot, X)
    room = ground.scenes.stand(occupied, foot).room(body, 0.0, np.inf)
    more = less = 0.0
    clear = wrong = 0
    for q in np.random.default_rng(2).uniform(chain().lower, chain().upper, (count, 7)):
        true, ours = judge.distance(q), float(slack(room, ground.limb.to_steps(q), FAR))
        if true <= 0.0:
            wrong += ours > 0.0
            continue
        clear += 1
        more, less = max(more, ours - true), max(less, true - ours)
    return more, less, clear, wrong


@case("transfers", source=SOURCE)
def transfers() -> Iterator[Comparison]:
    """Flown curves of transfers and steps keep 20 mm and all limits of speed, acceleration and jerk, at 1 kHz."""
    yield from flights(TRANSFERS, STEPS, RATE)


def flights(n_transfers: int, n_steps: int, rate: float) -> Iterator[Comparison]:
    """Over seeded operations on a slab of 20 modules."""
    grid, occupied = slab()
    foot, planner = Stance(grid.index((2, 1, 1)), 4), motions(grid)
    seen = list(_flown_transfers(planner, grid, occupied, foot, n_transfers))
    seen += _flown_steps(planner, grid, occupied, foot, n_steps)
    judged = [_judged(grid, flight, rate) for flight in seen]
    clear = min(f[0] for f in judged)
    about = f"{n_transfers} transfers and {n_steps} steps at {rate:g} Hz"
    yield at_least(
        f"{about}: clearance, hands at their faces excepted", "m", published=MARGIN, ours=clear, tolerance=0.0
    )
    gap = min(f[1] for f in judged)
    yield at_least(
        f"{about}: module to its neighbours on its straight ways", "m", published=0.0, ours=gap, tolerance=0.0
    )
    for k, what in enumerate(("speed", "acceleration", "jerk"), start=2):
        share = max(f[k] for f in judged)
        yield at_most(f"{about}: {what} over its limit", "-", ours=share, tolerance=1.0)


@dataclass(frozen=True, eq=False)
class _Flight:
    """A leg, and what is around it: the contents, the module in hand, the faces where it begins or ends."""

    leg: Leg
    occupied: Flags
    stance: Stance
    X_EM: Pose | None
    faces: Sequence[tuple[Array, list[int], list[int]]]  # joint positions, modules for the hand, for the load to touch


def _flown_transfers(planner: LimbMotions, grid: Grid, occupied: Flags, foot: Stance, count: int) -> Iterator[_Flight]:
    asked = list(carries(grid, occupied, foot))
    np.random.default_rng(5).shuffle(asked)
    found: list[Carry] = []
    for carry in asked:
        if len(found) < count and not planner.transfer(occupied, foot, carry).refused:
            found.append(carry)
    for carry in found:
        during, after = occupied.copy(), occupied.copy()
        during[carry.source] = after[carry.source] = False
        after[carry.target] = True
        legs = planner.legs_of_transfer(occupied, foot, carry)
        grip, goal = legs[1].path.at(0.0)[0], legs[1].path.at(np.inf)[0]
        yield _Flight(legs[0], occupied, foot, None, [(grip, [carry.source], [])])
        held = X_EM(grid, grip, foot, carry.source)
        ends = [(grip, [], beside(grid, during, carry.source)), (goal, [], beside(grid, during, carry.target))]
        yield _Flight(legs[1], during, foot, held, ends)
        yield _Flight(legs[2], after, foot, None, [(goal, [carry.target], [])])


def _flown_steps(planner: LimbMotions, grid: Grid, occupied: Flags, foot: Stance, count: int) -> Iterator[_Flight]:
    n = 0
    for place in np.flatnonzero(occupied):
        to = Stance(int(place), 4)
        if n == count or to == foot or planner.step(occupied, foot, to).refused:
            continue
        n += 1
        first, second = planner.legs_of_step(occupied, foot, to)
        yield _Flight(first, occupied, foot, None, [(first.path.at(np.inf)[0], [to.place], [])])
        yield _Flight(second, occupied, to, None, [(second.path.at(0.0)[0], [foot.place], [])])


def _judged(grid: Grid, flight: _Flight, rate: float) -> tuple[float, float, float, float, float]:
    """Clearance [m], the load's gap to what it may touch [m], and shares of speed, acceleration and jerk."""
    judge, limits = Judge(grid, flight.occupied, flight.stance, flight.X_EM), walker().limits
    faces = [(chain().pose(q), hand, load) for q, hand, load in flight.faces]
    clear, gap, speed, push, kick, last = FAR, FAR, 0.0, 0.0, 0.0, None
    samples = list(sampled(flight.leg.path, rate))
    loads = _touching([judge.distance(q, (), (), 0.1) for _, q, _, _ in samples], [load for _, _, load in faces])
    for (t, q, qd, qdd), load in zip(samples, loads, strict=True):
        X = chain().pose(q)
        hand = next((h for Y, h, _ in faces if _on_way(X, Y)), [])
        clear = min(clear, judge.distance(q, hand, load, 0.1))
        if load:
            gap = min(gap, judge.distance(q, hand, [], 0.05))
        speed, push = max(speed, np.abs(qd / limits.velocity).max()), max(push, np.abs(qdd / limits.acceleration).max())
        if last is not None and t < flight.leg.path.duration:  # the last sample comes earlier than the others
            kick = max(kick, float(np.abs((qdd - last) * rate / limits.jerk).max()))
        last = qdd
    return clear, gap, float(speed), float(push), kick


def _touching(distances: Sequence[float], ends: Sequence[list[int]]) -> list[list[int]]:
    """(n,) what a load may touch: what is beside its first place until it has come clear, beside its last from then on.

    distances [m] (n,) are those of everything; `ends` what is beside the places.
    """
    kept = np.flatnonzero(np.array(distances) >= MARGIN)
    first, last = (int(kept[0]), int(kept[-1])) if kept.size else (len(distances), 0)
    return [ends[0] if n < first else ends[-1] if n > last else [] for n in range(len(distances))]


def _on_way(X: Pose, face: Pose) -> bool:
    """Whether a hand at X is straight over its face: turned as there, within 2 mm of the way along its z axis."""
    away = face.R.T @ (X.p - face.p)
    return bool(np.hypot(away[0], away[1]) < 2e-3 and -0.46 < away[2] <= 1e-6 and np.abs(X.R - face.R).max() < 1e-2)
