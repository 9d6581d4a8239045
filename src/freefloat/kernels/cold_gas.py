"""Bank: cold-gas thrusters on manifolds: pressure drops with every further open valve and sags while gas flows."""

from __future__ import annotations

from freefloat.kernels import thruster
from freefloat.kernels.bank import Bank, Body, Column, State, places
from freefloat.kernels.jit import kernel
from freefloat.kernels.thruster import SHUT, opening_rate, push

COLUMNS = (
    *thruster.COLUMNS,
    Column("drop", meaning="of the thrust, with every further open valve of its manifold"),
    Column("sag", meaning="of the thrust, in the long run with one open valve"),
    Column("sag_lag", "s"),
)
F = places(COLUMNS)
STATES = (
    *thruster.STATES,
    State("sag", meaning="of the pressure, 0 to 1"),
    State("on_time", "s", meaning="commanded open time so far"),
)
N = len(STATES)


@kernel
def _opening(p, x, u, r):
    """Opening of valve r: its state, or its command where the valve has no lag."""
    f = p.f[r]
    return x[N * r] if f[F.opening] > 0.0 else min(max(u[p.i[r, 1]], 0.0), 1.0)


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """force = thrust x (1 - loss) (1 - drop (n - 1) - sag), lag sag' = 1 - (1 - s)^n - sag; n valves are open."""
    rows = p.i.shape[0]
    for r in range(rows):
        f, b, manifold = p.f[r], p.i[r, 0], p.i[r, 2]
        target = min(max(u[p.i[r, 1]], 0.0), 1.0)
        opening = _opening(p, x, u, r)
        y[r] = 0.0
        if target == 0.0 and opening < SHUT and f[F.sag] == 0.0:
            continue
        dx[N * r] = opening_rate(f, target, opening)
        n = 0.0
        for s in range(rows):
            if p.i[s, 2] == manifold:
                n += _opening(p, x, u, s)
        sag = x[N * r + 3]
        if n >= SHUT or sag >= SHUT:
            dx[N * r + 3] = (1.0 - (1.0 - f[F.sag]) ** n - sag) / f[F.sag_lag]
        pressure = (1.0 - u[manifold]) * (1.0 - f[F.drop] * max(n - 1.0, 0.0) - sag)
        force = f[F.thrust] * opening * max(pressure, 0.0)
        dx[N * r + 1] = force * f[F.flow]
        dx[N * r + 2] = force
        dx[N * r + 4] = target
        y[r] = force
        if force > 0.0:
            push(view, wrench, power, b, f, force)


COLD_GAS = Bank(
    "cold_gas",
    stage,
    COLUMNS,
    references={"body": Body},
    commands=("open", "loss"),  # rows with the same loss of pressure share a manifold
    states=STATES,
    outputs=(Column("thrust", "N", meaning="force now"),),
)
