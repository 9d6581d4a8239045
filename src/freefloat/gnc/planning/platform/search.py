"""From a question to a plan: guesses in turn, a solver and its stand-in for each, and only plans that hold count."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.planning.platform.check import (
    failures,
    missed_on_the_way,
    penetration,
    simpson_motion,
    state_bounds,
    true_motion,
)
from freefloat.gnc.planning.platform.collocation import Program, ProgramForm, Scales, program
from freefloat.gnc.planning.platform.collocation_step import Physics
from freefloat.gnc.planning.platform.guess import blocking, duration_guess, guesses, motion
from freefloat.gnc.planning.platform.model import STATES, THETA, PlatformModel
from freefloat.gnc.planning.platform.plan import Plan
from freefloat.gnc.planning.platform.problem import Obstacle, PlanError, PlanLimits, SlopeMap, WayPoint
from freefloat.gnc.planning.platform.trim import trimmed
from freefloat.units import G0

SHORTEST_LEG = 5  # intervals between two way-points
CORRECTIONS = 4  # runs of a solver
TRIM = 1e-5  # [m] from the goal, from which on thrusts are trimmed
MOST_TRIES = 3  # guesses, where none gives a plan
TIMES = (0.02, 20.0)  # [-] limits of a leg's duration over its guess


@dataclass(frozen=True, eq=False)
class Question:
    """All that a plan is asked for; `duration` is None for the fastest."""

    model: PlatformModel
    limits: PlanLimits
    knots: int
    starts: int
    turns: tuple[int, ...]
    obstacles: tuple[Obstacle, ...]
    slope: SlopeMap | None
    cost: str
    start: Array
    goal: Array
    duration: float | None
    way: tuple[WayPoint, ...]
    warm: Plan | None

    @property
    def nodes(self) -> list[Array]:
        """Start, way-points and goal (their poses first)."""
        return [self.start, *(w.pose for w in self.way), self.goal]

    def form(self) -> ProgramForm:
        return ProgramForm(Physics.of(self.model), self._legs(), self.cost, len(self.obstacles), self.slope)

    def scales(self, guessed: float) -> Scales:
        """By the bounds where time counts; else by what a metre, or a radian, takes in the duration."""
        limits, model, T = self.limits, self.model, np.inf if self.duration is None else self.duration
        v, turn = min(limits.speed, 3.0 / T), min(limits.turn_rate, 5.0 / T)
        force, torque = 10.0 * model.mass / T**2, 90.0 * model.inertia / T**2
        if self.slope is not None:
            force = max(force, 0.5 * model.mass * G0 * self.slope.steepness)
        if self.duration is None:
            v, turn, force, torque = limits.speed, limits.turn_rate, model.thrust, limits.wheel_torque
        states = np.array([1.0, 1.0, 1.0, v, v, turn, limits.wheel_speed])
        return Scales(states, min(torque, limits.wheel_torque), min(force, model.thrust), guessed)

    def _legs(self) -> tuple[int, ...]:
        """Intervals of the legs, by their lengths [m + rad]."""
        lengths = np.array([np.abs(b[:3] - a[:3]).sum() for a, b in zip(self.nodes, self.nodes[1:], strict=False)])
        spare = self.knots - 1 - SHORTEST_LEG * len(lengths)
        if len(lengths) == 1:
            return (self.knots - 1,)
        if spare < 0:
            raise InputError(f"{self.knots} knots for {len(lengths)} legs; allowed: {SHORTEST_LEG} intervals per leg")
        share = np.floor(spare * np.cumsum(lengths) / max(float(lengths.sum()), 1e-12) + 1e-9).astype(int)
        return tuple(int(n) + SHORTEST_LEG for n in np.diff(np.concatenate([[0], share[:-1], [spare]])))


@dataclass(frozen=True, eq=False)
class FirstGuess:
    """States, controls and leg durations that a solver begins with, and the goal with its turns."""

    states: Array
    controls: Array
    durations: Array
    goal: Array


def first_guess(question: Question) -> FirstGuess:
    """What the first solver begins with."""
    return next(_first_guesses(question))


def answer(question: Question) -> Plan:
    """The best of `starts` plans; where none holds, further guesses are tried. Raises `PlanError`."""
    _check(question)
    best: Plan | None = None
    faults: list[str] = []
    iterations, seconds, tried = 0, 0.0, 0
    for first in islice(_first_guesses(question), max(question.starts, MOST_TRIES)):
        if tried >= question.starts and best is not None:
            break
        tried += 1
        for solver in _solvers(question):
            found, fault, spent = _attempt(question, first, solver)
            iterations, seconds = iterations + spent[0], seconds + spent[1]
            if found is not None:
                best = found if best is None or found.cost < best.cost else best
                break
            faults.append(f"{solver}: {fault}")
    if best is None:
        limit = "the least time" if question.duration is None else f"{question.duration:g} s"
        raise PlanError(
            f"no plan from {_shown(question.start)} to {_shown(question.goal)} in {limit}, {tried} guesses:"
            f" {'; '.join(dict.fromkeys(faults))}"
        )
    return replace(best, iterations=iterations, solve_time=seconds, starts=tried)


def _solvers(question: Question) -> tuple[str, ...]:
    """fatrop where the program has its stages; with the quadratic cost it loses its way near the optimum."""
    staged = question.form().staged and question.cost != "quadratic"
    return ("fatrop", "ipopt") if staged else ("ipopt",)


def _attempt(question: Question, first: FirstGuess, solver: str) -> tuple[Plan | None, str, tuple[int, float]]:
    """A plan that holds or what failed, and (iterations, seconds).

    Coarse knots may let the true motion miss the goal or cut an obstacle: trimmed thrusts mend the one; else the next
    run keeps further off, and aims beside the goal.
    """
    spent, fault = (0, 0.0), ""
    keep, aim = np.array([o.radius + question.limits.distance for o in question.obstacles]), first.goal
    for _ in range(CORRECTIONS):
        found, fault, (n, s) = _solved(question, first, solver, keep, aim)
        spent = (spent[0] + n, spent[1] + s)
        if found is None:
            break
        faults, deep, end = _judged(question, found)
        if question.form().staged and np.linalg.norm((end - found.goal)[:2]) > TRIM:
            better = _trimmed(question, found)
            if not _judged(question, better)[0]:
                return better, "", spent
        if not faults:
            return found, "", spent
        fault = ", ".join(faults)
        keep, aim = keep + np.where(deep > 0.0, 1.2 * deep + 1e-6, 0.0), aim + first.goal - end
        first = replace(first, states=found.states, controls=found.controls, durations=_leg_durations(question, found))
    return None, fault, spent


def _judged(question: Question, found: Plan) -> tuple[list[str], Array, Array]:
    """What fails, how deep [m] obstacles are cut, and where the true motion ends."""
    truth = true_motion(found.model, found.times, found.controls, found.states[0], found.slope)
    faults, deep = (
        failures(found, question.limits, truth),
        penetration(truth, question.obstacles, question.limits.distance),
    )
    if deep.any():
        faults.append(f"an obstacle is cut by {deep.max():.2g} m between knots")
    passed = np.cumsum(question.form().legs)[:-1]
    for number, (point, knot) in enumerate(zip(question.way, passed, strict=True)):
        faults += missed_on_the_way(f"way-point {number}", truth[knot, 0], point, question.limits)
    return faults, deep, truth[-1, -1]


def _trimmed(question: Question, found: Plan) -> Plan:
    most = _control_bounds(question)[1]
    controls = trimmed(found.model, found.times, found.controls, question.start, found.goal, most)
    states = simpson_motion(found.model, found.times, controls, question.start, None)
    return replace(found, states=states, controls=controls)


def _solved(
    question: Question, first: FirstGuess, solver: str, keep: Array, aim: Array
) -> tuple[Plan | None, str, tuple[int, float]]:
    """One run of a solver; its controls are brought within their bounds and the states follow from them."""
    one = program(question.form())
    scales = question.scales(float(first.durations.sum()))
    lower, upper = _bounds(question, one, scales, first)
    discs = [(o.x, o.y, distance) for o, distance in zip(question.obstacles, keep, strict=True)]
    data = np.concatenate([[question.duration or 0.0], question.start, aim, scales.vector(), np.array(discs).ravel()])
    z = np.clip(one.packed(first.states, first.controls, first.durations, scales), lower, upper)
    run = one.solver(solver)
    began = time.process_time()
    result = run(x0=z, p=data, lbx=lower, ubx=upper, lbg=0.0, ubg=one.upper_g)
    seconds, stats = time.process_time() - began, run.stats()
    spent = (int(stats["iter_count"]), seconds)
    states, controls, durations = one.unpacked(np.array(result["x"]).ravel(), scales)
    if not stats["success"] or not np.isfinite(controls).all():
        return None, f"stopped after {spent[0]} iterations ({stats['return_status']})", spent
    durations = np.array([question.duration]) if durations is None else durations
    controls = np.clip(controls, *_control_bounds(question))
    times = _knot_times(one.form.legs, durations)
    states = simpson_motion(question.model, times, controls, question.start, question.slope)
    plan = Plan(question.model, times, states, controls, first.goal, question.cost, question.slope, solver, *spent, 1)
    return plan, "", spent


def _bounds(question: Question, one: Program, scales: Scales, first: FirstGuess) -> tuple[Array, Array]:
    """Of the program's vector: none for wrenches and for the two ends, which are given; both alike at way-points."""
    lower, upper = np.full(one.places.size, -np.inf), np.full(one.places.size, np.inf)
    lo, hi = (bound / scales.states for bound in state_bounds(question.limits, question.slope))
    lo_u, hi_u = (bound / scales.controls(one.form.physics) for bound in _control_bounds(question))
    lower[np.array(one.places.states[2:-1])], upper[np.array(one.places.states[2:-1])] = lo, hi
    lower[np.array(one.places.controls)], upper[np.array(one.places.controls)] = lo_u, hi_u
    for knot, point in zip(np.cumsum(one.form.legs), question.way, strict=False):
        given = point.pose if point.rate is None else np.concatenate([point.pose, point.rate])
        place = list(one.places.states[int(knot) + 1])[: len(given)]
        lower[place] = upper[place] = given / scales.states[: len(given)]
    if one.form.timed:
        guessed = first.durations[one.form.leg_of_stage()] / scales.time
        lower[one.places.times], upper[one.places.times] = TIMES[0] * guessed, TIMES[1] * guessed
    return lower, upper


def _control_bounds(question: Question) -> tuple[Array, Array]:
    margin = 0.0 if question.slope is None else question.slope.margin(question.model)
    return question.limits.controls(question.model, margin)


def _first_guesses(question: Question) -> Iterator[FirstGuess]:
    """The warm start, then guesses with every allowed turn."""
    form = question.form()
    if question.warm is not None:
        yield _from_plan(question, form, question.warm)
    T = question.duration or duration_guess(question.model, question.limits, question.nodes)
    lengths = np.array(
        [
            duration_guess(question.model, question.limits, pair)
            for pair in zip(question.nodes, question.nodes[1:], strict=False)
        ]
    )
    durations = T * lengths / lengths.sum()
    distance = question.limits.distance
    blocked = [] if question.way else blocking(question.start, question.goal, question.obstacles, distance)
    passed = [(o, o.radius + distance) for o in blocked]
    times = _knot_times(form.legs, durations)
    for guess, turn in product(guesses(question.cost == "propellant", bool(passed)), question.turns):
        goal = _turned(question.goal, turn)
        at_way = np.cumsum(durations)[:-1]
        ends = (question.start, goal, question.way, passed)
        states, controls = motion(guess, question.model, *ends, times, at_way, question.slope)
        yield FirstGuess(states, controls, durations, goal)


def _from_plan(question: Question, form: ProgramForm, warm: Plan) -> FirstGuess:
    """A plan as a first guess, stretched to the duration that is asked for."""
    T = question.duration or warm.duration
    durations = T * np.array(form.legs) / sum(form.legs)
    stretch = T / warm.duration
    along = np.linspace(0.0, warm.duration, form.knots)
    pairs = [warm.at(float(t)) for t in along]
    states, controls = np.array([x for x, _ in pairs]), np.array([u for _, u in pairs])
    states[:, 3:6] /= stretch
    return FirstGuess(states, controls / stretch**2, durations, question.goal)


def _turned(goal: Array, turns: int) -> Array:
    turned = goal.copy()
    turned[THETA] += 2.0 * np.pi * turns
    return turned


def _leg_durations(question: Question, found: Plan) -> Array:
    ends = np.concatenate([[0], np.cumsum(question.form().legs)])
    return np.diff(found.times[ends])


def _knot_times(legs: tuple[int, ...], durations: Array) -> Array:
    times = [np.array([0.0])]
    for n, duration in zip(legs, durations, strict=True):
        times.append(times[-1][-1] + duration * np.arange(1, n + 1) / n)
    return np.concatenate(times)


def _check(question: Question) -> None:
    """Start and goal within their bounds and off the obstacles."""
    lower, upper = state_bounds(question.limits, question.slope)
    names = ("x", "y", "theta", "x'", "y'", "theta'", "wheel speed")
    for what, state in (("start", question.start), ("goal", question.goal)):
        for i in range(STATES):
            if not lower[i] <= state[i] <= upper[i]:
                raise InputError(f"{what} {names[i]}: {state[i]:g}; allowed: {lower[i]:g} to {upper[i]:g}")
        for o in question.obstacles:
            gap = float(np.hypot(state[0] - o.x, state[1] - o.y)) - o.radius - question.limits.distance
            if gap < 0.0:
                raise InputError(f"{what} {_shown(state)}: {-gap:.3g} m too near to the obstacle at ({o.x:g}, {o.y:g})")


def _shown(state: Array) -> str:
    return f"({state[0]:.3f}, {state[1]:.3f}, {state[THETA]:.3f})"
