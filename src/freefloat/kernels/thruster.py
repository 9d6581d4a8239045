"""Bank: thrusters with a valve that opens and closes with a lag, drawing propellant."""

from __future__ import annotations

from freefloat.kernels.jit import kernel
from freefloat.kernels.view import add_pair, rotate, velocity_at

# f: [direction d_B (3) of the force, p_BP (3), thrust, opening lag, closing lag, 1 / (Isp g0)]
# i: [body, command]; x: [valve opening 0..1, propellant drawn (kg), impulse (N s)]; y: [thrust now]


SHUT = 1e-12  # opening of a valve that counts as none


@kernel
def opening_rate(f, target, opening):
    """Rate of a valve's opening towards its target; zero where it has no lag, or is as good as shut.

    Without that end the opening would fall for ever, into numbers so small that processors are slow with them.
    """
    if target == 0.0 and opening < SHUT:
        return 0.0
    lag = f[7] if target > opening else f[8]
    return (target - opening) / lag if lag > 0.0 else 0.0


@kernel
def push(view, wrench, power, b, f, force):
    """The force [N] of a thruster row f on its body b; its reaction leaves with the exhaust."""
    R, o = view.xmat[b], view.xpos[b]
    px, py, pz = rotate(R, f[3], f[4], f[5])
    px, py, pz = px + o[0], py + o[1], pz + o[2]
    dx, dy, dz = rotate(R, f[0], f[1], f[2])
    fx, fy, fz = force * dx, force * dy, force * dz
    add_pair(view, wrench, 0, b, px, py, pz, fx, fy, fz)
    v = velocity_at(view, b, px, py, pz)
    power[0] += fx * v[0] + fy * v[1] + fz * v[2]


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """x' = (u - x) / lag with u in 0..1; force = thrust x; mass flow force / (Isp g0). Without lag, x = u."""
    for r in range(p.i.shape[0]):
        f = p.f[r]
        b = p.i[r, 0]
        target = min(max(u[p.i[r, 1]], 0.0), 1.0)
        opening = x[3 * r]
        dx[3 * r] = opening_rate(f, target, opening)
        if f[7] == 0.0 or (target == 0.0 and opening < SHUT):
            opening = target
        force = f[6] * opening
        dx[3 * r + 1] = force * f[9]
        dx[3 * r + 2] = force
        y[r] = force
        push(view, wrench, power, b, f, force)
