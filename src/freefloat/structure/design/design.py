"""A design: modules in cells of a grid, the environments and manoeuvres it must stand, and what was found in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from freefloat.amounts import Amount, Measure, Measures, not_negative, take, take_rows
from freefloat.errors import InputError
from freefloat.structure.catalogue.catalogue import Catalogue
from freefloat.structure.grid import Grid
from freefloat.structure.module import Module, ModuleType
from freefloat.structure.tensor_body import TensorBody

Severity = Literal["error", "warning", "note"]
Subject = Literal["placement", "interface", "connection", "power", "load", "temperature", "robot"]


@dataclass(frozen=True)
class PlacedModule:
    """A module of a catalogue's type in a cell (i, j, k) or (q, r)."""

    identity: int
    type: str
    cell: tuple[int, ...]
    orientation: int = 0
    where: str = ""  # place in the design file

    def __str__(self) -> str:
        return f"module {self.identity} ({self.type}) in cell ({', '.join(map(str, self.cell))})"


@dataclass(frozen=True)
class Held:
    """An interface that is not closed: kept open on purpose, or failed."""

    identity: int  # of the module
    side: str  # at the module's place, such as "+x" in axes of T
    state: Literal["open", "failed"] = "open"
    where: str = ""


@dataclass(frozen=True)
class StandingRobot:
    """A robot that stands with one end on a face of a module."""

    name: str
    kind: str  # of ROBOT_KINDS
    identity: int  # of the module
    side: str  # of its place, in axes of T
    q: tuple[float, ...] | None = None  # [rad] joint angles, from the end that stands; None: at home
    where: str = ""


@dataclass(frozen=True)
class Environment:
    """Constant light and heat from outside. The Earth fills half of the sky: E (1 + n.e) / 2 on a face of normal n."""

    sun: Measures = (1.0, 0.0, 0.0)  # [-] direction to the Sun in T
    solar_flux: Measure = 1361.0  # [W/m^2]
    earth: Measures = (0.0, 0.0, -1.0)  # [-] direction e to the Earth in T
    albedo: Measure = 0.0  # [W/m^2] on a face that looks at the Earth
    infrared: Measure = 0.0  # [W/m^2] the same

    def __post_init__(self) -> None:
        flux = not_negative("W/m^2")
        take(self, "environment", solar_flux=flux, albedo=flux, infrared=flux)
        take_rows(self, "environment", 3, sun=Amount("-"), earth=Amount("-"))


@dataclass(frozen=True)
class Manoeuvre:
    """Rigid motion of the spacecraft in axes of T; the forces that cause it act on one module."""

    acceleration: Measures = (0.0, 0.0, 0.0)  # [m/s^2] of the centre of mass
    rate: Measures = (0.0, 0.0, 0.0)  # [rad/s]
    angular_acceleration: Measures = (0.0, 0.0, 0.0)  # [rad/s^2]
    pushed: int | None = None  # identity of the module; None: the heaviest one

    def __post_init__(self) -> None:
        take_rows(self, "manoeuvre", 3, acceleration=Amount("m/s^2"), rate=Amount("rad/s"))
        take_rows(self, "manoeuvre", 3, angular_acceleration=Amount("rad/s^2"))


@dataclass(frozen=True, eq=False)
class Design:
    """What a design file says. Nothing in it is checked yet; `check_design` does that."""

    name: str
    catalogue: Catalogue
    grid: Grid
    modules: tuple[PlacedModule, ...]
    held: tuple[Held, ...] = ()
    environments: dict[str, Environment] = field(default_factory=dict)
    manoeuvres: dict[str, Manoeuvre] = field(default_factory=dict)
    where: str = ""  # the file
    robots: tuple[StandingRobot, ...] = ()
    lines: dict[str, str] = field(default_factory=dict)  # FILE:LINE:COLUMN of `catalogue`, `grid` and `robots`

    def line(self, section: str) -> str:
        """Where a section of the file is, or the file, or the design's name."""
        return self.lines.get(section) or self.where or self.name


@dataclass(frozen=True)
class Finding:
    """Something that a check found: where, what, and for numbers the value and what is allowed."""

    severity: Severity
    subject: Subject
    place: str
    message: str
    value: str = ""
    allowed: str = ""
    module: int = 0  # identity of the module, or of the first of several; 0: none
    where: str = ""  # FILE:LINE:COLUMN

    def __str__(self) -> str:
        numbers = f": {self.value}; allowed: {self.allowed}" if self.allowed else ""
        return f"{self.where}{': ' if self.where else ''}{self.place}: {self.message}{numbers}"


def assembled(design: Design) -> tuple[TensorBody, list[Finding]]:
    """The tensor body of a design, and an error for every module that has no place in it."""
    body = TensorBody(design.name, design.grid, design.catalogue)
    found: list[Finding] = []
    for module in design.modules:
        problem = _put(body, module)
        if problem is not None:
            found.append(Finding("error", "placement", str(module), *problem, where=module.where))
    if len(body.occupied) == 0:
        found.append(
            Finding("error", "placement", design.name, "there is no module", "0 modules", ">= 1", where=design.where)
        )
    return body, found


def _put(body: TensorBody, module: PlacedModule) -> tuple[str, str, str] | None:
    """Put a module in, or say why not: message, value, allowed."""
    grid, cell = body.grid, ", ".join(map(str, module.cell))
    try:
        place = grid.index(module.cell)
    except InputError:
        return "cell outside the grid", f"({cell})", _cells(grid)
    if body.shape[place] != 0:
        return f"overlaps module {body.identity[place]}", f"two modules in cell ({cell})", "one"
    known = body.find(module.identity)
    if known is not None:
        other = ", ".join(map(str, grid.cells[known].tolist()))
        return "identity given twice", f"{module.identity}, also in cell ({other})", "one of each"
    try:
        body.insert(place, Module(module.identity, body.catalogue.type(module.type)), module.orientation)
    except InputError as error:
        text = str(error).removeprefix(f"{body.name}: place {place}: ")
        message, _, allowed = text.partition("; allowed: ")
        return message, module.type, allowed
    return None


def _cells(grid: Grid) -> str:
    if grid.kind == "cubic":
        return "(0, 0, 0) to (" + ", ".join(str(s - 1) for s in grid.size) + ")"
    return f"the {grid.n} cells of the table"


def label(body: TensorBody, place: int) -> str:
    """A module in words: "module 3 (bat) in cell (0, 1, 2)"."""
    cell = ", ".join(map(str, body.grid.cells[place].tolist()))
    return f"module {body.identity[place]} ({type_at(body, place).name}) in cell ({cell})"


def type_at(body: TensorBody, place: int) -> ModuleType:
    return body.catalogue.type(int(body.shape[place]))
