"""Design files: modules on a grid as YAML, checked like a scenario and with the same messages.

kind: design
schema: 1
catalogue: mosar
grid: {kind: cubic, size: [2, 1, 1], pitch: 0.4 m}
modules:
  - {id: 1, type: bus, cell: [0, 0, 0]}
  - {id: 2, type: bat, cell: [1, 0, 0], axes: {z: +x, x: -z}}
robots:
  - {name: wm, kind: walking_manipulator, stands: {module: 1, side: +z}}
environments:
  sunlit: {sun: [1, 0, 0], infrared: 237 W/m^2}
loads:
  boost: {acceleration: [0.5, 0, 0]}
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import numpy as np
from pydantic import ValidationError

from freefloat.errors import InputError, unknown_name
from freefloat.scenario.files import is_path
from freefloat.scenario.problems import (
    Misfit,
    Problem,
    ScenarioError,
    dotted,
    listed,
    misfits_of,
    short,
    suggest,
    unlisted,
)
from freefloat.scenario.yamltext import Document, read_file
from freefloat.structure.catalogue.catalogue import Catalogue, load_catalogue
from freefloat.structure.catalogue.file import SCHEMA, shipped_catalogues
from freefloat.structure.design.design import Design, Environment, Held, Manoeuvre, PlacedModule, StandingRobot
from freefloat.structure.design.robot_kinds import ROBOT_KINDS
from freefloat.structure.design.settings import (
    AxesSettings,
    CubicSettings,
    DesignSettings,
    GridSettings,
    HexagonalSettings,
)
from freefloat.structure.design.standing import angle_problem
from freefloat.structure.grid import SIDES, Grid, cubic, hexagonal

KIND = "design"
NAME = r"[A-Za-z][A-Za-z0-9_-]{0,31}"  # of a robot
SHIPPED = Path(__file__).parent


def is_design(document: Document) -> bool:
    """Whether a document says that it is a design."""
    return isinstance(document.value, dict) and document.value.get("kind") == KIND


def shipped_designs() -> list[str]:
    """Names that `load_design` knows."""
    return sorted(file.stem for file in SHIPPED.glob("*.yaml"))


def shipped_design(name: str) -> Path | None:
    """The file of a shipped design."""
    return SHIPPED / f"{name}.yaml" if name in shipped_designs() else None


def load_design(source: str | Path) -> Design:
    """The design in a YAML file, or of a shipped name. Raises an InputError with every problem, each with its place."""
    file = shipped_design(str(source))
    if file is None and not is_path(source):
        raise unknown_name("design", str(source), [*shipped_designs(), "a path to a YAML file"])
    return design_from(read_file(file or Path(source)))


def design_from(document: Document) -> Design:
    """The design of a document; a catalogue's path is relative to the document's file."""
    if not is_design(document):
        raise _error(document, [Misfit(("kind",), f"not a design; allowed: 'kind: {KIND}'", at="group")])
    data = document.value
    problems: list[Misfit] = []
    schema = data.get("schema")
    if isinstance(schema, bool) or schema != SCHEMA:
        found = f"{short(schema)} is not known" if "schema" in data else "missing"
        problems.append(Misfit(("schema",), f"{found}; allowed: {SCHEMA}", at="value" if "schema" in data else "group"))
    settings: DesignSettings | None = None
    try:
        settings = DesignSettings.model_validate({k: v for k, v in data.items() if k not in ("kind", "schema")})
    except ValidationError as error:
        problems += misfits_of(DesignSettings, error)
    name = data.get("catalogue")
    catalogue = _catalogue(document, name, problems) if isinstance(name, str) else None
    if settings is None:
        raise _error(document, problems)
    reader = _Reader(document, settings, catalogue, problems)
    design = reader.design()
    if design is None or problems:
        raise _error(document, problems)
    return design


def design_schema() -> dict[str, Any]:
    """JSON schema of design files, for editors."""
    schema = DesignSettings.model_json_schema()
    head = {
        "kind": {"const": KIND, "description": "a design"},
        "schema": {"const": SCHEMA, "description": "version of the file format"},
    }
    schema["properties"] = head | schema.get("properties", {})
    schema["required"] = ["kind", "schema", *schema.get("required", [])]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _error(document: Document, found: list[Misfit]) -> ScenarioError:
    ordered = sorted(found, key=lambda f: document.mark(f.path, f.at))
    return ScenarioError([Problem(document.place(f.path, f.at), dotted(f.path), f.message) for f in ordered])


def _catalogue(document: Document, name: str, problems: list[Misfit]) -> Catalogue | None:
    try:
        if name in shipped_catalogues() or not name.endswith((".yaml", ".yml")):
            return load_catalogue(name)
        return load_catalogue(Path(document.name).parent / name)
    except InputError as error:
        problems += [Misfit(("catalogue",), line) for line in str(error).splitlines()]
    return None


class _Reader:
    """Checks between fields, and the design of what passes them."""

    def __init__(
        self, document: Document, settings: DesignSettings, catalogue: Catalogue | None, problems: list[Misfit]
    ) -> None:
        self.document, self.settings, self.catalogue, self.problems = document, settings, catalogue, problems

    def design(self) -> Design | None:
        s = self.settings
        grid = self.grid(s.grid)
        modules = [self.module(i, grid) for i in range(len(s.modules))]
        held = tuple(self.held(i) for i in range(len(s.interfaces)))
        robots = tuple(self.robot(i) for i in range(len(s.robots)))
        for name, given in s.loads.items():
            self.known(("loads", name, "pushed"), given.pushed)
        for name, given in s.environments.items():
            for which in ("sun", "earth"):
                if not any(getattr(given, which)):
                    self.problems.append(Misfit(("environments", name, which), "a direction cannot be all zero"))
        if grid is None or self.catalogue is None or None in modules:
            return None
        return Design(
            Path(self.document.name).stem,
            self.catalogue,
            grid,
            cast("tuple[PlacedModule, ...]", tuple(modules)),
            held,
            {name: Environment(**given.model_dump()) for name, given in s.environments.items()},
            {name: Manoeuvre(**given.model_dump()) for name, given in s.loads.items()},
            self.document.name,
            robots,
            {name: self.document.place((name,), "value") for name in ("catalogue", "grid", "robots")},
        )

    def grid(self, given: GridSettings) -> Grid | None:
        try:
            if isinstance(given, CubicSettings):
                return cubic(*given.size, given.pitch)
            return hexagonal(np.array(given.table(), dtype=np.int64), given.across_flats, given.height)
        except InputError as error:
            self.problems.append(Misfit(("grid",), str(error)))
        return None

    def module(self, i: int, grid: Grid | None) -> PlacedModule | None:
        given, here = self.settings.modules[i], ("modules", i)
        before = len(self.problems)
        if self.catalogue is not None and given.type not in (names := [t.name for t in self.catalogue.types]):
            message = f"unknown module type {short(given.type)}; {suggest(given.type, names)}allowed: {listed(names)}"
            self.problems.append(Misfit((*here, "type"), message))
        hexagons = isinstance(self.settings.grid, HexagonalSettings)
        if len(given.cell) != (numbers := 2 if hexagons else 3):
            message = f"{len(given.cell)} numbers; allowed: {numbers}, {'(q, r)' if hexagons else '(i, j, k)'}"
            self.problems.append(Misfit((*here, "cell"), message))
        orientation = self.orientation(i, grid)
        if len(self.problems) > before or orientation is None:
            return None
        where = self.document.place(here, "value")
        return PlacedModule(given.id, given.type, given.cell, orientation, where)

    def orientation(self, i: int, grid: Grid | None) -> int | None:
        given, here = self.settings.modules[i], ("modules", i)
        if grid is None:
            return None
        if given.axes is None:
            number, turns = given.orientation or 0, len(grid.R_PM)
            if number >= turns:
                message = f"{number} is out of range; allowed: 0 to {turns - 1} on a {grid.kind} grid"
                self.problems.append(Misfit((*here, "orientation"), message))
                return None
            return number
        if given.orientation is not None:
            self.problems.append(Misfit((*here, "axes"), "given beside orientation; allowed: one of the two"))
            return None
        found = _turned(given.axes, grid) if grid.kind == "cubic" else []
        if len(found) != 1:
            allowed = "two perpendicular axes, or three of a right-handed frame, on a cubic grid"
            message = f"{len(found)} orientations have these axes; allowed: {allowed}"
            self.problems.append(Misfit((*here, "axes"), message))
            return None
        return found[0]

    def held(self, i: int) -> Held:
        given, here = self.settings.interfaces[i], ("interfaces", i)
        self.face(here, given.module, given.side)
        return Held(given.module, given.side, given.state, self.document.place(here, "value"))

    def robot(self, i: int) -> StandingRobot:
        given, here = self.settings.robots[i], ("robots", i)
        self.face((*here, "stands"), given.stands.module, given.stands.side)
        if not re.fullmatch(NAME, given.name):
            message = f"{short(given.name)} is no name; allowed: a letter, then up to 31 letters, digits, - and _"
            self.problems.append(Misfit((*here, "name"), message))
        if given.name in [other.name for other in self.settings.robots[:i]]:
            self.problems.append(Misfit((*here, "name"), f"{short(given.name)} is given twice; allowed: one of each"))
        kind = ROBOT_KINDS.get(given.kind)
        if kind is None:
            self.problems.append(Misfit((*here, "kind"), unlisted(given.kind, list(ROBOT_KINDS))))
        elif problem := angle_problem(kind, given.q):
            message, value, allowed = problem
            self.problems.append(Misfit((*here, "q"), f"{message}, {value}; allowed: {allowed}"))
        where = self.document.place(here, "value")
        return StandingRobot(given.name, given.kind, given.stands.module, given.stands.side, given.q, where)

    def face(self, path: tuple[str | int, ...], identity: int, side: str) -> None:
        """A face is that of a known module, and the grid has its side."""
        self.known((*path, "module"), identity)
        sides = SIDES[self.settings.grid.kind]
        if side not in sides:
            message = f"unknown side {short(side)}; {suggest(side, sides)}allowed: {listed(sides)}"
            self.problems.append(Misfit((*path, "side"), message))

    def known(self, path: tuple[str | int, ...], identity: int | None) -> None:
        identities = sorted({m.id for m in self.settings.modules})
        if identity is not None and identity not in identities:
            message = f"there is no module {identity}; allowed: {listed(list(map(str, identities)))}"
            self.problems.append(Misfit(path, message))


def _turned(axes: AxesSettings, grid: Grid) -> list[int]:
    """Orientations in which the named axes of M point along the given ones of T."""
    fits = np.ones(len(grid.R_PM), dtype=np.bool_)
    for column, way in enumerate((axes.x, axes.y, axes.z)):
        if way is not None:
            wanted = np.zeros(3)
            wanted["xyz".index(way[1])] = 1.0 if way[0] == "+" else -1.0
            fits &= (grid.R_PM[:, :, column] == wanted).all(axis=1)
    return np.flatnonzero(fits).tolist()
