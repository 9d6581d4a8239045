"""What a robot makes of its channels: the objects of a `.rsi.xml` context, their limits and their wiring.

Object names, parameters and defaults as in the public files for KR C4 (docs/references.md). What is not emulated is
named in `notes`; a correction that comes through such an object is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from freefloat.errors import InputError
from freefloat.links.rsi_config import AXES, CHANNELS, EXTERNAL, OF_EXTERNAL, POSE, RsiConfig, placed_in
from freefloat.links.rsi_xml import Node, read_xml

TIMEOUT = 100  # [-] cycles in a row without a valid answer that end RSI where more than these
PRECISION = 4  # [-] decimals of numbers sent
CAP = 5.0  # [mm, deg] limit of a correction object that has none of its own
CEILING = 6.0  # [mm, deg] limit of a monitor that has none of its own
UNITS = ("mm", "mm", "mm", *("deg",) * 9, *("mm",) * 6)  # of CORRECTIONS
CORRECTIONS = (*POSE, *AXES, *EXTERNAL)  # a correction's components: RKorr, AKorr, EKorr
OFFSET = {"POSCORR": 0, "AXISCORR": 6, "AXISCORREXT": 12}  # where an object's six components begin there
MONITORS = {"POSCORRMON": 6, "AXISCORRMON": 12}  # outputs of each
SOURCES = {  # objects that the robot sends values of, and the element that has the same numbers
    "POSACT": "RIst",
    "AXISACT": "AIPos",
    "AXISACTEXT": "EIPos",
    "MOTORCURRENT": "MACur",
    "MOTORCURRENTEXT": "MECur",
}
NAMED = {  # elements that mean corrections where there is no context
    "RKorr": "POSCORR",
    "RK": "POSCORR",
    "AKorr": "AXISCORR",
    "AK": "AXISCORR",
    "EKorr": "AXISCORREXT",
    "EK": "AXISCORREXT",
}
FRAMES = ("0", "1", "2")  # RefCorrSys: world, base and root of the robot are one here


@dataclass(frozen=True)
class Corrector:
    """A POSCORR, AXISCORR or AXISCORREXT: six inputs and what caps their totals."""

    name: str
    kind: str
    channels: tuple[int | None, ...]  # (6,) of the ETHERNET object that feed the inputs
    lower: tuple[float, ...] = (-math.inf,) * 6  # [mm, deg]
    upper: tuple[float, ...] = (math.inf,) * 6
    rotation: float = math.inf  # [deg] of POSCORR: the angle of all of A, B, C


@dataclass(frozen=True)
class Monitor:
    """A POSCORRMON or AXISCORRMON: RSI ends where the overall correction is larger."""

    name: str
    kind: str
    translation: float = math.inf  # [mm]
    rotation: float = math.inf  # [deg]
    axes: tuple[float, ...] = (math.inf,) * 12  # [deg, mm] A1 to A6, E1 to E6


@dataclass(frozen=True)
class RsiContext:
    """Objects of a context that are emulated."""

    correctors: tuple[Corrector, ...]
    monitors: tuple[Monitor, ...] = ()
    timeout: int = TIMEOUT  # [-] cycles
    precision: int = PRECISION  # [-] decimals
    sources: tuple[tuple[int, str], ...] = ()  # channel sent and what it is: "AIPos.A1", "POSCORRMON.X"
    notes: tuple[str, ...] = ()  # what is there and has no effect


def named_context(config: RsiConfig) -> RsiContext:
    """Where there is no context: RKorr, AKorr and EKorr (or RK, AK, EK) of the file are corrections without limits."""
    channels: dict[str, list[int | None]] = {kind: [None] * 6 for kind in OFFSET}
    for element in config.receive:
        head, _, attribute = element.tag.partition(".")
        kind = NAMED.get(head)
        if kind is None or element.index is None:
            continue
        kind = "AXISCORREXT" if kind == "AXISCORR" and attribute in EXTERNAL else kind
        own = CORRECTIONS[OFFSET[kind] : OFFSET[kind] + 6]
        if attribute not in own:
            raise placed_in(element, f"TAG {element.tag!r}; allowed: {', '.join(f'{head}.{name}' for name in own)}")
        channels[kind][own.index(attribute)] = element.index
    found = (Corrector(f"{kind}1", kind, tuple(own)) for kind, own in channels.items() if any(own))
    return RsiContext(tuple(found))


def read_rsi_context(path: str | PathLike[str], config: RsiConfig) -> RsiContext:
    """A context's file, wired to the channels of `config`."""
    root = read_xml(path, "RSIObjects")
    objects = [_Object(node) for node in root.all("RSIObject")]
    ethernet = [one for one in objects if one.kind == "ETHERNET"]
    if len(ethernet) != 1:
        raise (ethernet[1].node if ethernet else root).error(f"{len(ethernet)} objects ETHERNET; allowed: one")
    by_name = {one.name: one for one in objects}
    notes: list[str] = []
    correctors = tuple(_corrector(one, by_name, notes, config) for one in objects if one.kind in OFFSET)
    monitors = tuple(_monitor(one) for one in objects if one.kind in MONITORS)
    sources = tuple(_sources(ethernet[0], by_name, notes))
    known = ("ETHERNET", *OFFSET, *MONITORS, *SOURCES)
    notes += [one.told("is not emulated") for one in objects if one.kind not in known]
    notes += _unmonitored(Path(path), correctors, monitors)
    timeout = ethernet[0].number("Timeout", TIMEOUT, lambda x: 1 <= x <= 10_000 and x == int(x), "1 to 10000")
    precision = ethernet[0].number("Precision", PRECISION, lambda x: 0 <= x <= 12 and x == int(x), "0 to 12")
    return RsiContext(correctors, monitors, int(timeout), int(precision), sources, tuple(notes))


class _Object:
    """An RSIObject with its parameters and the outputs that its inputs are wired to."""

    def __init__(self, node: Node) -> None:
        self.node, self.kind, self.name = node, node.attribute("ObjType").upper(), node.attribute("ObjID")
        self.parameters = {
            child.attribute("Name"): child for group in node.all("Parameters") for child in group.all("Parameter")
        }
        self.inputs = [child for group in node.all("Inputs") for child in group.all("Input")]

    def told(self, what: str) -> str:
        return f"{self.node.where}: {self.name} ({self.kind}) {what}"

    def number(self, name: str, default: float, allowed: Callable[[float], bool], told: str) -> float:
        """A parameter."""
        node = self.parameters.get(name)
        if node is None:
            return default
        text = node.attribute("ParamValue")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and allowed(value)):
            raise node.error(f"{name} {text!r} of {self.name}; allowed: {told}")
        return value

    def limits(self, names: Iterable[str], default: float, sign: float = 1.0) -> tuple[float, ...]:
        """Parameters that are at least zero, or at most where the sign is -1."""
        told = "a finite number >= 0" if sign > 0.0 else "a finite number <= 0"
        return tuple(self.number(name, sign * default, lambda x: sign * x >= 0.0, told) for name in names)

    def index(self, wire: Node, name: str, most: int) -> int:
        text = wire.attribute(name)
        if not (text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= most):
            raise wire.error(f"{name} {text!r} of {self.name}; allowed: 1 to {most}")
        return int(text)


def _corrector(one: _Object, by_name: dict[str, _Object], notes: list[str], config: RsiConfig) -> Corrector:
    first = OFFSET[one.kind]
    names = CORRECTIONS[first : first + 6]
    channels: list[int | None] = [None] * 6
    for wire in one.inputs:
        place = one.index(wire, "InIdx", 12 if one.kind == "AXISCORREXT" else 6)
        place = place - 6 if place > 6 else place  # AXISCORREXT goes on counting after AXISCORR's six
        source = by_name.get(wire.attribute("OutObjID"))
        if source is None or source.kind != "ETHERNET":
            told = wire.attribute("OutObjID") if source is None else f"{source.name} ({source.kind})"
            raise wire.error(f"input {place} of {one.name} comes from {told}, which is not emulated; allowed: ETHERNET")
        channel = one.index(wire, "OutIdx", CHANNELS)
        element = next((e for e in config.receive if e.index == channel), None)
        if element is None:
            notes.append(one.told(f"gets channel {channel}, which {config.path.name} does not receive: it stays zero"))
        elif element.type == "STRING":
            raise placed_in(element, f"TYPE STRING of {element.tag}, which {one.name} gets; allowed: DOUBLE, LONG")
        channels[place - 1] = channel
    if one.kind != "POSCORR":
        lower, upper = (one.limits((f"{side}{name}" for name in names), CAP, sign) for side, sign in _SIDES)
        return Corrector(one.name, one.kind, tuple(channels), lower, upper)
    frame = one.parameters.get("RefCorrSys")
    if frame is not None and frame.attribute("ParamValue") not in FRAMES:
        told = f"RefCorrSys {frame.attribute('ParamValue')!r} of {one.name}"
        raise frame.error(f"{told}; allowed: 0 (world), 1 (base), 2 (root of the robot)")
    lower, upper = (one.limits((f"{side}{name}" for name in "XYZ"), CAP, sign) for side, sign in _SIDES)
    rotation = one.limits(["MaxRotAngle"], CAP)[0]
    free = (math.inf,) * 3
    return Corrector(one.name, one.kind, tuple(channels), (*lower, *(-x for x in free)), (*upper, *free), rotation)


_SIDES = (("LowerLim", -1.0), ("UpperLim", 1.0))


def _monitor(one: _Object) -> Monitor:
    if one.kind == "POSCORRMON":
        translation, rotation = one.limits(("MaxTrans", "MaxRotAngle"), CEILING)
        return Monitor(one.name, one.kind, translation, rotation)
    return Monitor(one.name, one.kind, axes=one.limits((f"Max{name}" for name in (*AXES, *EXTERNAL)), CEILING))


def _sources(ethernet: _Object, by_name: dict[str, _Object], notes: list[str]) -> Iterable[tuple[int, str]]:
    """What the channels that are sent come from."""
    for wire in ethernet.inputs:
        channel = ethernet.index(wire, "InIdx", CHANNELS)
        source = by_name.get(wire.attribute("OutObjID"))
        if source is None:
            told = f"input {channel} of {ethernet.name} comes from {wire.attribute('OutObjID')!r}"
            raise wire.error(f"{told}; allowed: {', '.join(by_name)}")
        if source.kind in MONITORS:
            place = source.index(wire, "OutIdx", MONITORS[source.kind])
            first = OFFSET["POSCORR" if source.kind == "POSCORRMON" else "AXISCORR"]
            yield channel, f"{source.kind}.{CORRECTIONS[first + place - 1]}"
        elif source.kind in SOURCES:
            place = source.index(wire, "OutIdx", 12)
            names = POSE if source.kind == "POSACT" else EXTERNAL if source.kind.endswith("EXT") else AXES
            if place <= 6 or source.kind.endswith("EXT"):
                yield channel, f"{SOURCES[source.kind]}.{names[(place - 1) % 6]}"
            else:
                notes.append(source.told(f"output {place} is not emulated: channel {channel} sends zero"))
        else:
            notes.append(source.told(f"feeds channel {channel}, which sends zero"))


def _unmonitored(path: Path, correctors: Iterable[Corrector], monitors: Iterable[Monitor]) -> list[str]:
    """Corrections whose sum a real controller would limit to its default."""
    watched = {monitor.kind for monitor in monitors}
    wanted = dict.fromkeys("POSCORRMON" if one.kind == "POSCORR" else "AXISCORRMON" for one in correctors)
    told = f"a KR C4 ends RSI at {CEILING:g} mm, {CEILING:g} deg then, here nothing does"
    return [f"{path}: no {kind}: {told}" for kind in wanted if kind not in watched]


def check_external(config: RsiConfig, context: RsiContext, external: int) -> None:
    """Refuse external axes of a robot that has none."""
    if external:
        return
    from_rsi = [e for e in config.send if e.index is None and e.tag in OF_EXTERNAL]
    wired = {c for one in context.correctors if one.kind == "AXISCORREXT" for c in one.channels if c is not None}
    for element in (*from_rsi, *(e for e in config.receive if e.index in wired)):
        raise placed_in(element, f"TAG {element.tag!r} on a robot without external axes; allowed: A1 to A6, X to C")
    names = [one.name for one in context.correctors if one.kind == "AXISCORREXT"]
    if names:
        raise InputError(f"{config.path}: {names[0]} on a robot without external axes; allowed: POSCORR, AXISCORR")
