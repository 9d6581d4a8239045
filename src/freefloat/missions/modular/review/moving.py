"""The solids of robots and of what they carry, as they are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.geometry.solids import Prism, Solid, radius_of
from freefloat.missions.modular.review.motion import Names
from freefloat.missions.modular.review.subject import Subject
from freefloat.structure.grid import Grid


@dataclass(frozen=True, eq=False)
class Moving:
    """Solids, the index of the link of each in the names, rising, and where they are on it."""

    solids: list[Solid]
    links: list[int]
    poses: list[Pose]

    def add(self, solid: Solid, link: int, X_LG: Pose) -> None:
        """One more."""
        self.solids.append(solid)
        self.links.append(link)
        self.poses.append(X_LG)

    def extent(self, links: int) -> Array:
        """[m] (links,) how far the solids of each link reach from its origin."""
        found = np.zeros(links)
        for solid, link, X in zip(self.solids, self.links, self.poses, strict=True):
            found[link] = max(found[link], float(np.linalg.norm(X.p)) + radius_of(solid))
        return found


def moving_solids(subject: Subject, names: Names, grid: Grid) -> Moving:
    """Drawn solids of the robots' links, and a module in each hand."""
    found = Moving([], [], [])
    shapes = {f"{r.name}.{link.name}": link.shapes for r in subject.robots for link in r.graph.links}
    for k, link in enumerate(names.links):
        for shape in shapes[link]:
            found.add(shape, k, shape.X_LG)
    for tool in names.tools:
        found.add(cell_solid(grid, subject.clearance), names.tool(tool), Pose.identity())
    return found


def cell_solid(grid: Grid, less: float = 0.0) -> Solid:
    """The prism of a cell, less some clearance [m] on every side."""
    if grid.kind == "cubic":
        edge = 0.5 * grid.spacing - less
        return Shape("box", (edge, edge, edge))
    half = np.array([0.5 * grid.spacing, 0.5 * grid.spacing, float(grid.outline[:, 2].max())])
    return Prism(grid.outline * ((half - less) / half))
