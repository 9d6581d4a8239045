"""The equations of a drive and their symbols as Markdown, for the reference of the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from freefloat.errors import unknown_name
from freefloat.verify.oracles.drive_equations import Equation, equations, sympy
from freefloat.verify.oracles.drive_symbols import CONSTANTS, INPUTS, PARAMETERS, STATES, SWITCHES, Quantity

_GROUPS = {"states": STATES, "inputs": INPUTS, "parameters": (*PARAMETERS, SWITCHES[0], *CONSTANTS)}
_WORDS = {"wound": "a wound motor", "loop": "a current loop"}  # switches, in the conditions of cases


def section(name: str) -> str:
    """The numbered equations of a section: what each is, and the equation with its unit."""
    listed = list(enumerate(equations(), start=1))
    chosen = [(number, e) for number, e in listed if e.section == name]
    if not chosen:
        raise unknown_name("section of the equations", name, {e.section for _, e in listed})
    return "\n".join(_equation(number, e) for number, e in chosen)


def symbols(group: str) -> list[tuple[str, ...]]:
    """Rows of a table: symbol, unit, meaning, and of parameters the field of a drive."""
    if group not in _GROUPS:
        raise unknown_name("group of symbols", group, _GROUPS)
    return [_row(quantity, group == "parameters") for quantity in _GROUPS[group]]


def _row(quantity: Quantity, with_field: bool) -> tuple[str, ...]:
    field = quantity.field.replace(".0", "[0]").replace(".1", "[1]")
    row = (f"${quantity.latex}$", quantity.unit, quantity.meaning)
    return (*row, f"`{field}`" if field else "") if with_field else row


def _equation(number: int, equation: Equation) -> str:
    unit = f" [{equation.unit}]" if equation.unit != "-" else ""
    text = rf"{equation.latex} = {_latex(equation.expression)} \tag{{{number}}}"
    return f"{equation.about}{unit}:\n\n```math\n{text}\n```\n"


def _latex(expression: Any) -> str:
    sp = sympy()
    names = {sp.Symbol(q.name, real=True): q.latex for q in _quantities()}
    names |= {sp.Symbol(e.name, real=True): e.latex for e in equations()}
    conditions = {sp.Symbol(name, real=True) > 0: sp.Symbol(words) for name, words in _WORDS.items()}
    names |= {symbol: rf"\text{{{symbol.name}}}" for symbol in conditions.values()}
    return sp.latex(expression.xreplace(conditions), symbol_names=names)


def _quantities() -> Sequence[Quantity]:
    return (*STATES, *INPUTS, *PARAMETERS, *SWITCHES, *CONSTANTS)
