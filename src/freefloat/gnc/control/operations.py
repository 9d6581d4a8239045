"""Named operations of an arm with jaws, carried out one after the other: move, approach, press, slide, grip, latch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.errors import InputError, SimulationError, unknown_name
from freefloat.frames import Array, Pose
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.operational import HybridControl
from freefloat.gnc.planning.arm.line_check import LineLimits, check_line, check_speed, joint_line
from freefloat.gnc.planning.arm.paced_line import JointLine, Line, Pace, TipLine

WORDS = ("move", "approach", "press", "slide", "grip", "latch", "release")
OPENING = 5.0  # [N] at each jaw that is to be open; assumed
HOLDING = 20.0  # [N] of each jaw that holds something from the start; assumed
GRIP_RATE = 100.0  # [N/s] at which the jaws' force rises and falls; assumed
CLOSED = 0.9  # [-] of the gripping force that the pads must feel
GIVE_UP = 10.0  # [s] for what jaws and latch are to do


@dataclass(frozen=True, eq=False)
class Operation:
    """What is to be done; a word of `WORDS` uses what it needs of the rest. Frames and places are in the mount's A."""

    do: str
    to: Pose | None = None  # move: of the tip
    joints: Array | None = None  # [rad] move: instead of `to`
    speed: float = 0.05  # [m/s] of the tip
    settle: float = 1.0  # [s] move, slide: to wait at the end; press: how long
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)  # approach, in A
    distance: float = 0.1  # [m] approach: longest way
    force: float = 20.0  # [N] approach: that ends it, press and slide: that is kept, grip: of each jaw
    by: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m] slide, in A
    payload: str = ""  # latch

    def __post_init__(self) -> None:
        if self.do not in WORDS:
            raise unknown_name("operation", self.do, WORDS)


@dataclass(frozen=True, eq=False)
class Situation:
    """Where an arm stands before its next operation."""

    q: Array  # [rad]
    touching: bool = False
    pressing: bool = False
    gripped: bool = False
    held: bool = False


@dataclass(frozen=True, eq=False)
class Site:
    """What operations are checked against: limits, and the payloads that are there."""

    limits: LineLimits
    acceleration: float = 0.05  # [m/s^2] of the tip; assumed
    payloads: Mapping[str, Mass] | None = None  # by name, in the frame of the holder

    @property
    def known(self) -> dict[str, Mass]:
        """Payloads by name."""
        return dict(self.payloads or {})


_ALLOWED = {  # word -> what must hold of the situation, and how that is told
    "move": (lambda s: s.held or not s.gripped, "grip: allowed: latch, release"),
    "approach": (lambda s: not s.touching, "approach or press: allowed: press, slide, move, release"),
    "press": (lambda s: s.touching, "none in contact: allowed: approach first"),
    "slide": (lambda s: s.pressing, "none that presses: allowed: press first"),
    "grip": (lambda s: not (s.gripped or s.held), "grip: allowed: latch, release"),
    "latch": (lambda s: s.gripped and not s.held, "none that grips: allowed: grip first"),
    "release": (lambda s: s.gripped or s.held, "none that grips: allowed: grip first"),
}


def check_operations(control: HybridControl, operations: Sequence[Operation], now: Situation, site: Site) -> Situation:
    """Where the arm stands after them; `InputError` where one is out of sequence, out of reach or too fast."""
    for k, operation in enumerate(operations):
        now = _checked(control, operation, now, site, f"operation {k} ({operation.do})")
    return now


def _checked(control: HybridControl, o: Operation, now: Situation, site: Site, where: str) -> Situation:
    holds, told = _ALLOWED[o.do]
    if not holds(now):
        raise InputError(f"{where}: out of sequence, after {told}")
    chain, most = control.arm.chain, site.limits.tip_speed
    match o.do:
        case "move" | "slide" | "approach":
            check_speed(o.speed, most, where)
            line = line_of(control, o, now.q, site)
            q = check_line(chain, now.q, line, site.limits, where)
            if o.do == "approach":
                return replace(now, touching=True, q=q)
            leaves = o.do == "move"
            return replace(now, q=q, touching=now.touching and not leaves, pressing=now.pressing and not leaves)
        case "press":
            if not 0.0 < o.force <= 100.0:
                raise InputError(f"{where}: force {o.force!r} N; allowed: above 0, up to 100 N")
            return replace(now, pressing=True)
        case "grip":
            if not 0.0 < o.force <= 200.0:
                raise InputError(f"{where}: force {o.force!r} N; allowed: above 0, up to 200 N")
            return replace(now, gripped=True)
        case "latch":
            if o.payload not in site.known:
                there = ", ".join(site.known) or "none is there"
                raise InputError(f"{where}: payload {o.payload!r} is not there; allowed: {there}")
            return replace(now, held=True)
        case _:
            return replace(now, gripped=False, held=False)


def line_of(control: HybridControl, o: Operation, q: Array, site: Site) -> Line:
    """The line of a move, a slide or an approach that begins in the joint positions q."""
    chain = control.arm.chain
    if o.joints is not None:
        return joint_line(chain, q, o.joints, o.speed, site.acceleration, site.limits)
    X = chain.pose(q)
    if o.do == "move":
        end = o.to if o.to is not None else X
    else:
        way = (
            np.asarray(o.by) if o.do == "slide" else o.distance * np.asarray(o.direction) / np.linalg.norm(o.direction)
        )
        end = Pose(X.R, X.p + way)
    return TipLine.at(X, end, o.speed, site.acceleration)


class Operations:
    """Carries out operations, and leads `control`, which is a task of its own, declared after this one.

    Reads tactile (2,) and held; returns jaws (2,) [N], latch and step: the number of the present operation, 1 when all
    are done. `begin` hands over a list from outside, checked.
    """

    def __init__(self, control: HybridControl, site: Site, q: Array, held: str = "", period: float = 0.01) -> None:
        self.control, self.site, self.period = control, site, period
        self.operations: tuple[Operation, ...] = ()
        self.at, self.began, self.ends = 0, -1.0, 0.0
        self.grip, self.latch, self.payload = (HOLDING, 1.0, held) if held else (0.0, 0.0, "")
        self.pressed = 0.0  # [N] what the jaws are told now
        self.plan = Situation(np.array(q, np.float64), gripped=bool(held), held=bool(held))
        self.started_at: list[float] = []  # [s] of each operation so far

    @property
    def finished(self) -> bool:
        """Whether all are done."""
        return self.at >= len(self.operations)

    def begin(self, operations: Sequence[Operation]) -> None:
        """Check a list and carry it out next, behind what is left of the last one."""
        self.plan = check_operations(self.control, operations, self.plan, self.site)
        self.operations += tuple(operations)

    def caught(self, q: Array) -> None:
        """After commands below the tip: the next list begins in these joint positions."""
        self.operations = self.operations[: self.at]
        self.began = -1.0
        self.plan = replace(self.plan, q=np.array(q, np.float64), touching=False, pressing=False)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """What jaws and latch are told; the line goes to `control`."""
        while not self.finished and self.control.started and self._go(t, meas):
            self.at, self.began = self.at + 1, -1.0
        step = np.array([float(self.at), float(self.finished)])
        most = GRIP_RATE * self.period
        self.pressed += min(max(self.grip - self.pressed, -most), most)
        return {"jaws": np.full(2, -self.pressed), "latch": np.array([self.latch]), "step": step}

    def _go(self, t: float, meas: Mapping[str, Array]) -> bool:
        """Begin the present operation or go on with it; True when it is done."""
        o = self.operations[self.at]
        if self.began < 0.0:
            self.began = t
            self.started_at.append(t)
            self._begin(o, t)
        waited = t - self.began
        match o.do:
            case "approach":
                if float(np.linalg.norm(self.control.out.wrench[3:])) >= o.force:
                    self._rest(t)
                    return True
                if t >= self.ends:
                    raise SimulationError(f"operation {self.at} (approach): nothing met within {o.distance:g} m")
                return False
            case "grip":
                return self._in_time(bool((meas["tactile"] >= CLOSED * o.force).all()), waited, "the jaws do not close")
            case "latch" | "release":
                done = bool(meas["held"][0] > 0.5) == (o.do == "latch")
                if done:
                    self.control.arm.carry(self.site.known[self.payload] if o.do == "latch" else Mass.none())
                return self._in_time(done, waited, "the latch does not follow")
            case _:
                return t >= self.ends + o.settle

    def _begin(self, o: Operation, t: float) -> None:
        c = self.control
        self.ends = t
        match o.do:
            case "move" | "approach" | "slide":
                if o.do == "move":
                    c.relax()
                line = line_of(c, o, c.q_ref, self.site)
                if o.do == "slide":
                    line = self._along(o, line)
                c.follow(line, t)
                self.ends = t + line.pace.duration
            case "press":
                c.follow(TipLine(c.X_AT, c.X_AT, Pace.resting()), t)
                c.press(self._contact_axis(), o.force)
            case "grip":
                self.grip = o.force
            case "latch":
                self.latch, self.payload = 1.0, o.payload
            case _:
                self.latch, self.grip = 0.0, -OPENING

    def _along(self, o: Operation, line: Line) -> Line:
        """A slide begins where the reference stands, whatever the force has made of it."""
        X = self.control.X_AT
        assert isinstance(line, TipLine)
        return TipLine(X, Pose(X.R, X.p + np.asarray(o.by)), line.pace)

    def _contact_axis(self) -> tuple[float, float, float]:
        """The direction of the last approach."""
        back = [o for o in self.operations[: self.at] if o.do == "approach"]
        return back[-1].direction

    def _rest(self, t: float) -> None:
        self.control.follow(JointLine.resting(self.control.q_ref), t)

    def _in_time(self, done: bool, waited: float, why: str) -> bool:
        if not done and waited > GIVE_UP:
            raise SimulationError(f"operation {self.at} ({self.operations[self.at].do}): {why} within {GIVE_UP:g} s")
        return done
