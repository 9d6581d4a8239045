"""Bank: thrusters with a valve that opens and closes with a lag, drawing propellant."""

from __future__ import annotations

from freefloat.kernels.jit import kernel
from freefloat.kernels.view import add_pair, rotate, velocity_at

# f: [direction d_B (3) of the force, p_BP (3), thrust, opening lag, closing lag, 1 / (Isp g0)]
# i: [body, command]; x: [valve opening 0..1, propellant drawn (kg), impulse (N s)]; y: [thrust now]


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """x' = (u - x) / lag with u in 0..1; force = thrust x; mass flow force / (Isp g0). Without lag, x = u."""
    for r in range(p.i.shape[0]):
        f = p.f[r]
        b = p.i[r, 0]
        target = min(max(u[p.i[r, 1]], 0.0), 1.0)
        opening = x[3 * r]
        lag = f[7] if target > opening else f[8]
        if lag > 0.0:
            dx[3 * r] = (target - opening) / lag
        else:
            dx[3 * r] = 0.0
            opening = target
        force = f[6] * opening
        dx[3 * r + 1] = force * f[9]
        dx[3 * r + 2] = force
        y[r] = force
        R, o = view.xmat[b], view.xpos[b]
        px, py, pz = rotate(R, f[3], f[4], f[5])
        px, py, pz = px + o[0], py + o[1], pz + o[2]
        dx_, dy_, dz_ = rotate(R, f[0], f[1], f[2])
        fx, fy, fz = force * dx_, force * dy_, force * dz_
        add_pair(view, wrench, 0, b, px, py, pz, fx, fy, fz)
        v = velocity_at(view, b, px, py, pz)
        power[0] += fx * v[0] + fy * v[1] + fz * v[2]
