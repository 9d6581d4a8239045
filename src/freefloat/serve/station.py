"""Runs a robot controller of its own: a robot of the lab behind RSI telegrams, in real time or in step with the FMC."""

from __future__ import annotations

import gc
import select
import signal
import time
from collections.abc import Callable
from types import FrameType

from freefloat.engine.graph import Vector
from freefloat.engine.mission import Mission, WorldSetup
from freefloat.engine.rows import uniform_gravity
from freefloat.engine.session import Session
from freefloat.facility.axes import CYCLE
from freefloat.facility.rsi import RsiPort
from freefloat.facility.station import Station, StationCycle
from freefloat.geometry.shape import Shapes
from freefloat.links.rsi_robot import RUNNING
from freefloat.missions.facility.scenario import GRAVITY
from freefloat.missions.facility.served import ServedFacility
from freefloat.terminal import DONE, FAILED, say

CYCLE_NS = round(CYCLE * 1e9)
DRAINED = 25  # cycles after which what signals have recorded is dropped


class Nowhere:
    """A log that keeps nothing: the FMC logs what it hears."""

    def write(self, group: str, t: Vector, rows: Vector) -> None:
        """Rows of a group."""

    def event(self, t: float, name: str, text: str = "") -> None:
        """An event."""

    def scene(self, t: float, shapes: Shapes) -> None:
        """Shapes."""


def station_mission(scenario: ServedFacility, port: RsiPort, wait: Callable[[RsiPort], None] | None) -> Mission:
    """The lab with one robot behind a port."""
    lab = scenario.lab()
    rows, integrator = [uniform_gravity(GRAVITY)], scenario.integrator.make()
    world = WorldSetup("lab", [lab, Station(port, lab, wait)], rows=rows, integrator=integrator)
    return Mission(worlds=[world], record_rate=scenario.record_rate)


def run_station(scenario: ServedFacility, port: RsiPort, lockstep: bool, ready: Callable[[], None]) -> int:
    """Cycle until RSI has ended, or a signal comes; the exit code."""

    def wait(port: RsiPort) -> None:
        end = time.monotonic() + scenario.link.timeout
        while not port.answered and (left := end - time.monotonic()) > 0.0:
            select.select([port.socket], [], [], left)
            port.listen()

    session = station_mission(scenario, port, wait if lockstep else None).session(scenario.seed)
    session.recorder.only_log()
    session.recorder.ledgers.clear()
    session.open_log(Nowhere())
    asked: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    signal.signal(signal.SIGTERM, end)
    session.advance_to(CYCLE_NS)  # compiled code is loaded
    gc.freeze()
    gc.disable()
    ready()
    cycle = next(r.controller for r in session.tasks if r.task.name == "rsi")
    _cycle(session, cycle, lockstep, asked)
    session.finish()
    if asked:
        return DONE
    say(f"error: RSI of robot {port.number} has ended: {port.robot.reason}")
    return FAILED


def _cycle(session: Session, cycle: StationCycle, lockstep: bool, asked: list[int]) -> None:
    due, count = time.monotonic(), 0
    while not asked and not cycle.ended:
        due = max(due + CYCLE, time.monotonic() - CYCLE)  # what is lost is not caught up
        if not (lockstep and cycle.port.robot.state == RUNNING):
            time.sleep(max(0.0, due - time.monotonic()))
        session.advance_to(session.now_ns + CYCLE_NS)
        count += 1
        if count % DRAINED == 0:
            session.recorder.drain()
