"""The audit's numbers, listed once: what the system holds now, and the integrals that are states of the plant.

Compiled code reads `row[AUDIT.heat]` and `integrals[BOOK.heat]`; names, units and log columns follow from the tables.
"""

from __future__ import annotations

from freefloat.kernels.bank import Column, places

HELD = (
    Column("momentum", "N s", 3, "linear momentum", frame="W"),
    Column("angular_momentum", "N m s", 3, "angular momentum about the system's centre of mass", frame="W"),
    Column("kinetic_energy", "J", meaning="kinetic energy"),
    Column("mass", "kg", meaning="mass of all bodies"),
    Column("p_WCcm", "m", 3, "the system's centre of mass", frame="W"),
    Column("momentum_held", "N s", meaning="sum of the bodies' momentum magnitudes about the centre of mass"),
    Column("angular_momentum_held", "N m s", meaning="sum of the bodies' angular momentum magnitudes there"),
    Column("internal_kinetic_energy", "J", meaning="kinetic energy in the centre-of-mass frame"),
)

INTEGRALS = (
    Column("impulse", "N s", 3, "impulse from outside since the start", frame="W"),
    Column("angular_impulse", "N m s", 3, "angular impulse from outside about the centre of mass", frame="W"),
    Column("work_supplied", "J", meaning="work supplied by drives and outside forces"),
    Column("energy_stored", "J", meaning="energy stored in springs"),
    Column("heat", "J", meaning="energy dissipated"),
    Column("constraint_work", "J", meaning="work of the constraints' stabilisation"),
    Column("kept", "N s", 3, "momentum taken up by rotors since the start", frame="W"),
    Column("spin", "N m s", 3, "angular momentum taken up by rotors since the start", frame="W"),
    Column("mass_taken_in", "kg", meaning="mass taken in since the start; negative: given off"),
)

COLUMNS = (*HELD, *INTEGRALS)
N_HELD = sum(c.size for c in HELD)
N_AUDIT = sum(c.size for c in INTEGRALS)
AUDIT_WIDTH = N_HELD + N_AUDIT

AUDIT = places(COLUMNS)  # first place of each in an audit row
BOOK = places(INTEGRALS)  # first place of each among the integrals
POWER = BOOK.work_supplied  # `power` of a stage is the rates of three integrals from here on
