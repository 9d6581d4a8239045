"""Bank: actuators at joints, as robot files have them: motors, position and velocity servos without states."""

from __future__ import annotations

import math

from freefloat.kernels.bank import Bank, Column, Coordinate, Rate, places
from freefloat.kernels.jit import kernel

COLUMNS = (
    Column("gain", "N m or N, per unit of the command"),
    Column("constant", "N m or N", default=0.0),
    Column("position", "N m/rad or N/m", default=0.0),
    Column("rate_gain", "N m s/rad or N s/m", default=0.0),
    Column("lowest", "N m or N", meaning="limit of the effort", default=-math.inf),
    Column("highest", "N m or N", meaning="limit of the effort", default=math.inf),
    Column("least", meaning="limit of the command", default=-math.inf),
    Column("most", meaning="limit of the command", default=math.inf),
)
F = places(COLUMNS)


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """tau = clip(gain clip(u) + constant + position q + rate q'). The work is supplied from outside the mechanics."""
    for r in range(p.i.shape[0]):
        f = p.f[r]
        dof = p.i[r, 1]
        command = min(max(u[p.i[r, 2]], f[F.least]), f[F.most])
        effort = f[F.gain] * command + f[F.constant] + f[F.position] * view.qpos[p.i[r, 0]]
        effort = min(max(effort + f[F.rate_gain] * view.qvel[dof], f[F.lowest]), f[F.highest])
        tau[dof] += effort
        y[r] = effort
        power[0] += effort * view.qvel[dof]


JOINT_ACTUATOR = Bank(
    "joint_actuator",
    stage,
    COLUMNS,
    references={"position_of": Coordinate, "rate_of": Rate},
    commands=("control",),
    outputs=(Column("effort", "N m or N", meaning="applied effort"),),
)
