"""How near robots and what they carry came to the structure, to themselves and to one another, by MuJoCo's distances.

Compared are the robots' drawn solids, carried modules (their cell less a clearance) and the structure's modules (full
cells). Left out are neighbours along a robot, what is so built that its distance is the same in every posture, a module
and the hand that carries it, and on the straight way along the hand's axis a hand and the module at which it is, was
last or will be next. On that way at pick and place a carried module is told apart (`along`), unless it overlaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freefloat.engine.graph import LinkGraph
from freefloat.engine.result import Result
from freefloat.frames import Array, Pose
from freefloat.geometry.nearest import ALONG, APART, BETWEEN, COUNTS, Bodies, Course, Lattice, Nearest, least_distances
from freefloat.geometry.shape import Shape
from freefloat.geometry.solids import Prism, Solid, SolidModel, core_of, radius_of
from freefloat.missions.modular.review.facing import NEAR
from freefloat.missions.modular.review.motion import Names, course_of, instants_of, names_of
from freefloat.missions.modular.review.subject import Subject
from freefloat.structure.grid import Grid

FAR = 0.5  # [m] distances are not told apart beyond
TRAVEL = 0.002  # [m] of any point between two instants at which distances are taken
APPROACH = 0.25  # [m] in front of a face, of a hand
MOST = 200  # instants between two rows
LOOKS = 25  # rows at which a distance is looked at that may never change
SAME = 1e-5  # [m]
MANY = 10**6  # joints between what does not hang together


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


@dataclass(frozen=True, eq=False)
class _Solids:
    """Everything that moves: solids, the index of their link, and where they are on it."""

    solids: list[Solid]
    links: list[int]
    poses: list[Pose]

    def add(self, solid: Solid, link: int, X_LG: Pose) -> None:
        self.solids.append(solid)
        self.links.append(link)
        self.poses.append(X_LG)

    def extent(self, links: int) -> Array:
        """[m] (links,) how far the solids of each link reach from its origin."""
        found = np.zeros(links)
        for solid, link, X in zip(self.solids, self.links, self.poses, strict=True):
            found[link] = max(found[link], float(np.linalg.norm(X.p)) + radius_of(solid))
        return found


def clearances_of(result: Result, subject: Subject) -> Clearances:
    """Distances over a whole run. The least is exact to half of TRAVEL (TRAVEL where two robots meet)."""
    names = names_of(subject)
    grid = subject.bodies[subject.structure].grid
    course, tables = course_of(result, subject, names)
    moving = _moving(subject, names, grid)
    model = SolidModel([*moving.solids, cell_solid(grid)])
    bodies = _bodies(subject, names, grid, moving, _changing(_pairs(subject, names, moving), model, moving, course))
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


def cell_solid(grid: Grid, less: float = 0.0) -> Solid:
    """The prism of a cell, less some clearance [m] on every side."""
    if grid.kind == "cubic":
        edge = 0.5 * grid.spacing - less
        return Shape("box", (edge, edge, edge))
    half = np.array([0.5 * grid.spacing, 0.5 * grid.spacing, float(grid.outline[:, 2].max())])
    return Prism(grid.outline * ((half - less) / half))


def _moving(subject: Subject, names: Names, grid: Grid) -> _Solids:
    found = _Solids([], [], [])
    shapes = {f"{r.name}.{link.name}": link.shapes for r in subject.robots for link in r.graph.links}
    for k, link in enumerate(names.links):
        for shape in shapes[link]:
            found.add(shape, k, shape.X_LG)
    for tool in names.tools:
        found.add(cell_solid(grid, subject.clearance), names.tool(tool), Pose.identity())
    return found


def _bodies(subject: Subject, names: Names, grid: Grid, moving: _Solids, pairs: Sequence[Pair]) -> Bodies:
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


class Pair(NamedTuple):
    """Two solids, how their distance counts, and how many joints are between them."""

    a: int
    b: int
    counts: int
    joints: int


def _pairs(subject: Subject, names: Names, moving: _Solids) -> list[Pair]:
    """Solids of one robot that are not neighbours along it, and all of two robots; modules count with their robot."""
    robot_of: dict[int, int] = {}
    joints: dict[tuple[int, int], int] = {}
    for k, robot in enumerate(subject.robots):
        own = {names.links.index(f"{robot.name}.{link.name}"): link.name for link in robot.graph.links if link.shapes}
        held = {names.tool(h.tool): robot.link_of(h).removeprefix(f"{robot.name}.") for h in robot.hands}
        everything = {**own, **held}
        robot_of |= dict.fromkeys(everything, k)
        steps = steps_between(robot.graph)
        for a, link_a in everything.items():
            for b, link_b in everything.items():
                far = steps[link_a][link_b]
                joints[a, b] = far if far >= 2 or (far == 1 and (a in held or b in held)) else 0
    found: list[Pair] = []
    for a, link_a in enumerate(moving.links):
        for b, link_b in enumerate(moving.links[:a]):
            if robot_of[link_a] != robot_of[link_b]:
                found.append(Pair(a, b, BETWEEN, MANY))
            elif joints[link_a, link_b] > 0:
                found.append(Pair(a, b, APART, joints[link_a, link_b]))
    return found


def _changing(pairs: Sequence[Pair], model: SolidModel, moving: _Solids, course: Course) -> list[Pair]:
    """Without pairs across one or two joints that keep one distance, such as housings on the axis between them."""
    near = [pair for pair in pairs if pair.joints <= 2]
    seen: list[list[float]] = []
    for row in np.linspace(0, len(course.t) - 1, LOOKS).astype(int):
        for s, (link, X_LG) in enumerate(zip(moving.links, moving.poses, strict=True)):
            X_TG = Pose.from_quat(course.q[row, link], course.p[row, link]) @ X_LG
            model.xpos[s], model.xmat[s] = X_TG.p, X_TG.R.ravel()
        seen.append([model.distance(pair.a, pair.b) for pair in near])
    spread, least = np.ptp(seen, axis=0), np.min(seen, axis=0)
    same = {pair for pair, d, low in zip(near, spread, least, strict=True) if d < SAME and low > 0.0}
    return [pair for pair in pairs if pair not in same]


def steps_between(graph: LinkGraph) -> dict[str, dict[str, int]]:
    """How many moving joints are between two links; what hangs together in no way is MANY apart."""
    names = [link.name for link in graph.links]
    steps = {a: {b: 0 if a == b else MANY for b in names} for a in names}
    for joint in graph.joints:
        if joint.parent in steps and joint.child in steps:
            steps[joint.parent][joint.child] = steps[joint.child][joint.parent] = int(joint.kind != "fixed")
    for via in names:
        for a in names:
            for b in names:
                steps[a][b] = min(steps[a][b], steps[a][via] + steps[via][b])
    return steps


def _labels(names: Names, moving: _Solids) -> list[str]:
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
