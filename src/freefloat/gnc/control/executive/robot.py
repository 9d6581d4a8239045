"""One robot under the executive: it carries out steps, one after the other, and tells where one goes wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from freefloat.gnc.control.executive.steps import Ask, Follow, Stand, Step
from freefloat.gnc.control.executive.telemetry import HandReport, Report
from freefloat.gnc.control.executive.trouble import Kind, Trouble
from freefloat.gnc.control.joint_modes import JointModes
from freefloat.gnc.planning.arm.joint_path import QuinticPieces
from freefloat.gnc.planning.arm.retimed import Brake, retimed
from freefloat.gnc.planning.reconfiguration.problem import Stance
from freefloat.hand_words import DONE, UNDER_WAY, HandState, Order

ASTRAY = 0.02  # [rad] between reference and joint: it does not follow
REST, LONG_SETTLE = 4.0, 4.0  # [s] to brake after a joint has stuck, and to swing out then
DEAF = 1.0  # [s] after which a hand that has not begun what it was told has not heard it
KINDS: dict[Order, Kind] = {
    Order.LATCH: "latch",
    Order.PICK: "pick",
    Order.PLACE: "place",
    Order.RELEASE: "release",
    Order.RESET: "release",
}


@dataclass(eq=False)
class Robot:
    """Leads the joint controller `modes`, a task of its own that is declared after the executive's.

    `hands` names the hand at each end, `stands` the end on which it stands, on `stance`.
    """

    name: str
    modes: JointModes
    hands: Mapping[str, str]
    stance: Stance
    stands: str = "a"
    steps: tuple[Step, ...] = ()
    at: int = 0  # the present step
    began: float | None = None  # [s] of it
    orders: dict[str, int] = field(default_factory=dict)  # hand -> what it is told now; a change is an order
    without: dict[str, int] = field(default_factory=dict)  # hand -> sides that stay open, as bits
    _before: HandState = HandState.OPEN  # what the hand said before the present order

    def __post_init__(self) -> None:
        for hand in self.hands.values():
            self.orders.setdefault(hand, int(Order.NONE))
            self.without.setdefault(hand, 0)

    @property
    def idle(self) -> bool:
        """Whether nothing is left to do."""
        return self.at >= len(self.steps)

    def begin(self, steps: Sequence[Step]) -> None:
        """Do these next, in place of what is left."""
        self.steps, self.at, self.began = tuple(steps), 0, None

    def go(self, t: float, report: Report) -> Trouble | None:
        """Go on; what went wrong, if anything did. The step in which it did stays the present one."""
        while not self.idle:
            step = self.steps[self.at]
            begins = self.began is None
            if begins:
                self.began = t
                self._begin(step, t, report)
            assert self.began is not None
            if isinstance(step, Ask) and not begins:
                self.orders[self.hands[step.end]] = int(step.order)
            trouble = None if begins else self._look(step, t - self.began, report)
            if trouble is not None:
                return trouble
            if (begins and not isinstance(step, Stand)) or not self._done(step, t - self.began, report):
                return None
            if isinstance(step, Ask):
                self.orders[self.hands[step.end]] = int(Order.NONE)
            self.at, self.began = self.at + 1, None
        return None

    def _begin(self, step: Step, t: float, report: Report) -> None:
        match step:
            case Follow():
                self.modes.follow(step.path if step.ride is None else retimed(step.path, step.ride), t)
            case Ask():
                hand = self.hands[step.end]
                self._before = report.hands[hand].state
                self.without[hand] = sum(1 << side for side in step.without)
                again = self.orders[hand] == step.order
                self.orders[hand] = int(Order.NONE if again else step.order)  # said again in the next period
                self.modes.comply(report.q[self.name])
            case Stand():
                self.stands, self.stance = step.end, step.stance

    def _done(self, step: Step, waited: float, report: Report) -> bool:
        match step:
            case Follow():
                return waited >= step.duration
            case Ask():
                hand = report.hands[self.hands[step.end]]
                return hand.state in DONE[step.order] and not (step.order is Order.RESET and hand.overloaded)
            case Stand():
                return True

    def _look(self, step: Step, waited: float, report: Report) -> Trouble | None:
        if isinstance(step, Follow) and step.watched:
            place, rate = step.place(waited)
            found = self._overloaded(report) or self._astray(report)
            return None if found is None else replace(found, place=place, rate=rate)
        if isinstance(step, Ask):
            return self._unheard(step, waited, report.hands[self.hands[step.end]])
        return None

    def _overloaded(self, report: Report) -> Trouble | None:
        for end, hand in self.hands.items():
            if report.hands[hand].overloaded:
                return Trouble("overload", f"the interface of hand {hand!r} is overloaded", end)
        return None

    def _astray(self, report: Report) -> Trouble | None:
        off = np.abs(self.modes.out.error)
        if off.max() <= ASTRAY:
            return None
        behind = off > 0.25 * ASTRAY  # one that is stuck pulls others astray, but they move
        joint = int(np.argmin(np.where(behind, np.abs(report.qd[self.name]), np.inf)))
        angle = float(report.q[self.name][joint])
        cause = f"joint {joint + 1} of {self.name} stands at {np.rad2deg(angle):.1f} deg and does not follow"
        return Trouble("joint", cause, joint=joint, angle=angle)

    def _unheard(self, step: Ask, waited: float, hand: HandReport) -> Trouble | None:
        what, name = KINDS[step.order], self.hands[step.end]
        if hand.state is HandState.FAILED and step.order is not Order.RESET:
            return Trouble(what, f"hand {name!r} failed to {step.name}", step.end, face=hand.failed)
        done = hand.state in DONE[step.order]
        if done and step.module and hand.module != step.module:
            return Trouble("contents", f"hand {name!r} has module {hand.module}, not {step.module}", step.end)
        if not done and hand.state is self._before and waited >= DEAF:
            face = hand.failed if step.order is Order.PLACE else (-1, -1)
            return Trouble("lost-order", f"hand {name!r} did not begin to {step.name}", step.end, face=face)
        if waited >= step.patience and hand.state in UNDER_WAY:
            return Trouble(what, f"hand {name!r} is not done to {step.name} after {step.patience:g} s", step.end)
        return None

    def halt(self, t: float) -> None:
        """Brake within the present curve and do nothing else."""
        step = self.steps[self.at] if not self.idle else None
        if isinstance(step, Follow) and self.began is not None:
            place, rate = step.place(t - self.began)
            if rate != 0.0:
                self.modes.follow(retimed(step.path, Brake(place, rate)), t)
        self.begin(())

    def hold(self, report: Report) -> None:
        """Come to rest from where the joints are, each by itself: for when one of them does not follow its curve."""
        q, qd = report.q[self.name], report.qd[self.name]
        rest = np.zeros_like(q)
        path = QuinticPieces([0.0, REST], [q, q + 0.5 * REST * qd], [qd, rest], [rest, rest])
        self.begin((Follow("come to rest", path, settle=LONG_SETTLE, watched=False),))

    def brake(self, trouble: Trouble) -> Follow | None:
        """The step that ends the present motion within its own curve; None where nothing moves."""
        step = self.steps[self.at] if not self.idle else None
        if not isinstance(step, Follow) or trouble.rate == 0.0:
            return None
        return Follow("brake", step.path, Brake(trouble.place, trouble.rate), watched=False)
