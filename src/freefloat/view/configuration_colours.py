"""Colours of modules by type, temperature or power state, with what a legend needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from freefloat.errors import InputError
from freefloat.structure.catalogue.colours import distinct
from freefloat.view.configuration_scene import INTERFACE_RGB, Contents, Frame, Paint, Rgb, interface_look

Colour: TypeAlias = Literal["type", "temperature", "power"]

COLOUR_MAP = "turbo"  # its hues survive the shading of the solids
UNKNOWN: Rgb = (0.62, 0.64, 0.67)
POWER_RGB: dict[str, Rgb] = {
    "source": (0.98, 0.70, 0.10),
    "battery": (0.25, 0.68, 0.35),
    "powered": (0.30, 0.60, 0.95),
    "without power": (0.33, 0.34, 0.38),
}


@dataclass(frozen=True, eq=False)
class Colouring:
    """The colour of each module, and the legend: names with their colours, or a scale in K."""

    paint: Paint
    title: str
    entries: dict[str, Rgb] = field(default_factory=dict)
    discs: dict[str, Rgb] = field(default_factory=dict)  # interfaces that are drawn
    scale: tuple[float, float] | None = None  # [K] ends of the colour bar


def colouring(colour: Colour, frames: Sequence[Frame], span: tuple[float, float] | None = None) -> Colouring:
    """One colouring for all frames; `span` [K] fixes the ends of the temperature scale."""
    if colour == "type":
        return _by_type(frames)
    if colour == "power":
        return _by_power(frames)
    if colour == "temperature":
        return _by_temperature(frames, span)
    raise InputError(f"colour {colour!r} of a configuration is unknown; allowed: type | temperature | power")


def _by_type(frames: Sequence[Frame]) -> Colouring:
    """Each type in its own colour, or in one unlike all others where the catalogue has two that are alike."""
    entries: dict[str, Rgb] = {}
    looks: set[str] = set()
    bodies = [b for frame in frames for b in frame.bodies]
    types = {kind.name: kind for body in bodies for kind in body.catalogue.types}
    colours = dict(zip(types, distinct([kind.colour[:3] for kind in types.values()]), strict=True))
    for body in bodies:
        for number in np.unique(body.shape[body.occupied]).tolist():
            kind = body.catalogue.type(number)
            entries[kind.name] = colours[kind.name]
            for side in kind.sides:
                looks |= {interface_look(side.active, side.thermal)} if side is not None else set()

    def paint(body: Contents, place: int) -> Rgb:
        return colours[body.catalogue.type(int(body.shape[place])).name]

    return Colouring(paint, "module types", entries, {n: rgb for n, rgb in INTERFACE_RGB.items() if n in looks})


def _by_power(frames: Sequence[Frame]) -> Colouring:
    used = {power_state(b, p) for f in frames for b in f.bodies for p in b.occupied.tolist()}
    entries = {name: rgb for name, rgb in {**POWER_RGB, "unknown": UNKNOWN}.items() if name in used}
    known = {**POWER_RGB, "unknown": UNKNOWN}
    return Colouring(lambda body, place: known[power_state(body, place)], "power", entries)


def power_state(body: Contents, place: int) -> str:
    """Source, battery or another module that is powered, or without power; unknown where nothing is said of it."""
    if body.powered is None:
        return "unknown"
    if not body.powered[place]:
        return "without power"
    role = body.catalogue.type(int(body.shape[place])).power.kind
    return role if role in ("source", "battery") else "powered"


def _by_temperature(frames: Sequence[Frame], span: tuple[float, float] | None) -> Colouring:
    from matplotlib import colormaps

    known = [b.temperature[b.occupied] for f in frames for b in f.bodies if b.temperature is not None]
    values = np.concatenate([*known, np.zeros(0)])
    values = values[np.isfinite(values)]
    low, high = span if span is not None else _ends(values)
    if not low < high:
        raise InputError(f"temperature scale from {low:g} to {high:g} K; allowed: lowest first")
    ramp = colormaps[COLOUR_MAP]

    def paint(body: Contents, place: int) -> Rgb:
        T = np.nan if body.temperature is None else float(body.temperature[place])
        if np.isnan(T):
            return UNKNOWN
        r, g, b, _ = ramp(float(np.clip((T - low) / (high - low), 0.0, 1.0)))
        return (r, g, b)

    return Colouring(paint, "temperature [K]", scale=(low, high))


def _ends(values: np.ndarray) -> tuple[float, float]:
    """Ends in whole kelvin around all values, at least 2 K apart."""
    if not len(values):
        return 273.0, 293.0
    low, high = float(np.floor(values.min())), float(np.ceil(values.max()))
    return (low, high) if high - low >= 2.0 else (low - 1.0, high + 1.0)
