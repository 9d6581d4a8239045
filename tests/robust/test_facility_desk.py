"""Safety through the sockets of a served facility: operators and nonsense at TCP, an application at UDP, two processes.

What must never happen is looked for in the log, cycle by cycle.
"""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freefloat.engine.log.reader import read_log
from freefloat.errors import FreefloatError
from freefloat.facility.axes import CYCLE
from freefloat.facility.exchange import Settings
from freefloat.facility.modes import MOTION, Mode, State
from freefloat.facility.pool import MODES, STATES
from freefloat.facility.security import BLINDS, DOORS, ESTOPS, GATES
from freefloat.links.control_channel import ControlChannel, FacilityRefusedError
from freefloat.links.facility import FacilityLink

BEGUN = (State.WAITING, State.MOVING, State.READY, State.RUNNING)


class Operators:
    """Somebody who does anything at any time, by a seed."""

    def __init__(self, channel: ControlChannel, seed: int) -> None:
        self.channel, self.r, self.taken, self.refused = channel, random.Random(seed), 0, 0

    def do(self, action: str, /, **arguments: Any) -> dict[str, Any]:
        try:
            told = self.channel.do(action, **arguments)
        except FacilityRefusedError:
            self.refused += 1
            return {}
        self.taken += 1
        return told

    def all_well(self) -> None:
        for name in DOORS:
            self.do("door", name=name, open=False)
        for name in GATES:
            self.do("gate", name=name, open=False)
        for name in BLINDS:
            self.do("blind", name=name, up=False)
        for place in ESTOPS:
            self.do("estop", place=place, pressed=False)
        self.do("acknowledge")
        self.do("power")

    def run(self, mode: str) -> None:
        """Up to where commands act, then wait a little."""
        self.do("stop")
        self.until("idle", "off", "fault")
        self.all_well()
        self.do("mode", mode=mode)
        self.do("start")
        self.until("ready", "idle")
        self.do("confirm")
        time.sleep(self.r.uniform(0.05, 0.3))

    def until(self, *states: str) -> None:
        for _ in range(1000):
            if self.channel.do("status")["state"] in states:
                return
            time.sleep(0.005)

    def anything(self) -> None:
        r, on = self.r, self.r.random() < 0.5
        kind = r.randrange(12)
        if kind < 3:
            self.run(r.choice(["sync", "async", "sine"]))
        elif kind < 5:
            self.do("mode", mode="mcu")
            for _ in range(r.randrange(1, 12)):
                self.do("jog", component="E1", speed=r.choice([-1.0, -0.3, 0.3, 1.0]))
                time.sleep(0.03)
        elif kind == 5:
            self.do("door", name=r.choice(DOORS), open=on)
        elif kind == 6:
            self.do("gate", name=r.choice(GATES), open=on)
        elif kind == 7:
            self.do("estop", place=r.choice(ESTOPS), pressed=on)
        elif kind == 8:
            self.do(r.choice(["laser", "lamp", "power"]), on=on)
        elif kind == 9:
            self.do("blind", name=r.choice(BLINDS), up=on)
        elif kind == 10:
            self.do(r.choice(["start", "confirm", "stop", "acknowledge"]))
        else:
            self.all_well()
        time.sleep(r.uniform(0.0, 0.05))


def application(port: int, ended: threading.Event, seed: int) -> None:
    """Follows the facility and swings it when it may; now and then it says nonsense or nothing."""
    r = random.Random(seed)
    with FacilityLink(port=port, frame="IJT", timeout=5.0) as link:
        start: np.ndarray | None = None
        while not ended.is_set():
            try:
                state = link.receive()
            except FreefloatError:
                return
            alive = bool(state.mode & (1 << 14))
            start = state.values.copy() if start is None or not alive else start
            values = start.copy()
            if alive:
                values[21] += 100.0 * (1.0 - np.cos(2.0 * state.elapsed))  # mm of the rail
            if r.random() < 0.02:
                values[r.randrange(22)] = r.choice([np.nan, 1e9, -7.0])
            if r.random() > 0.02:
                link.answer(values)


def nonsense(port: int, ended: threading.Event, seed: int) -> None:
    r = random.Random(seed)
    while not ended.is_set():
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5.0) as client:
                client.sendall(b'{"do": "hello"}\n')
                for _ in range(20):
                    client.sendall(r.randbytes(r.randrange(200)) + b"\n")
                    client.recv(1 << 16)
        except OSError:
            pass
        time.sleep(0.01)


def unsafe(file: Path) -> list[str]:
    """Rules that the log breaks; each row is one cycle."""
    frame = read_log(file).frames["fmc"]

    def column(name: str) -> np.ndarray:
        values = frame[name].to_numpy()
        return np.stack(values) if values.dtype == object else values

    state, mode = column("fmc.state").astype(int), column("fmc.mode").astype(int)
    axes = np.column_stack([column("rail.cmd"), column("rob1.cmd.axes"), column("rob2.cmd.axes")])
    estop, door = column("security.estop").any(axis=1), column("security.door").any(axis=1)
    opened = door | column("security.gate").any(axis=1)
    blind = column("security.blind").any(axis=1)
    laser, lamp = column("security.laser") > 0, column("security.lamp") > 0
    moving = np.isin(state, [STATES.index(s) for s in MOTION])
    begun = np.isin(state, [STATES.index(s) for s in BEGUN])
    stopping = state == STATES.index(State.STOPPING)
    fault, ready = state == STATES.index(State.FAULT), state == STATES.index(State.READY)
    running, automatic = state == STATES.index(State.RUNNING), mode != MODES.index(Mode.MCU)
    moves = (np.diff(axes, axis=0) != 0.0).any(axis=1)
    limits = Settings().axes
    second = np.abs(np.diff(axes, 2, axis=0)) / CYCLE**2
    out = fault[:-1] & ~fault[1:]
    rules = {
        "cycles are left out": np.diff(column("fmc.cycle")) != 1.0,
        "motion in a state of rest": moves & ~moving[1:] & ~moving[:-1],
        "automatic motion with a door open": begun & opened & automatic,
        "automatic motion beyond a door's stop": moves & (opened & automatic)[1:] & ~stopping[1:] & ~stopping[:-1],
        "a laser with a door open or a blind up": laser & (opened | blind),
        "a lamp with a blind up": lamp & blind,
        "an emergency stop without effect": estop & ~stopping & ~fault,
        "out of fault with an emergency stop": out & estop[1:],
        "out of fault into motion": out & moving[1:],
        "commands act before Confirm": running[1:] & automatic[1:] & ~running[:-1] & ~ready[:-1],
        "a step in velocity": (second > limits.emergency * (1 + 1e-6) + 1e-6).any(axis=1),
        "too fast": (np.abs(np.diff(axes, axis=0)) > limits.speed * CYCLE * (1 + 1e-6)).any(axis=1),
    }  # fmt: skip
    seen = {"moves": moves.any(), "faults": fault.any(), "doors": opened.any(), "runs": (running & automatic).any()}
    lacking = [name for name, found in seen.items() if not found]
    assert not lacking, f"nothing of it happened: {lacking}"
    return [name for name, broken in rules.items() if broken.any()]


def sequences(server: Any, count: int, seed: int) -> None:
    ended = threading.Event()
    others = [
        threading.Thread(target=application, args=(server.ports["sync"], ended, seed), daemon=True),
        threading.Thread(target=nonsense, args=(server.ports["control"], ended, seed), daemon=True),
    ]
    with ControlChannel(port=server.ports["control"]) as channel:
        while not channel.do("status")["cycle"]:
            time.sleep(0.01)
        channel.load([[3, *channel.do("get", names="act.ijt")["values"]["act.ijt"]]] * 100)
        operators = Operators(channel, seed)
        operators.do("sine", component="E1", amplitude=0.05, frequency=0.5)
        for other in others:
            other.start()
        try:
            operators.run("sine")
            for _ in range(count):
                operators.anything()
            for action, argument in (("door", "name"), ("estop", "place")):  # whatever came before
                operators.run("sine")
                operators.do(action, **{argument: {"door": DOORS, "estop": ESTOPS}[action][0]})
                time.sleep(0.1)
            told = channel.do("status")["channel"]
        finally:
            ended.set()
        for other in others:
            other.join()
        channel.do("shutdown")
    assert server.process.wait() == 0
    assert operators.taken > 50
    assert operators.refused > 0
    assert told["bad"] > 0
    assert told["unanswered"] == told["stuck"] == told["turned_away"] == 0


def test_nothing_unsafe_happens_behind_the_sockets(served_facility: Callable[..., Any]) -> None:
    server = served_facility()
    sequences(server, 40, seed=3)
    assert unsafe(server.out / "log.mcap") == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_nothing_unsafe_happens_behind_the_sockets_for_minutes(served_facility: Callable[..., Any], seed: int) -> None:
    server = served_facility()
    sequences(server, 300, seed=seed)
    assert unsafe(server.out / "log.mcap") == []
