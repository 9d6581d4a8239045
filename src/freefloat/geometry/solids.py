"""Convex solids as a MuJoCo model whose poses are written from outside, for `mj_geomDistance`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError
from freefloat.geometry.shape import Shape

TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
}
TOLERANCE, ITERATIONS = 1e-8, 100  # [m] of MuJoCo's search for closest points


@dataclass(frozen=True, eq=False)
class Prism:
    """The convex hull of some corners (n, 3) [m], in the frame G of the solid."""

    corners: NDArray[np.float64]


Solid = Shape | Prism


class SolidModel:
    """Solids in one frame. Write their poses into `xpos` (n, 3) [m] and `xmat` (n, 9), then ask MuJoCo."""

    def __init__(self, solids: Sequence[Solid]) -> None:
        spec = mujoco.MjSpec()
        for k, solid in enumerate(solids):
            geom = spec.worldbody.add_geom(name=f"{k}", contype=0, conaffinity=0)
            if isinstance(solid, Prism):
                spec.add_mesh(name=f"{k}", uservert=solid.corners.ravel())
                geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_MESH, f"{k}"
            elif solid.kind not in TYPES:
                raise InputError(f"a shape of kind {solid.kind!r} has no distance; allowed: {', '.join(TYPES)}, prism")
            else:
                geom.type, geom.size = TYPES[solid.kind], [*solid.size, 0.0, 0.0][:3]
        self.model: Any = spec.compile()
        self.data: Any = mujoco.MjData(self.model)
        self.model.opt.ccd_tolerance, self.model.opt.ccd_iterations = TOLERANCE, ITERATIONS
        for k, solid in enumerate(solids):
            if isinstance(solid, Prism):  # MuJoCo has turned it into its principal axes
                first = self.model.mesh_vertadr[self.model.geom_dataid[k]]
                self.model.mesh_vert[first : first + len(solid.corners)] = solid.corners
        self.xpos: NDArray[np.float64] = self.data.geom_xpos
        self.xmat: NDArray[np.float64] = self.data.geom_xmat
        self.xmat[:] = np.eye(3).ravel()

    @property
    def addresses(self) -> tuple[int, int]:
        """Of the model and its data, for compiled code; they live as long as this object."""
        return int(self.model._address), int(self.data._address)

    def distance(self, a: int, b: int, most: float = 10.0) -> float:
        """[m] between two of the solids where they are, `most` if it is more; below 0 they overlap."""
        return float(mujoco.mj_geomDistance(self.model, self.data, a, b, most, None))


def core_of(solid: Solid) -> tuple[float, float]:
    """Half the length of a line along z of G, and the radius within which of it the solid is [m]."""
    if isinstance(solid, Prism):
        return 0.0, float(np.linalg.norm(solid.corners, axis=1).max())
    if solid.kind in ("cylinder", "capsule"):
        return float(solid.size[1]), float(solid.size[0])
    return 0.0, float(np.linalg.norm(solid.size))


def radius_of(solid: Solid) -> float:
    """[m] of a ball round the solid's origin that holds it."""
    return sum(core_of(solid))
