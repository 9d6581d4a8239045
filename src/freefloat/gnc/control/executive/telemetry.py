"""What the executive is told: where modules say they are, what hands say, how joints follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices
from freefloat.hand_words import HandState


@dataclass(frozen=True)
class HandReport:
    """One hand."""

    state: HandState
    module: int  # identity of what it holds, 0: nothing
    overloaded: bool
    failed: tuple[int, int]  # place and side of the interface that failed it last, -1: none
    orientation: int  # of the module in it, in the hand's frame


@dataclass(frozen=True, eq=False)
class Report:
    """All of it at an instant. `identity`, `orientation`, `powered` are of the structure's places."""

    identity: Indices
    orientation: Indices
    powered: Flags
    hands: Mapping[str, HandReport]
    q: Mapping[str, Array]  # [rad] by robot
    qd: Mapping[str, Array]  # [rad/s]


def hand_measures(hand: str, load: str, assembly: str) -> dict[str, str]:
    """What a task reads of a hand, whose part is `load`: measurement -> signal."""
    told = {f"{hand}.{what}": f"{assembly}.{hand}.{what}" for what in ("state", "module", "overloaded", "failed")}
    return told | {f"{hand}.orientation": f"{load}.orientation"}


def read_report(meas: Mapping[str, Array], hands: tuple[str, ...], robots: tuple[str, ...]) -> Report:
    """The measurements of an update by name."""
    return Report(
        np.rint(meas["identity"]).astype(np.int64),
        np.rint(meas["orientation"]).astype(np.int64),
        meas["powered"] > 0.5,
        {hand: _hand(meas, hand) for hand in hands},
        {robot: meas[f"{robot}.q"] for robot in robots},
        {robot: meas[f"{robot}.qd"] for robot in robots},
    )


def _hand(meas: Mapping[str, Array], hand: str) -> HandReport:
    place, side = (round(float(x)) for x in meas[f"{hand}.failed"])
    return HandReport(
        HandState(round(float(meas[f"{hand}.state"][0]))),
        round(float(meas[f"{hand}.module"][0])),
        bool(meas[f"{hand}.overloaded"][0] > 0.5),
        (place, side),
        round(float(meas[f"{hand}.orientation"][0])),
    )
