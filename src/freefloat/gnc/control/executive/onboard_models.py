"""The onboard models of all robots, kept in line with what is reported: where each stands, what it carries, what the
structure weighs."""

from __future__ import annotations

from collections.abc import Sequence

from freefloat.gnc.control.executive.belief import Modules, X_of_foot
from freefloat.gnc.control.executive.course import OTHER
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.control.executive.telemetry import HandReport, Report
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.hand_words import HandState

HELD = (HandState.CARRYING, HandState.PLACING)


class ModelKeeper:
    """Writes masses and stances into the footings of robots where reports have changed; `depth` [m] is from a hand's
    frame to the centre of the module in it."""

    def __init__(self, depth: float) -> None:
        self.depth = depth
        self._known: tuple[object, ...] = ()

    def keep(self, report: Report, robots: Sequence[Robot], modules: Modules) -> bool:
        """Take over a report; whether anything is new in it."""
        hands = tuple((h.state in HELD, h.module, h.orientation) for h in report.hands.values())
        stances = tuple((r.stands, r.stance) for r in robots)
        known = report.identity.tobytes(), report.orientation.tobytes(), hands, stances
        if known == self._known:
            return False
        self._known = known
        structure = modules.mass(modules.contents(report.identity, report.orientation))
        for robot in robots:
            payload = self._payload(report.hands[robot.hands[OTHER[robot.stands]]], modules)
            robot.modes.stand_on(robot.stands)
            footing = robot.modes.footing
            footing.stand_at(X_of_foot(modules.places, robot.stance))
            footing.set_payload(payload)
            footing.set_stack(structure)  # alone: the attitude's feedforward adds up robots itself
        return True

    def _payload(self, hand: HandReport, modules: Modules) -> Mass:
        held = hand.module if hand.state in HELD else 0
        return modules.payload(held, hand.orientation, self.depth)
