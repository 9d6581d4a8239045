"""Motors: from currents to torque at the rotor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from freefloat.amounts import Amount, Count, Measure, UnfitError, not_negative, positive, take
from freefloat.errors import unknown_name

MotorKind = Literal["brushless", "dc", "ideal"]
MOTOR_KINDS: tuple[MotorKind, ...] = ("brushless", "dc", "ideal")
COPPER = 0.00393  # [1/K] rise of the resistance with the temperature
COPPER_AT = 293.15  # [K] at which the resistance is the one given


@dataclass(frozen=True)
class Motor:
    """A motor with the angle th and the speed Om of its rotor, relative to its stator.

    Two-phase permanent-magnet brushless, with the electrical angle the = p th:
        f_A = (1 + u)(cos the + a3 cos 3 the),  f_B = sin the - a3 sin 3 the
        L i_X' = v_X - R(Tw) i_X - K Om f_X     (X = A, B)
        T_m = K (i_A f_A + i_B f_B) - Tc sin(nc th) - bm Om
    DC: the same with p = 0, f_A = 1, f_B = 0. Ideal: T_m = K I - bm Om, without winding and cogging.
    Winding:
        R(Tw) = R0 (1 + alpha (Tw - T0)),  alpha = 0.00393 1/K, T0 = 293.15 K
        Cw Tw' = R (i_A^2 + i_B^2) - (Tw - Tamb) / Rth
    What a kind does not have is 0, whatever is given: pole pairs of all but brushless ones, cogging of ideal ones.
    """

    # all assumed but the pole pairs, docs/reference/parameters.md, "Joint drives"
    kind: MotorKind = "brushless"
    torque_constant: Measure = 0.1  # [N m/A] K; the same number in V s/rad is that of the back-EMF
    resistance: Measure = 1.0  # [ohm] R0, of a phase
    inductance: Measure = 1e-3  # [H] L, of a phase
    inertia: Measure = 1e-4  # [kg m^2] J, of the rotor
    pole_pairs: int = 7  # [-] p; Ferretti and others 2004
    viscous: Measure = 0.0  # [N m s/rad] bm
    cogging: Measure = 5e-3  # [N m] Tc, amplitude
    cogging_count: int = 84  # [-] nc, periods per turn
    unbalance: Measure = 0.0  # [-] u, of phase A
    third_harmonic: Measure = 0.0  # [-] a3, of the back-EMF
    thermal_resistance: Measure = 1.0  # [K/W] Rth, from winding to surroundings
    thermal_capacity: Measure = 60.0  # [J/K] Cw, of the winding
    ambient: Measure = 293.15  # [K] Tamb

    def __post_init__(self) -> None:
        if self.kind not in MOTOR_KINDS:
            raise unknown_name("motor kind", str(self.kind), MOTOR_KINDS)
        take(self, "motor", torque_constant=positive("N m/A"), resistance=positive("ohm"), inductance=positive("H"))
        take(self, "motor", inertia=positive("kg m^2"), viscous=not_negative("N m s/rad"), cogging=not_negative("N m"))
        take(self, "motor", thermal_resistance=positive("K/W"), thermal_capacity=positive("J/K"), ambient=positive("K"))
        take(self, "motor", pole_pairs=Count(), cogging_count=Count(1))
        if self.kind == "brushless" and self.pole_pairs == 0:
            raise UnfitError("motor", "pole_pairs", 0, "a whole number >= 1 of kind brushless")
        uneven = Amount("-", gt=-1.0, lt=1.0)
        take(self, "motor", unbalance=uneven, third_harmonic=uneven)
        for name in ("unbalance", "third_harmonic"):
            value = getattr(self, name)
            if self.kind != "brushless" and value != 0.0:
                raise UnfitError("motor", name, value, f"0 of kind {self.kind}, which has no phases")
        if self.kind != "brushless":
            object.__setattr__(self, "pole_pairs", 0)
        if self.kind == "ideal":
            object.__setattr__(self, "cogging", 0.0)

    def resistance_at(self, temperature: float) -> float:
        """R [ohm] of a phase at the temperature [K] of the winding."""
        return self.resistance * (1.0 + COPPER * (temperature - COPPER_AT))
