"""How near robots and what they carry came to the structure, to themselves and to one another, by MuJoCo's distances.

Compared are the robots' drawn solids, carried modules (their cell less a clearance) and the structure's modules (full
cells). Left out are neighbours along a robot, what near them is so built that it cannot meet, a module and the hand
that carries it, and on the straight way along the hand's axis a hand and the module at which it is, was
last or will be next. A carried module is told apart (`along`) on its way out of its place and into the next, unless it
overlaps: from the place, and not farther than `WAY` of a cell from it, until it has come clear and nearer again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.result import Result
from freefloat.frames import Array
from freefloat.geometry.nearest import APART, BETWEEN, OWN, Bodies, Course, Lattice, Nearest, least_distances
from freefloat.geometry.solids import SolidModel, core_of, radius_of
from freefloat.missions.modular.review.facing import NEAR, Indices
from freefloat.missions.modular.review.leaving import leaving
from freefloat.missions.modular.review.motion import Names, course_of, instants_of, names_of
from freefloat.missions.modular.review.moving import Moving, cell_solid, moving_solids
from freefloat.missions.modular.review.pairs import Pair, pairs_of
from freefloat.missions.modular.review.subject import Subject
from freefloat.structure.grid import Grid
from freefloat.structure.hand import HandState

FAR = 0.5  # [m] distances are not told apart beyond
TRAVEL = 0.002  # [m] of any point between two instants at which distances are taken
APPROACH = 0.25  # [m] in front of a face, of a hand
MOST = 200  # instants between two rows
WAY = 1.25  # [-] of a cell's width: how long the way out of a place is at most


@dataclass(frozen=True, eq=False)
class Clearances:
    """Distances [m] over time [s], at most FAR: counted, between two robots, and of modules on their way in and out."""

    t: Array
    apart: Array  # everything that counts, robots among themselves too
    between: Array
    along: Array
    who: tuple[tuple[str, str], ...]  # of `apart`, `between` and `along`: which two came nearest

    def least(self, which: str) -> tuple[float, float]:
        """The least of one of the three, and its instant [s]."""
        values: Array = getattr(self, which)
        k = int(np.argmin(values))
        return float(values[k]), float(self.t[k])


def clearances_of(result: Result, subject: Subject) -> Clearances:
    """Distances over a whole run. The least is exact to half of TRAVEL (TRAVEL where two robots meet)."""
    names = names_of(subject)
    grid = subject.bodies[subject.structure].grid
    course, tables = course_of(result, subject, names)
    moving = moving_solids(subject, names, grid)
    model = SolidModel([*moving.solids, cell_solid(grid)])
    bodies = _bodies(subject, names, grid, moving, pairs_of(subject, names, moving, model))
    half = np.abs(grid.outline).max(axis=0)
    rows, shares = instants_of(course, moving.extent(len(names)).tolist(), TRAVEL, MOST)
    counts = OWN + len(names.tools)
    found = Nearest(np.empty((len(rows), counts)), np.empty((len(rows), counts, 2), np.int64))
    lattice = Lattice(np.array(grid.p_TP), half, tables)
    least_distances(
        np.array(model.addresses), model.xpos, model.xmat, bodies, lattice, course, rows, shares, FAR, NEAR, *found
    )
    t = np.append(course.t, course.t[-1])
    labels = _labels(names, moving)
    structure = result[f"{subject.structure}.identity"]
    own = found.distance[:, OWN:].T
    ways = _ways(result, subject, names, course, (rows, shares), own)
    apart = [found.distance[:, APART], found.distance[:, BETWEEN], *np.where(ways & (own >= 0.0), FAR, own)]
    along = np.where(ways, own, FAR)
    times = t[rows] + shares * (t[rows + 1] - t[rows])
    named = partial(_named, found, labels=labels, grid=grid, structure=structure[rows])
    return Clearances(
        times,
        np.min(apart, axis=0),
        found.distance[:, BETWEEN],
        along.min(axis=0),
        (named(np.array(apart).T, range(len(apart))), named(found.distance[:, [BETWEEN]], [BETWEEN]),
         named(along.T, range(OWN, OWN + len(along)))),
    )  # fmt: skip


def _ways(
    result: Result, subject: Subject, names: Names, course: Course, instants: tuple[Indices, Array], distance: Array
) -> NDArray[np.bool_]:
    """(tools, instants) whether the module in a hand is on its way out of a place or into one."""
    far = WAY * 2.0 * float(np.abs(subject.bodies[subject.structure].grid.outline).max())
    found, (rows, shares) = np.zeros(distance.shape, bool), instants
    after = np.minimum(rows + 1, len(course.t) - 1)
    for robot in subject.robots:
        for hand in robot.hands:
            k, link = names.tools.index(hand.tool), names.tool(hand.tool)
            placing = result[f"{subject.assembly}.{hand.name}.state"][rows, 0] == HandState.PLACING
            p = course.p[rows, link] + shares[:, None] * (course.p[after, link] - course.p[rows, link])
            found[k] = leaving(course.present[rows, link], placing, p, distance[k], far)
    return found


def _bodies(subject: Subject, names: Names, grid: Grid, moving: Moving, pairs: Sequence[Pair]) -> Bodies:
    links = len(names)
    axis, tip, reach, told = np.full(links, -1), np.arange(links), np.zeros(links), np.full(links, APART)
    deep = float(np.abs(grid.outline).max())
    for robot in subject.robots:
        for hand in robot.hands:
            link, tool = names.links.index(robot.link_of(hand)), names.tool(hand.tool)
            axis[link] = tip[link] = names.frame(hand.frame)
            reach[link], told[tool] = deep + APPROACH, OWN + names.tools.index(hand.tool)
    return Bodies(
        link=np.array(moving.links),
        first=np.searchsorted(moving.links, np.arange(links + 1)),
        extent=moving.extent(links),
        p_LG=np.array([X.p for X in moving.poses]),
        q_LG=np.array([X.q for X in moving.poses]),
        core=np.array([core_of(s)[0] for s in moving.solids]),
        radius=np.array([core_of(s)[1] for s in moving.solids]),
        ball=np.array([radius_of(s) for s in moving.solids]),
        pairs=np.array([(p.a, p.b, p.counts) for p in pairs], np.int64).reshape(-1, 3),
        axis=axis,
        tip=tip,
        reach=reach,
        told=told,
    )


def _labels(names: Names, moving: Moving) -> list[str]:
    """What each solid is called."""
    kept = len(names.links) + len(names.frames)
    return [names.links[k] if k < len(names.links) else f"the module in {names.tools[k - kept]}" for k in moving.links]


def _named(
    found: Nearest, values: Array, counts: Sequence[int], labels: Sequence[str], grid: Grid, structure: Array
) -> tuple[str, str]:
    """Which two came nearest by values (instants, k) of these counts; a module by its identity and cell."""
    k, which = np.unravel_index(int(np.argmin(values)), values.shape)
    a, b = (int(n) for n in found.who[k, counts[int(which)]])
    if a < 0:
        return "", ""
    if b < len(labels):
        return labels[a], labels[b]
    cell = b - len(labels)
    where = " ".join(map(str, grid.cells[cell].tolist()))
    return labels[a], f"module {int(structure[k, cell])} in cell {where}"
