"""The fields of a design file, with their units and bounds."""

from __future__ import annotations

from typing import Literal

from freefloat.errors import InputError
from freefloat.scenario.fields import Settings, Vector3, choice, quantity, setting
from freefloat.structure.grid import hexagon_rings

Axis = Literal["+x", "-x", "+y", "-y", "+z", "-z"]


class CubicSettings(Settings):
    """Cubes; cell (i, j, k) counts from 0 along x, y, z of T."""

    kind: Literal["cubic"] = setting("cubic", "kind of grid")
    size: tuple[int, int, int] = quantity((3, 3, 3), "-", "cells along x, y, z of T", ge=1, le=1000)
    pitch: float = quantity(0.4, "m", "edge of a cell", gt=0)


class HexagonalSettings(Settings):
    """Hexagonal prisms; cell (q, r) in axial coordinates, q along x of T and r at 60 deg from it."""

    kind: Literal["hexagonal"] = setting("hexagonal", "kind of grid")
    rings: int | None = quantity(None, "-", "cells: a centre with this many rings around it", ge=0, le=100)
    cells: tuple[tuple[int, int], ...] = quantity((), "-", "or a list of the cells (q, r)", ge=-1000, le=1000)
    across_flats: float = quantity(1.0, "m", "width of a cell", gt=0)
    height: float = quantity(0.1, "m", "height of a cell", gt=0)

    def table(self) -> list[list[int]]:
        """Its cells (q, r)."""
        if (self.rings is None) == (len(self.cells) == 0):
            raise InputError("cells are given by rings or by a list, one of the two")
        return hexagon_rings(self.rings).tolist() if self.rings is not None else [list(c) for c in self.cells]


GridSettings = CubicSettings | HexagonalSettings


class AxesSettings(Settings):
    """Where axes of the module point, in T; two are enough."""

    x: Axis | None = setting(None, "direction of the module's x")
    y: Axis | None = setting(None, "direction of the module's y")
    z: Axis | None = setting(None, "direction of the module's z")


class PlacedSettings(Settings):
    """A module in a cell."""

    id: int = quantity(..., "-", "identity, unique", ge=1, lt=2**63)
    type: str = setting(..., "module type of the catalogue")
    cell: tuple[int, ...] = quantity(..., "-", "(i, j, k) on a cubic grid, (q, r) on a hexagonal one")
    orientation: int | None = quantity(None, "-", "number of the grid's orientation, 0 when not given", ge=0, lt=24)
    axes: AxesSettings | None = setting(None, "or directions of its axes, on a cubic grid")


class HeldSettings(Settings):
    """An interface that is not closed."""

    module: int = quantity(..., "-", "identity of the module", ge=1, lt=2**63)
    side: str = setting(..., "side of its place: +x -x +y -y +z -z in T, or 0 to 5 and top")
    state: Literal["open", "failed"] = setting("open", "kept open, or failed")


class StandsSettings(Settings):
    """The face on which a robot stands."""

    module: int = quantity(..., "-", "identity of the module", ge=1, lt=2**63)
    side: str = setting(..., "side of its place: +x -x +y -y +z -z in T, or 0 to 5 and top")


class RobotSettings(Settings):
    """A robot that stands on the design."""

    name: str = setting(..., "name, unique: a letter, then letters, digits, - and _")
    kind: str = setting("walking_manipulator", "kind of robot")
    stands: StandsSettings = setting(..., "the face under the end that stands")
    q: tuple[float, ...] | None = quantity(None, "rad", "joint angles, counted from the end that stands; null: at home")


class EnvironmentSettings(Settings):
    """Constant light and heat from outside; the Earth fills half of the sky."""

    sun: Vector3 = quantity((1.0, 0.0, 0.0), "-", "direction to the Sun in T")
    solar_flux: float = quantity(1361.0, "W/m^2", "of the Sun, 0 in eclipse", ge=0)
    earth: Vector3 = quantity((0.0, 0.0, -1.0), "-", "direction to the Earth in T")
    albedo: float = quantity(0.0, "W/m^2", "reflected sunlight on a face that looks at the Earth", ge=0)
    infrared: float = quantity(0.0, "W/m^2", "infrared on a face that looks at the Earth", ge=0)


class LoadSettings(Settings):
    """A manoeuvre of the whole spacecraft as a rigid body."""

    acceleration: Vector3 = quantity((0.0, 0.0, 0.0), "m/s^2", "of the centre of mass, in T")
    rate: Vector3 = quantity((0.0, 0.0, 0.0), "rad/s", "angular velocity, in T")
    angular_acceleration: Vector3 = quantity((0.0, 0.0, 0.0), "rad/s^2", "in T")
    pushed: int | None = quantity(
        None, "-", "identity of the module on which the forces act; null: the heaviest", ge=1, lt=2**63
    )


class DesignSettings(Settings):
    """The whole file."""

    about: str = setting("", "one line on this design")
    catalogue: str = setting(..., "name of a shipped catalogue, or path of a YAML file beside this one")
    grid: CubicSettings | HexagonalSettings = choice(CubicSettings(), "where modules can be")
    modules: tuple[PlacedSettings, ...] = setting(..., "the modules")
    interfaces: tuple[HeldSettings, ...] = setting((), "interfaces that are not closed")
    robots: tuple[RobotSettings, ...] = setting((), "robots that stand on it")
    environments: dict[str, EnvironmentSettings] = setting({}, "environments to stand, by name")
    loads: dict[str, LoadSettings] = setting({}, "manoeuvres to stand, by name")
