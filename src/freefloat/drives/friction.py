"""Friction of a drive, seen at the output side, or of a joint that has none."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.amounts import Measure, UnfitError, not_negative, positive, take

PRESLIDING = 1e-4  # [rad or m] way of the bristles before they slip, where only Fc is known
BRISTLE_TIME = 1e-3  # [s] s1 / s0 there


@dataclass(frozen=True)
class Friction:
    """LuGre friction (Canudas de Wit and others 1995) on the rotor's speed at the output side, v = Om / N.

    g(v) = Fc + (Fs - Fc) exp(-|v / vs|^a) + mu_t |tau_s|     (mu_t: the gear's torque loss)
    z' = v - s0 |v| / g z,  F = s0 z + s1 z' + s2 v;  -F / N acts on the rotor
    Without Coulomb friction there is only s2 v: stiction and bristles are 0 then, whatever is given.
    At a joint without a drive v is its own rate, -F acts on it, and a slide has N and m where others have N m and rad.
    """

    # all assumed, docs/reference/parameters.md, "Joint drives"
    coulomb: Measure = 4.0  # [N m or N] Fc
    stiction: Measure = 6.0  # [N m or N] Fs
    stribeck: Measure = 0.01  # [rad/s or m/s] vs
    exponent: Measure = 2.0  # [-] a
    viscous: Measure = 10.0  # [N m s/rad or N s/m] s2
    bristle_stiffness: Measure = 1e4  # [N m/rad or N/m] s0
    bristle_damping: Measure = 20.0  # [N m s/rad or N s/m] s1

    def __post_init__(self) -> None:
        effort, damper = not_negative("N m or N"), not_negative("N m s/rad or N s/m")
        take(self, "friction", coulomb=effort, stiction=effort, viscous=damper, bristle_damping=damper)
        take(self, "friction", bristle_stiffness=not_negative("N m/rad or N/m"))
        take(self, "friction", stribeck=positive("rad/s or m/s"), exponent=positive("-"))
        if self.coulomb == 0.0:
            for name in ("stiction", "bristle_stiffness", "bristle_damping"):
                object.__setattr__(self, name, 0.0)
            return
        if self.stiction < self.coulomb:
            raise UnfitError("friction", "stiction", self.stiction, f">= coulomb, {self.coulomb:g} N m")
        if self.bristle_stiffness == 0.0:
            raise UnfitError("friction", "bristle_stiffness", 0.0, "> 0 N m/rad, as there is Coulomb friction")

    @classmethod
    def dry(cls, coulomb: Measure) -> Friction:
        """Friction of which only Fc [N m or N] is known: Fs = Fc, s0 = Fc / 1e-4 rad, s1 = s0 1e-3 s, s2 = 0."""
        coulomb = not_negative("N m or N").number(coulomb, "friction: coulomb")
        stiffness = coulomb / PRESLIDING
        return cls(coulomb, coulomb, viscous=0.0, bristle_stiffness=stiffness, bristle_damping=BRISTLE_TIME * stiffness)
