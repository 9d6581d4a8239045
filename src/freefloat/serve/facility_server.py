"""Starts the facility in two processes, waits for them and passes signals on.

Everything is built and all ports are taken before the processes part, so that what is wrong is told at once.
"""

from __future__ import annotations

import ipaddress
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Literal

from freefloat.api import label
from freefloat.engine.log.layout import layout_of, save_layout
from freefloat.engine.mission import Mission
from freefloat.engine.session import Session
from freefloat.errors import FreefloatError, InputError
from freefloat.facility.axes import CYCLE
from freefloat.facility.operation import Operation
from freefloat.facility.part import DockingFacility
from freefloat.facility.record import POV, Frame
from freefloat.missions.facility.served import ServedFacility
from freefloat.scenario.describe import dump
from freefloat.scenario.origin import told_of
from freefloat.serve.control_server import ControlServer
from freefloat.serve.cycle import CycleProcess
from freefloat.serve.desk import Desk
from freefloat.serve.desk_answers import DeskAnswers
from freefloat.serve.outside import Served
from freefloat.serve.photographer import Photographer
from freefloat.serve.pipe import Pipe
from freefloat.serve.rsi import opened_controllers, opened_rsi
from freefloat.serve.sync_link import SyncLink
from freefloat.terminal import DONE, FAILED, INTERRUPTED, say

GPS_EPOCH = 315_964_800 - 18  # [s] of the Unix time that is GPS time 0, with the leap seconds since 2017
READY = b"r"
SMALL = 1e-3  # [m, rad] a motion to warm up with


@dataclass(frozen=True)
class Options:
    """How the facility is served."""

    out: Path  # an empty folder
    host: str = "127.0.0.1"
    sync_port: int = 5250  # 0: one that is free
    control_port: int = 5251
    pace: Literal["realtime", "lockstep"] = "realtime"
    token: str = ""  # that operators have to know; empty: none
    rsi: tuple[str, ...] = ()  # robots that sensor systems correct, "robot1=FILE[,...]" (serve.rsi)
    controllers: tuple[str, ...] = ()  # of robots, "robot1=FILE[,HOST:PORT]", for `hardware`


@dataclass
class Facility:
    """Everything that both processes have from before they part."""

    mission: Mission
    session: Session
    served: Served
    near: Pipe  # the cycle's end
    far: Pipe  # the desk's end
    control: socket.socket  # listens for operators
    lab: DockingFacility
    options: Options
    cycling: type[CycleProcess]


def serve(
    scenario: ServedFacility,
    options: Options,
    ready: Callable[[int, int], None],
    cycling: type[CycleProcess] = CycleProcess,
) -> int:
    """Serve until somebody ends it; the exit code. `ready` is told both ports."""
    if not hasattr(os, "fork"):
        raise InputError("facility serve: this system cannot part processes (fork); allowed: Linux, macOS")
    check_token(options)
    sync = _bound(socket.SOCK_DGRAM, options.host, options.sync_port, "--sync-port")
    control = _bound(socket.SOCK_STREAM, options.host, options.control_port, "--control-port")
    facility = _built(scenario, options, sync, control, cycling)
    warm(scenario)
    parent, alive = os.pipe()  # the desk sees its end close when this process ends
    begun, tell = os.pipe()
    desk = _part(lambda: _desk(facility, parent, tell), close=(alive, begun))
    os.close(parent)
    os.close(tell)
    if os.read(begun, 1) != READY:
        return _code(os.waitpid(desk, 0)[1]) or FAILED
    cycle = _part(lambda: _cycle(facility), close=(alive, begun))
    facility.near.close()
    facility.far.close()
    return _attend(cycle, desk, lambda: ready(sync.getsockname()[1], control.getsockname()[1]))


def check_token(options: Options) -> None:
    """Beyond this machine operators need a token."""
    try:
        near = ipaddress.ip_address(socket.gethostbyname(options.host)).is_loopback
    except (OSError, ValueError):
        raise InputError(f"--host {options.host}: no such address; allowed: one of this machine") from None
    if not near and not options.token:
        raise InputError(f"--host {options.host}: others can reach it; allowed: 127.0.0.1, or with --token-file FILE")


def warm(scenario: ServedFacility) -> None:
    """Have compiled code loaded before cycles are counted."""
    session = scenario.changed(operator="").build().session(scenario.seed)
    session.step(2 * CYCLE)
    operation = _operation(session)
    axes = operation.motion[0]
    for frame in Frame:
        shown = operation.kinematics.from_axes(frame, axes, operation.pov)
        operation.kinematics.to_axes(shown, axes)
        operation.kinematics.from_axes(frame, axes, shown.values[POV])  # read-only, which is compiled apart
    operation.guard.posture(axes)
    operation.do("power", on=True)
    operation.approach(axes + SMALL)
    session.step(2 * CYCLE)
    operation.do("stop")
    session.step(2 * CYCLE)


def _operation(session: Session) -> Operation:
    return next(r.controller.operation for r in session.tasks if r.task.name == "fmc")


def _bound(kind: socket.SocketKind, host: str, port: int, option: str) -> socket.socket:
    """A socket of this port; TCP ones listen."""
    sock = socket.socket(socket.AF_INET, kind)
    try:
        if kind is socket.SOCK_STREAM:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        if kind is socket.SOCK_STREAM:
            sock.listen(8)
    except (OSError, OverflowError) as error:
        sock.close()
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{option} {port}: {host}:{port}: {why}; allowed: a free port, 0 picks one") from None
    return sock


def _built(
    scenario: ServedFacility,
    options: Options,
    sync: socket.socket,
    control: socket.socket,
    cycling: type[CycleProcess],
) -> Facility:
    """The mission in its folder, at t = 0."""
    near, far = (Pipe(end) for end in socket.socketpair())
    realtime = options.pace == "realtime"
    link = SyncLink(sync, scenario.link.gone)
    served = Served(link, near, None if realtime else scenario.link.timeout)
    with told_of(scenario):
        mission = scenario.served(served, time.time() - GPS_EPOCH if realtime else 0.0)
    label(mission, scenario)
    session = mission.session(scenario.seed)
    operation = _operation(session)
    served.rsi = opened_rsi(options.rsi, operation.kinematics)
    served.controllers = opened_controllers(options.controllers)
    operation.settings = replace(operation.settings, controllers=bool(options.controllers))
    out = options.out
    (out / "scenario.yaml").write_text(dump(scenario), encoding="utf-8")
    save_layout(layout_of(session.recorder.groups, mission.plots), out / "layout.json")
    return Facility(mission, session, served, near, far, control, scenario.lab(), options, cycling)


def _part(work: Callable[[], int], close: tuple[int, ...]) -> int:
    """A process that does this and ends; its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    number = os.fork()
    if number:
        return number
    code = FAILED
    try:
        for descriptor in close:
            os.close(descriptor)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all of us; the first process passes it on
        code = work()
    except FreefloatError as error:
        say(f"error: {error}")
    except BaseException:  # whatever it is, this process must not go on as if it were the first
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _name(name: str) -> None:
    """What lists of processes call this one, where the system has such names."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name)


def _desk(f: Facility, parent: int, tell: int) -> int:
    _name("facility-desk")
    f.near.close()
    desk = Desk(f.mission, f.session, f.far, f.options.out)
    signal.signal(signal.SIGTERM, lambda number, frame: desk.end())
    desk.watch(parent)
    channel = ControlServer(DeskAnswers(desk.line, Photographer(f.lab), f.options.out), f.control, f.options.token)
    desk.selector.register(channel, selectors.EVENT_READ, channel.poll)
    desk.turns.append(channel.poll)
    os.write(tell, READY)
    os.close(tell)
    try:
        return desk.run()
    finally:
        channel.close()


def _cycle(f: Facility) -> int:
    _name("facility-cycle")
    f.far.close()
    f.control.close()
    process = f.cycling(f.session, f.served, f.near, f.options.pace == "realtime")
    signal.signal(signal.SIGTERM, lambda number, frame: process.end())
    return process.run()


def _attend(cycle: int, desk: int, ready: Callable[[], None]) -> int:
    """Wait for both; SIGTERM and Ctrl-C end the cycles in their order."""
    asked: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        try:
            os.kill(cycle, signal.SIGTERM)
        except ProcessLookupError:
            return

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        ready()
        codes = [_code(os.waitpid(process, 0)[1]) for process in (cycle, desk)]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if any(codes):
        return FAILED
    return INTERRUPTED if asked[:1] == [signal.SIGINT] else DONE


def _code(status: int) -> int:
    """Of a process that has ended; one that was killed has failed."""
    code = os.waitstatus_to_exitcode(status)
    return FAILED if code < 0 else code
