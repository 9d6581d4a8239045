"""Plans of the floating platform as nonlinear programs: Hermite-Simpson collocation (REACSA eqs 4.16-4.23), CasADi.

Controls are linear between knots (eq. 4.22). On a flat floor an interval is an explicit step, so the program has the
stages that fatrop wants: stage s > 0 holds knot s - 1 with the wrench of its control, and chooses the control of
knot s; stage 0 chooses the first control. IPOPT takes every program.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.optional import casadi
from freefloat.gnc.planning.platform.collocation_step import WRENCH, Physics, explicit_step, implicit_defect
from freefloat.gnc.planning.platform.model import STATES
from freefloat.gnc.planning.platform.problem import SlopeMap

TOLERANCE = 1e-6  # of the scaled program; the defects are closed afterwards
MOST_ITERATIONS = {"fatrop": 300, "ipopt": 1500}
SPARE = 1e-3  # [s] per full control: picks one of the controls that are equally fast
WHEEL_WEIGHT = 0.4  # [1/(N m)^2] in eq. 4.8, against 1/N^2 for thrusters: a tenth of what they pay for a torque
COSTS = ("time", "quadratic", "propellant")


@dataclass(frozen=True)
class ProgramForm:
    """All that tells one program from another; starts, goals, limits and scales are its data."""

    physics: Physics
    legs: tuple[int, ...]  # intervals between way-points
    cost: str  # time | quadratic | propellant
    obstacles: int = 0
    slope: SlopeMap | None = None

    @property
    def knots(self) -> int:
        return sum(self.legs) + 1

    @property
    def timed(self) -> bool:
        """Whether durations are variables."""
        return self.cost == "time" or len(self.legs) > 1

    @property
    def staged(self) -> bool:
        """Whether fatrop can take it."""
        return len(self.legs) == 1 and self.slope is None

    def leg_of_stage(self) -> list[int]:
        """The leg whose duration a stage holds: stages 0 and 1 the first, the last stage the last."""
        return [0, *(leg for leg, n in enumerate(self.legs) for _ in range(n)), len(self.legs) - 1]

    def last_stages(self) -> list[int]:
        """The last stage of each leg."""
        legs = self.leg_of_stage()
        return [len(legs) - 1 - legs[::-1].index(leg) for leg in range(len(self.legs))]


@dataclass(frozen=True, eq=False)
class Scales:
    """Size of one unit of each variable."""

    states: Array  # (7,)
    torque: float  # [N m]
    force: float  # [N]
    time: float  # [s]

    def controls(self, physics: Physics) -> Array:
        return np.array([self.torque] + [self.force] * len(physics.thrusters[0]))

    def vector(self) -> Array:
        return np.array([*self.states, self.torque, self.force, self.time])


@dataclass
class Places:
    """Where the variables of stages and knots are in the program's vector."""

    states: list[range] = field(default_factory=list)  # of each stage; knot k in stage k + 1
    wrenches: list[range] = field(default_factory=list)  # of each knot
    controls: list[range] = field(default_factory=list)  # of each knot
    times: list[int] = field(default_factory=list)  # of each stage, where durations are variables
    size: int = 0

    @classmethod
    def of(cls, form: ProgramForm) -> Places:
        places = cls()
        for stage in range(form.knots + 1):
            if form.timed:
                places.times += places._take(1)
            places.states.append(places._take(STATES))
            if stage > 0:
                places.wrenches.append(places._take(WRENCH))
            if stage < form.knots:
                places.controls.append(places._take(1 + len(form.physics.thrusters[0])))
        return places

    def _take(self, n: int) -> range:
        self.size += n
        return range(self.size - n, self.size)


class Program:
    """The nonlinear program of one form. Parameters: duration, start, goal, scales, then (x, y, distance) of discs."""

    def __init__(self, form: ProgramForm) -> None:
        self.form, self.places = form, Places.of(form)
        assembly = _Assembly(form, self.places)
        self._nlp, self._equality = assembly.nlp(), assembly.equality
        self.upper_g = np.where(self._equality, 0.0, np.inf)
        self._solvers: dict[str, Any] = {}

    def solver(self, name: str) -> Any:
        """The CasADi solver `name`, made at its first use."""
        if name not in self._solvers:
            own: dict[str, Any] = {"tol": TOLERANCE, "max_iter": MOST_ITERATIONS[name], "print_level": 0}
            options: dict[str, Any] = {"print_time": False, name: own}
            if name == "fatrop":
                options |= {"structure_detection": "auto", "equality": self._equality}
            else:
                own["sb"] = "yes"
            self._solvers[name] = casadi().nlpsol("plan", name, self._nlp, options)
        return self._solvers[name]

    def packed(self, states: Array, controls: Array, durations: Array, scales: Scales) -> Array:
        """The program's vector from knots, and durations of the legs [s]."""
        z, places = np.zeros(self.places.size), self.places
        physics = self.form.physics
        x, u = states / scales.states, controls / scales.controls(physics)
        z[np.array(places.states)] = x[[0, *range(len(x))]]
        z[np.array(places.controls)] = u
        z[np.array(places.wrenches)] = controls @ physics.mixing.T / _wrench_scale(scales.vector(), physics)
        if self.form.timed:
            z[places.times] = durations[self.form.leg_of_stage()] / scales.time
        return z

    def unpacked(self, z: Array, scales: Scales) -> tuple[Array, Array, Array | None]:
        """States (N, 7), controls (N, 1 + n), durations of the legs [s] where they are variables."""
        states = z[np.array(self.places.states[1:])] * scales.states
        controls = z[np.array(self.places.controls)] * scales.controls(self.form.physics)
        if not self.form.timed:
            return states, controls, None
        return states, controls, z[np.array(self.places.times)[self.form.last_stages()]] * scales.time


@lru_cache(maxsize=24)
def program(form: ProgramForm) -> Program:
    """The program of a form, built once."""
    return Program(form)


def _wrench_scale(scale: Any, physics: Physics) -> Any:
    """(4,) from the scales of torque and force."""
    arm = max(1e-3, *map(abs, physics.thrusters[2]))
    torque, force = scale[STATES], scale[STATES + 1]
    parts = (force, force, arm * force, torque)
    return np.array(parts) if isinstance(scale, np.ndarray) else casadi().vertcat(*parts)


class _Assembly:
    """Variables, cost and constraints of a program, stage by stage: the next state, then what holds within a stage."""

    def __init__(self, form: ProgramForm, places: Places) -> None:
        ca = casadi()
        symbol = ca.SX.sym if form.slope is None else ca.MX.sym
        self.form, self.places = form, places
        self.z, self.p = symbol("z", places.size), symbol("p", 18 + STATES + 3 * form.obstacles)
        self.start, self.goal = self.p[1 : 1 + STATES], self.p[1 + STATES : 1 + 2 * STATES]
        self.scale = self.p[15 : 18 + STATES]
        self.unit, self.second = self.scale[:STATES], self.scale[STATES + 2]
        self.duration = self.p[0] / self.second
        self.wrench_unit = _wrench_scale(self.scale, form.physics)
        self.legs = form.leg_of_stage()
        self.advance = self._advance()
        self.g: list[Any] = []
        self.equality: list[bool] = []

    def nlp(self) -> dict[str, Any]:
        """CasADi's x, p, f and g."""
        form = self.form
        for stage in range(form.knots + 1):
            if stage < form.knots:
                self._next(stage)
            if stage == 0:
                self._require(self.state(0) - self.start / self.unit)
            elif stage == form.knots:
                self._require(self.state(stage) - self.goal / self.unit)
            elif stage > 1 and form.obstacles:
                self._require(self._distances(stage), equal=False)
        if form.timed and form.cost != "time":
            self._require(self._total() - self.duration)
        return {"x": self.z, "p": self.p, "f": self._cost(), "g": casadi().vertcat(*self.g)}

    def state(self, stage: int) -> Any:
        return self._at(self.places.states[stage])

    def wrench(self, stage: int) -> Any:
        return self._at(self.places.wrenches[stage - 1])

    def control(self, knot: int) -> Any:
        return self._at(self.places.controls[knot])

    def time(self, stage: int) -> Any:
        """Duration of the stage's leg, in its unit."""
        return self.z[self.places.times[stage]] if self.form.timed else self.duration

    def step(self, stage: int) -> Any:
        """Length of the interval after the stage's knot, in the unit of time."""
        return self.time(stage) / self.form.legs[self.legs[stage]]

    def _at(self, place: range) -> Any:
        return self.z[place.start : place.stop]

    def _require(self, value: Any, equal: bool = True) -> None:
        self.g.append(value)
        self.equality += [equal] * value.numel()

    def _next(self, stage: int) -> None:
        if self.form.timed and self.legs[stage] == self.legs[stage + 1]:
            self._require(self.time(stage + 1) - self.time(stage))
        if stage == 0:
            self._require(self.state(1) - self.state(0))
        else:
            ends = (self.state(stage), self.wrench(stage), self.state(stage + 1), self._mixed(stage))
            self._require(self.advance(*ends, self.step(stage), self.scale))
        self._require(self.wrench(stage + 1) - self._mixed(stage))

    def _mixed(self, knot: int) -> Any:
        """The scaled wrench of a knot's control."""
        ca, mixing = casadi(), self.form.physics.mixing
        unit = ca.vertcat(self.scale[STATES], *[self.scale[STATES + 1]] * (mixing.shape[1] - 1))
        return ca.mtimes(ca.DM(mixing), self.control(knot) * unit) / self.wrench_unit

    def _advance(self) -> Any:
        """Function (x0, w0, x1, w1, h, scale), all scaled: x1 less the step from x0."""
        ca, form = casadi(), self.form
        symbol = ca.SX.sym if form.slope is None else ca.MX.sym
        x0, x1 = symbol("x0", STATES), symbol("x1", STATES)
        w0, w1, h, scale = symbol("w0", WRENCH), symbol("w1", WRENCH), symbol("h"), symbol("scale", STATES + 3)
        unit, wrench_unit, dt = scale[:STATES], _wrench_scale(scale, form.physics), h * scale[STATES + 2]
        if form.slope is None:
            defect = x1 - explicit_step(form.physics, x0 * unit, w0 * wrench_unit, w1 * wrench_unit, dt) / unit
        else:
            ends = (x0 * unit, w0 * wrench_unit, x1 * unit, w1 * wrench_unit)
            defect = implicit_defect(form.physics, form.slope, *ends, dt) / unit
        return ca.Function("advance", [x0, w0, x1, w1, h, scale], [defect])

    def _distances(self, stage: int) -> Any:
        """Squared distances from the discs less the allowed ones, over the latter."""
        ca = casadi()
        place = self.state(stage)[:2] * self.unit[:2]
        discs = (self.p[18 + STATES + 3 * i : 21 + STATES + 3 * i] for i in range(self.form.obstacles))
        return ca.vertcat(*(ca.sumsqr(place - disc[:2]) / disc[2] ** 2 - 1.0 for disc in discs))

    def _total(self) -> Any:
        return sum(self.time(stage) for stage in self.form.last_stages())

    def _cost(self) -> Any:
        ca, knots = casadi(), range(self.form.knots)
        if self.form.cost == "time":
            spare = sum(ca.sumsqr(self.control(k)) for k in knots)
            return self._total() * self.second + SPARE / len(knots) * spare
        weights = self._weights()
        if self.form.cost == "propellant":
            return sum(weights[k] * ca.sum1(self.control(k)[1:]) for k in knots) * (10.0 / len(knots))
        ratio = WHEEL_WEIGHT * (self.scale[STATES] / self.scale[STATES + 1]) ** 2
        return sum(weights[k] * (ratio * self.control(k)[0] ** 2 + ca.sumsqr(self.control(k)[1:])) for k in knots)

    def _weights(self) -> Sequence[Any]:
        """Of the knots: those of the trapezoidal rule over the mean interval; eq. 4.8 counts every knot once."""
        n = self.form.knots
        if len(self.form.legs) == 1:
            end = 0.5 if self.form.cost == "propellant" else 1.0
            return [end, *[1.0] * (n - 2), end]
        steps = [0.0, *(self.step(stage) * ((n - 1) / self.duration) for stage in range(1, n)), 0.0]
        return [0.5 * (a + b) for a, b in itertools.pairwise(steps)]
