"""What a row of the drive bank is made of: parameters, states, outputs, and their places.

Symbols as in docs/reference/drives.md: q joint angle, th motor angle against the stator, Om its rate, h = J (Om + a.w).
"""

from __future__ import annotations

import math

from freefloat.kernels.bank import Column, State, places

COLUMNS = (
    Column("axis", size=3, meaning="unit vector of the joint", frame="B, the stator's body"),
    Column("effort", "N m", meaning="limit of the command, both ways", default=math.inf),
    Column("kind", meaning="0 winding behind current loops, 1 winding behind an amplifier, 2 ideal torque"),
    Column("substeps", meaning="0: as many as winding and gear need", default=0.0),
    # motor
    Column("torque_constant", "N m/A"),
    Column("resistance", "ohm", default=1.0),
    Column("inductance", "H", default=1e-3),
    Column("inertia", "kg m^2", meaning="J of the rotor about its axis"),
    Column("pole_pairs", default=0.0),
    Column("viscous_motor", "N m s/rad", default=0.0),
    Column("cogging", "N m", default=0.0),
    Column("cogging_count", meaning="per turn", default=1.0),
    Column("unbalance", default=0.0),
    Column("third_harmonic", default=0.0),
    Column("thermal_resistance", "K/W", default=1.0),
    Column("thermal_capacity", "J/K", default=math.inf),
    Column("ambient", "K", default=293.15),
    # driver
    Column("kp", "V/A", default=0.0),
    Column("ki", "V/(A s)", default=0.0),
    Column("supply", "V", default=math.inf),
    Column("max_current", "A", default=math.inf),
    Column("offset", "A", 2, "of the current sensors", 0.0),
    Column("gain", "-", 2, "error of the current sensors' gains", 0.0),
    # gear
    Column("ratio"),
    Column("stiffness", "N m/rad"),
    Column("cubic", "N m/rad^3", default=0.0),
    Column("damping", "N m s/rad", default=0.0),
    Column("gap", "rad", meaning="half the backlash", default=0.0),
    Column("hysteresis", "N m", default=0.0),
    Column("hysteresis_stiffness", "N m/rad", default=1.0),
    Column("kinematic_error", "rad", meaning="amplitude, twice per turn of the motor", default=0.0),
    Column("kinematic_phase", "rad", default=0.0),
    Column("torque_loss", default=0.0),
    # friction
    Column("coulomb", "N m", default=0.0),
    Column("stiction", "N m", default=0.0),
    Column("stribeck", "rad/s", default=1.0),
    Column("exponent", default=2.0),
    Column("viscous", "N m s/rad", default=0.0),
    Column("bristle_stiffness", "N m/rad", default=0.0),
    Column("bristle_damping", "N m s/rad", default=0.0),
    # brake, sensors
    Column("brake", "N m", meaning="slip torque at the motor", default=0.0),
    Column("motor_error", "rad", meaning="of the motor's resolver, twice per turn", default=0.0),
    Column("motor_quantum", "rad", default=0.0),
    Column("load_error", "rad", meaning="of the load's resolver, twice per turn", default=0.0),
    Column("load_quantum", "rad", default=0.0),
    Column("torque_quantum", "N m", default=0.0),
)
F = places(COLUMNS)

CURRENT_LOOPS, AMPLIFIER, IDEAL = 0.0, 1.0, 2.0  # kinds
STATOR, POSITION, RATE, EFFORT, BRAKE, FAULT, COURSE = range(7)  # places in `p.i`
FULL_CURRENT, OPEN_PHASE, STUCK_REFERENCE, LOST_RESOLVER, STUCK_BRAKE = 1.0, 2.0, 3.0, 4.0, 5.0  # faults
LARGEST_PHASE = 0.4  # [rad] of rotor and link against the gear's spring in a sub-step
FEWEST = 4  # sub-steps of a drive with a winding
LARGEST_SHARE = 1.25  # of the winding's time constant L / (R + kp) in a sub-step
COURSE_SIZE = 7  # numbers of a course: t0 and six coefficients

STATES = (
    State("momentum", "N m s", meaning="J (Om + a . w) of the rotor"),
    State("angle", "rad", meaning="of the rotor against the stator, motor side"),
    State("current_a", "A", "fast"),
    State("current_b", "A", "fast"),
    State("integral_a", "V", "fast", meaning="of the current loop"),
    State("integral_b", "V", "fast", meaning="of the current loop"),
    State("bristle", "rad", "fast", meaning="deflection of the friction's bristles, output side"),
    State("hysteresis", "N m", "fast", meaning="torque of the gear's hysteresis"),
    State("temperature", "K", "fast", 293.15, "of the winding"),
    State("lock", "rad", "fast", meaning="angle at which the brake holds"),
    State("held_current", "A", "fast", meaning="reference amplitude of the step before"),
    State("energy", "J", "fast", meaning="electric energy taken in since the start"),
    State("copper_heat", "J", "fast", meaning="of the winding since the start"),
    State("friction_heat", "J", "fast", meaning="of gear, friction and brake since the start"),
)
S = places([Column(s.name) for s in STATES])
N_STATES = len(STATES)

OUTPUTS = (
    Column("speed", "rad/s", meaning="of the rotor against the stator, motor side"),
    Column("torque_motor", "N m", meaning="of the motor on its rotor"),
    Column("torque_gear", "N m", meaning="of the gear on the link"),
    Column("voltage_a", "V"),
    Column("voltage_b", "V"),
    Column("power", "W", meaning="electric power taken in"),
    Column("motor_resolver", "rad", meaning="reading on the motor's side"),
    Column("load_resolver", "rad", meaning="reading on the load's side"),
    Column("torque_sensor", "N m", meaning="reading of the joint torque sensor"),
)
Y = places(OUTPUTS)
N_OUTPUTS = len(OUTPUTS)
