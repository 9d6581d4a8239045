"""Catalogue files: interfaces and module types as YAML, checked like a scenario and with the same messages.

schema: 1
grid: cubic
interfaces:
  active: {mass: 1.54 kg, active: true, power: true}
  plain: {mass: 390 g, active: false, power: false}
modules:
  battery:
    mass: 9.51 kg
    sides: {all: active, -z: plain, +z: null}
    power: {kind: battery, capacity: 500 Wh, max_power: 300 W}
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from freefloat.errors import FreefloatError, unknown_name
from freefloat.frames import Array
from freefloat.scenario.files import is_path
from freefloat.scenario.problems import Misfit, Problem, ScenarioError, dotted, listed, misfits_of, short, suggest
from freefloat.scenario.yamltext import Document, read_file
from freefloat.structure.body import box_inertia
from freefloat.structure.catalogue.colours import Rgb, distinct
from freefloat.structure.catalogue.settings import CatalogueSettings, ModuleSettings, Power
from freefloat.structure.grid import SIDES, GridKind
from freefloat.structure.module import Heater, InterfaceType, ModuleType, PowerRole, prism_inertia

SCHEMA = 1  # version of the file format
SHIPPED = Path(__file__).parent
_SIZES: dict[GridKind, tuple[float, float, float]] = {"cubic": (0.4, 0.4, 0.4), "hexagonal": (1.0, 1.0, 0.1)}  # [m]

Contents = tuple[tuple[ModuleType, ...], tuple[InterfaceType, ...]]


def shipped_catalogues() -> list[str]:
    """Names that `load_catalogue` knows."""
    return sorted(file.stem for file in SHIPPED.glob("*.yaml"))


def read_catalogue(source: str | Path) -> Contents:
    """Module types and interfaces of a file or a shipped name. Raises an InputError with every problem found."""
    document = read_file(_file(source))
    data = document.value
    if not isinstance(data, dict):
        got = "an empty file" if data is None else short(data)
        raise _error(document, [Misfit((), f"{got} is not a catalogue; allowed: 'schema: {SCHEMA}' and fields")])
    schema = data.get("schema")
    if isinstance(schema, bool) or schema != SCHEMA:
        found = f"{short(schema)} is not known" if "schema" in data else "missing"
        raise _error(document, [Misfit(("schema",), f"{found}; allowed: {SCHEMA}")])
    try:
        settings = CatalogueSettings.model_validate({key: value for key, value in data.items() if key != "schema"})
    except ValidationError as error:
        raise _error(document, misfits_of(CatalogueSettings, error)) from None
    problems = list(_misfits(settings))
    if problems:
        raise _error(document, problems)
    return _contents(document, settings)


def _file(source: str | Path) -> Path:
    if is_path(source):
        return Path(source)
    source = str(source)
    if source not in shipped_catalogues():
        raise unknown_name("catalogue", source, shipped_catalogues())
    return SHIPPED / f"{source}.yaml"


def _error(document: Document, found: list[Misfit]) -> ScenarioError:
    ordered = sorted(found, key=lambda f: document.mark(f.path, f.at))
    return ScenarioError([Problem(document.place(f.path, f.at), dotted(f.path), f.message) for f in ordered])


def _misfits(settings: CatalogueSettings) -> Iterator[Misfit]:
    """Problems between fields: sides and interfaces that do not exist, ranges that are upside down."""
    sides, interfaces = (*SIDES[settings.grid], "all"), list(settings.interfaces)
    for name, module in settings.modules.items():
        here = ("modules", name)
        for side, interface in module.sides.items():
            at = (*here, "sides", side)
            if side not in sides:
                yield Misfit(at, f"unknown side; {suggest(side, sides)}allowed: {listed(sides)}", at="key")
            if interface is not None and interface not in interfaces:
                hint = suggest(interface, interfaces)
                yield Misfit(at, f"unknown interface {short(interface)}; {hint}allowed: {listed(interfaces)} | null")
        if module.inertia is not None and len(module.inertia) not in (3, 6):
            message = f"{len(module.inertia)} values; allowed: 3 (xx yy zz) or 6 (xx yy zz xy xz yz)"
            yield Misfit((*here, "inertia"), message)
        low, high = module.temperature_range
        if low >= high:
            yield Misfit((*here, "temperature_range"), f"{low:g} is not below {high:g} K; allowed: lowest first")
        if module.heater is not None and module.heater.on_below > module.heater.off_above:
            message = f"{module.heater.on_below:g} K is above off_above; allowed: <= {module.heater.off_above:g} K"
            yield Misfit((*here, "heater", "on_below"), message)


def _contents(document: Document, settings: CatalogueSettings) -> Contents:
    interfaces = {name: InterfaceType(name, **given.model_dump()) for name, given in settings.interfaces.items()}
    types: list[ModuleType] = []
    problems: list[Misfit] = []
    colours = distinct([given.colour for given in settings.modules.values()])
    for (name, given), colour in zip(settings.modules.items(), colours, strict=True):
        colour = given.colour or colour  # one that was given stays, even beside its like
        try:
            where = document.place(("modules", name), "key")
            types.append(_module_type(name, given, settings.grid, interfaces, colour, where))
        except FreefloatError as error:  # an inertia that no body has
            problems.append(Misfit(("modules", name), str(error)))
    if problems:
        raise _error(document, problems)
    return tuple(types), tuple(interfaces.values())


def _module_type(
    name: str, given: ModuleSettings, grid: GridKind, interfaces: dict[str, InterfaceType], colour: Rgb, where: str
) -> ModuleType:
    size = _SIZES[grid] if given.size is None else given.size
    chosen = [given.sides.get(side, given.sides.get("all")) for side in SIDES[grid]]
    return ModuleType(
        name,
        given.mass,
        _inertia(given, grid, size),
        tuple(None if side is None else interfaces[side] for side in chosen),
        p_MMcm=given.centre_of_mass,
        size=size,
        heat_capacity=given.heat_capacity,
        absorptivity=given.absorptivity,
        emissivity=given.emissivity,
        dissipation=given.dissipation,
        power=_power(given.power),
        heater=None if given.heater is None else Heater(**given.heater.model_dump()),
        temperature_range=given.temperature_range,
        colour=(*colour, 1.0),
        about=given.about,
        where=where,
    )


def _inertia(given: ModuleSettings, grid: GridKind, size: tuple[float, float, float]) -> Array:
    if given.inertia is None:
        return box_inertia(given.mass, size) if grid == "cubic" else prism_inertia(given.mass, size[0], size[2])
    xx, yy, zz, xy, xz, yz = (*given.inertia, 0.0, 0.0, 0.0)[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _power(given: Power) -> PowerRole:
    return PowerRole(**given.model_dump(exclude_none=True))
