"""Bank: cold-gas thrusters on manifolds: pressure drops with every further open valve and sags while gas flows."""

from __future__ import annotations

from freefloat.kernels.jit import kernel
from freefloat.kernels.thruster import SHUT, opening_rate, push

# f: [direction d_B (3) of the force, p_BP (3), thrust, opening lag, closing lag, 1 / (Isp g0),
#     drop per further open valve, sag per open valve, lag of the sag]
# i: [body, command, pressure loss of its manifold (a command; rows with the same one share it)]
# x: [valve opening 0..1, propellant drawn (kg), impulse (N s), sag 0..1, commanded open time (s)]; y: [thrust now]

STATES = 5


@kernel
def _opening(p, x, u, r):
    """Opening of valve r: its state, or its command where the valve has no lag."""
    f = p.f[r]
    return x[STATES * r] if f[7] > 0.0 else min(max(u[p.i[r, 1]], 0.0), 1.0)


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """force = thrust x (1 - loss) (1 - drop (n - 1) - sag), lag sag' = 1 - (1 - s)^n - sag; n valves are open."""
    rows = p.i.shape[0]
    for r in range(rows):
        f, b, manifold = p.f[r], p.i[r, 0], p.i[r, 2]
        target = min(max(u[p.i[r, 1]], 0.0), 1.0)
        opening = _opening(p, x, u, r)
        y[r] = 0.0
        if target == 0.0 and opening < SHUT and f[11] == 0.0:
            continue
        dx[STATES * r] = opening_rate(f, target, opening)
        n = 0.0
        for s in range(rows):
            if p.i[s, 2] == manifold:
                n += _opening(p, x, u, s)
        sag = x[STATES * r + 3]
        if n >= SHUT or sag >= SHUT:
            dx[STATES * r + 3] = (1.0 - (1.0 - f[11]) ** n - sag) / f[12]
        pressure = (1.0 - u[manifold]) * (1.0 - f[10] * max(n - 1.0, 0.0) - sag)
        force = f[6] * opening * max(pressure, 0.0)
        dx[STATES * r + 1] = force * f[9]
        dx[STATES * r + 2] = force
        dx[STATES * r + 4] = target
        y[r] = force
        if force > 0.0:
            push(view, wrench, power, b, f, force)
