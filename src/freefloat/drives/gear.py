"""Gears: torsion, backlash, hysteresis, kinematic error and loss between rotor and link."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.drives.checked import FieldError, check_numbers


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
    ratio: float = 160.0  # [-] N
    stiffness: float = 1e4  # [N m/rad] k1
    cubic: float = 0.0  # [N m/rad^3] k3
    damping: float = 10.0  # [N m s/rad] b
    backlash: float = 0.0  # [rad] the whole gap, 2 beta
    hysteresis: float = 1.5  # [N m] Fh
    hysteresis_stiffness: float = 2e4  # [N m/rad] sh
    kinematic_error: float = 1.5e-4  # [rad] Ak, amplitude, twice per turn of the rotor
    kinematic_phase: float = 0.0  # [rad] phk
    torque_loss: float = 0.1  # [-] mu_t, share of the torque

    def __post_init__(self) -> None:
        check_numbers("gear", self, "ratio stiffness hysteresis_stiffness", above=0.0)
        check_numbers("gear", self, "cubic damping backlash hysteresis kinematic_error torque_loss", least=0.0)
        check_numbers("gear", self, "kinematic_phase")
        if not 2.0 * self.kinematic_error * self.ratio < 1.0:
            most = 0.5 / self.ratio
            allowed = f"below 1 / (2 ratio) = {most:g} rad, so that the output never turns back"
            raise FieldError("gear", "kinematic_error", self.kinematic_error, allowed)
