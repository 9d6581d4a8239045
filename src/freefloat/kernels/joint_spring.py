"""Bank: springs, dampers and stops at joints."""

from __future__ import annotations

import math

from freefloat.kernels.bank import Bank, Column, Coordinate, Rate, places
from freefloat.kernels.jit import kernel

COLUMNS = (
    Column("stiffness", "N m/rad or N/m", default=0.0),
    Column("damping", "N m s/rad or N s/m", default=0.0),
    Column("reference", "rad or m", default=0.0),
    Column("lower", "rad or m", meaning="where the stop begins", default=-math.inf),
    Column("upper", "rad or m", meaning="where the stop begins", default=math.inf),
    Column("stop_stiffness", "N m/rad or N/m", default=0.0),
    Column("stop_damping", "s/rad or s/m", meaning="Hunt and Crossley's factor on the stop's own force", default=0.0),
)
F = places(COLUMNS)


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """tau = -k (q - q0) - b q', and beyond a limit a stop -ks d (1 + bs d'), d the penetration.

    The stop is Hunt and Crossley's law with exponent 1: no force jump at first touch, never a pull.
    """
    for r in range(p.i.shape[0]):
        f = p.f[r]
        dof = p.i[r, 1]
        q = view.qpos[p.i[r, 0]]
        qd = view.qvel[dof]
        spring = -f[F.stiffness] * (q - f[F.reference])
        damper = -f[F.damping] * qd
        stop_spring = 0.0
        stop_damper = 0.0
        if q > f[F.upper]:
            d = q - f[F.upper]
            stop_spring = -f[F.stop_stiffness] * d
            stop_damper = max(f[F.stop_damping] * qd, -1.0) * stop_spring
        elif q < f[F.lower]:
            d = f[F.lower] - q
            stop_spring = f[F.stop_stiffness] * d
            stop_damper = max(-f[F.stop_damping] * qd, -1.0) * stop_spring
        effort = spring + damper + stop_spring + stop_damper
        tau[dof] += effort
        y[r] = effort
        power[1] -= (spring + stop_spring) * qd
        power[2] -= (damper + stop_damper) * qd


JOINT_SPRING = Bank(
    "joint_spring",
    stage,
    COLUMNS,
    references={"position": Coordinate, "rate": Rate},
    outputs=(Column("effort", "N m or N"),),
)
