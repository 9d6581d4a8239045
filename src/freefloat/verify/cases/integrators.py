"""What the integrators promise: their order, and the energy of a system that loses none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from freefloat.engine.blueprint import Motion
from freefloat.engine.graph import LinkGraph
from freefloat.engine.integrator import RK4, Dopri5, Dopri54, Integrator
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.frames import Array, Pose
from freefloat.robots import asset, load_urdf
from freefloat.robots.arm import Arm
from freefloat.structure import RigidBody
from freefloat.verify.case import Comparison, at_least, at_most, case
from freefloat.verify.cases.rigid_body import attitude_errors
from freefloat.verify.drawing import convergence, curves_over_time, errors_over_time
from freefloat.verify.models import TorsionOscillator
from freefloat.verify.oracles.newton_euler import TreeState, link_motions
from freefloat.verify.oracles.plastic import kinetic_energy
from freefloat.verify.oracles.torque_free import TorqueFreeBody

TUMBLE = TorqueFreeBody((1.0, 2.0, 2.5), (3.0, 4.0, 5.0))  # 7.1 rad/s, large nutation
TUMBLE_TIME = 20.0  # [s]
STEPS = {"RK4": (2e-3, 1.6e-3, 1.25e-3, 1e-3, 0.8e-3), "Dopri5": (16e-3, 10e-3, 8e-3, 5e-3, 4e-3)}  # [s]
METHODS: Mapping[str, Callable[[float], Integrator]] = {"RK4": RK4, "Dopri5": Dopri5}
ORDERS = {"RK4": 4, "Dopri5": 5}
ORDER_SOURCES = {
    "RK4": "Kutta, Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen, 1901: order 4",
    "Dopri5": "Dormand and Prince, A family of embedded Runge-Kutta formulae, 1980: order 5",
}

TOLERANT: dict[str, Integrator] = {"RK4, 1 ms": RK4(1e-3), "Dopri54, rtol 1e-12": Dopri54(rtol=1e-12, atol=1e-13)}
SWING_TIME = 20.0  # [s]
SWING_START = (0.4, -0.5, 0.3, 0.6, -0.4, 0.5, 0.3)  # [rad]


@case("convergence-order", source="order of the Runge-Kutta method")
def convergence_order() -> Iterator[Comparison]:
    """How attitude and rate errors of a fast tumbling body fall with the step, against its closed form."""
    errors = {name: np.array([_tumble_errors(METHODS[name](h)) for h in steps]) for name, steps in STEPS.items()}
    for column, quantity in enumerate(("attitude error [rad]", "rate error [rad/s]")):
        values = {name: e[:, column] for name, e in errors.items()}
        plot = convergence(STEPS, values, quantity, f"{quantity.split(' [')[0]} after {TUMBLE_TIME:g} s, and slope")
        for name, order in ORDERS.items():
            slope = np.polyfit(np.log(STEPS[name]), np.log(values[name]), 1)[0]
            yield at_least(
                f"slope of the {quantity.split(' [')[0]}, {name} with fixed steps",
                "-",
                published=order,
                ours=float(slope),
                tolerance=0.2,
                source=ORDER_SOURCES[name],
                plot=plot if name == "RK4" else None,
            )


def _tumble_errors(integrator: Integrator) -> tuple[float, float]:
    """Attitude [rad] and rate [rad/s] error at the end. Records cut fixed steps, so there are none on the way."""
    body = RigidBody("body", 1.0, TUMBLE.moments, motion=Motion(w_WL_L=tuple(np.asarray(TUMBLE.w_WB_B))))
    session = Mission([body], integrator=integrator, record_rate=1.0 / TUMBLE_TIME).session()
    session.step(TUMBLE_TIME)
    attitude = attitude_errors(TUMBLE.rotations(TUMBLE_TIME), session.read("body.q_WB")[np.newaxis])[0]
    rate = np.linalg.norm(session.read("body.w_WB_B") - TUMBLE.rates(TUMBLE_TIME)[0])
    return float(attitude), float(rate)


@case("torsion-oscillator", source="Hooke's law: q'' = -k (1/I1 + 1/I2) q for two free bodies about a common axis")
def torsion_oscillator() -> Iterator[Comparison]:
    """Two free bodies on a torsion spring against the harmonic motion, both integrators."""
    oscillator = TorsionOscillator()
    for name, integrator in TOLERANT.items():
        result = Mission([oscillator.part()], integrator=integrator).run(SWING_TIME)
        times = result.time("pair.q")
        error = np.abs(result["pair.q"][:, 0] - oscillator.angle(times))
        yield at_most(
            f"largest error of the angle over {SWING_TIME:g} s, {name}",
            "rad",
            ours=float(error.max()),
            tolerance=1e-9,
            plot=errors_over_time(times, {"angle [rad]": error}, 1e-9, name),
        )


@case("spring-arm-energy", source="conservation of energy: T + sum of k q^2 / 2 (Hooke's law) stays")
def spring_arm_energy() -> Iterator[Comparison]:
    """Energy of a floating seven-joint arm that swings on undamped joint springs, both integrators.

    The tolerance is what RK4 itself may lose: (w h)^6 / 72 of a mode's energy per step, by its amplification factor.
    With h = 1 ms and the stiffest mode here, w = 16.6 rad/s, that is 6e-9 in 20 s. The pair is held to the same.
    """
    graph = sprung_arm()
    arm = Arm("arm", graph, q=SWING_START, motion=Motion(w_WL_L=(0.1, -0.2, 0.15)))
    drifts: dict[str, Array] = {}
    for name, integrator in TOLERANT.items():
        result = Mission([arm], integrator=integrator, record_rate=25.0).run(SWING_TIME)
        times = result.time("arm.q")
        potential, kinetic = _energies(graph, result)
        total = potential + kinetic
        drifts[name] = np.abs(total - total[0]) / total[0]
        shares = {"motion": kinetic, "springs": potential, "total": total}
        first = len(drifts) == 1
        yield at_most(
            f"largest change over {SWING_TIME:g} s relative to the energy, {name}",
            "-",
            ours=float(drifts[name].max()),
            tolerance=1e-8,
            plot=curves_over_time(times, shares, "energy [J]", "where the energy is")
            if first
            else errors_over_time(times, drifts, 1e-8, "relative change of the energy"),
        )


def sprung_arm() -> LinkGraph:
    """The seven-joint arm with undamped springs in its joints; its modes are at 2 to 17 rad/s."""
    graph = load_urdf(asset("arm7"))
    moving = [j.name for j in graph.joints if j.kind != "fixed"]
    stiffness = dict(zip(moving, (6.0, 8.0, 6.0, 8.0, 1.5, 2.0, 0.2), strict=True))  # [N m/rad]
    joints = tuple(
        replace(j, stiffness=stiffness.get(j.name, 0.0), damping=0.0, springref=0.0, armature=0.0) for j in graph.joints
    )
    return replace(graph, joints=joints)


def _energies(graph: LinkGraph, result: Result) -> tuple[Array, Array]:
    """Potential and kinetic energy [J] at the samples, from joint and root signals alone."""
    joints = [j for j in graph.joints if j.kind != "fixed"]
    k = np.array([j.stiffness for j in joints])
    root = f"arm.{graph.root}"
    kinetic = []
    columns = ("arm.q", "arm.qd", f"{root}.p_WB", f"{root}.q_WB", f"{root}.v_WB", f"{root}.w_WB_B")
    for q, qd, p, q_WB, v, w in zip(*(result[c] for c in columns), strict=True):
        X_WR = Pose.from_quat(q_WB, p)
        names = [j.name for j in joints]
        rates = dict(zip(names, qd, strict=True))
        state = TreeState(X_WR, np.concatenate([X_WR.R @ w, v]), dict(zip(names, q, strict=True)), rates)
        kinetic.append(kinetic_energy(list(link_motions(graph, state).values())))
    return 0.5 * result["arm.q"] ** 2 @ k, np.array(kinetic)
