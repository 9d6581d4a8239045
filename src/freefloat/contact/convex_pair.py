"""Two convex shapes made ready for `kernels.convex.convex_gap`: a MuJoCo model of their cores, and its memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from freefloat.errors import InputError
from freefloat.geometry.shape import Shape
from freefloat.geometry.tessellation import read_mesh
from freefloat.kernels import convex as K
from freefloat.kernels import surfaces as S

TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
}
SURFACES = {"box": S.BOX, "sphere": S.SPHERE, "cylinder": S.CYLINDER, "capsule": S.CAPSULE}  # known to `closest`
TOLERANCE, ITERATIONS = 1e-10, 200  # of MuJoCo's search for closest points


@dataclass(frozen=True, eq=False)
class Core:
    """A shape's core: by how much it was shrunk, and a ball round the origin that holds the shape [m].

    Boxes and cylinders lose the rounding radius on every side, spheres and capsules their whole radius. Of a mesh the
    convex hull is the core, so that the shape grows by the rounding radius.
    """

    kind: str
    size: NDArray[np.float64]  # (3,) [m] as in `Shape`, zero where a kind has fewer
    rounding: float  # [m]
    radius: float  # [m]
    vertices: NDArray[np.float64]  # (n, 3) [m] of a mesh

    @classmethod
    def of(cls, shape: Shape, rounding: float) -> Core:
        """Shrink a shape; refuse what is too thin for it."""
        size, n, vertices = np.zeros(3), len(shape.size), np.zeros((0, 3))
        size[:n] = shape.size
        if not 0.0 < rounding < np.inf:
            raise InputError(f"rounding of a {shape.kind}: {rounding!r} m; allowed: above 0")
        if shape.kind == "mesh":
            vertices = hull(shape.mesh, shape.size)
            return cls("mesh", size, rounding, float(np.linalg.norm(vertices, axis=1).max()) + rounding, vertices)
        if shape.kind in ("sphere", "capsule"):
            if size[0] <= 0.0 or size[1] < 0.0:
                raise InputError(f"size of a {shape.kind} that touches: {shape.size!r} m; allowed: above 0")
            return cls(shape.kind, np.array([0.0, size[1], 0.0]), size[0], size[0] + size[1], vertices)
        if (size[:n] <= rounding).any():
            raise InputError(
                f"rounding of a {shape.kind} {shape.size!r}: {rounding!r} m; allowed: below its half sizes"
            )
        radius = float(np.linalg.norm(size))
        size[:n] -= rounding
        return cls(shape.kind, size, rounding, radius, vertices)

    def beside(self, other: Core) -> Core:
        """A segment as a box without width: MuJoCo's own capsules find no overlap of a segment in a box."""
        if self.kind == "capsule" and other.kind == "box":
            return replace(self, kind="box", size=self.size[[0, 2, 1]])
        return self

    def add_to(self, spec: Any, name: str) -> None:
        """Put it into a model's world; `finish` sets what MuJoCo's compiler would not take as it is."""
        geom = spec.worldbody.add_geom(name=name, type=TYPES[self.kind], contype=0, conaffinity=0)
        if self.kind == "mesh":
            spec.add_mesh(name=name, uservert=self.vertices.ravel())
            geom.meshname = name
        else:
            geom.size = np.maximum(self.size, 1e-3)

    def finish(self, model: Any, geom: int) -> None:
        """Points and segments have no radius; a mesh stays where its file says, not in its principal axes."""
        if self.kind == "mesh":
            mesh = model.geom_dataid[geom]
            first = model.mesh_vertadr[mesh]
            model.mesh_vert[first : first + model.mesh_vertnum[mesh]] = self.vertices
        else:
            model.geom_size[geom] = self.size


def hull(path: str, scale: tuple[float, ...]) -> NDArray[np.float64]:
    """Corners (n, 3) [m] of the convex hull of a mesh, in the mesh's frame, rounded as MuJoCo keeps them."""
    points = np.asarray(read_mesh(path, scale).vertices, dtype=np.float64)
    try:
        corners = points[np.sort(ConvexHull(points).vertices)]
    except (QhullError, ValueError):
        raise InputError(f"mesh {path!r} is flat or empty; allowed for contact: a mesh with a volume") from None
    return corners.astype(np.float32).astype(np.float64)


class ConvexPair:
    """Shapes A and B, whose gap compiled code asks for by `address`; their poses are those of the shapes' frames G.

    The memory at `address` lives as long as the pair, and is scratch too: one pair serves one thread at a time.
    """

    def __init__(self, shape_a: Shape, shape_b: Shape, rounding: float) -> None:
        a, b = Core.of(shape_a, rounding), Core.of(shape_b, rounding)
        a, b = a.beside(b), b.beside(a)
        refined = "cylinder" in (a.kind, b.kind) and "mesh" not in (a.kind, b.kind)
        spec = mujoco.MjSpec()
        a.add_to(spec, "a")
        b.add_to(spec, "b")
        self._model: Any = _compiled(spec, shape_a, shape_b)
        self._data: Any = mujoco.MjData(self._model)
        self._model.opt.ccd_tolerance, self._model.opt.ccd_iterations = TOLERANCE, ITERATIONS
        for geom, core in enumerate((a, b)):
            core.finish(self._model, geom)
        self.radius_a, self.radius_b = a.radius, b.radius  # [m] of balls round the origins of G that hold the shapes
        self.rounding_a, self.rounding_b = a.rounding, b.rounding  # [m]
        self._numbers = np.zeros(K.N_NUMBERS)
        self._numbers[: K.REFINED] = a.rounding, b.rounding, a.radius, b.radius
        self._numbers[K.REFINED] = refined
        for first, core in ((K.CORE_A, a), (K.CORE_B, b)):
            self._numbers[first : first + 4] = SURFACES.get(core.kind, -1), *core.size
        self._places = np.zeros(K.PLACES, dtype=np.int64)
        self._places[K.MODEL], self._places[K.DATA] = self._model._address, self._data._address
        self._places[K.XPOS] = self._data.geom_xpos.ctypes.data
        self._places[K.XMAT] = self._data.geom_xmat.ctypes.data
        self._places[K.NUMBERS] = self._numbers.ctypes.data
        self.address = int(self._places.ctypes.data)
        self._try(shape_a.kind, shape_b.kind)

    def _try(self, kind_a: str, kind_b: str) -> None:
        """Refuse what MuJoCo cannot do: it would answer with the largest distance, and say nothing."""
        reach = self.radius_a + self.radius_b
        self._data.geom_xmat[:] = np.eye(3).ravel()
        for x, low, high in ((0.0, -np.inf, reach), (3.0 * reach, 2.0 * reach, 4.0 * reach)):
            self._data.geom_xpos[:] = [[0.0, 0.0, 0.0], [x, 0.0, 0.0]]
            found = mujoco.mj_geomDistance(self._model, self._data, 0, 1, 10.0 * reach, np.zeros(6))
            if not low <= found <= high + 1e-9 * reach:
                raise InputError(f"contact of {kind_a} with {kind_b}: MuJoCo has no distance for it; {found!r} m found")


def _compiled(spec: Any, *shapes: Shape) -> Any:
    try:
        return spec.compile()
    except ValueError as e:
        raise InputError(f"contact of {' with '.join(s.mesh or s.kind for s in shapes)}: {e}") from None
