"""A single rigid body: published truth values and the closed form of its torque-free motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import solve_ivp

from freefloat import frames
from freefloat.verify.case import Row, at_most, case, within
from freefloat.verify.oracles.basilisk import RIGID_BODY_IN_ORBIT
from freefloat.verify.oracles.torque_free import TorqueFreeBody

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BODIES = {
    "about the largest moment": TorqueFreeBody((1.0, 2.0, 2.5), (0.1, 0.2, 1.0)),
    "about the smallest moment": TorqueFreeBody((1.0, 2.0, 2.5), (1.0, 0.2, -0.1)),
}


@case("torque-free-truth-values", source=RIGID_BODY_IN_ORBIT.source)
def torque_free_truth_values() -> Iterator[Row]:
    """The closed form of a torque-free body against Basilisk's truth values after 10 s."""
    truth = RIGID_BODY_IN_ORBIT
    body = TorqueFreeBody(truth.moments, truth.w0_WB_B)
    mrp = frames.mrp_from_quat(body.attitudes(truth.duration)[0])
    rates = body.rates(truth.duration)[0]
    for axis, published, ours in zip("123", truth.mrp1_WB, mrp, strict=True):
        yield within(f"MRP sigma_{axis} at 10 s", "-", published=published, ours=float(ours), tolerance=1e-8)
    for axis, published, ours in zip("xyz", truth.w1_WB_B, rates, strict=True):
        yield within(f"body rate w_{axis} at 10 s", "rad/s", published=published, ours=float(ours), tolerance=1e-9)


@case("torque-free-closed-form", source="Euler's equations, integrated by SciPy's DOP853 with rtol 1e-13")
def torque_free_closed_form() -> Iterator[Row]:
    """The closed form in elliptic functions against an integration of Euler's equations over 100 s."""
    times = np.linspace(0.0, 100.0, 201)
    for name, body in BODIES.items():
        rates, rotations = _integrate(body, times)
        turns = [frames.so3_log(R.T @ S) for R, S in zip(body.rotations(times), rotations, strict=True)]
        attitude_error = np.linalg.norm(turns, axis=1)
        rate_error = np.linalg.norm(body.rates(times) - rates, axis=1)
        plot = _draw_errors(times, attitude_error, rate_error, name)
        yield at_most(
            f"attitude error, turning {name}", "rad", ours=float(attitude_error.max()), tolerance=1e-10, plot=plot
        )
        yield at_most(f"rate error, turning {name}", "rad/s", ours=float(rate_error.max()), tolerance=1e-11)


def _integrate(body: TorqueFreeBody, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """w_WB_B (n, 3) and R_WB (n, 3, 3) from Euler's equations and R' = R skew(w)."""
    moments = np.asarray(body.moments)

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        w, R = y[:3], y[3:].reshape(3, 3)
        return np.concatenate([-np.cross(w, moments * w) / moments, (R @ frames.skew(w)).ravel()])

    start = np.concatenate([np.asarray(body.w_WB_B), frames.quat_to_matrix(body.q_WB).ravel()])
    solution = solve_ivp(rhs, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-13, atol=1e-15)
    return solution.y[:3].T, solution.y[3:].T.reshape(-1, 3, 3)


def _draw_errors(times: np.ndarray, attitude: np.ndarray, rate: np.ndarray, name: str):
    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.semilogy(times[1:], attitude[1:], label="attitude [rad]")
        axes.semilogy(times[1:], rate[1:], label="rate [rad/s]")
        axes.set(xlabel="t [s]", ylabel="difference", title=f"turning {name}", xlim=(0, times[-1]))
        axes.legend()

    return draw
