"""The state machine of one standard interface SI: open, closing, closed, opening, failed. It knows no world.

A frame F is on each half, z outwards. Two halves mate when their frames F and G have one origin and
R_FG = half-turn about x, then a roll about z of a whole number of `symmetry` steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, Pose, so3_log
from freefloat.structure.module import InterfaceType, compatible

Order = Literal["close", "open"]
Fault = Literal["", "close", "open"]

LATCHED_POSITION = 1e-9  # [m] residual below which a pair may latch
LATCHED_ANGLE = 1e-9  # [rad] the same
HALF_TICK = 0.5e-9  # [s] time is counted in nanoseconds
PATIENCE = 3.0  # [-] closing times after which a pair that is not drawn in has failed; assumed


class State(StrEnum):
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"
    OPENING = "opening"
    FAILED = "failed"


@dataclass(frozen=True)
class Misalignment:
    """Between two mating frames, the angle modulo the symmetry."""

    position: float = 0.0  # [m]
    angle: float = 0.0  # [rad]

    def within(self, position: float, angle: float) -> bool:
        """Whether both are at most the limits; NaN never is."""
        return self.position <= position and self.angle <= angle

    def __str__(self) -> str:
        return f"{self.position:.3g} m and {self.angle:.3g} rad"


@dataclass(frozen=True)
class Record:
    """What happened to an interface: an order and its answer, a transition, or an overload."""

    t: float  # [s]
    what: str  # close | open | closed | opened | failed | overload | reset
    accepted: bool
    state: State  # afterwards
    reason: str = ""


@dataclass(frozen=True)
class StandardInterface:
    """One interface at an instant. Every method returns the interface afterwards, and a record of what happened."""

    type: InterfaceType
    state: State = State.OPEN
    since: float = 0.0  # [s] start of the state
    fault: Fault = ""  # injected: it will not close, or not open
    holds: bool = False  # whether the other half is held: from the order to close until it has opened
    overloaded: bool = False

    def command(
        self,
        order: Order,
        t: float,
        misalignment: Misalignment | None = None,
        mate: InterfaceType | None = None,
        approach: float | None = None,
    ) -> tuple[StandardInterface, Record]:
        """Order to close (with the measured misalignment and, where known, the other half) or to open at time t.

        `approach` [rad] is the angle between the way to the other half and its axis, where that is to be judged.
        """
        if order not in ("close", "open"):
            raise InputError(f"interface {self.type.name!r}: order {order!r}; allowed: close | open")
        reason = self._closing_refused(misalignment, mate, approach) if order == "close" else self._opening_refused()
        if reason:
            return self, Record(t, order, False, self.state, reason)
        state = State.CLOSING if order == "close" else State.OPENING
        after = replace(self, state=state, since=t, holds=True)
        return after, Record(t, order, True, state)

    def _closing_refused(
        self, misalignment: Misalignment | None, mate: InterfaceType | None, approach: float | None
    ) -> str:
        if self.state is not State.OPEN:
            return f"it is {self.state}; allowed: open"
        if not self.type.active:
            return f"{self.type.name!r} has no drive; allowed: the active half of the pair closes"
        if mate is not None and not compatible(self.type, mate):
            return f"{self.type.name!r} does not mate with {mate.name!r}"
        if misalignment is None:
            return "no other half was measured"
        position, angle = self.type.position_tolerance, self.type.angle_tolerance
        if not misalignment.within(position, angle):
            return f"misaligned by {misalignment}; allowed: {position:.3g} m and {angle:.3g} rad"
        cone = min(self.type.approach_cone, math.pi if mate is None else mate.approach_cone)
        if approach is not None and not approach <= cone:
            return f"it came at {math.degrees(approach):.3g} deg to the axis; allowed: {math.degrees(cone):.3g} deg"
        return ""

    def _opening_refused(self) -> str:
        if self.state not in (State.CLOSED, State.CLOSING):
            return f"it is {self.state}; allowed: closed | closing"
        return ""

    def update(self, t: float, residual: Misalignment | None = None) -> tuple[StandardInterface, Record | None]:
        """Progress to time t. A closing pair latches after the closing time, once its residual is below 1e-9 m and rad.

        It fails when the residual leaves the tolerance, or is not drawn in within PATIENCE closing times.
        """
        elapsed = t - self.since
        if self.state is State.CLOSING:
            return self._close_on(t, elapsed, residual)
        if self.state is State.OPENING and elapsed >= self.type.opening_time - HALF_TICK:
            if self.fault == "open":
                return self._fail(t, "it did not open (injected fault)")
            after = replace(self, state=State.OPEN, since=t, holds=False)
            return after, Record(t, "opened", True, State.OPEN)
        return self, None

    def _close_on(
        self, t: float, elapsed: float, residual: Misalignment | None
    ) -> tuple[StandardInterface, Record | None]:
        position, angle = self.type.position_tolerance, self.type.angle_tolerance
        if residual is not None and not residual.within(position, angle):
            return self._let_go(t, f"the other half left: {residual}; allowed: {position:.3g} m and {angle:.3g} rad")
        if elapsed < self.type.closing_time - HALF_TICK:
            return self, None
        if self.fault == "close":
            return self._let_go(t, "it did not close (injected fault)")
        if residual is not None and residual.within(LATCHED_POSITION, LATCHED_ANGLE):
            after = replace(self, state=State.CLOSED, since=t)
            return after, Record(t, "closed", True, State.CLOSED)
        if elapsed >= PATIENCE * self.type.closing_time - HALF_TICK:
            rest = "unknown" if residual is None else str(residual)
            return self._let_go(t, f"not drawn in: residual {rest}; allowed: {LATCHED_POSITION:g} m and rad")
        return self, None

    def ends(self, t: float) -> float:
        """[s] when it is done after t, or gives up, if nothing else happens; infinite where nothing is under way."""
        if self.state is State.OPENING:
            return self.since + self.type.opening_time
        if self.state is not State.CLOSING:
            return math.inf
        closed = self.since + self.type.closing_time
        return closed if t < closed - HALF_TICK else self.since + PATIENCE * self.type.closing_time

    def overload(
        self, t: float, force: float, torque: float, bears: tuple[float, float] | None = None
    ) -> tuple[StandardInterface, Record | None]:
        """Load [N], [N m] through the interface at time t: at a limit while it holds, it has failed, still holding.

        The limits are those of its type, or what it `bears`. A load that is not a number counts as too large.
        """
        if not self.holds or self.overloaded:
            return self, None
        max_force, max_torque = bears or (self.type.max_force, self.type.max_torque)
        if force < max_force and torque < max_torque:
            return self, None
        limits = f"{max_force:g} N and {max_torque:g} N m"
        after, _ = replace(self, overloaded=True)._fail(t, "")
        return after, Record(t, "overload", True, State.FAILED, f"{force:.4g} N, {torque:.4g} N m; allowed: {limits}")

    def reset(self, t: float) -> tuple[StandardInterface, Record]:
        """Repair: a failed interface that still holds begins to open, another is open; its fault is gone."""
        if self.state is not State.FAILED:
            return self, Record(t, "reset", False, self.state, f"it is {self.state}; allowed: failed")
        state = State.OPENING if self.holds else State.OPEN
        after = replace(self, state=state, since=t, fault="", overloaded=False)
        return after, Record(t, "reset", True, state)

    def _let_go(self, t: float, reason: str) -> tuple[StandardInterface, Record]:
        return replace(self, holds=False)._fail(t, reason)

    def _fail(self, t: float, reason: str) -> tuple[StandardInterface, Record]:
        after = replace(self, state=State.FAILED, since=t)
        return after, Record(t, "failed", True, State.FAILED, reason)


def mated_rotation(roll: int, symmetry: int = 4) -> Array:
    """R_FG of two mated halves: a half-turn about x, then `roll` steps of 360 deg / symmetry about z."""
    angle = 2.0 * math.pi * (roll % symmetry) / symmetry
    c, s = math.cos(angle), math.sin(angle)
    if 4 * roll % symmetry == 0:  # a quarter turn is exact
        c, s = float(round(c)), float(round(s))
    return np.array([[c, -s, 0.0], [-s, -c, 0.0], [0.0, 0.0, -1.0]])


def nearest_symmetric(R_FG: ArrayLike, symmetry: int = 4) -> tuple[int, Array]:
    """The roll position nearest to R_FG, and the rotation vector (3,) [rad], in F, that is left.

    R_FG = exp(rotation) mated_rotation(roll).
    """
    R = np.asarray(R_FG, dtype=np.float64)
    likeness = [float(np.sum(mated_rotation(k, symmetry) * R)) for k in range(symmetry)]
    roll = int(np.argmax(likeness))
    return roll, so3_log(R @ mated_rotation(roll, symmetry).T)


def misalignment(X_FG: Pose, symmetry: int = 4) -> Misalignment:
    """Distance and smallest angle between two halves with frames F and G."""
    _, rotation = nearest_symmetric(X_FG.R, symmetry)
    return Misalignment(math.hypot(*X_FG.p.tolist()), math.hypot(*rotation.tolist()))
