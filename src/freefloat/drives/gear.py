"""Gears: torsion, backlash, hysteresis, kinematic error and loss between rotor and link."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.amounts import Amount, Measure, UnfitError, not_negative, positive, take


@dataclass(frozen=True)
class Gear:
    """A gear between the rotor's angle th and the link's q; all torques are at the output side.

    d = th / N + Ak sin(2 th + phk) - q,  kap = dd/dth = 1 / N + 2 Ak cos(2 th + phk),  d' = kap Om - q'
    ds = d - clip(d, -beta, beta)     (beta: half the backlash)
    tau_s = k1 ds + k3 ds^3,  tau_d = b d'
        With backlash tau_d acts only in touch (ds not 0), and tau_s + tau_d never pulls.
    tau_h' = sh d' (1 - tau_h sgn(d') / Fh)     (hysteresis after Dahl 1968; none where Fh = 0)
    tau = tau_s + tau_d + tau_h acts on the link, -kap tau on the rotor.
    The loss mu_t |tau_s| is part of the friction, and there is none without Coulomb friction.
    """

    # all assumed, docs/reference/parameters.md, "Joint drives"
    ratio: Measure = 160.0  # [-] N
    stiffness: Measure = 1e4  # [N m/rad] k1
    cubic: Measure = 0.0  # [N m/rad^3] k3
    damping: Measure = 10.0  # [N m s/rad] b
    backlash: Measure = 0.0  # [rad] the whole gap, 2 beta
    hysteresis: Measure = 1.5  # [N m] Fh
    hysteresis_stiffness: Measure = 2e4  # [N m/rad] sh
    kinematic_error: Measure = 1.5e-4  # [rad] Ak, amplitude, twice per turn of the rotor
    kinematic_phase: Measure = 0.0  # [rad] phk
    torque_loss: Measure = 0.1  # [-] mu_t, share of the torque

    def __post_init__(self) -> None:
        stiff = positive("N m/rad")
        take(self, "gear", ratio=positive("-"), stiffness=stiff, hysteresis_stiffness=stiff)
        take(self, "gear", cubic=not_negative("N m/rad^3"), damping=not_negative("N m s/rad"))
        take(self, "gear", backlash=not_negative("rad"), kinematic_error=not_negative("rad"))
        take(self, "gear", kinematic_phase=Amount("rad"), hysteresis=not_negative("N m"), torque_loss=not_negative("-"))
        if not 2.0 * self.kinematic_error * self.ratio < 1.0:
            most = 0.5 / self.ratio
            allowed = f"below 1 / (2 ratio) = {most:g} rad, so that the output never turns back"
            raise UnfitError("gear", "kinematic_error", self.kinematic_error, allowed)
