"""The floating platform's onboard model, thrusters and wheel, modulator, regulator and filters (REACSA)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import solve_discrete_are
from scipy.stats import chi2

from freefloat.frames import Array
from freefloat.gnc.control.platform.modulation import SigmaDelta
from freefloat.gnc.control.platform.tvlqr_gains import table_weights
from freefloat.gnc.control.platform.tvlqr_noise import NOISE_OF_TABLE_5_2, process_noise
from freefloat.gnc.control.tvlqr import Linear, Weights, riccati
from freefloat.gnc.estimation.kalman import (
    axis_correct,
    axis_predict,
    correct,
    predict,
    white_acceleration,
    wrapped,
)
from freefloat.gnc.planning.platform.hermite_reference import rest_to_rest
from freefloat.gnc.planning.platform.model import STATES, THETA, PlatformModel
from freefloat.units import G0, RPM
from freefloat.verify.case import Comparison, at_most, case, compare, within

MODEL = PlatformModel()
T = 0.01  # [s] Table 4.2
GAS = 8.314462618  # [J/(mol K)]
MOLAR_PRINTED, MOLAR_AIR = 0.2896, 0.02896  # [kg/mol] Table 3.2, and air's
RATIO_PRINTED, RATIO = 0.1438, 100.0 / 700.0  # [-] Table 3.2's decimal number, and its fraction
TABLE_5_2 = (2.52e-3, 2.52e-3, math.radians(0.199))  # [m, m, rad]
RUNS, STEPS, TIMES = 2000, 1000, (0, 50, 200, 500, 999)
CHANCE = 1e-3  # that a consistent filter misses its bound


@case("platform-discrete-model", source="REACSA eq. 3.18 with T / I_w in its last row, where 1 / I_w is printed")
def discrete_model() -> Iterator[Comparison]:
    """One tick of the discrete model against the integrated eq. 3.11."""
    rng = np.random.default_rng(1)
    held = turning = slip = 0.0
    for _ in range(20):
        x, u = rng.normal(size=STATES), np.append(rng.uniform(-1.7, 1.7), MODEL.thrust * rng.integers(0, 2, 8))
        A, B = MODEL.discrete(float(x[THETA]), T)
        ours, push = A @ x + B @ u, MODEL.B(float(x[THETA])) @ u
        held = max(held, float(np.abs(ours - _integrated(lambda x, push=push: MODEL.A @ x + push, x)).max()))
        off = float(np.hypot(*(ours - _integrated(lambda x, u=u: MODEL.derivative(x, u), x))[3:5]))
        turning = max(turning, off / (0.5 * T**2 * abs(x[5]) * float(np.hypot(push[3], push[4])) + 1e-12))
        slip = max(slip, abs((1.0 - T) * u[0] / MODEL.wheel_inertia))
    yield at_most("largest error over 0.01 s, angle held", "m, rad, s", ours=held, tolerance=1e-12)
    yield at_most(
        "error of the velocity over 0.01 s while it turns, over (thrust / m) theta' T^2 / 2",
        "-",
        ours=turning,
        published=1.0,
        tolerance=0.05,  # the torque changes theta' within the tick
    )
    yield compare(
        "error of the wheel speed over 0.01 s with the last row as printed", "rad/s", published=0.0, ours=slip
    )


def _integrated(derivative: Callable[[Array], Array], x: Array) -> Array:
    return solve_ivp(lambda _, x: derivative(x), (0.0, T), x, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


def exhaust_velocity(molar_mass: float, ratio: float) -> float:
    """v_e [m/s] of eq. 3.4 at 293 K, gamma = 1.4."""
    return math.sqrt(293.0 * GAS / molar_mass * 7.0 * (1.0 - ratio ** (2.0 / 7.0)))


def nominal_force(velocity: float) -> float:
    """Thrust [N] of eq. 3.2 with Table 3.2's area, density and pressure difference."""
    return 1.644e-5 * (1.2 * velocity**2 + 600e3)


@case("platform-thruster", source="REACSA Table 3.2, eqs 3.2 to 3.5")
def thruster() -> Iterator[Comparison]:
    """Nominal thrust: 10.36 N needs Table 3.2's molar mass, ten times that of air, and p_e / p = 1/7, not 0.1438."""
    v = exhaust_velocity(MOLAR_PRINTED, RATIO)
    yield within(
        "exhaust velocity, M = 0.2896 kg/mol and p_e / p = 1/7", "m/s", published=158.47, ours=v, tolerance=0.01
    )
    yield within("nominal thrust with it", "N", published=10.36, ours=nominal_force(v), tolerance=0.005)
    other = exhaust_velocity(MOLAR_PRINTED, RATIO_PRINTED)
    yield compare("exhaust velocity with p_e / p = 0.1438 as printed", "m/s", published=158.47, ours=other)
    air = exhaust_velocity(MOLAR_AIR, RATIO)
    yield compare("exhaust velocity with the molar mass of air, 0.02896 kg/mol", "m/s", published=158.47, ours=air)
    yield compare("nominal thrust with the molar mass of air", "N", published=10.36, ours=nominal_force(air))


@case("platform-wheel", source="REACSA eqs 3.6, 6.1 to 6.3, sec. 6.3")
def wheel() -> Iterator[Comparison]:
    """What the wheel can take up; eq. 6.1 holds for a change of 250 rpm, from half speed (its idling) to the limit."""
    x = np.zeros(STATES)
    A, B = MODEL.discrete(0.0, T)
    torque = 250.0 * RPM * MODEL.wheel_inertia  # [N m] that reaches 250 rpm in one second
    for _ in range(round(1.0 / T)):
        x = A @ x + B[:, 0] * torque
    rate = math.degrees(-x[5])
    yield within("body rate when the wheel reaches 250 rpm", "deg/s", published=5.81, ours=rate, tolerance=0.005)
    arm = float(np.abs(MODEL.thrusters[2]).max())
    disturbance = 0.1 * MODEL.thrust * arm
    yield within(
        "torque of a pair that differs by 10 % (the arm is inferred from it)",
        "N m",
        published=0.36,
        ours=disturbance,
        tolerance=0.005,
    )
    full = MODEL.inertia * -x[5] / disturbance
    yield within("firing time of that pair until the wheel is full", "s", published=3.4, ours=full, tolerance=0.05)
    slope = MODEL.mass * (1e-3 * G0)
    yield within("floor force on a slope of 1 mm/m", "N", published=2.2, ours=slope, tolerance=0.05)
    share = 100.0 * slope / (2.0 * MODEL.thrust)
    yield within("on-time of two thrusters against it", "%", published=10.5, ours=share, tolerance=0.05)


@case("platform-sigma-delta", source="REACSA sec. 4.3.2, eq. 4.85: the modulated impulse is the commanded one")
def sigma_delta() -> Iterator[Comparison]:
    """Impulse and integrator of the modulator, in pulses of 1.036 N s, for commands within [0, f]."""
    law, ticks, rng = SigmaDelta(), 6000, np.random.default_rng(2)
    f, t = law.thrust, np.linspace(0.0, 1.0, ticks)[:, None]
    hold = np.repeat(rng.uniform(0.0, f, (ticks // 40, 5)), 40, axis=0)
    commands = {
        "constant": np.tile(f * np.array([0.0, 1e-3, 0.1, 1.0 / 3.0, 0.5, 0.77, 0.999, 1.0]), (ticks, 1)),
        "ramps": f * np.hstack([t, 1.0 - t, np.abs(2.0 * t - 1.0), (20.0 * t) % 1.0]),
        "random": np.hstack([rng.uniform(0.0, f, (ticks, 5)), hold, f * rng.integers(0, 2, (ticks, 5))]),
    }
    pulse, bound = law.thrust * law.hold * law.dt, 2.0 + 1e-9  # 6000 ticks are summed
    for name, command in commands.items():
        state = law.start(command.shape[1])
        given, worst, low, high = np.zeros(command.shape[1]), 0.0, 0.0, 0.0
        for k, wanted in enumerate(np.cumsum(command, axis=0) * law.dt):
            state, on = law.step(state, command[k])
            given += f * law.dt * on
            worst = max(worst, float(np.abs(wanted - given).max()) / pulse)
            low, high = min(low, float(state[:, 0].min()) / pulse), max(high, float(state[:, 0].max()) / pulse)
        yield at_most(
            f"commanded minus given impulse at any time of 60 s, {name}", "pulses", ours=worst, tolerance=bound
        )
        yield at_most(f"integrator's largest magnitude, {name}", "pulses", ours=max(high, -low), tolerance=bound)


@case("platform-riccati", source="eq. 4.35 by an explicit Runge-Kutta method of eighth order, rtol 1e-12")
def riccati_equation() -> Iterator[Comparison]:
    """S along a turning plan with Table A.1's weights: ours by Magnus steps against an independent solver."""
    plan, weights, times = rest_to_rest((0, 0, 0), (0.1, 0.2, 0.3), 4.0), table_weights(8), np.linspace(0.0, 4.0, 161)

    def linear(t: float) -> tuple[Array, Array]:
        pose, rate, acceleration = plan.at(t)
        state = np.array([*pose, *rate, -MODEL.inertia / MODEL.wheel_inertia * rate[2]])
        return MODEL.linearised(state, MODEL.feedforward(pose[2], acceleration))

    other = _runge_kutta(linear, weights, times[::20])
    size = np.sqrt(np.einsum("kii->ki", other))
    error = np.abs(riccati(linear, weights, times)[::20] - other) / (size[:, :, None] * size[:, None, :])
    yield at_most("largest |dS_ij| / sqrt(S_ii S_jj) over 4 s", "-", ours=float(error.max()), tolerance=1e-8)


def _runge_kutta(linear: Linear, weights: Weights, times: Array) -> Array:
    n, inverse = len(weights.Q), np.linalg.inv(weights.R)

    def slope(t: float, flat: Array) -> Array:
        (A, B), S = linear(t), flat.reshape(n, n)
        SB = S @ B
        return -(S @ A + A.T @ S - SB @ inverse @ SB.T + weights.Q).ravel()

    size = np.sqrt(np.diag(weights.Qf))
    span, atol = (times[-1], times[0]), 1e-14 * np.outer(size, size).ravel()
    found = solve_ivp(slope, span, weights.Qf.ravel(), method="DOP853", rtol=1e-12, atol=atol, t_eval=times[::-1])
    return found.y.T[::-1].reshape(-1, n, n)


@case("platform-filters", source="chi-square of the estimation error (NEES); REACSA Table 5.2")
def filters() -> Iterator[Comparison]:
    """Both filters are consistent with one process noise, under which Table 5.2 is reached."""
    position, angle = process_noise(MODEL)
    variance = NOISE_OF_TABLE_5_2
    yield _consistent("R^4", 4, _flat_runs(position, variance[0]))
    for rate in (0.0, 4.0, -4.0):
        yield _consistent(f"SO(2) x R, turning at {rate:g} rad/s", 2, _turning_runs(angle, variance[2], rate))
    for name, unit, scale, noise, limit in (
        ("x and y", "mm", 1e3, position, TABLE_5_2[0]),
        ("angle", "deg", math.degrees(1.0), angle, TABLE_5_2[2]),
    ):
        ours = scale * steady_deviation(noise, variance[0])
        what = f"steady deviation of {name} with that process noise, {noise:.3g} /s^1.5"
        yield at_most(what, unit, published=scale * limit, ours=ours, tolerance=0.0)
        printed = scale * steady_deviation(math.sqrt(0.1 * T), variance[0])
        what = f"steady deviation of {name} with Table A.1's process noise: 0.1 as variance of the acceleration over T"
        yield compare(what, unit, published=scale * limit, ours=printed)


def steady_deviation(noise: float, variance: float) -> float:
    """Standard deviation of the filtered position under white acceleration of root density `noise`, Riccati's."""
    A, Q = white_acceleration(T, noise)
    C = np.array([[1.0, 0.0]])
    prior = solve_discrete_are(A.T, C.T, Q, np.array([[variance]]))[0, 0]
    return math.sqrt(prior * variance / (prior + variance))


def _consistent(name: str, size: int, nees: Array) -> Comparison:
    """The NEES (steps, runs): its mean over the runs, at that of the separate times where it is worst."""
    low, high = chi2.ppf([CHANCE / 2, 1.0 - CHANCE / 2], size * RUNS) / RUNS
    worst = max((float(nees[k].mean()) for k in TIMES), key=lambda mean: abs(mean - size))
    what = f"{name}: mean NEES of {RUNS} runs, the worst of {len(TIMES)} times"
    return within(what, "-", published=float(size), ours=worst, tolerance=max(high - size, size - low))


def _root(noise: float) -> Array:
    return np.asarray(np.linalg.cholesky(white_acceleration(T, noise)[1]), np.float64)


def _flat_runs(noise: float, variance: float) -> Array:
    """NEES (steps, runs) of the filter on R^4, states [x, y, x', y'], pushed by a known thrust; all runs at once."""
    rng, two = np.random.default_rng(3), np.eye(2)
    A, Q, root = (np.asarray(np.kron(m, two), np.float64) for m in (*white_acceleration(T, noise), _root(noise)))
    C, R, P = np.eye(2, 4), variance * two, np.diag([variance, variance, 0.01, 0.01])
    truth, nees = np.zeros((4, RUNS)), np.empty((STEPS, RUNS))
    x = np.sqrt(P) @ rng.normal(size=(4, RUNS))
    for k in range(STEPS):
        push = 0.05 * np.array([[math.sin(0.1 * k)], [math.cos(0.1 * k)]])
        drive = np.vstack([0.5 * T**2 * push, T * push])
        truth = A @ truth + drive + root @ rng.normal(size=(4, RUNS))
        x, P = predict(x, P, A, drive, Q)
        x, P, _ = correct(x, P, truth[:2] + math.sqrt(variance) * rng.normal(size=(2, RUNS)), C, R)
        nees[k] = np.sum((truth - x) * np.linalg.solve(P, truth - x), axis=0)
    return nees


def _turning_runs(noise: float, variance: float, rate: float) -> Array:
    """NEES (steps, runs) of the steps that run onboard, on SO(2) x R; the sensor gives the angle within [-pi, pi]."""
    rng, A, root = np.random.default_rng(4), white_acceleration(T, noise)[0], _root(noise)
    truth = np.vstack([rng.uniform(-math.pi, math.pi, RUNS), np.full(RUNS, rate)])
    P, nees = np.array([variance, 0.0, 0.01]), np.empty((STEPS, RUNS))
    x = truth + np.sqrt(P[[0, 2], None]) * rng.normal(size=(2, RUNS))
    turned: Any = wrapped  # of all runs at once
    for k in range(STEPS):
        push = 0.05 * math.sin(0.1 * k)
        truth = A @ truth + push * np.array([[0.5 * T**2], [T]]) + root @ rng.normal(size=(2, RUNS))
        sensed = turned(truth[0] + math.sqrt(variance) * rng.normal(size=RUNS))
        axis_predict(x, P, push, T, noise)
        axis_correct(x, P, turned(sensed - x[0]), variance)
        x[0] = turned(x[0])
        e, v = turned(truth[0] - x[0]), truth[1] - x[1]
        nees[k] = (e * e * P[2] - 2.0 * e * v * P[1] + v * v * P[0]) / (P[0] * P[2] - P[1] ** 2)
    return nees
