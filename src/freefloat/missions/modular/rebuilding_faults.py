"""What goes wrong in a reconfiguration, by name, time and place, or one at an operation that the seed picks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from freefloat.engine.connection import Connection
from freefloat.engine.event import Event
from freefloat.errors import FieldError
from freefloat.gnc.planning.reconfiguration.problem import Operation
from freefloat.missions.modular.crew import Member
from freefloat.missions.modular.rebuilding import Rebuilding
from freefloat.missions.modular.schedule_of_plan import Foreseen, foreseen
from freefloat.scenario.fields import Settings, quantity, setting
from freefloat.structure.faults import Fault
from freefloat.structure.latches import Latches, own_face
from freefloat.structure.tensor_body import TensorBody, transfer

Name = Literal["no-close", "no-open", "misplaced", "overload", "joint-locked", "dead-module", "lost-order"]
LOCK_RATE = 50.0  # [1/s] Baumgarte rate of a locked joint
WEAK = 0.6  # [-] of the torque that a load would ask for, where an interface is too weak for it


class FaultSettings(Settings):
    """One fault; what its name does not need is left out."""

    name: Name = setting(..., "what goes wrong")
    time: float = quantity(0.0, "s", "from when on; misplaced: before the start", ge=0, le=1e9)
    module: int = quantity(0, "-", "identity of the module: no-close, no-open, misplaced, dead-module", ge=0)
    side: int = quantity(-1, "-", "own side of the module for no-close and no-open; -1: any", ge=-1, le=6)
    hand: str = setting("", "hand, such as wm_b: overload, lost-order, no-close, no-open")
    cell: tuple[int, ...] = quantity((), "-", "misplaced: cell where the module is", ge=-1000, le=1000)
    joint: int = quantity(0, "-", "joint-locked: number from end A", ge=0, le=7)
    robot: str = setting("", "joint-locked: which robot; empty: the first")
    count: int = quantity(1, "-", "how often it strikes; 0: every time", ge=0)
    force: float = quantity(250.0, "N", "overload: what the interface bears", gt=0)
    torque: float = quantity(204.0, "N m", "overload: what the interface bears", gt=0)


@dataclass(frozen=True, eq=False)
class Injected:
    """Faults as a mission takes them: of the assembly, of joints, and the structure as it is at the start."""

    body: TensorBody
    faults: tuple[Fault, ...]
    connections: tuple[Connection, ...]
    events: tuple[Event, ...]


def inject(given: Sequence[FaultSettings], job: Rebuilding) -> Injected:
    """Of a list of settings."""
    body, crew = job.body.copy(), job.members()
    faults: list[Fault] = []
    connections: dict[str, Connection] = {}
    events: list[Event] = []
    for k, fault in enumerate(given):
        if fault.name == "misplaced":
            _misplace(body, fault, f"faults.{k}")
        elif fault.name == "joint-locked":
            connection = _lock(fault, crew, f"faults.{k}")
            connections[connection.name] = connection
            events.append(_locking(fault, connection))
        else:
            faults.append(_fault(fault))
    return Injected(body, tuple(faults), tuple(connections.values()), tuple(events))


def _fault(f: FaultSettings) -> Fault:
    assert f.name not in ("misplaced", "joint-locked")
    if f.name == "overload":
        return Fault(f.name, f.time, hand=f.hand, max_force=f.force, max_torque=f.torque)
    return Fault(f.name, f.time, f.module, f.hand, f.side, f.count or None)


def _misplace(body: TensorBody, fault: FaultSettings, where: str) -> None:
    place = body.find(fault.module)
    if place is None:
        raise FieldError(f"{where}.module", f"{fault.module}: there is no such module")
    target = body.grid.index(fault.cell)
    if body.shape[target] > 0:
        raise FieldError(f"{where}.cell", f"{fault.cell} is occupied by module {body.identity[target]}")
    transfer(body, place, body, target, int(body.orientation[place]))
    if pieces(body) > 1:
        raise FieldError(f"{where}.cell", f"{fault.cell}: the structure would be in pieces")


def pieces(body: TensorBody) -> int:
    """Into how many the structure falls by its interfaces."""
    latches = Latches()
    latches.close_all(body)
    return latches.without(body)


def _lock(fault: FaultSettings, crew: Sequence[Member], where: str) -> Connection:
    """The connection that holds the two links of a joint from then on."""
    names = [m.name for m in crew]
    if fault.robot and fault.robot not in names:
        raise FieldError(f"{where}.robot", f"{fault.robot!r}; allowed: {', '.join(names)}")
    member = crew[names.index(fault.robot)] if fault.robot else crew[0]
    moving = [j for j in member.walker.graph.joints if j.kind != "fixed"]
    if not 1 <= fault.joint <= len(moving):
        raise FieldError(f"{where}.joint", f"{fault.joint}; allowed: 1 to {len(moving)}")
    joint, robot = moving[fault.joint - 1], member.name
    links = f"{robot}.{joint.parent}", f"{robot}.{joint.child}"
    return Connection(f"{robot}_lock_{fault.joint}", *links, "constraint", LOCK_RATE)


def _locking(fault: FaultSettings, connection: Connection) -> Event:
    return Event(
        f"fault.{connection.name}",
        lambda session: f"joint {fault.joint} is locked; {session.attach(connection.name):.3e} J lost",
        at=fault.time,
    )


def seeded(name: Name, seed: int, job: Rebuilding) -> FaultSettings:
    """The fault of this name at a transfer that the seed picks, where it can strike."""
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    course = [f for f in foreseen(job) if f.operation.carry is not None]
    fitting = [f for f in course if _strikes(name, f, job)] or course
    if not fitting:
        raise FieldError("fault", f"{name}: the plan has no transfer")
    at = fitting[int(rng.integers(len(fitting)))]
    o, begin = at.operation, max(at.begin - 1.0, 0.0)
    match name:
        case "no-close":
            identity, side = _goal_face(at, job)
            return FaultSettings(name=name, time=begin, module=identity, side=side, count=0)
        case "no-open":
            return FaultSettings(name=name, time=begin, module=o.module)
        case "misplaced":
            return FaultSettings(name=name, module=o.module, cell=_elsewhere(o, job, rng))
        case "overload":
            heaviest = max(f.torque for f in course if f.begin >= at.begin)
            return FaultSettings(name=name, time=begin, hand=at.hand, torque=WEAK * heaviest)
        case "joint-locked":
            return FaultSettings(
                name=name, time=begin, joint=int(rng.integers(1, 8)), robot=job.members()[o.robot].name
            )
        case "dead-module":
            return FaultSettings(name=name, time=begin, module=o.module)
        case "lost-order":
            return FaultSettings(name=name, time=begin, hand=at.hand)


def _strikes(name: Name, at: Foreseen, job: Rebuilding) -> bool:
    if name == "no-close":
        return len(_goal_faces(at, job)) > 1  # another interface can hold the module
    return True


def _goal_faces(at: Foreseen, job: Rebuilding) -> list[tuple[int, int]]:
    """Faces of neighbours on which the module is to close."""
    carry, grid = at.operation.carry, job.pair.grid
    assert carry is not None
    body, latches = at.body.copy(), Latches()
    turned = job.turned(carry.turn, int(body.orientation[carry.source]))
    body.insert(carry.target, body.remove(carry.source), turned)
    latches.close_all(body)
    closed = np.flatnonzero(latches.closed[body.name][carry.target]).tolist()
    return [own_face(body, int(grid.neighbours[carry.target, side]), int(grid.facing[side])) for side in closed]


def _goal_face(at: Foreseen, job: Rebuilding) -> tuple[int, int]:
    return _goal_faces(at, job)[0]


def _elsewhere(o: Operation, job: Rebuilding, rng: np.random.Generator) -> tuple[int, ...]:
    """A free cell where the module could have been left: the structure is one piece, and robots have their homes."""
    place = job.body.find(o.module)
    assert place is not None
    stances = job.pair.problem.robots
    found: list[tuple[int, ...]] = []
    for target in np.flatnonzero(job.body.shape == 0).tolist():
        body = job.body.copy()
        transfer(body, place, body, target, int(body.orientation[place]))
        feet = {int(body.grid.neighbours[s.place, s.side]) for s in stances}
        if target in feet or pieces(body) > 1:
            continue
        homes = [
            job.planning.motions.home(body.shape > 0, s, [r for r in stances if r is not s]) is not None
            for s in stances
        ]
        if all(homes):
            found.append(tuple(int(c) for c in body.grid.cells[target]))
    if not found:
        raise FieldError("fault", f"misplaced: module {o.module} fits nowhere else")
    return found[int(rng.integers(len(found)))]
