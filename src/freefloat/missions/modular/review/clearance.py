"""How near robots and what they carry came to the structure, to themselves and to one another, by MuJoCo's distances.

Compared are the robots' drawn solids, carried modules (their cell less a clearance) and the structure's modules (full
cells). Left out are neighbours along a robot, what near them is so built that it cannot meet, a module and the hand
that carries it, and on the straight way along the hand's axis a hand and the module at which it is, was
last or will be next. On that way at pick and place a carried module is told apart (`along`), unless it overlaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.engine.result import Result
from freefloat.frames import Array
from freefloat.geometry.nearest import ALONG, APART, BETWEEN, COUNTS, Bodies, Lattice, Nearest, least_distances
from freefloat.geometry.solids import SolidModel, core_of, radius_of
from freefloat.missions.modular.review.facing import NEAR
from freefloat.missions.modular.review.motion import Names, course_of, instants_of, names_of
from freefloat.missions.modular.review.moving import Moving, cell_solid, moving_solids
from freefloat.missions.modular.review.pairs import Pair, pairs_of
from freefloat.missions.modular.review.subject import Subject
from freefloat.structure.grid import Grid

FAR = 0.5  # [m] distances are not told apart beyond
TRAVEL = 0.002  # [m] of any point between two instants at which distances are taken
APPROACH = 0.25  # [m] in front of a face, of a hand
MOST = 200  # instants between two rows


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
    found = Nearest(np.empty((len(rows), COUNTS)), np.empty((len(rows), COUNTS, 2), np.int64))
    lattice = Lattice(np.array(grid.p_TP), half, tables)
    least_distances(
        np.array(model.addresses), model.xpos, model.xmat, bodies, lattice, course, rows, shares, FAR, NEAR, *found
    )
    t = np.append(course.t, course.t[-1])
    labels = _labels(names, moving)
    structure = result[f"{subject.structure}.identity"]
    who = [_named(found, count, labels, grid, structure[rows]) for count in range(COUNTS)]
    apart = np.minimum(found.distance[:, APART], found.distance[:, BETWEEN])
    if found.distance[:, BETWEEN].min() < found.distance[:, APART].min():
        who[APART] = who[BETWEEN]
    times = t[rows] + shares * (t[rows + 1] - t[rows])
    return Clearances(times, apart, found.distance[:, BETWEEN], found.distance[:, ALONG], tuple(who))


def _bodies(subject: Subject, names: Names, grid: Grid, moving: Moving, pairs: Sequence[Pair]) -> Bodies:
    links = len(names)
    axis, tip, reach, told = np.full(links, -1), np.arange(links), np.zeros(links), np.zeros(links, bool)
    deep = float(np.abs(grid.outline).max())
    for robot in subject.robots:
        for hand in robot.hands:
            link, tool = names.links.index(robot.link_of(hand)), names.tool(hand.tool)
            axis[link] = axis[tool] = tip[link] = names.frame(hand.frame)
            reach[link], reach[tool] = deep + APPROACH, 1.25 * max(grid.spacing, 2.0 * deep)
            told[tool] = True
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


def _named(found: Nearest, count: int, labels: Sequence[str], grid: Grid, structure: Array) -> tuple[str, str]:
    """Which two came nearest; a module of the structure by its identity and cell."""
    k = int(np.argmin(found.distance[:, count]))
    a, b = (int(n) for n in found.who[k, count])
    if a < 0:
        return "", ""
    if b < len(labels):
        return labels[a], labels[b]
    cell = b - len(labels)
    where = " ".join(map(str, grid.cells[cell].tolist()))
    return labels[a], f"module {int(structure[k, cell])} in cell {where}"
