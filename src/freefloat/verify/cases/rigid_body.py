"""A single rigid body: published truth values and the closed form of its torque-free motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.integrate import solve_ivp

from freefloat import api, frames
from freefloat.engine.blueprint import Motion
from freefloat.engine.integrator import RK4, Dopri54, Integrator
from freefloat.engine.mission import Mission
from freefloat.frames import Array
from freefloat.structure import RigidBody
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.drawing import curves_over_time, errors_over_time
from freefloat.verify.oracles.basilisk import RIGID_BODY_IN_ORBIT
from freefloat.verify.oracles.torque_free import TorqueFreeBody

LONG_RUN = 1000.0  # [s]
INTEGRATORS: dict[str, Integrator] = {
    "RK4, 5 ms": RK4(5e-3),
    "Dopri54, rtol 1e-12": Dopri54(rtol=1e-12, atol=1e-13),
}
BODIES = {
    "about the largest moment": TorqueFreeBody((1.0, 2.0, 2.5), (0.1, 0.2, 1.0)),
    "about the smallest moment": TorqueFreeBody((1.0, 2.0, 2.5), (1.0, 0.2, -0.1)),
}


@case("rigid-body-truth-values", source=RIGID_BODY_IN_ORBIT.source)
def rigid_body_truth_values() -> Iterator[Comparison]:
    """The scenario `tumbling-satellite` against Basilisk's truth values after 10 s in orbit."""
    truth = RIGID_BODY_IN_ORBIT
    result = api.run("tumbling-satellite")
    p, q, w = result["satellite.p_WB"], result["satellite.q_WB"], result["satellite.w_WB_B"]
    rates = {f"w_{axis}": w[:, i] for i, axis in enumerate("xyz")}
    plot = curves_over_time(result.time("satellite.w_WB_B"), rates, "w_WB_B [rad/s]", "body rates")
    for axis, published, ours in zip("xyz", truth.p1_WB, p[-1], strict=True):
        yield within(f"position {axis} at 10 s", "m", published=published, ours=float(ours), tolerance=1e-3)
    for axis, published, ours in zip("123", truth.mrp1_WB, frames.mrp_from_quat(q[-1]), strict=True):
        yield within(f"MRP sigma_{axis} at 10 s", "-", published=published, ours=float(ours), tolerance=1e-8)
    for axis, published, ours in zip("xyz", truth.w1_WB_B, w[-1], strict=True):
        yield within(
            f"body rate w_{axis} at 10 s",
            "rad/s",
            published=published,
            ours=float(ours),
            tolerance=1e-9,
            plot=plot if axis == "x" else None,
        )


@case(
    "torque-free-body",
    source="Euler's equations solved in Jacobi's elliptic functions: Landau and Lifshitz, Mechanics, 1976, sec. 37",
)
def torque_free_body() -> Iterator[Comparison]:
    """The engine's asymmetric body against the closed form over 1000 s, both integrators."""
    truth = RIGID_BODY_IN_ORBIT
    closed = TorqueFreeBody(truth.moments, truth.w0_WB_B)
    body = RigidBody("body", truth.mass, truth.moments, motion=Motion(w_WL_L=truth.w0_WB_B))
    for name, integrator in INTEGRATORS.items():
        result = Mission([body], integrator=integrator, record_rate=1.0).run(LONG_RUN)
        times = result.time("body.q_WB")
        attitude = attitude_errors(closed.rotations(times), result["body.q_WB"])
        rate = np.linalg.norm(result["body.w_WB_B"] - closed.rates(times), axis=1)
        curves = {"attitude [rad]": attitude, "rate [rad/s]": rate}
        yield at_most(
            f"largest attitude error over 1000 s, {name}",
            "rad",
            ours=float(attitude.max()),
            tolerance=1e-7,
            plot=errors_over_time(times, curves, 1e-7, name),
        )
        yield at_most(f"largest rate error over 1000 s, {name}", "rad/s", ours=float(rate.max()), tolerance=1e-7)


@case("torque-free-truth-values", source=RIGID_BODY_IN_ORBIT.source)
def torque_free_truth_values() -> Iterator[Comparison]:
    """The closed form of a torque-free body against Basilisk's truth values after 10 s."""
    truth = RIGID_BODY_IN_ORBIT
    body = TorqueFreeBody(truth.moments, truth.w0_WB_B)
    mrp = frames.mrp_from_quat(body.attitudes(truth.duration)[0])
    rates = body.rates(truth.duration)[0]
    for axis, published, ours in zip("123", truth.mrp1_WB, mrp, strict=True):
        yield within(f"MRP sigma_{axis} at 10 s", "-", published=published, ours=float(ours), tolerance=1e-8)
    for axis, published, ours in zip("xyz", truth.w1_WB_B, rates, strict=True):
        yield within(f"body rate w_{axis} at 10 s", "rad/s", published=published, ours=float(ours), tolerance=1e-9)


@case(
    "torque-free-closed-form",
    source="Euler's equations, integrated by DOP853 of SciPy (Virtanen et al., SciPy 1.0, 2020), rtol 1e-13",
)
def torque_free_closed_form() -> Iterator[Comparison]:
    """The closed form in elliptic functions against an integration of Euler's equations over 100 s."""
    times = np.linspace(0.0, 100.0, 201)
    for name, body in BODIES.items():
        rates, rotations = _integrate(body, times)
        turns = [frames.so3_log(R.T @ S) for R, S in zip(body.rotations(times), rotations, strict=True)]
        attitude_error = np.linalg.norm(turns, axis=1)
        rate_error = np.linalg.norm(body.rates(times) - rates, axis=1)
        curves = {"attitude [rad]": attitude_error, "rate [rad/s]": rate_error}
        plot = errors_over_time(times, curves, 1e-10, f"turning {name}")
        yield at_most(
            f"attitude error, turning {name}", "rad", ours=float(attitude_error.max()), tolerance=1e-10, plot=plot
        )
        yield at_most(f"rate error, turning {name}", "rad/s", ours=float(rate_error.max()), tolerance=1e-11)


def attitude_errors(R_WB: Array, q_WB: Array) -> Array:
    """Angle [rad] between rotations (n, 3, 3) and quaternions (n, 4)."""
    turns = [frames.so3_log(R.T @ frames.quat_to_matrix(q)) for R, q in zip(R_WB, q_WB, strict=True)]
    return np.linalg.norm(turns, axis=1)


def _integrate(body: TorqueFreeBody, times: Array) -> tuple[Array, Array]:
    """w_WB_B (n, 3) and R_WB (n, 3, 3) from Euler's equations and R' = R skew(w)."""
    moments = np.asarray(body.moments)

    def rhs(_: float, y: Array) -> Array:
        w, R = y[:3], y[3:].reshape(3, 3)
        return np.concatenate([-np.cross(w, moments * w) / moments, (R @ frames.skew(w)).ravel()])

    start = np.concatenate([np.asarray(body.w_WB_B), frames.quat_to_matrix(body.q_WB).ravel()])
    solution = solve_ivp(rhs, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-13, atol=1e-15)
    return solution.y[:3].T, solution.y[3:].T.reshape(-1, 3, 3)
