"""Bank: thrusters with a valve that opens and closes with a lag, drawing propellant."""

from __future__ import annotations

from freefloat.kernels.bank import Bank, Body, Column, State, places
from freefloat.kernels.jit import kernel
from freefloat.kernels.view import add_pair, rotate, velocity_at

COLUMNS = (
    Column("d_B", size=3, meaning="direction of the force, unit vector", frame="B"),
    Column("p_BP", "m", 3, "where the force acts", frame="B"),
    Column("thrust", "N"),
    Column("opening", "s", meaning="lag of the valve when it opens", default=0.0),
    Column("closing", "s", meaning="lag of the valve when it closes", default=0.0),
    Column("flow", "s/m", meaning="propellant drawn per impulse: 1 / (Isp g0)"),
)
F = places(COLUMNS)
STATES = (
    State("opening", meaning="of the valve, 0 to 1"),
    State("propellant", "kg", meaning="drawn so far"),
    State("impulse", "N s", meaning="given so far"),
)

SHUT = 1e-12  # opening of a valve that counts as none


@kernel
def opening_rate(f, target, opening):
    """Rate of a valve's opening towards its target; zero where it has no lag, or is as good as shut.

    Without that end the opening would fall for ever, into numbers so small that processors are slow with them.
    """
    if target == 0.0 and opening < SHUT:
        return 0.0
    lag = f[F.opening] if target > opening else f[F.closing]
    return (target - opening) / lag if lag > 0.0 else 0.0


@kernel
def push(view, wrench, power, b, f, force):
    """The force [N] of a thruster row f on its body b; its reaction leaves with the exhaust."""
    R, o = view.xmat[b], view.xpos[b]
    px, py, pz = rotate(R, f[F.p_BP], f[F.p_BP + 1], f[F.p_BP + 2])
    px, py, pz = px + o[0], py + o[1], pz + o[2]
    dx, dy, dz = rotate(R, f[F.d_B], f[F.d_B + 1], f[F.d_B + 2])
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
        if f[F.opening] == 0.0 or (target == 0.0 and opening < SHUT):
            opening = target
        force = f[F.thrust] * opening
        dx[3 * r + 1] = force * f[F.flow]
        dx[3 * r + 2] = force
        y[r] = force
        push(view, wrench, power, b, f, force)


THRUSTER = Bank(
    "thruster",
    stage,
    COLUMNS,
    references={"body": Body},
    commands=("open",),
    states=STATES,
    outputs=(Column("thrust", "N", meaning="force now"),),
)
