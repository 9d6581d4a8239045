"""Bank: springs, dampers and stops at joints."""

from __future__ import annotations

from freefloat.kernels.jit import kernel

# f: [stiffness, damping, reference, lower, upper, stop stiffness, stop damping]; i: [position index, velocity index]
# y: effort


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
        spring = -f[0] * (q - f[2])
        damper = -f[1] * qd
        stop_spring = 0.0
        stop_damper = 0.0
        if q > f[4]:
            d = q - f[4]
            stop_spring = -f[5] * d
            stop_damper = max(f[6] * qd, -1.0) * stop_spring
        elif q < f[3]:
            d = f[3] - q
            stop_spring = f[5] * d
            stop_damper = max(-f[6] * qd, -1.0) * stop_spring
        effort = spring + damper + stop_spring + stop_damper
        tau[dof] += effort
        y[r] = effort
        power[1] -= (spring + stop_spring) * qd
        power[2] -= (damper + stop_damper) * qd
