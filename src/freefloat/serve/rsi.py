"""Robots of a served facility that sensor systems correct: what `--rsi` says, with its files and sockets.

`robot1=FILE[,CONTEXT][,relative][,HOST:PORT]`: the robot's RSI_EthernetConfig.xml, its .rsi.xml context, how RSI is
switched on (absolute, where nothing is said), and an address in the place of the file's.
"""

from __future__ import annotations

from collections.abc import Sequence

from freefloat.errors import InputError, placed
from freefloat.facility.exchange import Kinematics as AnyKinematics
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.rsi import RsiMode, RsiPort, rsi_robot
from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_context import named_context, read_rsi_context
from freefloat.links.rsi_socket import RsiSocket
from freefloat.terminal import say

ROBOTS = {"robot1": 1, "robot2": 2}
WAYS = {"relative": True, "absolute": False}


def opened_rsi(texts: Sequence[str], kinematics: AnyKinematics) -> RsiMode:
    """Robots with their sockets."""
    ports: dict[int, RsiPort] = {}
    for text in texts:
        try:
            port = _port(text, kinematics)
        except InputError as error:
            raise placed(error, "--rsi") from None
        if port.number in ports:
            raise InputError(f"--rsi {text}: robot{port.number} again; allowed: once")
        ports[port.number] = port
    return RsiMode([ports[number] for number in sorted(ports)])


def _port(text: str, kinematics: AnyKinematics) -> RsiPort:
    name, equals, rest = text.partition("=")
    file, *others = rest.split(",")
    if name not in ROBOTS or not equals or not file:
        raise InputError(f"{text!r}; allowed: robot1=FILE or robot2=FILE, then ,CONTEXT ,relative ,HOST:PORT")
    relative, context, address = False, "", (None, None)
    for other in others:
        host, colon, port = other.rpartition(":")
        if other in WAYS:
            relative = WAYS[other]
        elif colon and port.isascii() and port.isdigit() and 0 < int(port) < 65536:
            address = host, int(port)
        else:
            context = other
    if not isinstance(kinematics, Kinematics):
        raise InputError(f"{text!r}: this facility has no nominal robots; allowed: one that has")
    config = read_rsi_config(file, *address)
    objects = read_rsi_context(context, config) if context else named_context(config)
    for note in (*config.notes, *objects.notes):
        say(f"note: {note}")
    number = ROBOTS[name]
    return RsiPort(number, rsi_robot(number, config, objects, kinematics, relative), RsiSocket(config))
