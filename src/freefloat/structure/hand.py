"""A robot's end with a standard interface: it latches on the structure, picks modules from it and places them there.

    open --latch--> closing --> closed --pick--> picking --> carrying --place--> placing --> closed
    closed --release--> opening --> open                     anything that goes wrong --> failed

While it closes, a constraint draws the end to its nearest grid pose; mass changes sides only when less than 1e-9 m and
rad is left, and what is left stays as the module's offset. Meanwhile the module's other interfaces open or close.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np

from freefloat.engine.graph import Lump
from freefloat.engine.world import World
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.structure.interface import (
    Misalignment,
    Record,
    StandardInterface,
    State,
    mated_rotation,
    misalignment,
    nearest_symmetric,
)
from freefloat.structure.latches import Latches
from freefloat.structure.module import InterfaceType, ModuleType
from freefloat.structure.outside import hidden_features
from freefloat.structure.tensor_body import TensorBody, transfer
from freefloat.structure.tensor_part import link_mass, module_shape, with_dummy

DRAW = 25.0  # [-] eta times closing time: 10 mm fade to 4e-12 m


class HandState(IntEnum):
    """What the signal `state` of a hand says."""

    OPEN = 0
    CLOSING = 1
    CLOSED = 2
    OPENING = 3
    FAILED = 4
    CARRYING = 5
    PICKING = 6
    PLACING = 7


class Order(IntEnum):
    """What the command `order` of a hand asks; a change of its value is an order."""

    NONE = 0
    LATCH = 1
    RELEASE = 2
    PICK = 3
    PLACE = 4
    RESET = 5


@dataclass(frozen=True)
class HandSetup:
    """Names: the frame of the interface (z outwards), the tensor part on it, the connection structure - frame."""

    name: str
    frame: str
    tool: str
    connection: str
    interface: InterfaceType
    fault: str = ""  # "close" or "open": it will fail to
    contact: str = ""  # of the structure with the tool part: what is carried should not touch anything


@dataclass
class Hand:
    """State of one hand on the tensor part `structure`; `coupling` says how closed connections are held."""

    setup: HandSetup
    structure: str
    coupling: str  # "tree" | "constraint"
    eta: float  # [1/s] of a closed connection held by a constraint
    state: HandState = HandState.OPEN
    interface: StandardInterface = field(init=False)
    place: int = -1  # of the structure: where it holds on, or where the module goes
    side: int = -1
    misaligned: Misalignment = field(default_factory=Misalignment)  # measured at the last order to close
    alarms: int = 0  # orders refused, failures and overloads so far
    load: tuple[float, float] = (0.0, 0.0)  # [N], [N m] through the interface at the last look

    def __post_init__(self) -> None:
        fault = self.setup.fault
        self.interface = StandardInterface(self.setup.interface, fault=fault)  # pyright: ignore[reportArgumentType]

    def holds(self, world: World) -> bool:
        """Whether its connection to the structure is closed, whatever state it is in."""
        return self.setup.connection in world.closed

    @property
    def under_way(self) -> bool:
        """Whether something was begun that goes on by itself."""
        return self.state in (
            HandState.CLOSING,
            HandState.OPENING,
            HandState.PICKING,
            HandState.PLACING,
        )

    def start_closed(self, world: World, body: TensorBody) -> None:
        """At t = 0 the connection is closed already: find the face."""
        place, side, X_FE = self._nearest_face(world, body, frozenset())
        self.misaligned = misalignment(X_FE, self.setup.interface.symmetry)
        allowed = self.setup.interface.position_tolerance, self.setup.interface.angle_tolerance
        if place < 0 or not self.misaligned.within(*allowed):
            raise InputError(
                f"hand {self.setup.name!r} is closed at the start, but the nearest face is {self.misaligned} away; "
                f"allowed: {allowed[0]:.3g} m and {allowed[1]:.3g} rad"
            )
        self.place, self.side, self.state = place, side, HandState.CLOSED
        self.interface = replace(self.interface, state=State.CLOSED, holds=True)

    def take(
        self,
        order: Order,
        t: float,
        world: World,
        bodies: dict[str, TensorBody],
        latches: Latches,
        alone: bool,
        barred: frozenset[tuple[int, int]] = frozenset(),
    ) -> None:
        """Begin what is ordered, or refuse it with a report.

        `alone`: no other hand holds the robot; `barred`: (place, side) of faces that are not to be had.
        """
        if order == Order.LATCH:
            self._latch(t, world, bodies[self.structure], barred)
        elif order == Order.RELEASE:
            self._release(t, world, alone)
        elif order == Order.PICK:
            self._pick(t, world, bodies[self.structure], latches, alone)
        elif order == Order.PLACE:
            self._place(t, world, bodies, latches)
        elif order == Order.RESET:
            self._reset(t, world, bodies, latches)

    def _reset(self, t: float, world: World, bodies: dict[str, TensorBody], latches: Latches) -> None:
        """After a failure or an overload: go on from what the hand holds now, with its own fault repaired."""
        if self.state != HandState.FAILED and not self.interface.overloaded:
            return self.refuse(world, "reset", f"the hand is {self.state.name.lower()}; allowed: failed or overloaded")
        if self.state in (HandState.CLOSING, HandState.PLACING):
            world.detach(self.setup.connection)
        if self.state in (HandState.PICKING, HandState.PLACING):
            latches.under_way = {}
        if len(bodies[self.setup.tool].occupied):
            self.state = HandState.CARRYING
        else:
            self.state = HandState.CLOSED if self.setup.connection in world.closed else HandState.OPEN
        held = self.state != HandState.OPEN
        self.interface = StandardInterface(self.setup.interface, State.CLOSED if held else State.OPEN, t, holds=held)
        return world.report(f"{self.setup.name}.reset", f"now {self.state.name.lower()}")

    def refuse(self, world: World, what: str, reason: str) -> None:
        """Report an order that is not taken."""
        self.alarms += 1
        world.report(f"{self.setup.name}.{what}", f"refused: {reason}")

    def _fail(self, world: World, what: str, reason: str) -> None:
        self.state = HandState.FAILED
        self.alarms += 1
        world.report(f"{self.setup.name}.{what}", f"failed: {reason}")

    def _nearest_face(
        self, world: World, body: TensorBody, barred: frozenset[tuple[int, int]]
    ) -> tuple[int, int, Pose]:
        """Place and side of the nearest free face of the structure, and X_F,end."""
        X_TE = world.pose(self.structure).inverse() @ world.pose(self.setup.frame)
        shown, grid = body.interfaces(), body.grid
        best = (np.inf, -1, -1, Pose.identity())
        for place in body.occupied.tolist():
            for side in np.flatnonzero(shown[place]).tolist():
                other = grid.neighbours[place, side]
                if (other >= 0 and body.shape[other] > 0) or (place, side) in barred:
                    continue
                X_FE = body.X_TF(place, side).inverse() @ X_TE
                off = misalignment(X_FE, self.setup.interface.symmetry)
                if off.position + off.angle < best[0]:
                    best = (off.position + off.angle, place, side, X_FE)
        return best[1], best[2], best[3]

    def _latch(self, t: float, world: World, body: TensorBody, barred: frozenset[tuple[int, int]]) -> None:
        if self.state != HandState.OPEN:
            return self.refuse(world, "latch", f"the hand is {self.state.name.lower()}; allowed: open")
        place, side, X_FE = self._nearest_face(world, body, barred)
        if place < 0:
            return self.refuse(world, "latch", "the structure has no free face with an interface")
        mate = body.catalogue.interface(int(body.interfaces()[place, side]))
        self.misaligned = misalignment(X_FE, self.setup.interface.symmetry)
        self.interface, record = self.interface.command("close", t, self.misaligned, mate)
        if not record.accepted:
            return self.refuse(world, "latch", f"at place {place}, side {side}: {record.reason}")
        roll, _ = nearest_symmetric(X_FE.R, self.setup.interface.symmetry)
        X_TE = body.X_TF(place, side) @ Pose(mated_rotation(roll, self.setup.interface.symmetry))
        lost = self._draw(world, X_TE)
        self.place, self.side, self.state = place, side, HandState.CLOSING
        name = f"module {body.identity[place]} at place {place}, side {side}"
        return world.report(f"{self.setup.name}.latch", f"{name}, {self.misaligned}; {lost:.3e} J lost")

    def _draw(self, world: World, X_TE: Pose) -> float:
        eta = DRAW / self.setup.interface.closing_time
        return world.attach(self.setup.connection, X_TE, "constraint", eta)

    def _release(self, t: float, world: World, alone: bool) -> None:
        if self.state != HandState.CLOSED:
            return self.refuse(world, "release", f"the hand is {self.state.name.lower()}; allowed: closed")
        if alone:
            return self.refuse(world, "release", "nothing else holds the robot")
        self.interface, record = self.interface.command("open", t)
        if not record.accepted:
            return self.refuse(world, "release", record.reason)
        self.state = HandState.OPENING
        return None

    def _pick(self, t: float, world: World, body: TensorBody, latches: Latches, alone: bool) -> None:
        if self.state != HandState.CLOSED:
            return self.refuse(world, "pick", f"the hand is {self.state.name.lower()}; allowed: closed")
        if alone:
            return self.refuse(world, "pick", "nothing else holds the robot")
        rest = latches.without(body, self.place)
        if rest > 1:
            return self.refuse(world, "pick", f"without module {body.identity[self.place]} the rest is {rest} pieces")
        reason = latches.begin_opening(body, self.place, t)
        if reason:
            return self.refuse(world, "pick", reason)
        self.state = HandState.PICKING
        return None

    def _place(self, t: float, world: World, bodies: dict[str, TensorBody], latches: Latches) -> None:
        if self.state != HandState.CARRYING:
            return self.refuse(world, "place", f"the hand is {self.state.name.lower()}; allowed: carrying")
        body, tool = bodies[self.structure], bodies[self.setup.tool]
        X_TE = world.pose(self.structure).inverse() @ world.pose(self.setup.frame)
        X_EM = tool.X_TM(0)
        X_TM = X_TE @ X_EM
        place = int(np.argmin(np.linalg.norm(body.grid.p_TP - X_TM.p, axis=1)))
        if body.shape[place] > 0:
            return self.refuse(world, "place", f"place {place} is occupied by module {body.identity[place]}")
        orientation, off = body.offset_of(place, X_TM)
        self.misaligned = Misalignment(float(np.linalg.norm(off[3:])), float(np.linalg.norm(off[:3])))
        reason = latches.begin_closing(body, place, tool.module(0), orientation, t, self.misaligned)
        if reason:
            return self.refuse(world, "place", f"at place {place}: {reason}")
        X_TM = Pose(body.grid.R_PM[orientation], body.grid.p_TP[place])  # when it is drawn in
        lost = self._draw(world, X_TM @ X_EM.inverse())
        self.place, self.state = place, HandState.PLACING
        name = f"module {tool.identity[0]} to place {place}"
        return world.report(f"{self.setup.name}.place", f"{name}, {self.misaligned}; {lost:.3e} J lost")

    def residual(self, world: World) -> Misalignment:
        """What the constraint has not drawn in yet."""
        error = world.read(f"{self.setup.connection}.error")
        return Misalignment(float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:])))

    def progress(self, t: float, world: World, bodies: dict[str, TensorBody], latches: Latches) -> bool:
        """Go on with what was begun; True when the contents of a body or a latch changed."""
        if self.state == HandState.CLOSING:
            self.interface, record = self.interface.update(t, self.residual(world))
            return record is not None and self._latched(world, record)
        if self.state == HandState.OPENING:
            self.interface, record = self.interface.update(t)
            return record is not None and self._opened(world, record)
        if self.state in (HandState.PICKING, HandState.PLACING):
            residual = self.residual(world) if self.state == HandState.PLACING else None
            done, failure = latches.progress(t, residual)
            if failure:
                if self.state == HandState.PLACING:
                    world.detach(self.setup.connection)
                self._fail(world, self.state.name.lower(), failure)
                return True
            if done:
                (self._picked if self.state == HandState.PICKING else self._placed)(world, bodies, latches)
            return done
        return False

    def _latched(self, world: World, record: Record) -> bool:
        if record.state is State.CLOSED:
            self._keep(world)
            self.state = HandState.CLOSED
            world.report(f"{self.setup.name}.closed", f"residual {self.residual_text(world)}")
        else:
            world.detach(self.setup.connection)
            self._fail(world, "latch", record.reason)
        return True

    def residual_text(self, world: World) -> str:
        """The violation now, where a constraint holds the connection."""
        residual = self.residual(world)
        return "none: held by the tree" if np.isnan(residual.position) else str(residual)

    def _keep(self, world: World) -> None:
        """From drawing to holding."""
        hold = "constraint" if self.coupling == "constraint" else "tree"
        world.hold(self.setup.connection, hold, self.eta)

    def _opened(self, world: World, record: Record) -> bool:
        if record.state is State.OPEN:
            world.detach(self.setup.connection)
            self.state, self.place, self.side = HandState.OPEN, -1, -1
            world.report(f"{self.setup.name}.opened", "")
        else:
            self._fail(world, "release", record.reason)
        return True

    def _picked(self, world: World, bodies: dict[str, TensorBody], latches: Latches) -> None:
        body, tool = bodies[self.structure], bodies[self.setup.tool]
        identity = int(body.identity[self.place])
        X_TM = body.X_TM(self.place)
        X_ET = world.pose(self.setup.frame).inverse() @ world.pose(self.structure)
        move_module(world, body, self.place, tool, 0, X_ET @ X_TM)
        world.detach(self.setup.connection)
        latches.cleared(body, self.place)
        world.report(f"{self.setup.name}.picked", f"module {identity} from place {self.place}")
        self.state, self.place, self.side = HandState.CARRYING, -1, -1

    def _placed(self, world: World, bodies: dict[str, TensorBody], latches: Latches) -> None:
        body, tool = bodies[self.structure], bodies[self.setup.tool]
        identity = int(tool.identity[0])
        X_TE = world.pose(self.structure).inverse() @ world.pose(self.setup.frame)
        residual = self.residual_text(world)
        move_module(world, tool, 0, body, self.place, X_TE @ tool.X_TM(0))
        latches.settled(body, self.place)
        self._keep(world)
        self.state = HandState.CLOSED
        world.report(f"{self.setup.name}.placed", f"module {identity} at place {self.place}, residual {residual}")

    def watch(self, t: float, world: World, grip_load: str) -> None:
        """Look at the load through the interface; `grip_load` is the signal of that of its connection, about it."""
        if self.state == HandState.CARRYING:
            load = world.load(self.setup.tool)
        elif self.holds(world):
            load = world.read(grip_load)
        else:
            self.load = (0.0, 0.0)
            return
        force, torque = load[:3], load[3:]
        self.load = (math.sqrt(force.dot(force)), math.sqrt(torque.dot(torque)))
        if self.interface.overloaded:
            return
        self.interface, record = self.interface.overload(t, *self.load)
        if record is not None:
            self.alarms += 1
            world.report(f"{self.setup.name}.overload", record.reason)


def lump_of(kind: ModuleType, X_TM: Pose, source: str, target: str) -> Lump:
    """A module at X_TM as mass that changes sides."""
    R, inertia = X_TM.R, np.array(kind.I_MMcm_M)
    return Lump(source, target, kind.mass, X_TM.apply(np.array(kind.p_MMcm)), R @ inertia @ R.T)


def move_module(
    world: World, source: TensorBody, place: int, target: TensorBody, target_place: int, X_TM: Pose
) -> float:
    """Transfer a module between the tensor parts of these names, where it is; returns the energy lost [J].

    The dummy mass of a free body without modules comes and goes with its motion, booked by the audit.
    """
    free = {body.name: world.is_free(body.name) for body in (source, target)}
    filled = free[target.name] and not len(target.occupied)
    lump = lump_of(source.module(place).type, source.X_TM(place), source.name, target.name)
    orientation, offset = target.offset_of(target_place, X_TM)
    rank = int(np.searchsorted(source.occupied, place))
    transfer(source, place, target, target_place, orientation, offset)
    after = {body.name: link_mass(body, free[body.name]) for body in (source, target)}
    if free[source.name] and not len(source.occupied):
        link = world.links[source.name]
        world.set_mass(source.name, *with_dummy((link.mass, link.p_LLcm, link.I_LLcm_L)))
    loaded = {target.name: with_dummy(after[target.name])} if filled else {}
    lost = world.move_mass([lump], {**after, **loaded})
    if filled:
        world.set_mass(target.name, *after[target.name])
    _move_shape(world, source, rank, target, target_place)
    for body in (source, target):
        if world.has(f"{body.name}.hidden"):  # it touches others
            world.write(f"{body.name}.hidden", hidden_features(body))
    return lost


def _move_shape(world: World, source: TensorBody, rank: int, target: TensorBody, place: int) -> None:
    """A link has one shape per module in the order of places: take that of a rank, and make one at the new place."""
    shapes = world.links[source.name].shapes
    world.set_shapes(source.name, shapes[:rank] + shapes[rank + 1 :])
    shapes = world.links[target.name].shapes
    rank = int(np.searchsorted(target.occupied, place))
    world.set_shapes(target.name, (*shapes[:rank], module_shape(target, place), *shapes[rank:]))
