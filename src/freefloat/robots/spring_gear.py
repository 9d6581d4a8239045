"""Gears as springs and dampers between joints and motors without inertia, which follow courses."""

from __future__ import annotations

from freefloat.kernels.bank import Column, Coordinate, Effect, Rate, Row


def _gear_stage(t, p, x, u, view, dx, tau, wrench, y, power):  # the one signature of an effect; compiled
    for r in range(p.i.shape[0]):
        c = p.i[r, 2] + 1
        s = t - u[c - 1]
        angle = u[c] + s * (u[c + 1] + s * (u[c + 2] + s * (u[c + 3] + s * (u[c + 4] + s * u[c + 5]))))
        rate = u[c + 1] + s * (2.0 * u[c + 2] + s * (3.0 * u[c + 3] + s * (4.0 * u[c + 4] + s * 5.0 * u[c + 5])))
        qd = view.qvel[p.i[r, 1]]
        spring = p.f[r, 0] * (angle - view.qpos[p.i[r, 0]])
        damper = p.f[r, 1] * (rate - qd)
        tau[p.i[r, 1]] += spring + damper
        y[r] = spring + damper
        power[0] += (spring + damper) * rate
        power[1] += spring * (rate - qd)
        power[2] += damper * (rate - qd)


SPRING_GEAR = Effect(
    "spring_gear",
    _gear_stage,
    columns=(
        Column("stiffness", "N m/rad or N/m", meaning="output side"),
        Column("damping", "N m s/rad or N s/m", meaning="output side"),
    ),
    references={"position": Coordinate, "rate": Rate},
    commands=("course",),
    outputs=(Column("torque", "N m or N", meaning="on the link"),),
)


def spring_gear(joint: str, stiffness: float, damping: float, course: tuple[str, int]) -> Row:
    """At a joint: tau = K (theta - q) + D (theta' - q'), theta the course [t0, c0 .. c5] that begins at an entry of a
    command. It is evaluated at every stage of a step, so that it has the integrator's order; what drives theta is
    outside, and its power is supplied.
    """
    return SPRING_GEAR.row(
        f"{joint}.gear", position=joint, rate=joint, stiffness=stiffness, damping=damping, course=course
    )
