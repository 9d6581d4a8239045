"""The motion that ought to be rendered: two free bodies and one spring, by another integrator than the plant's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from freefloat.errors import SimulationError
from freefloat.frames import Array, quat_to_matrix
from freefloat.gnc.control.rendering.cycle import Moving, Satellite
from freefloat.gnc.control.rendering.shapes import Tools

BODY = 13  # states of a body: p, q, v in W, w in its own frame
RTOL, ATOL = 1e-10, 1e-12
FREE, TOUCHING = 0.04, 0.01  # [s] longest steps, well below a contact


@dataclass(frozen=True, eq=False)
class IdealMotion:
    """Both satellites at the asked instants, the servicer first, in W."""

    t: Array  # [s] (n,)
    p: Array  # [m] (n, 2, 3)
    v: Array  # [m/s] (n, 2, 3)
    force: Array  # [N] (n,) of the contact
    contacts: int


@dataclass(frozen=True, eq=False)
class Pair:
    """Two bodies with a frictionless spring between their tools: f = k x along the normal of the shapes (eqs 1, 2, 12
    and 13 of Lange, Grunwald and Albu-Schaeffer 2016)."""

    bodies: tuple[Satellite, Satellite]
    tools: Tools
    stiffness: float  # [N/m]

    def contact(self, x: Array) -> tuple[float, Array, Array]:
        """Gap [m], normal towards the servicer, and where the force acts, in W."""
        R_2 = quat_to_matrix(x[BODY + 3 : BODY + 7])
        tip = x[:3] + quat_to_matrix(x[3:7]) @ np.array(self.tools.p_ST)
        gap, normal = self.tools.meet(R_2.T @ (tip - x[BODY : BODY + 3]))
        normal_W = R_2 @ normal
        return gap, normal_W, tip - (self.tools.radius + 0.5 * gap) * normal_W

    def slope(self, x: Array, touching: bool) -> Array:
        """x'."""
        force, at = np.zeros(3), np.zeros(3)
        if touching:
            gap, normal, at = self.contact(x)
            force = -self.stiffness * gap * normal
        dx = np.empty(2 * BODY)
        for k, body in enumerate(self.bodies):
            b, f = x[BODY * k : BODY * (k + 1)], force if k == 0 else -force
            q, w = b[3:7], b[10:]
            moment = -np.cross(w, body.inertia @ w)
            if touching:
                moment += quat_to_matrix(q).T @ np.cross(at - b[:3], f)
            turn = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
            dx[BODY * k : BODY * (k + 1)] = [*b[7:10], *turn, *(f / body.mass), *np.linalg.solve(body.inertia, moment)]
        return dx


def ideal_motion(pair: Pair, start: tuple[Moving, Moving], t: Array) -> IdealMotion:
    """From t = 0 at the start, apart, to the last of the rising instants t (n,) [s]; DOP853, contacts located."""
    x = np.concatenate([np.concatenate([m.X_W.p, m.X_W.q, m.v_W, m.w_B]) for m in start])
    now, end, touching, contacts = 0.0, float(t[-1]), False, 0
    rows, forces = np.empty((len(t), 2 * BODY)), np.zeros(len(t))
    while now < end:
        border = _border(pair, -1.0 if not touching else 1.0)
        longest = TOUCHING if touching else FREE
        how = {"method": "DOP853", "rtol": RTOL, "atol": ATOL, "max_step": longest, "dense_output": True}
        found = solve_ivp(lambda _, x, on: pair.slope(x, on), (now, end), x, args=(touching,), events=border, **how)
        if not found.success:
            raise SimulationError(f"the ideal motion could not be computed: {found.message}")
        here = (t >= now) & (t <= found.t[-1])
        rows[here] = found.sol(t[here]).T
        if touching:
            forces[here] = [-pair.stiffness * min(pair.contact(row)[0], 0.0) for row in rows[here]]
        now, x = float(found.t[-1]), found.y[:, -1]
        if found.status == 1:
            touching = not touching
            contacts += touching
    bodies = rows.reshape(len(t), 2, BODY)
    return IdealMotion(t, bodies[:, :, :3], bodies[:, :, 7:10], forces, contacts)


@dataclass(eq=False)
class Reference:
    """The ideal motion of a run, computed once for all who ask for the same instants."""

    pair: Pair
    start: tuple[Moving, Moving]
    _made: IdealMotion | None = None

    def at(self, t: Array) -> IdealMotion:
        """At the rising instants t (n,) [s]."""
        if self._made is None or not np.array_equal(self._made.t, t):
            self._made = ideal_motion(self.pair, self.start, t)
        return self._made


def _border(pair: Pair, direction: float) -> Callable[[float, Array, bool], float]:
    def gap(_: float, x: Array, touching: bool) -> float:
        return pair.contact(x)[0]

    gap.terminal, gap.direction = True, direction  # type: ignore[attr-defined]
    return gap
