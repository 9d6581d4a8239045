"""The verbs of a bank besides `stage`, as a user's effects: states faster than the step, and modes held in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.linalg import expm

from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.event import Event
from freefloat.engine.graph import Joint, Link
from freefloat.engine.integrator import RK4, Integrator
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.rows import joint_spring
from freefloat.frames import Array, Pose
from freefloat.kernels.audit_layout import BOOK
from freefloat.kernels.bank import Body, Column, Effect, Rate, State, places
from freefloat.kernels.view import add_pair, carried, velocity_at
from freefloat.structure import RigidBody
from freefloat.verify.case import Comparison, at_least, at_most, case, within
from freefloat.verify.cases.integrators import METHODS
from freefloat.verify.drawing import convergence, curves_over_time

# a winding on a sprung joint
R, L, K, VOLTAGE = 1.0, 1e-4, 1.0, 5.0  # [ohm], [H], [N m/A], [V] from t = 0 on
J, STIFFNESS, DAMPING = 0.05, 20.0, 0.02  # [kg m^2], [N m/rad], [N m s/rad]
SPAN = 0.2  # [s]
STEPS = (1e-3, 5e-4, 2.5e-4, 1.25e-4)  # [s]
QUANTITIES = {"current": "A", "angle": "rad", "rate": "rad/s"}
LIMITS = {"current": 1e-4, "angle": 5e-5, "rate": 5e-5}  # of the largest value, at 1 ms
SUBSTEPS = 10

WINDING = (Column("R", "ohm"), Column("L", "H"), Column("K", "N m/A"))
W = places(WINDING)


def _winding_stage(t, p, x, u, view, dx, tau, wrench, y, power):
    for r in range(p.i.shape[0]):
        y[r] = carried(p, r, p.f[r, W.K] * x[r])
        tau[p.i[r, 0]] += y[r]


def _winding_advance(t, h, p, x, u, view, answer, new, impulse, moment, booked):
    """L i' = u - R i - K w over the step; the joints answer by M^-1 (tau - tau0).

    In a sub-step the rate is w + a s with the acceleration a at its start, and i = c0 + c1 s + b exp(-s / T) is exact.
    """
    n, d = p.i.shape[0], h / SUBSTEPS
    rate, pushed = np.empty(n), np.empty(n)  # pushed: impulse of each winding beyond its torque at the start
    for r in range(n):
        rate[r] = view.qvel[p.i[r, 0]]
    for k in range(SUBSTEPS):
        for r in range(n):
            f, dof, v = p.f[r], p.i[r, 0], u[p.i[r, 1]]
            a = answer.qacc[dof]
            for c in range(n):
                a += answer.minv[c, dof] * p.f[c, W.K] * (new[c] - x[c])
            T, c1 = f[W.L] / f[W.R], -f[W.K] * a / f[W.R]
            c0 = (v - f[W.K] * rate[r] - f[W.L] * c1) / f[W.R]
            b, E = new[r] - c0, math.exp(-d / T)
            charge = c0 * d + 0.5 * c1 * d * d + b * T * (1.0 - E)
            late = 0.5 * c0 * d * d + c1 * d**3 / 3.0 + b * T * (T * (1.0 - E) - d * E)  # integral of s i
            impulse[r] += f[W.K] * charge
            moment[r] += f[W.K] * ((h - k * d) * charge - late)
            pushed[r] = f[W.K] * (charge - x[r] * d)
            i = c0 + c1 * d + b * E
            stored = 0.5 * f[W.L] * (i * i - new[r] * new[r])
            booked[BOOK.work_supplied] += v * charge
            booked[BOOK.energy_stored] += stored
            booked[BOOK.heat] += v * charge - stored - f[W.K] * (rate[r] * charge + a * late)  # integral of R i^2
            new[r] = i
        for r in range(n):
            rate[r] += d * answer.qacc[p.i[r, 0]]
            for c in range(n):
                rate[r] += answer.minv[c, p.i[r, 0]] * pushed[c]


WINDINGS = Effect(
    "winding",
    _winding_stage,
    WINDING,
    references={"rate": Rate},
    commands=("voltage",),
    states=(State("current", "A", "fast"),),
    outputs=(Column("torque", "N m"),),
    advance=_winding_advance,
    carried=("torque",),
    answers=("rate",),
)


@dataclass(frozen=True)
class Motor:
    """A winding that turns a rotor on a spring, about an axis that stands in the world."""

    name: str
    K: float = K  # [N m/A]

    def build(self, b: Builder) -> None:
        """The rotor, its joint, spring and winding."""
        b.body(Link("rotor", 1.0, np.zeros(3), np.diag([J, J, J])))
        joint = b.joint(Joint("axis", "revolute", "world", "rotor", Pose.identity()))
        b.joint_signals([joint])
        b.add(joint_spring(joint, STIFFNESS, DAMPING))
        volts = b.command("voltage", (1,), "V", "on the winding")
        row = b.add(WINDINGS.row(b.full("winding"), rate=joint, voltage=volts, R=R, L=L, K=self.K))
        b.signal_of("current", [row], "current")


def _exact(times: Array, k: float = K) -> Array:
    """(n, 3) current, angle and rate by the matrix exponential."""
    A = np.array([[-R / L, 0.0, -k / L, VOLTAGE / L], [0, 0, 1.0, 0], [k / J, -STIFFNESS / J, -DAMPING / J, 0]])
    A = np.vstack([A, np.zeros(4)])
    return np.array([np.asarray(expm(A * t), dtype=np.float64)[:3, 3] for t in times])


def _run(integrator: Integrator, rate: float, k: float = K, events: Sequence[Event] = ()) -> Result:
    mission = Mission([Motor("motor", k)], integrator=integrator, record_rate=rate, events=events)
    session = mission.session()
    session.write("motor.voltage", [VOLTAGE])
    session.step(SPAN)
    session.finish()
    return mission.result(session, 0.0)  # without the audit's warning: its limit is below a second-order error at 1 ms


def _found(result: Result) -> Array:
    return np.hstack([result["motor.current"], result["motor.q"], result["motor.qd"]])


def _errors(result: Result, k: float = K) -> Array:
    """Largest error of current, angle and rate over the run, of the largest value."""
    exact = _exact(result.time("motor.q"), k)
    return np.abs(_found(result) - exact).max(axis=0) / np.maximum(np.abs(exact).max(axis=0), 1e-300)


@case("fast-states", source="matrix exponential of the linear equations of a winding on a sprung joint")
def fast_states() -> Iterator[Comparison]:
    """A winding of 0.1 ms in steps of 1 ms: `advance` against the closed form, its order, and cuts in mid-step."""
    free = _errors(_run(RK4(1e-3), 1000.0, k=0.0), 0.0)
    yield at_most("uncoupled current, 1 ms, of its largest", "-", ours=float(free[0]), tolerance=1e-12)
    slopes: dict[str, dict[str, list[float]]] = {q: {} for q in (*QUANTITIES, "energy")}
    for name, method in METHODS.items():
        runs = [_run(method(h), 1000.0) for h in STEPS]
        errors = np.array([[*_errors(r), r.metrics["audit.energy_drift"]] for r in runs])
        for k, quantity in enumerate(QUANTITIES):
            yield at_most(
                f"{quantity}, {name} 1 ms, of its largest",
                "-",
                ours=float(errors[0, k]),
                tolerance=LIMITS[quantity],
                plot=_history(runs[0]) if name == "RK4" and k == 0 else None,
            )
        for k, quantity in enumerate(slopes):
            slopes[quantity][name] = errors[:, k].tolist()
    for quantity, values in slopes.items():
        plot = convergence(dict.fromkeys(values, STEPS), values, f"error of the {quantity}", f"{quantity}, and slope")
        for n, (name, errors) in enumerate(values.items()):
            slope = float(np.polyfit(np.log(STEPS), np.log(errors), 1)[0])
            yield at_least(
                f"slope of the {quantity}, {name}",
                "-",
                published=2.0,
                ours=slope,
                tolerance=0.1,
                plot=plot if n == 0 else None,
            )
    yield from _cuts()


def _cuts() -> Iterator[Comparison]:
    """Records and an event between two steps."""
    whole = _run(RK4(1e-3), 1000.0)
    cut = _run(RK4(1e-3), 3000.0)
    angle = float(whole["motor.q"][9, 0] + 0.37 * (whole["motor.q"][10, 0] - whole["motor.q"][9, 0]))
    event = Event("look", lambda session: None, signal="motor.q", level=angle, times=1)
    stopped = _run(RK4(1e-3), 1000.0, events=[event])
    size = np.abs(_exact(whole.time("motor.q"))).max(axis=0)
    for what, other in (
        ("records at 3 kHz", _found(cut)[::3]),
        ("an event in mid-step", _found(stopped)),
    ):
        change = np.abs(other - _found(whole)).max(axis=0) / size
        for k, quantity in enumerate(QUANTITIES):
            yield at_most(
                f"{what}: change of the {quantity}, of its largest",
                "-",
                ours=float(change[k]),
                tolerance=LIMITS[quantity],
            )


def _history(result: Result) -> Callable[..., None]:
    t = result.time("motor.q")
    exact = _exact(t)
    curves = {"current, ours": result["motor.current"][:, 0], "current, exact": exact[:, 0]}
    curves |= {"10 x angle, ours": 10.0 * result["motor.q"][:, 0], "10 x angle, exact": 10.0 * exact[:, 1]}
    return curves_over_time(t, curves, "current [A], angle [0.1 rad]", "winding of 0.1 ms in steps of 1 ms")


# a ball on a spring and damper that only pushes
MASS, CONTACT_STIFFNESS, SPEED, RADIUS, GAP = 50.0, 5e4, 0.1, 0.5, 0.0103  # [kg], [N/m], [m/s], [m], [m] at the start
OPEN, TOUCHING = 0.0, 1.0

BUMPER = (Column("k", "N/m"), Column("c", "N s/m"), Column("radius", "m"))
F = places(BUMPER)


@njit
def _depth_and_rate(p, r, view):
    """Penetration [m] of the ball into the plane x = 0, and its rate [m/s]."""
    b = p.i[r, 0]
    o = view.xpos[b]
    return p.f[r, F.radius] - o[0], -velocity_at(view, b, o[0], o[1], o[2])[0]


def _bumper_stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """f = k d + c d' while the mode is TOUCHING, whatever the depth: the mode is held through the step."""
    for r in range(p.i.shape[0]):
        d, v = _depth_and_rate(p, r, view)
        y[r] = 0.0
        if x[r] == TOUCHING:
            y[r] = p.f[r, F.k] * d + p.f[r, F.c] * v
            o = view.xpos[p.i[r, 0]]
            add_pair(view, wrench, 0, p.i[r, 0], o[0], o[1], o[2], y[r], 0.0, 0.0)
            power[1] += p.f[r, F.k] * d * v
            power[2] += p.f[r, F.c] * v * v


def _bumper_guard(t, p, x, u, view, g):
    """Open: the gap. Touching: the force."""
    for r in range(p.i.shape[0]):
        d, v = _depth_and_rate(p, r, view)
        g[r] = -d if x[r] == OPEN else p.f[r, F.k] * d + p.f[r, F.c] * v


def _bumper_settle(t, p, x, u, view, answer, crossed, tau, wrench, booked):
    """Touch where the gap closes, part where the force falls to zero; what is left in the spring becomes heat."""
    for r in range(p.i.shape[0]):
        if crossed[r] >= 0:
            continue
        d, _ = _depth_and_rate(p, r, view)
        if x[r] == OPEN:
            x[r] = TOUCHING
        else:
            x[r] = OPEN
            booked[BOOK.heat] += 0.5 * p.f[r, F.k] * d * d
            booked[BOOK.energy_stored] -= 0.5 * p.f[r, F.k] * d * d


BUMPERS = Effect(
    "bumper",
    _bumper_stage,
    BUMPER,
    references={"ball": Body},
    states=(State("mode", kind="mode"),),
    outputs=(Column("force", "N"),),
    guard=_bumper_guard,
    settle=_bumper_settle,
    guards=("gap_or_force",),
)


def bounce(damping_ratio: float, integrator: Integrator) -> Mission:
    """A ball that meets the bumper at `SPEED`."""
    start = Motion(Pose(np.eye(3), [RADIUS + GAP, 0.0, 0.0]), v_WL=(-SPEED, 0.0, 0.0))
    ball = RigidBody("ball", MASS, size=(2 * RADIUS, 2 * RADIUS, 2 * RADIUS), motion=start)
    c = 2.0 * damping_ratio * math.sqrt(CONTACT_STIFFNESS * MASS)
    row = BUMPERS.row("bumper", ball="ball", k=CONTACT_STIFFNESS, c=c, radius=RADIUS)
    return Mission([ball], rows=[row], integrator=integrator, record_rate=1000.0)


def restitution(z: float) -> float:
    """Of Kelvin and Voigt's spring and damper, released where the force falls to zero."""
    root = math.sqrt(1.0 - z * z)
    return math.exp(-z / root * (math.pi - math.atan2(2.0 * z * root, 1.0 - 2.0 * z * z)))


@case("held-modes", source="closed form of a linear oscillator released at zero force")
def held_modes() -> Iterator[Comparison]:
    """A ball on a spring and damper whose force jumps at first touch: `guard` locates, `settle` changes the mode."""
    for name, method in METHODS.items():
        for z in (0.1, 0.3):
            result = bounce(z, method(1e-3)).run(0.4)
            force = curves_over_time(result.time("bumper.force"), {"ours": result["bumper.force"]}, "force [N]")
            yield within(
                f"restitution, damping ratio {z:g}, {name} 1 ms",
                "-",
                published=restitution(z),
                ours=float(result["ball.v_WB"][-1, 0]) / SPEED,
                tolerance=1e-6,
                plot=force if name == "RK4" else None,
            )
            drift = result.audit.drifts["energy_drift"]
            yield at_most(f"energy drift, damping ratio {z:g}, {name} 1 ms", "-", ours=drift, tolerance=1e-6)
