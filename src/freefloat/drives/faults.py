"""Faults of a drive: what the command `fault` of a joint may be."""

from __future__ import annotations

from freefloat.errors import unknown_name

NONE = 0
FULL_CURRENT = 1  # I = +I_max
FULL_CURRENT_BACK = -1  # I = -I_max
OPEN_PHASE = 2  # no current in phase A
STUCK_REFERENCE = 3  # I stays what it was
LOST_RESOLVER = 4  # the motor's resolver reads 0, in the commutation and in its signal
STUCK_BRAKE = 5  # engaged, whatever is commanded

FAULTS = {
    "none": NONE,
    "full-current": FULL_CURRENT,
    "full-current-back": FULL_CURRENT_BACK,
    "open-phase": OPEN_PHASE,
    "stuck-reference": STUCK_REFERENCE,
    "lost-resolver": LOST_RESOLVER,
    "stuck-brake": STUCK_BRAKE,
}


def fault_code(name: str) -> int:
    """The code of a fault by its name."""
    if name not in FAULTS:
        raise unknown_name("fault of a drive", name, FAULTS)
    return FAULTS[name]
