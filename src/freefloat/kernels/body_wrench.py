"""Bank: commanded wrenches on bodies, from outside the system."""

from __future__ import annotations

import numpy as np

from freefloat.kernels.jit import kernel
from freefloat.kernels.view import add_pair, add_torque_pair, rotate, velocity_at

# f: [p_BP (3)]; i: [body, first command index, expressed in body (1) or world (0)]; y: none


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """Wrench [torque; force] (u[c : c + 6]) at the point P of body B; the reaction goes to the world."""
    point = np.empty(3)
    torque = np.empty(3)
    force = np.empty(3)
    for r in range(p.i.shape[0]):
        b = p.i[r, 0]
        c = p.i[r, 1]
        R = view.xmat[b]
        rotate(R, p.f[r, 0], p.f[r, 1], p.f[r, 2], point)
        for j in range(3):
            point[j] += view.xpos[b, j]
            torque[j] = u[c + j]
            force[j] = u[c + 3 + j]
        if p.i[r, 2] == 1:
            rotate(R, u[c], u[c + 1], u[c + 2], torque)
            rotate(R, u[c + 3], u[c + 4], u[c + 5], force)
        add_pair(view, wrench, 0, b, point[0], point[1], point[2], force[0], force[1], force[2])
        add_torque_pair(wrench, 0, b, torque[0], torque[1], torque[2])
        v = velocity_at(view, b, point[0], point[1], point[2])
        power[0] += force[0] * v[0] + force[1] * v[1] + force[2] * v[2]
        w = view.cvel[b]
        power[0] += torque[0] * w[0] + torque[1] * w[1] + torque[2] * w[2]
