"""Heat of an assembly: the network of its places in the light of now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.amounts import Measure, positive, take
from freefloat.frames import Array, Pose
from freefloat.structure.heat.exposure import Faces, absorbed, exposed_faces
from freefloat.structure.heat.network import HeatNetwork, Thermostat
from freefloat.structure.latches import Latches
from freefloat.structure.tensor_body import TensorBody


@dataclass(frozen=True)
class Light:
    """What falls on surfaces of given normals now: direction to the Sun and fluxes [W/m^2]."""

    sun_W: Array  # unit vector
    flux: float  # at normal incidence, shadow of Earth and Moon included
    sunlit: float  # share of the Sun's disc that is seen
    albedo: Array  # (k,)
    infrared: Array  # (k,)


Surroundings = Callable[[float, Array], Light]  # (t [s], normals in W (k, 3)) -> what falls on them


def dark(t: float, normals_W: Array) -> Light:
    """No light and no heat from outside; sources of power are taken to work."""
    none = np.zeros(len(normals_W))
    return Light(np.array([1.0, 0.0, 0.0]), 0.0, 1.0, none, none)


@dataclass
class Climate:
    """Temperatures of all places of some tensor bodies, and how heat gets in and out."""

    surroundings: Surroundings = dark
    start: Measure = 293.15  # [K]
    network: HeatNetwork | None = None
    sunlit: float = 1.0  # [-] share of the Sun's disc, kept up to date by `advance`
    _seen: tuple[tuple[tuple[bytes, ...], ...], Faces] | None = None

    def __post_init__(self) -> None:
        take(self, "climate", start=positive("K"))

    def rewire(self, bodies: Sequence[TensorBody], latches: Latches, poses: Sequence[Pose]) -> None:
        """Network of the present structure; poses X_BT in the axes of the first body."""
        capacity = _per_place(bodies, lambda t: t.heat_capacity)
        edges, conductance = _links(bodies, latches)
        radiating = self._faces(bodies, poses).radiating
        heaters = Thermostat(
            _per_place(bodies, lambda t: t.heater.power if t.heater else 0.0),
            _per_place(bodies, lambda t: t.heater.on_below if t.heater else 0.0),
            _per_place(bodies, lambda t: t.heater.off_above if t.heater else 1.0),
        )
        if self.network is None:
            self.network = HeatNetwork(capacity, edges, conductance, radiating, self.start, heaters)
        else:
            self.network.rewire(capacity, edges, conductance, radiating, heaters)

    def look(self, t: float) -> None:
        """Take the share of the Sun that is seen at t [s]."""
        self.sunlit = self.surroundings(t, np.zeros((0, 3))).sunlit

    def move(self, a: int, b: int) -> None:
        """A module goes from node a to node b with its heat; `rewire` follows."""
        if self.network is not None:
            self.network.move(a, b)

    def advance(
        self,
        t: float,
        dt: float,
        bodies: Sequence[TensorBody],
        poses: Sequence[Pose],
        R_WB: Array,
        powered: Array,
        losses: Array | float = 0.0,
    ) -> None:
        """Go on by dt [s] in the light at t; modules dissipate where they are powered, and electric losses [W]."""
        assert self.network is not None
        faces = self._faces(bodies, poses)
        light, taken = self._taken(t, faces, R_WB)
        self.sunlit = light.sunlit
        dissipated = _per_place(bodies, lambda t: t.dissipation) * powered[: faces.nodes]
        if isinstance(losses, np.ndarray):
            dissipated = dissipated + losses[: faces.nodes]
        self.network.advance(dt, dissipated, taken)

    def _faces(self, bodies: Sequence[TensorBody], poses: Sequence[Pose]) -> Faces:
        """Exposed faces, made anew only when contents moved."""
        key = tuple(
            (body.shape.tobytes(), body.orientation.tobytes(), X.p.tobytes(), X.R.tobytes())
            for body, X in zip(bodies, poses, strict=True)
            if len(body.occupied)
        )
        if self._seen is None or self._seen[0] != key:
            self._seen = key, exposed_faces(list(zip(bodies, poses, strict=True)))
        return self._seen[1]

    def _taken(self, t: float, faces: Faces, R_WB: Array) -> tuple[Light, Array]:
        """What the faces absorb per node [W]; equal normals are asked once."""
        kinds, which = faces.kinds
        light = self.surroundings(t, kinds @ R_WB.T)
        sun_B = light.sun_W @ R_WB
        lit = faces.lit(sun_B) if light.flux > 0.0 else np.zeros(len(faces.node))
        return light, absorbed(faces, lit, sun_B, light.flux, light.albedo[which], light.infrared[which])


def _per_place(bodies: Sequence[TensorBody], value: Callable[..., float]) -> Array:
    return np.concatenate([body.catalogue.values(value)[body.shape] for body in bodies])


def _links(bodies: Sequence[TensorBody], latches: Latches) -> tuple[NDArray[np.int64], Array]:
    """Conductances between neighbours: closed or open as their interfaces are now."""
    edges, conductance, start = [], [], 0
    for body in bodies:
        contacts, shown, tables = body.contacts(), body.interfaces(), body.catalogue.pairs
        a, b = shown[contacts[:, 0], contacts[:, 1]], shown[contacts[:, 2], contacts[:, 3]]
        closed = latches.closed[body.name][contacts[:, 0], contacts[:, 1]]
        edges.append(start + contacts[:, [0, 2]])
        conductance.append(np.where(closed, tables.closed_conductance[a, b], tables.open_conductance[a, b]))
        start += body.grid.n
    return np.concatenate(edges), np.concatenate(conductance)
