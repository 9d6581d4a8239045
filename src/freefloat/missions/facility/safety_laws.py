"""Laws that the facility keeps in every cycle, judged by where its axes were and what its security inputs said."""

from __future__ import annotations

import numpy as np

from freefloat.facility.axes import CYCLE
from freefloat.facility.axis_limits import AxisLimits
from freefloat.facility.clearance import Clearance
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.modes import State
from freefloat.frames import Array
from freefloat.missions.facility.safety_log import AUTOMATIC, MOTION, REST, Flags, SafetyLog, differences, some

SLACK = 1e-6  # of a limit of speed or acceleration: what rounding may add


def broken_laws(log: SafetyLog, limits: AxisLimits, lab: LabGeometry, clearance: Clearance) -> dict[str, Flags]:
    """Cycles (n,) in which a law is broken, by law; `LAWS` says which they are."""
    apart, _ = clearance.along(log.done, clearance.margin)
    beyond = (log.done < lab.lower - REST) | (log.done > lab.upper + REST)
    return {
        "power": _unpowered(log),
        "door": _opened(log, limits),
        "confirm": _unasked(log),
        "speed": _fast(log, limits),
        "acceleration": _hard(log, limits),
        "range": some(beyond),
        "collision": ~(apart >= 0.0),
        "laser": log.laser & (log.door | log.gate | log.blind),
    }


LAWS = {
    "power": "links move while the drives have no power",
    "door": "automatic motion while a door or a gate is open, but for the stop",
    "confirm": "motion in a state at rest, such as that of an application before Confirm",
    "speed": "an axis faster than its limit; in a stop, than that and a^2 / (2 j)",
    "acceleration": "an axis beyond its acceleration; with an emergency stop or an error, beyond the harder one",
    "range": "an axis beyond its range",
    "collision": "solids overlap, but for the docking pair",
    "laser": "lasers are on while a door or a gate is open or a blind is up",
}


def _before(flags: Flags, log: SafetyLog, first: int, last: int) -> Flags:
    """Whether a flag of set-points was up in any cycle whose set-points the links may show in a cycle: those from
    `first` cycles before the delay to `last` after it."""
    shown = np.zeros(len(flags), dtype=bool)
    for back in range(log.late - last, log.late + first + 1):
        if back >= 0:
            shown[back:] |= flags[: len(flags) - back]
    return shown


def _unpowered(log: SafetyLog) -> Flags:
    off = np.concatenate([[False], ~log.power[:-1]])
    return some(log.moves) & off


def _opened(log: SafetyLog, limits: AxisLimits) -> Flags:
    """At once where set-points are still those of an automatic motion; later, where the stop takes longer than v / a +
    2 a / j (from the speed and any acceleration) and the delay."""
    opened = (log.door | log.gate) & ~log.manual
    steps = np.abs(differences(log.told))
    found = opened & log.within(*AUTOMATIC) & some(steps > REST)
    moves = some(log.moves)
    for first in np.flatnonzero(opened & ~np.concatenate([[False], opened[:-1]])):
        v = steps[max(int(first) - 1, 0)] / CYCLE
        lasting = np.where(v > REST / CYCLE, v / limits.acceleration + 2.0 * limits.acceleration / limits.jerk, 0.0)
        late = (log.t > log.t[first] + float(lasting.max()) + log.delay + 2.0 * CYCLE) & opened
        until = np.flatnonzero(~opened[first:])
        late[first + int(until[0]) if until.size else len(late) :] = False
        found |= late & moves
    return found


def _unasked(log: SafetyLog) -> Flags:
    """Links show the set-points of a delay before, and their cubic reaches a cycle further; with a delay of less than
    two cycles slopes, and of less than one ends, are guessed from older set-points."""
    return some(log.moves) & ~_before(log.within(*MOTION), log, 2 + max(2 - int(log.delay / CYCLE), 0), 1)


def _fast(log: SafetyLog, limits: AxisLimits) -> Flags:
    stopping = _before(log.within(State.STOPPING), log, 1, 1)
    more = limits.acceleration**2 / (2.0 * limits.jerk)
    most = limits.speed * (1.0 + SLACK) + np.where(stopping[:, None], more, 0.0)
    return some(np.abs(differences(log.done)) > most * CYCLE)


def _hard(log: SafetyLog, limits: AxisLimits) -> Flags:
    """Between set-points, which links show where the delay is no whole number of cycles, the cubic may add what the
    jerk adds in a cycle; where it is less than a cycle, the next set-point is guessed, off by four times that."""
    hard = _before(log.estop | log.error, log, 2, log.late)
    most = np.where(hard[:, None], limits.emergency, limits.acceleration) * (1.0 + SLACK)
    whole = abs(log.delay - CYCLE * round(log.delay / CYCLE)) < REST
    cycles = 4.0 if log.delay < CYCLE - REST else 0.0 if whole else 1.0
    more = cycles * CYCLE * np.where(hard[:, None], limits.emergency_jerk, limits.jerk)
    second: Array = np.abs(differences(differences(log.done)))
    return some(second > (most + more) * CYCLE**2)
