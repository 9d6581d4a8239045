"""Friction of a drive, seen at the output side, or of a joint that has none."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.drives.checked import FieldError, check_number, check_numbers

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
    coulomb: float = 4.0  # [N m] Fc
    stiction: float = 6.0  # [N m] Fs
    stribeck: float = 0.01  # [rad/s] vs
    exponent: float = 2.0  # [-] a
    viscous: float = 10.0  # [N m s/rad] s2
    bristle_stiffness: float = 1e4  # [N m/rad] s0
    bristle_damping: float = 20.0  # [N m s/rad] s1

    def __post_init__(self) -> None:
        check_numbers("friction", self, "coulomb stiction viscous bristle_stiffness bristle_damping", least=0.0)
        check_numbers("friction", self, "stribeck exponent", above=0.0)
        if self.coulomb == 0.0:
            for name in ("stiction", "bristle_stiffness", "bristle_damping"):
                object.__setattr__(self, name, 0.0)
            return
        if self.stiction < self.coulomb:
            raise FieldError("friction", "stiction", self.stiction, f">= coulomb, {self.coulomb:g} N m")
        check_numbers("friction", self, "bristle_stiffness", above=0.0)

    @classmethod
    def dry(cls, coulomb: float) -> Friction:
        """Friction of which only Fc [N m or N] is known: Fs = Fc, s0 = Fc / 1e-4 rad, s1 = s0 1e-3 s, s2 = 0."""
        check_number("friction", "coulomb", coulomb, least=0.0)
        stiffness = coulomb / PRESLIDING
        return cls(coulomb, coulomb, viscous=0.0, bristle_stiffness=stiffness, bristle_damping=BRISTLE_TIME * stiffness)
