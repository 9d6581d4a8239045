"""Bank: commanded efforts at joints, limited to what the drive can give."""

from __future__ import annotations

from freefloat.kernels.jit import kernel

# f: [effort limit (N m or N)]; i: [velocity index, command index]; y: applied effort


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
