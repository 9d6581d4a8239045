"""Bank: commanded efforts at joints, limited to what the drive can give."""

from __future__ import annotations

from freefloat.kernels.bank import Bank, Column, Rate
from freefloat.kernels.jit import kernel


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """tau_j = clip(u_j, +-limit). The work is supplied from outside the mechanics (a power bus)."""
    supplied = power[0]
    for r in range(p.i.shape[0]):
        dof = p.i[r, 0]
        limit = p.f[r, 0]
        effort = min(max(u[p.i[r, 1]], -limit), limit)
        tau[dof] += effort
        y[r] = effort
        supplied += effort * view.qvel[dof]
    power[0] = supplied


JOINT_TORQUE = Bank(
    "joint_torque",
    stage,
    columns=(Column("limit", "N m or N", meaning="of the effort, both ways"),),
    references={"rate": Rate},
    commands=("effort",),
    outputs=(Column("effort", "N m or N", meaning="applied effort"),),
)
