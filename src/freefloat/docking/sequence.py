"""From first touch to hard dock: push, latches, retraction, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from freefloat.amounts import Measure, positive, take
from freefloat.docking.cone import DockingCone
from freefloat.docking.probe import DockingProbe
from freefloat.docking.sight import SIGHT
from freefloat.engine.blueprint import Builder
from freefloat.engine.connection import Connection
from freefloat.engine.event import Event
from freefloat.engine.graph import Vector
from freefloat.engine.session import Session
from freefloat.engine.signals import Signal
from freefloat.engine.sources import RowOutput
from freefloat.engine.world import World
from freefloat.errors import InputError
from freefloat.frames import Pose, so3_exp


class Phase(IntEnum):
    """Where a docking stands; the last three end it."""

    APPROACH = 0
    CONTACT = 1
    CAPTURED = 2  # the latches hold the head and draw it straight
    RETRACTION = 3
    DOCKED = 4
    MISSED = 5
    BOUNCED = 6
    TIMED_OUT = 7


@dataclass(frozen=True)
class Limits:
    """Within which the latches close, and when an attempt is given up."""

    reach: Measure = 0.012  # [m] of the head from the socket's floor
    speed: Measure = 0.2  # [m/s] of the head in the cone
    tilt: Measure = 0.26  # [rad] between the axes
    timeout: Measure = 10.0  # [s] after first touch
    away: Measure = 0.1  # [m] of the head above the mouth: it has bounced off

    def __post_init__(self) -> None:
        take(self, "docking limits", reach=positive("m"), speed=positive("m/s"), tilt=positive("rad"))
        take(self, "docking limits", timeout=positive("s"), away=positive("m"))


@dataclass
class Docking:
    """Part and upkeep: a probe meets a cone, whose contact is `contact` (side walls first, then the floor).

    Signals: `name.phase` (see `Phase`), `name.p_CH` [m] and `name.v_CH` [m/s] of the head in the cone's frame, which
    lies on the socket's floor with z outwards, `name.tilt` [rad] between the axes; `name.touched` and `name.captured`
    [s], -1 before; `name.capture_loss`, `name.dock_loss` [J] and `name.momentum_error` [-] of the capture.

    From first touch on, the thrusters `push` are open until the latches close or the attempt is over. The latches
    hold the head by a constraint that draws it straight onto the floor; then the drive retracts the probe until the
    frames `port` and the cone's mouth meet, and these are joined. `connections()` and `events()` go to the mission.
    """

    name: str
    probe: DockingProbe
    cone: DockingCone
    contact: str
    push: str = ""  # a set of thrusters; none: no push
    limits: Limits = field(default_factory=Limits)
    straighten: Measure = 1.0  # [1/s] rate at which the latches draw the head straight
    settle: Measure = 10.0  # [s] that they take for it
    retract: Measure = 0.03  # [m/s] speed of the retraction
    reach: Measure = 1e-3  # [m] between the rings at which the hooks close
    period: Measure = 0.02  # [s] between looks

    def __post_init__(self) -> None:
        where = f"docking {self.name!r}"
        take(self, where, straighten=positive("1/s"), settle=positive("s"), retract=positive("m/s"))
        take(self, where, reach=positive("m"), period=positive("s"))
        self.travel = self.probe.length + self.probe.head_radius - self.cone.mouth[1]  # [m] from extended to docked
        if not self.reach < self.travel <= self.probe.stroke:
            raise InputError(
                f"docking {self.name!r}: the rings meet after {self.travel:.4g} m of stroke; allowed: above "
                f"{self.reach:g} m and up to the probe's stroke, {self.probe.stroke:g} m"
            )
        if self.probe.head_radius >= self.cone.socket_radius:
            raise InputError(
                f"docking {self.name!r}: a head of {self.probe.head_radius!r} m; allowed: below the radius of the "
                f"socket, {self.cone.socket_radius:g} m"
            )
        pull = self.probe.stiffness * self.travel + self.probe.damping * self.retract  # [N] of the drive, at most
        if not (self.probe.damping > 0.0 and pull <= self.probe.drive):
            raise InputError(
                f"docking {self.name!r}: the retraction needs {pull:.4g} N and a damper; allowed: damping above 0, "
                f"and at most the drive of {self.probe.drive:g} N"
            )

    def build(self, b: Builder) -> None:
        """What it sees and what it has found; it looks after the rest itself."""
        row = b.add(SIGHT.row(b.full("sight"), cone=self.cone.name, head=self.probe.head))
        for name, unit, meaning in (("p", "m", "head in the cone"), ("v", "m/s", "velocity of the head in the cone")):
            signal = Signal(b.full(f"{name}_CH"), unit, (3,), "C", meaning)
            b.signal(signal, [RowOutput(row.name, f"{name}_{a}") for a in "xyz"])
        b.signal_of("tilt", [row], "tilt", "angle between the axes of head and cone")
        b.output("phase", (1,), "-", "; ".join(f"{p.value} {p.name.lower().replace('_', ' ')}" for p in Phase))
        b.output("touched", (1,), "s", "instant of first touch; -1 before")
        b.output("captured", (1,), "s", "instant at which the latches closed; -1 before")
        b.output("capture_loss", (1,), "J", "kinetic energy lost as the latches closed")
        b.output("dock_loss", (1,), "J", "kinetic energy lost as the rings were joined")
        b.output("momentum_error", (1,), "-", "momentum that the capture did not keep, of what the bodies held")
        b.upkeep(self)

    def connections(self) -> list[Connection]:
        """The latches and the hooks of the rings, open."""
        return [
            Connection(f"{self.name}_latches", self.cone.name, self.probe.head, "constraint", self.straighten),
            Connection(f"{self.name}_hooks", f"{self.cone.name}.mouth", self.probe.on, "tree"),
        ]

    def events(self) -> list[Event]:
        """First touch of wall and floor, the head in reach of the latches, and the rings within reach."""
        gap, height = f"{self.contact}.gap", self.probe.head_radius + self.limits.reach
        meet = self.reach - self.travel
        return [
            Event("touch of the cone", self._touch, gap, 0, direction="falling", times=1),
            Event("touch of the floor", self._touch, gap, 1, direction="falling", times=1),
            Event("head in the socket", self._arrive, f"{self.name}.p_CH", 2, height, "falling"),
            Event("rings meet", self._meet, f"{self.probe.name}.q", 0, meet, "falling"),
        ]

    def restored(self, world: World) -> None:
        """Nothing has been found at the start."""
        if world.now_ns == 0:
            self._write(world, touched=-1.0, captured=-1.0)

    def tend(self, world: World, now_ns: int) -> None:
        """Give up, close the latches late, and begin the retraction."""
        phase, t = self._phase(world), now_ns / 1e9
        p, v = self._read(world, "p_CH"), self._read(world, "v_CH")
        if phase in (Phase.APPROACH, Phase.CONTACT):
            if p[2] < self.probe.head_radius + self.limits.reach and not self._refused(world):
                self._capture(world)
            elif self._outside(p, v, phase):
                self._end(world, Phase.MISSED, "the head is beside the cone")
            elif phase == Phase.CONTACT and p[2] > self.cone.mouth[1] + self.limits.away:
                self._end(world, Phase.BOUNCED, f"the head left the cone at {np.linalg.norm(v):.3g} m/s")
            elif phase == Phase.CONTACT and t - self._number(world, "touched") > self.limits.timeout:
                self._end(world, Phase.TIMED_OUT, f"no capture within {self.limits.timeout:g} s of first touch")
        elif phase == Phase.CAPTURED and t - self._number(world, "captured") > self.settle:
            world.hold(f"{self.name}_latches", "tree")
            self._write(world, phase=Phase.RETRACTION)
            world.report(self.name, f"retraction begins, {1e3 * self._number(world, 'tilt'):.2g} mrad from straight")
        elif phase == Phase.RETRACTION:  # the drive takes the spring's load, and the damper sets the speed
            q = float(world.read(f"{self.probe.name}.q")[0])
            world.write(f"{self.probe.name}.drive", [self.probe.stiffness * q - self.probe.damping * self.retract])

    def _outside(self, p: Vector, v: Vector, phase: Phase) -> bool:
        """Whether the head has gone by: below the mouth and wide of it, or away without a touch."""
        radius, height = self.cone.mouth
        clear = radius + self.cone.thickness + self.probe.head_radius
        by = p[2] < height and np.hypot(p[0], p[1]) > clear
        return bool(by or (phase == Phase.APPROACH and p[2] > height and v[2] > 0.0))

    def _home(self, session: Session) -> World:
        """The world in which it happens."""
        return next(world for world in session.worlds.values() if self.cone.name in world.links)

    def _touch(self, session: Session) -> str:
        """Thrusters open at first touch."""
        world = self._home(session)
        if self._phase(world) != Phase.APPROACH:
            return ""
        self._write(world, phase=Phase.CONTACT, touched=world.time)
        self._push(world, 1.0)
        return f"first touch at {np.linalg.norm(self._read(world, 'v_CH')):.3g} m/s"

    def _arrive(self, session: Session) -> str:
        world = self._home(session)
        if self._phase(world) not in (Phase.APPROACH, Phase.CONTACT):
            return ""
        return self._refused(world) or self._capture(world)

    def _refused(self, world: World) -> str:
        """Why the latches do not close now; empty: they do."""
        p, v, tilt = self._read(world, "p_CH"), self._read(world, "v_CH"), self._number(world, "tilt")
        speed, off = float(np.linalg.norm(v)), float(np.hypot(p[0], p[1]))
        if off > self.cone.socket_radius:
            return f"latches stay open: {off:.3g} m beside the axis; allowed: {self.cone.socket_radius:g}"
        if speed > self.limits.speed:
            return f"latches stay open: {speed:.3g} m/s; allowed: {self.limits.speed:g}"
        if tilt > self.limits.tilt:
            return f"latches stay open: {tilt:.3g} rad; allowed: {self.limits.tilt:g}"
        return ""

    def _capture(self, world: World) -> str:
        """Close the latches and shut the thrusters."""
        if self._phase(world) == Phase.APPROACH:  # it came straight in
            self._write(world, touched=world.time)
        before = world.audit()
        lost = world.attach(f"{self.name}_latches", self._straight(world))
        after = world.audit()
        error = max(
            float(np.linalg.norm(after[q] - before[q]) / max(float(before[f"{q}_held"][0]), 1e-12))
            for q in ("momentum", "angular_momentum")
        )
        self._push(world, 0.0)
        self._write(world, phase=Phase.CAPTURED, captured=world.time, capture_loss=lost, momentum_error=error)
        after_touch = world.time - self._number(world, "touched")
        text = f"captured {after_touch:.3g} s after first touch, {lost:.3g} J lost"
        world.report(self.name, text)
        return "latches close"

    def _straight(self, world: World) -> Pose:
        """X_CH with the head on the floor and its axis along the cone's, turned to it by the shortest way."""
        R = (world.pose(self.cone.name).inverse() @ world.pose(self.probe.head)).R
        axis = np.cross(R[:, 2], [0.0, 0.0, -1.0])
        sine = float(np.linalg.norm(axis))
        turn = axis / sine * np.arctan2(sine, -R[2, 2]) if sine > 1e-12 else np.zeros(3)
        return Pose(so3_exp(turn) @ R, [0.0, 0.0, self.probe.head_radius])

    def _meet(self, session: Session) -> str:
        """Join the rings when the probe is retracted."""
        world = self._home(session)
        if self._phase(world) != Phase.RETRACTION:
            return ""
        lost = world.attach(f"{self.name}_hooks")
        world.write(f"{self.probe.name}.drive", [0.0])
        self._write(world, phase=Phase.DOCKED, dock_loss=lost)
        return f"hard dock, {lost:.3g} J lost"

    def _end(self, world: World, phase: Phase, text: str) -> None:
        self._push(world, 0.0)
        self._write(world, phase=phase)
        world.report(self.name, f"{phase.name.lower().replace('_', ' ')}: {text}")

    def _push(self, world: World, valve: float) -> None:
        if self.push:
            world.write(f"{self.push}.open", np.full(len(world.held(f"{self.push}.open")), valve))

    def _read(self, world: World, quantity: str) -> Vector:
        return world.read(f"{self.name}.{quantity}")

    def _number(self, world: World, quantity: str) -> float:
        return float(self._read(world, quantity)[0])

    def _phase(self, world: World) -> Phase:
        return Phase(round(self._number(world, "phase")))

    def _write(self, world: World, **values: float) -> None:
        for quantity, value in values.items():
            world.write(f"{self.name}.{quantity}", [value])
