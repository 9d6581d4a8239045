"""The same plans by pydrake's DirectCollocation with IPOPT, where pydrake is installed; never a dependency.

The plant is symbolic, in the scaled variables of our program; bounds, guess, cost and tolerance are ours too. With
linear controls, Drake's collocation (Hermite-Simpson) has the same solutions as our program.
"""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.platform.check import state_bounds
from freefloat.gnc.planning.platform.collocation import SPARE, TOLERANCE, WHEEL_WEIGHT
from freefloat.gnc.planning.platform.collocation_step import Physics
from freefloat.gnc.planning.platform.model import STATES, THETA
from freefloat.gnc.planning.platform.search import TIMES, Question, first_guess

MOST_ITERATIONS = 3000  # IPOPT's own


@dataclass(frozen=True)
class DrakeResult:
    """What Drake made of a question."""

    seconds: float  # [s] CPU time of the solver alone
    solved: bool
    status: str
    duration: float  # [s]
    cost: float  # of the scaled program


def available() -> bool:
    """Whether pydrake can be imported."""
    try:
        importlib.import_module("pydrake.planning")
    except ImportError:
        return False
    return True


def drake_plan(question: Question, most_iterations: int = MOST_ITERATIONS) -> DrakeResult:
    """Solve a question without way-points, obstacles or slopes from the first guess that our planner takes."""
    planning, solvers = (importlib.import_module(f"pydrake.{name}") for name in ("planning", "solvers"))
    first = first_guess(question)
    guessed, n = float(first.durations.sum()), question.knots
    scales = question.scales(guessed)
    system = _plant(question, scales.states, scales.controls(Physics.of(question.model)))
    least, most = (f * guessed / (n - 1) if question.duration is None else guessed / (n - 1) for f in TIMES)
    collocation = planning.DirectCollocation(system, system.CreateDefaultContext(), n, least, most)
    _constrain(collocation, question, scales.states, scales.controls(Physics.of(question.model)), first.goal)
    _charge(collocation, question, scales.torque / scales.force)
    _guess(collocation, question, first, scales)
    ipopt, options = solvers.IpoptSolver(), solvers.SolverOptions()
    options.SetOption(ipopt.id(), "tol", TOLERANCE)
    options.SetOption(ipopt.id(), "max_iter", most_iterations)
    program = collocation.prog()
    began = time.process_time()
    result = ipopt.Solve(program, program.initial_guess(), options)
    seconds = time.process_time() - began
    steps = [float(result.GetSolution(collocation.time_step(k))[0]) for k in range(n - 1)]
    status = result.get_solver_details().ConvertStatusToString()
    return DrakeResult(seconds, result.is_success(), status, sum(steps), result.get_optimal_cost())


def _plant(question: Question, unit: Array, control_unit: Array) -> Any:
    """x' = f(x, u) of eq. 3.11 in scaled variables: Drake evaluates its expressions without Python."""
    symbolic, primitives = (importlib.import_module(f"pydrake.{n}") for n in ("symbolic", "systems.primitives"))
    model = question.model
    x = [symbolic.Variable(f"x{i}") for i in range(STATES)]
    u = [symbolic.Variable(f"u{i}") for i in range(len(control_unit))]
    X, U = ([float(b) * a for a, b in zip(v, size, strict=True)] for v, size in ((x, unit), (u, control_unit)))
    c, s = symbolic.cos(X[THETA]), symbolic.sin(X[THETA])
    rows = [sum(a * f for a, f in zip(row, U[1:], strict=True) if a) for row in model.thrusters]
    rates = [
        *X[3:6],
        (c * rows[0] - s * rows[1]) / model.mass,
        (s * rows[0] + c * rows[1]) / model.mass,
        (rows[2] - U[0]) / model.inertia,
        U[0] / model.wheel_inertia,
    ]
    dynamics = [rate / float(size) for rate, size in zip(rates, unit, strict=True)]
    return primitives.SymbolicVectorSystem(state=x, input=u, dynamics=dynamics, output=x)


def _constrain(collocation: Any, question: Question, unit: Array, control_unit: Array, goal: Array) -> None:
    program, n = collocation.prog(), question.knots
    if question.duration is None:
        collocation.AddEqualTimeIntervalsConstraints()
    lower, upper = (bound / unit for bound in state_bounds(question.limits, None))
    least, most = (bound / control_unit for bound in question.limits.controls(question.model))
    for k in range(n):
        program.AddBoundingBoxConstraint(least, most, collocation.input(k))
        if 0 < k < n - 1:
            program.AddBoundingBoxConstraint(lower, upper, collocation.state(k))
    program.AddBoundingBoxConstraint(question.start / unit, question.start / unit, collocation.initial_state())
    program.AddBoundingBoxConstraint(goal / unit, goal / unit, collocation.final_state())


def _charge(collocation: Any, question: Question, ratio: float) -> None:
    """Our cost: the sum of the steps with its small term, or eq. 4.8."""
    program, n = collocation.prog(), question.knots
    controls = 1 + question.model.thrusters.shape[1]
    weights = np.full(controls, 2.0 * SPARE / n)
    if question.cost == "time":
        steps = np.concatenate([collocation.time_step(k) for k in range(n - 1)])
        program.AddLinearCost(np.ones(n - 1), 0.0, steps)
    else:
        weights = 2.0 * np.concatenate([[WHEEL_WEIGHT * ratio**2], np.ones(controls - 1)])
    for k in range(n):
        program.AddQuadraticCost(np.diag(weights), np.zeros(controls), collocation.input(k), is_convex=True)


def _guess(collocation: Any, question: Question, first: Any, scales: Any) -> None:
    polynomial = importlib.import_module("pydrake.trajectories").PiecewisePolynomial
    lower, upper = question.limits.controls(question.model)
    times = np.linspace(0.0, float(first.durations.sum()), question.knots)
    units = scales.controls(Physics.of(question.model))
    controls = np.clip(first.controls, lower, upper) / units
    collocation.SetInitialTrajectory(
        polynomial.FirstOrderHold(times, controls.T), polynomial.FirstOrderHold(times, (first.states / scales.states).T)
    )
