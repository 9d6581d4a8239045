"""What a robot sends and receives over RSI: the user's own `RSI_EthernetConfig.xml` of a KUKA controller."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeVar

from freefloat.errors import InputError
from freefloat.links.rsi_xml import Node, read_xml

CHANNELS = 64  # inputs and outputs of the ETHERNET object
TYPES = ("BOOL", "STRING", "LONG", "DOUBLE")
POSE = ("X", "Y", "Z", "A", "B", "C")  # [mm, deg]
AXES = ("A1", "A2", "A3", "A4", "A5", "A6")  # [deg]
EXTERNAL = ("E1", "E2", "E3", "E4", "E5", "E6")  # [mm]
TECH = tuple(f"Tech.{kind}{n}" for kind in "CT" for n in range(1, 7))  # parameters of function generators
INTERNAL = {  # names of the controller itself, and the attributes that they stand for
    "RIst": POSE,
    "RSol": POSE,
    "AIPos": AXES,
    "ASPos": AXES,
    "EIPos": EXTERNAL,
    "ESPos": EXTERNAL,
    "MACur": AXES,
    "MECur": EXTERNAL,
    "Delay": ("D",),
    **{name: tuple(f"{name[5:]}{n}" for n in range(1, 11)) for name in TECH},
}
SENT = tuple(INTERNAL)
RECEIVED = ("EStr", *TECH)
OF_EXTERNAL = ("EIPos", "ESPos", "MECur")
K = TypeVar("K")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)?")


@dataclass(frozen=True)
class Element:
    """One ELEMENT of SEND or RECEIVE."""

    tag: str  # without DEF_
    type: str  # of TYPES
    index: int | None  # channel of the ETHERNET object, from 1; None: INTERNAL
    hold: bool  # whether the last value stays where no answer has come; else it is zero
    where: str  # file and line

    @property
    def keys(self) -> tuple[str, ...]:
        """What it is in a telegram: "Name.Attribute", or "Name" where the element's text is the value."""
        if self.index is None and self.tag in INTERNAL:
            return tuple(f"{self.tag.partition('.')[0]}.{attribute}" for attribute in INTERNAL[self.tag])
        return (self.tag,)


@dataclass(frozen=True)
class RsiConfig:
    """A file, read."""

    path: Path
    host: str  # of the sensor system, to which the robot sends
    port: int
    sentype: str  # of answers
    only_send: bool  # no answer is expected
    send: tuple[Element, ...]
    receive: tuple[Element, ...]
    notes: tuple[str, ...] = ()  # what is there and has no effect


def read_rsi_config(path: str | PathLike[str], host: str | None = None, port: int | None = None) -> RsiConfig:
    """A file; `host` and `port` stand in for those of the file."""
    root = read_xml(path, "ROOT")
    config = root.one("CONFIG")
    known = ("IP_NUMBER", "PORT", "PROTOCOL", "SENTYPE", "ONLYSEND")
    if config.all("PROTOCOL"):
        _checked(config.one("PROTOCOL"), lambda text: text.upper() == "UDP", "UDP")
    notes = [f"{node.where}: {node.tag} has no effect" for node in config.children if node.tag not in known]
    sentype = _checked(config.one("SENTYPE"), lambda text: bool(text) and not set(text) & set("\"'<>&"), "a name")
    only = _checked(config.one("ONLYSEND"), lambda text: text.upper() in ("TRUE", "FALSE"), "TRUE, FALSE")
    return RsiConfig(
        Path(path),
        host or _checked(config.one("IP_NUMBER"), _is_address, "an IPv4 address such as 192.168.1.25"),
        port or int(_checked(config.one("PORT"), _is_port, "1 to 65535")),
        sentype,
        only.upper() == "TRUE",
        _elements(root.one("SEND"), SENT, held=False),
        _elements(root.one("RECEIVE"), RECEIVED, held=True) if root.all("RECEIVE") else (),
        tuple(notes),
    )


def _checked(node: Node, allowed: Callable[[str], bool], told: str) -> str:
    if not allowed(node.text):
        raise node.error(f"{node.tag} {node.text!r}; allowed: {told}")
    return node.text


def _is_address(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 6 and 0 < int(text) < 65536


def _elements(section: Node, internal: tuple[str, ...], held: bool) -> tuple[Element, ...]:
    """Elements in the file's order; a name and a channel once each."""
    nodes = section.one("ELEMENTS").children
    found: list[Element] = []
    keys: dict[str, str] = {}  # and where each is
    channels: dict[int, str] = {}
    for node in nodes:
        element = _element(node, internal, held)
        for key in element.keys:
            _once(node, f"TAG {key!r}", key, keys)
            head = key.partition(".")[0]
            other = next(
                (k for k in keys if k != key and k.partition(".")[0] == head and ("." in k) != ("." in key)), ""
            )
            if other:
                raise node.error(f"TAG {key!r} beside {other!r}; allowed: a text or attributes of {head}, not both")
        if element.index is not None:
            _once(node, f"INDX {element.index}", element.index, channels)
        found.append(element)
    return tuple(found)


def _once(node: Node, what: str, key: K, places: dict[K, str]) -> None:
    if key in places:
        raise node.error(f"{what} again; allowed: once in a section (first at {places[key]})")
    places[key] = node.where


def _element(node: Node, internal: tuple[str, ...], held: bool) -> Element:
    if node.tag != "ELEMENT":
        raise node.error(f"element {node.tag!r}; allowed: ELEMENT")
    tag, kind, index = node.attribute("TAG"), node.attribute("TYPE").upper(), node.attribute("INDX").upper()
    if kind not in TYPES:
        raise node.error(f"TYPE {kind!r} of {tag}; allowed: {', '.join(TYPES)}")
    hold = node.attribute("HOLDON", "0")
    if held and hold not in ("0", "1"):
        raise node.error(f"HOLDON {hold!r} of {tag}; allowed: 0 (zero without an answer), 1 (the last value stays)")
    if tag.startswith("DEF_"):
        if tag[4:] not in internal:
            raise node.error(
                f"TAG {tag!r}; allowed: {', '.join(f'DEF_{name}' for name in internal)}, or names of yours"
            )
        if index != "INTERNAL":
            raise node.error(f"INDX {index!r} of {tag}; allowed: INTERNAL")
        return Element(tag[4:], kind, None, hold == "1", node.where)
    if not _NAME.fullmatch(tag) or tag == "IPOC":
        raise node.error(f"TAG {tag!r}; allowed: NAME, NAME.ATTRIBUTE or DEF_NAME; IPOC is sent anyway")
    if not (index.isascii() and index.isdigit() and len(index) < 4 and 1 <= int(index) <= CHANNELS):
        raise node.error(f"INDX {index!r} of {tag}; allowed: 1 to {CHANNELS}, or INTERNAL of a DEF_ name")
    return Element(tag, kind, int(index), hold == "1", node.where)


def placed_in(element: Element, message: str) -> InputError:
    """An error at an element's place."""
    return InputError(f"{element.where}: {message}")
