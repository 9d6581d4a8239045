"""Robots of a served facility that sensor systems correct: what `--rsi` says, with its files and sockets.

`robot1=FILE[,CONTEXT][,relative][,HOST:PORT]`: the robot's RSI_EthernetConfig.xml, its .rsi.xml context, how RSI is
switched on (absolute, where nothing is said), and an address in the place of the file's.
"""

from __future__ import annotations

from collections.abc import Sequence

from freefloat.errors import InputError, placed
from freefloat.facility.controllers import Controller, Controllers
from freefloat.facility.exchange import Kinematics as AnyKinematics
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.rsi import RsiMode, RsiPort, rsi_robot
from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_context import named_context, read_rsi_context
from freefloat.links.rsi_sensor import RsiSensorLink
from freefloat.links.rsi_socket import RsiSocket
from freefloat.terminal import say

ROBOTS = {"robot1": 1, "robot2": 2}
DECIMALS = 12  # [-] of set-points in deg and mm
WAYS = {"relative": True, "absolute": False}


def opened_rsi(texts: Sequence[str], kinematics: AnyKinematics) -> RsiMode:
    """Robots with their sockets."""
    ports: dict[int, RsiPort] = {}
    for text in texts:
        try:
            port = opened_port(text, kinematics)
        except InputError as error:
            raise placed(error, "--rsi") from None
        if port.number in ports:
            raise InputError(f"--rsi {text}: robot{port.number} again; allowed: once")
        ports[port.number] = port
    return RsiMode([ports[number] for number in sorted(ports)])


def opened_controllers(texts: Sequence[str]) -> Controllers:
    """Robot controllers, which send to the port of their files, on this machine."""
    found: dict[int, Controller] = {}
    try:
        for text in texts:
            number, file, (address, others) = _split(text)
            if others:
                raise InputError(f"{text!r}: {others[0]!r}; allowed: robot1=FILE or robot2=FILE, then ,HOST:PORT")
            config = read_rsi_config(file, *address)
            found[number] = Controller(number, config, RsiSensorLink(config, decimals=DECIMALS))
        return Controllers([found[number] for number in sorted(found)])
    except InputError as error:
        raise placed(error, "--controller") from None


def opened_port(text: str, kinematics: AnyKinematics) -> RsiPort:
    """A robot with its socket."""
    number, file, (address, others) = _split(text)
    relative, context = False, ""
    for other in others:
        if other in WAYS:
            relative = WAYS[other]
        else:
            context = other
    if not isinstance(kinematics, Kinematics):
        raise InputError(f"{text!r}: this facility has no nominal robots; allowed: one that has")
    config = read_rsi_config(file, *address)
    objects = read_rsi_context(context, config) if context else named_context(config)
    for note in (*config.notes, *objects.notes):
        say(f"note: {note}")
    return RsiPort(number, rsi_robot(number, config, objects, kinematics, relative), RsiSocket(config))


def _split(text: str) -> tuple[int, str, tuple[tuple[str | None, int | None], list[str]]]:
    """Number of the robot, file, an address, and what else is told."""
    name, equals, rest = text.partition("=")
    file, *others = rest.split(",")
    if name not in ROBOTS or not equals or not file:
        raise InputError(f"{text!r}; allowed: robot1=FILE or robot2=FILE, then ,CONTEXT ,relative ,HOST:PORT")
    address: tuple[str | None, int | None] = (None, None)
    left: list[str] = []
    for other in others:
        host, colon, port = other.rpartition(":")
        if colon and port.isascii() and port.isdigit() and 0 < int(port) < 65536:
            address = host, int(port)
        else:
            left.append(other)
    return ROBOTS[name], file, (address, left)
