"""Files of static models.

kind: facility-model
schema: 1
rob1:
  arm: kr100-ha
  load: {mass: 47 kg, centre: [0, 0, 0.015]}
  turns: seven rows of three   # [rad] base to A1, ..., A6 to flange
  shifts: seven rows of three  # [m]
  zeros: six                   # [rad]
  compliance: six              # [rad/(N m)]
rob2: the same
rail: {ends: [0, 25], spline: rows of six}  # [rad, m] turns and shifts, a uniform cubic B-spline over E1

Numbers have all their digits: a model that is written and read is the same to the bit.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import ValidationError

from freefloat.errors import InputError
from freefloat.facility.chain import Load
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.static_model import StaticModel
from freefloat.robots.industrial_errors import GeometryErrors
from freefloat.scenario.fields import Settings, Vector3, quantity, setting
from freefloat.scenario.problems import Misfit, Problem, ScenarioError, dotted, misfits_of, short
from freefloat.scenario.yamltext import Document, read_file, write_scalar

KIND = "facility-model"
SCHEMA = 1
Six = tuple[float, float, float, float, float, float]
Seven = tuple[Vector3, Vector3, Vector3, Vector3, Vector3, Vector3, Vector3]


class LoadSettings(Settings):
    """What hung on a flange when the model was found."""

    mass: float = quantity(..., "kg", "of plate and all that is mounted", ge=0)
    centre: Vector3 = quantity(..., "m", "of its mass, in axes of the plate")


class RobotSettings(Settings):
    """One robot."""

    arm: str = setting(..., "its type")
    load: LoadSettings = setting(..., "what hangs on its flange")
    turns: Seven = quantity(..., "rad", "of the steps base to A1, ..., A6 to flange")
    shifts: Seven = quantity(..., "m", "of the same steps")
    zeros: Six = quantity(..., "rad", "of the axes")
    compliance: Six = quantity(..., "rad/(N m)", "of the gears")


class RailSettings(Settings):
    """The rail."""

    ends: tuple[float, float] = quantity(..., "m", "of E1 that the spline is over")
    spline: tuple[Six, ...] = quantity(..., "-", "coefficients of turns [rad] and shifts [m]")


class ModelSettings(Settings):
    """A static model."""

    about: str = setting("", "where it is from")
    rob1: RobotSettings = setting(..., "robot 1")
    rob2: RobotSettings = setting(..., "robot 2")
    rail: RailSettings = setting(..., "the rail")


def read_model(path: str | Path, geometry: LabGeometry | None = None) -> StaticModel:
    """The model of a file; every problem of the file with its place."""
    document, lab = read_file(Path(path)), geometry or LabGeometry()
    data = document.value if isinstance(document.value, dict) else {}
    if data.get("kind") != KIND:
        raise _error(document, [Misfit(("kind",), f"not a model of a facility; allowed: 'kind: {KIND}'", at="group")])
    if isinstance(data.get("schema"), bool) or data.get("schema") != SCHEMA:
        found = f"{short(data['schema'])} is not known" if "schema" in data else "missing"
        raise _error(document, [Misfit(("schema",), f"{found}; allowed: {SCHEMA}", at="group")])
    try:
        given = ModelSettings.model_validate({k: v for k, v in data.items() if k not in ("kind", "schema")})
    except ValidationError as error:
        raise _error(document, misfits_of(ModelSettings, error)) from None
    problems = _against(given, lab)
    if problems:
        raise _error(document, problems)
    robots = (given.rob1, given.rob2)
    errors = [GeometryErrors(r.shifts, r.turns, r.zeros) for r in robots]
    loads = [Load(r.load.mass, r.load.centre) for r in robots]
    compliance = [r.compliance for r in robots]
    return StaticModel(lab, (loads[0], loads[1]), (errors[0], errors[1]), compliance, given.rail.spline)


def write_model(model: StaticModel, path: str | Path, about: str = "") -> None:
    """Write a model; numbers in SI units with all their digits."""
    lines = [f"kind: {KIND}", f"schema: {SCHEMA}", *([f"about: {write_scalar(about)}"] if about else [])]
    compliance, rail = np.asarray(model.compliance), np.asarray(model.rail)
    for i, name in enumerate(("rob1", "rob2")):
        load, errors = model.loads[i], model.errors[i]
        lines += [f"{name}:", f"  arm: {model.geometry.arms[i]}"]
        lines += [f"  load: {{mass: {load.mass!r}, centre: {_numbers(load.centre)}}}  # [kg], [m] in axes of the plate"]
        for field, unit, rows in (("turns", "rad", errors.turns), ("shifts", "m", errors.shifts)):
            lines += [f"  {field}:  # [{unit}] base to A1, A1 to A2, ..., A6 to flange"]
            lines += [f"    - {_numbers(row)}" for row in rows]
        lines += [f"  zeros: {_numbers(errors.zeros)}  # [rad]"]
        lines += [f"  compliance: {_numbers(compliance[i])}  # [rad/(N m)]"]
    lines += ["rail:", f"  ends: {_numbers(model.geometry.rail)}  # [m] of E1"]
    lines += ["  spline:  # turns [rad] and shifts [m]", *(f"    - {_numbers(row)}" for row in rail)]
    try:
        Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def _numbers(values: object) -> str:
    return f"[{', '.join(repr(float(v)) for v in np.asarray(values, np.float64))}]"


def _against(given: ModelSettings, lab: LabGeometry) -> list[Misfit]:
    """What does not belong to this lab."""
    found = [
        Misfit((name, "arm"), f"{short(robot.arm)} is not the robot of this lab; allowed: {arm}")
        for name, robot, arm in (("rob1", given.rob1, lab.arms[0]), ("rob2", given.rob2, lab.arms[1]))
        if robot.arm != arm
    ]
    if given.rail.ends != lab.rail:
        ends = f"{lab.rail[0]:g} to {lab.rail[1]:g} m"
        found.append(Misfit(("rail", "ends"), f"{list(given.rail.ends)} are not those of this lab; allowed: {ends}"))
    if len(given.rail.spline) < 4:
        found.append(Misfit(("rail", "spline"), f"{len(given.rail.spline)} rows; allowed: 4 or more"))
    return found


def _error(document: Document, found: list[Misfit]) -> ScenarioError:
    ordered = sorted(found, key=lambda f: document.mark(f.path, f.at))
    return ScenarioError([Problem(document.place(f.path, f.at), dotted(f.path), f.message) for f in ordered])
