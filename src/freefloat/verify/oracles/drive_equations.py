"""The equations of a joint's drive in symbols: they are printed in the reference and evaluated by the stiff reference.

Motor and current loop of a two-phase permanent-magnet motor; strain-wave gear with kinematic error, backlash and the
hysteresis of P. R. Dahl, "A Solid Friction Model", 1968; friction of C. Canudas de Wit, H. Olsson, K. J. Astrom and
P. Lischinsky, "A New Model for Control of Systems with Friction", IEEE TAC 40, 1995. `clip(x, m)` limits x to +-m.

    xdot = derivatives()
    xdot(t, x, inputs, params)   # x (9, ...), inputs (5, ...), params (44, ...) in the order of `drive_symbols`
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from freefloat.errors import unknown_name
from freefloat.extras import imported
from freefloat.frames import Array
from freefloat.verify.oracles.drive_symbols import INPUTS, SET, STATES

Evaluate = Callable[[Array, Array, Array], Array]


class Equation(NamedTuple):
    """name = expression; `latex` and `unit` are those of the name. A rate's name ends in `_t`."""

    name: str
    latex: str
    unit: str
    section: str
    about: str
    expression: Any


def sympy() -> Any:
    """The module sympy."""
    return imported("sympy", "verify", "the equations of drives need")


@cache
def equations() -> tuple[Equation, ...]:
    """All equations in an order in which each needs only those before it."""
    sp = sympy()
    s = SimpleNamespace(**{q.name: sp.Symbol(q.name, real=True) for q in (*STATES, *INPUTS, *SET)})
    listed: list[Equation] = []

    def add(section: str, name: str, latex: str, unit: str, expression: Any, about: str = "") -> None:
        listed.append(Equation(name, latex, unit, section, about, sp.sympify(expression)))
        setattr(s, name, sp.Symbol(name, real=True))

    _kinematics(s, add)
    _driver(s, add)
    _motor(s, add)
    _gear(s, add)
    _friction(s, add)
    _rotor(s, add)
    _energy(s, add)
    return tuple(listed)


def evaluator(names: Sequence[str]) -> Evaluate:
    """The named quantities, (len(names), ...), as a NumPy function of states, inputs and parameters."""
    function = _function(names, _array_printer(), [{"clip": _clip}, np])
    return lambda x, inputs, params: np.array(np.broadcast_arrays(*function(x, inputs, params)))


def scalar_evaluator(names: Sequence[str]) -> Callable[[Sequence[float], Sequence[float], Sequence[float]], Any]:
    """The same for one drive, as a tuple of floats: many times quicker there, and Numba compiles it."""
    return _function(names, _scalar_printer(), [math])


def derivatives() -> Callable[[float, Array, Array, Array], Array]:
    """x' of the nine states as xdot(t, x, inputs, params)."""
    evaluate = evaluator([f"{q.name}_t" for q in STATES])
    return lambda t, x, inputs, params: evaluate(x, inputs, params)


def _kinematics(s: Any, add: Any) -> None:
    section = "Motion"
    add(section, "Om", r"\Omega", "rad/s", s.h / s.J - s.aw, "Rate of the motor against the stator")


def _driver(s: Any, add: Any) -> None:
    sp = sympy()
    clip = sp.Function("clip")
    section = "Driver"
    add(section, "I", "I", "A", clip(clip(s.tau_c, s.effort) / (s.N * s.K), s.Imax), "Current for the command")
    add(section, "thr", r"\theta_r", "rad", s.th + s.eps * sp.sin(2 * s.th), "Angle that the commutation sees")
    for X, wave in (("A", sp.cos), ("B", sp.sin)):
        i, x, o, g = (getattr(s, name + X) for name in "ixog")
        add(section, f"r{X}", f"i_{{r,{X}}}", "A", s.I * wave(s.p * s.thr), f"Reference of phase {X}")
        e = getattr(s, f"r{X}") - ((1 + g) * i + o)
        add(section, f"e{X}", f"e_{X}", "A", e, f"Error of phase {X}, with the sensor's gain and offset")
        r, e = getattr(s, f"r{X}"), getattr(s, f"e{X}")
        drive = sp.Piecewise((clip(s.kp * e + x, s.Vs), s.loop > 0), (clip(s.R0 * r, s.Vs), True))
        add(section, f"v{X}", f"v_{X}", "V", drive, f"Voltage of phase {X}: current loop, or voltage amplifier")
        v = getattr(s, f"v{X}")
        rate = s.ki * e + (s.ki / s.kp) * (v - s.kp * e - x)
        rate = sp.Piecewise((rate, (s.loop > 0) & (s.wound > 0)), (0, True))
        about = f"Integrator of phase {X}; the second term acts in saturation only"
        add(section, f"x{X}_t", rf"\dot x_{X}", "V/s", rate, about)


def _motor(s: Any, add: Any) -> None:
    sp = sympy()
    section = "Motor"
    turn = s.p * s.th
    f_A = (1 + s.u) * (sp.cos(turn) + s.a3 * sp.cos(3 * turn))
    add(section, "fA", "f_A", "-", f_A, "Shape of the back-EMF, phase A; a DC motor (p = 0) has f_A = 1, f_B = 0")
    add(section, "fB", "f_B", "-", sp.sin(turn) - s.a3 * sp.sin(3 * turn), "Phase B")
    add(section, "R", "R", "ohm", s.R0 * (1 + s.alpha * (s.Tw - s.T0)), "Resistance of the warm winding")
    for X in "AB":
        i, v, f = (getattr(s, name + X) for name in "ivf")
        rate = sp.Piecewise(((v - s.R * i - s.K * s.Om * f) / s.L, s.wound > 0), (0, True))
        add(section, f"i{X}_t", rf"\dot i_{X}", "A/s", rate, f"Winding {X}")
    wound = s.K * (s.iA * s.fA + s.iB * s.fB) - s.Tc * sp.sin(s.nc * s.th)
    torque = sp.Piecewise((wound, s.wound > 0), (s.K * s.I, True)) - s.bm * s.Om
    add(section, "T_m", "T_m", "N m", torque, "Torque of the motor: wound with cogging, or ideal")
    copper = s.R * (s.iA**2 + s.iB**2)
    heating = sp.Piecewise(((copper - (s.Tw - s.Ta) / s.Rth) / s.Cw, s.wound > 0), (0, True))
    add(section, "Tw_t", r"\dot T_w", "K/s", heating, "Winding's temperature")


def _gear(s: Any, add: Any) -> None:
    sp = sympy()
    clip = sp.Function("clip")
    section = "Gear"
    add(section, "d", "d", "rad", s.th / s.N + s.Ak * sp.sin(2 * s.th + s.phk) - s.q, "Wind-up at the output side")
    add(
        section, "kap", r"\kappa", "-", 1 / s.N + 2 * s.Ak * sp.cos(2 * s.th + s.phk), "Its change with the motor angle"
    )
    add(section, "dd", r"\dot d", "rad/s", s.kap * s.Om - s.qd, "Rate of the wind-up")
    add(section, "ds", "d_s", "rad", s.d - clip(s.d, s.gap / 2), "Wind-up beyond the backlash")
    add(section, "tau_s", r"\tau_s", "N m", s.k1 * s.ds + s.k3 * s.ds**3, "Spring")
    presses = (s.tau_s + s.b * s.dd) * s.ds > 0
    damper = sp.Piecewise((s.b * s.dd, (s.gap <= 0) | presses), (-s.tau_s, True))
    add(section, "tau_d", r"\tau_d", "N m", damper, "Damper; with backlash, spring and damper together never pull")
    dahl = sp.Piecewise((s.sh * (s.dd - sp.Abs(s.dd) * s.tau_h / s.Fh), s.Fh > 0), (0, True))
    add(section, "tau_h_t", r"\dot\tau_h", "N m/s", dahl, "Hysteresis")
    add(section, "tau", r"\tau", "N m", s.tau_s + s.tau_d + s.tau_h, "Torque on the child link, its reaction on P")


def _friction(s: Any, add: Any) -> None:
    sp = sympy()
    section = "Friction"
    add(section, "v", "v", "rad/s", s.Om / s.N, "Motor's rate at the output side")
    stribeck = (s.Fs - s.Fc) * sp.exp(-(sp.Abs(s.v / s.vs) ** s.nu))
    add(section, "g", "g", "N m", s.Fc + stribeck + s.mu * sp.Abs(s.tau_s), "Stribeck curve with the loss under load")
    bristle = sp.Piecewise((s.v - s.s0 * sp.Abs(s.v) * s.z / s.g, s.Fc > 0), (0, True))
    add(section, "z_t", r"\dot z", "rad/s", bristle, "Bristle")
    add(section, "F", "F", "N m", s.s0 * s.z + s.s1 * s.z_t + s.s2 * s.v, "Friction at the output side")


def _rotor(s: Any, add: Any) -> None:
    section = "Rotor"
    add(section, "T", "T", "N m", s.T_m - s.kap * s.tau - s.F / s.N - s.T_b, "Torque on the rotor, its reaction on P")
    add(section, "h_t", r"\dot h", "N m", s.T, "Rotor's momentum")
    add(section, "th_t", r"\dot\theta", "rad/s", s.Om, "Motor angle")


def _energy(s: Any, add: Any) -> None:
    sp = sympy()
    section = "Energy"
    supplied = sp.Piecewise((s.vA * s.iA + s.vB * s.iB, s.wound > 0), (s.K * s.I * s.Om, True))
    add(section, "P_e", "P_e", "W", supplied, "Electric power")
    wound = s.R * (s.iA**2 + s.iB**2)
    copper = sp.Piecewise((wound, s.wound > 0), (0, True))
    dahl = sp.Piecewise((s.tau_h * (s.dd - s.tau_h_t / s.sh), s.Fh > 0), (0, True))
    bristles = s.F * s.v - s.s0 * s.z * s.z_t
    heat = copper + s.bm * s.Om**2 + s.tau_d * s.dd + dahl + bristles + s.T_b * s.Om
    add(section, "P_h", "P_h", "W", heat, "Heat: winding, motor, damper, hysteresis, friction, brake")
    add(section, "E_r", "E_r", "J", s.h**2 / (2 * s.J), "Kinetic energy of the rotor about its axis")
    coils = sp.Piecewise((s.L * (s.iA**2 + s.iB**2) / 2, s.wound > 0), (0, True))
    cogs = sp.Piecewise((-s.Tc / s.nc * sp.cos(s.nc * s.th), (s.nc > 0) & (s.wound > 0)), (0, True))
    spring = s.k1 * s.ds**2 / 2 + s.k3 * s.ds**4 / 4
    wound_up = sp.Piecewise((s.tau_h**2 / (2 * s.sh), s.Fh > 0), (0, True))
    add(section, "U", "U", "J", coils + cogs + spring + wound_up + s.s0 * s.z**2 / 2, "Stored otherwise")


def _function(names: Sequence[str], printer: Any, modules: list[Any]) -> Any:
    """f(x, inputs, params) that walks down the equations as far as the names need them."""
    sp = sympy()
    groups = {"x": STATES, "inputs": INPUTS, "params": SET}
    steps = {q.name: sp.DeferredVector(g)[i] for g, quantities in groups.items() for i, q in enumerate(quantities)}
    steps |= {e.name: e.expression for e in equations()}
    for name in names:
        if name not in steps:
            raise unknown_name("quantity of a drive", name, steps)
    needed = set(names)
    for name, expression in reversed(steps.items()):
        if name in needed:
            needed |= {symbol.name for symbol in expression.free_symbols}
    walk = [(sp.Symbol(name, real=True), expression) for name, expression in steps.items() if name in needed]
    wanted = sp.Tuple(*(sp.Symbol(name, real=True) for name in names))
    vectors = [sp.DeferredVector(group) for group in groups]
    return sp.lambdify(vectors, wanted, modules=modules, printer=printer, cse=lambda expression: (walk, expression))


def _clip(x: Array, limit: Array) -> Array:
    return np.minimum(np.maximum(x, -limit), limit)


@cache
def _array_printer() -> Any:
    """Cases as nested `where`, which is much quicker than NumPy's `select`."""
    base = imported("sympy.printing.numpy", "verify", "the equations of drives need").NumPyPrinter

    class Printer(base):
        def _print_Piecewise(self, expr: Any) -> str:
            text = "nan"
            for value, condition in reversed(expr.args):
                one = self._print(value)
                text = one if condition == True else f"where({self._print(condition)}, {one}, {text})"  # noqa: E712
            return text

        def _print_And(self, expr: Any) -> str:
            return " & ".join(f"({self._print(a)})" for a in expr.args)

        def _print_Or(self, expr: Any) -> str:
            return " | ".join(f"({self._print(a)})" for a in expr.args)

    return Printer({**_PRINTED, "user_functions": {"clip": "clip"}})


@cache
def _scalar_printer() -> Any:
    printer = imported("sympy.printing.pycode", "verify", "the equations of drives need").PythonCodePrinter
    clip = [(lambda *_: True, lambda x, limit: f"min(max({x}, -({limit})), {limit})")]
    return printer({**_PRINTED, "user_functions": {"clip": clip}})


_PRINTED = {"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True}
