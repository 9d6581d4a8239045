"""The review of a run by modules, robots and wheels: metrics, each with its instant as an event."""

from __future__ import annotations

from functools import partial

from freefloat.engine.event import Fired
from freefloat.engine.result import Result
from freefloat.engine.review import Review, Reviewer
from freefloat.missions.modular.review.clearance import Clearances, clearances_of
from freefloat.missions.modular.review.shares import Worst, interface_share, joint_shares, wheel_share
from freefloat.missions.modular.review.subject import Subject


def reviewer(subject: Subject) -> Reviewer:
    """For `Mission(review=...)`."""
    return partial(review_of, subject=subject)


def review_of(result: Result, subject: Subject) -> Review:
    """Clearances, margins and shares of limits at their worst, from recorded signals alone."""
    seen = clearances_of(result, subject)
    found = [
        *clearance_figures(seen, len(subject.robots)),
        *joint_shares(result, subject),
        *interface_share(result, subject),
        *wheel_share(result, subject),
    ]
    events = [Fired(w.t, f"review.{w.name}", f"{w.value:.4g}: {w.where}") for w in found if w.where]
    courses = {"clearance_m": (seen.t, seen.apart)}
    if len(subject.robots) > 1:
        courses["robot_robot_clearance_m"] = (seen.t, seen.between)
    return Review({w.name: w.value for w in found}, sorted(events, key=lambda e: e.t), courses)


def clearance_figures(seen: Clearances, robots: int) -> list[Worst]:
    """Least distances that count, of modules on their way in and out, and of robots from one another."""
    wanted = {"clearance_min_m": ("apart", 0), "approach_clearance_min_m": ("along", 2)}
    if robots > 1:
        wanted["robot_robot_clearance_min_m"] = ("between", 1)
    found: list[Worst] = []
    for name, (which, count) in wanted.items():
        value, t = seen.least(which)
        a, b = seen.who[count]
        found.append(Worst(name, value, t, f"{a} and {b}" if a else ""))
    return found
