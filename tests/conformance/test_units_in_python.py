"""Every number that a user gives to a part may be a text with its unit; what is no number of it is refused by name."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freefloat
import freefloat as ff
from freefloat.actuators import Pulses, ReactionWheels, Tank, Thruster, Valves
from freefloat.actuators.gas_supply import GasSupply
from freefloat.contact import (
    Ball,
    HuntCrossley,
    Impulse,
    LankaraniNikravesh,
    Prism,
    RegularisedFriction,
    SpringDamper,
    StickingFriction,
    Wall,
    cone,
)
from freefloat.contact.laws import hertz_stiffness
from freefloat.contact.surfaces import corners, ring
from freefloat.docking import Docking, DockingCone, DockingProbe
from freefloat.drives.friction import Friction
from freefloat.engine.rows import joint_spring, joint_torque
from freefloat.errors import InputError
from freefloat.orbit.environment import SurfaceForces
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.kepler import Elements
from freefloat.orbit.plates import Plate, box_plates
from freefloat.platforms.catalogue import REACSA, Nozzle, Platform, Wheel
from freefloat.platforms.height_map import flat
from freefloat.platforms.platform import Body, FloatingPlatform, Floor
from freefloat.robots.drive_bench import DriveBench
from freefloat.robots.industrial import IndustrialRobot
from freefloat.robots.industrial_links import Girth
from freefloat.robots.industrial_models import IndustrialModel, industrial_model
from freefloat.sensors import StarTracker, SunSensor
from freefloat.structure import ModuleType, TensorBody, cubic, hexagonal, load_catalogue
from freefloat.structure.faults import Fault
from freefloat.structure.module import Heater, InterfaceType
from freefloat.structure.tensor_part import TensorPart

PACKAGES = ("actuators", "contact", "docking", "drives", "orbit", "platforms", "robots", "sensors", "structure")

# classes with plain numbers that no user gives, and why
FOUND = "what the simulator has found"
STATE = "state that the simulator keeps"
READ = "read from a robot's file, which has units of its own"
ARRAYS = "one of the networks as plain arrays"
EXCEPTIONS = {
    **dict.fromkeys(("Air", "Behaviour", "Geodetic", "Light", "Misalignment", "Sunlight", "MassProperties"), FOUND),
    **dict.fromkeys(("Ledger", "Step", "Record", "Trip", "Flow", "ContactAdvice", "Core", "Result"), FOUND),
    **dict.fromkeys(("ElasticAdvice", "DrawingAdvice"), FOUND),
    **dict.fromkeys(("StandardInterface", "Faults", "Hand", "Services", "Supply", "Wire", "Snapshot"), STATE),
    **dict.fromkeys(("Range", "Inertial", "LinkGraph", "RobotKind", "StandingRobot"), READ),
    **dict.fromkeys(("Faces", "Thermostat"), ARRAYS),
    "Grid": "made by `cubic` and `hexagonal`, which take texts",
    **dict.fromkeys(("Row", "Column", "State"), "a declaration: `Effect.row` takes texts in the columns' units"),
}
PLAIN = {  # single fields, and why
    ("Climate", "sunlit"): STATE,
    ("Dopri54", "rtol"): "relative, without a unit",
    ("Dopri54", "atol"): "of coordinates of all units",
    ("Shape", "rgba"): "a colour",
}
LATER = {  # fields whose unit is known only where they meet a signal or a joint; texts are read there
    *((("Sensor", n)) for n in ("noise", "bias", "quantum")),
    *(("Event", "level"), ("Arm", "q"), ("ImposedMotion", "course"), ("RK4", "step"), ("Dopri5", "step")),
    *(("Dopri54", "step"), ("Dopri54", "max_step")),  # as a run begins
}


def part_classes() -> list[type]:
    """Public dataclasses of the packages, and those that `freefloat` itself shows."""
    found: dict[str, type] = {}
    for package in PACKAGES:
        root = importlib.import_module(f"freefloat.{package}")
        for info in pkgutil.walk_packages(root.__path__, f"freefloat.{package}."):
            for name, item in vars(importlib.import_module(info.name)).items():
                if inspect.isclass(item) and item.__module__ == info.name and not name.startswith("_"):
                    found[f"{info.name}.{name}"] = item
    for name in freefloat.__all__:
        if inspect.isclass(item := getattr(freefloat, name)):
            found[f"freefloat.{name}"] = item
    return [item for item in dict.fromkeys(found.values()) if dataclasses.is_dataclass(item)]


def given(cls: type) -> list[dataclasses.Field[Any]]:
    return [f for f in dataclasses.fields(cls) if f.init and not f.name.startswith("_")]


CLASSES = part_classes()
MEASURED = [
    (cls, field.name)
    for cls in CLASSES
    for field in given(cls)
    if "Measure" in str(field.type) and (cls.__name__, field.name) not in LATER
]


def unit_of(cls: type, field: str) -> str:
    """What the field's comment says in brackets."""
    for base in cls.__mro__[:-1]:
        match = re.search(rf"^    {field}: .*  # \[(.+?)\]", inspect.getsource(base), re.M)
        if match:
            return match[1]
    pytest.fail(f"{cls.__name__}.{field}: its comment has no unit, such as [kg]")


def samples() -> dict[type, Callable[[], Any]]:
    """How to make those that need more than defaults, or whose default is None."""
    epoch = "2024-03-20T12:00:00"
    probe, port = DockingProbe("probe", "ring"), DockingCone("cone", "ring")
    frame = ff.Pose.identity()
    return {
        GasSupply: lambda: GasSupply("gas", "jets"),
        Thruster: lambda: Thruster((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        Tank: lambda: Tank("tank", "bus", ["jets"], 5.0),
        ReactionWheels: lambda: ReactionWheels("wheels", "bus", np.eye(3), momentum=[0.1, 0.2, 0.3]),
        SpringDamper: lambda: SpringDamper(1e4),
        HuntCrossley: lambda: HuntCrossley(1e4),
        LankaraniNikravesh: lambda: LankaraniNikravesh(1e4),
        Impulse: lambda: Impulse(0.5, 1e4),
        RegularisedFriction: lambda: RegularisedFriction(0.3),
        StickingFriction: lambda: StickingFriction(0.3, 1e4),
        Ball: lambda: Ball((0.1, 0.0, 0.0), 0.1),
        Wall: lambda: Wall([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)], 0.1),
        Prism: lambda: Prism(1.0, 0.1),
        DockingCone: lambda: port,
        DockingProbe: lambda: probe,
        Docking: lambda: Docking("docking", probe, port, "touch"),
        Elements: lambda: Elements(7e6),
        Plate: lambda: Plate((1.0, 0.0, 0.0), 2.0, (0.5, 0.0, 0.0)),
        SurfaceForces: lambda: SurfaceForces(Epoch(epoch), ()),
        FallingFrame: lambda: FallingFrame(None),  # type: ignore[arg-type]
        Nozzle: lambda: Nozzle((0.1, 0.2), (1.0, 0.0), 0),
        Wheel: lambda: Wheel(0.1, 0.2, 30.0),
        Platform: lambda: REACSA,
        Body: lambda: REACSA.body,
        Floor: lambda: Floor((5.0, 9.0), flat((5.0, 9.0))),
        FloatingPlatform: lambda: FloatingPlatform("body", REACSA.body, Floor((5.0, 9.0), flat((5.0, 9.0)))),
        type(flat((5.0, 9.0))): lambda: flat((5.0, 9.0)),
        Girth: lambda: Girth(0.2, 0.1, 0.05),
        IndustrialModel: lambda: industrial_model("kr16-2"),
        IndustrialRobot: lambda: IndustrialRobot("robot"),
        DriveBench: lambda: DriveBench("bench", ff_drive(), course=1.0, load_speed=0.1),
        StarTracker: lambda: StarTracker(),
        SunSensor: lambda: SunSensor(lambda t: np.zeros(3), axis=(0.0, 0.0, 1.0)),
        InterfaceType: lambda: InterfaceType("plug"),
        Fault: lambda: Fault("overload", hand="a", until=5.0, max_force=9.0, max_torque=2.0),
        Heater: lambda: Heater(10.0, 260.0, 270.0),
        ModuleType: lambda: ModuleType("cube", 5.0, 0.1 * np.eye(3), (None,) * 6),
        TensorPart: lambda: TensorPart("stack", TensorBody("stack", cubic(1, 1, 1), load_catalogue("mosar"))),
        ff.RigidBody: lambda: ff.RigidBody("bus", inertia=(100.0, 100.0, 100.0)),
        ff.Link: lambda: ff.Link("bus", 5.0, np.zeros(3), np.eye(3)),
        ff.Joint: lambda: ff.Joint("hinge", "revolute", "a", "b", frame),
        ff.Shape: lambda: ff.Shape("box", (1.0, 1.0, 1.0)),
        ff.Connection: lambda: ff.Connection("link", "a", "b"),
        ff.Event: lambda: ff.Event("now", print, at=1.0),
        ff.Ahead: lambda: ff.Ahead("bus.p_WB", 0.1),
        ff.Task: lambda: ff.Task(Nothing(), 0.1),
        ff.Record: lambda: ff.Record("fast", ("bus.p_WB",), 10.0),
        ff.Sensor: lambda: ff.Sensor(rate=10.0),
        ff.Lockstep: lambda: ff.Lockstep(0.1, lambda t, dt: True),
        ff.Arm: lambda: ff.Arm("arm", ff.load_robot("planar_two_link")),
        ff.ImposedMotion: lambda: ff.ImposedMotion("move", "arm.joint1"),
    }


class Nothing:
    def update(self, t: float, meas: Any) -> dict[str, Any]:
        return {}


def ff_drive() -> Any:
    from freefloat.drives.joint_drive import JointDrive

    return JointDrive()


SAMPLES = samples()


def sample(cls: type) -> Any:
    return SAMPLES[cls]() if cls in SAMPLES else cls()


def each(value: Any, change: Callable[[float, int], Any], k: int = 0) -> Any:
    """The value with each of its numbers changed; nested ones know their last index."""
    if np.ndim(value) == 0:
        return change(float(value), k)
    return [each(v, change, k) for k, v in enumerate(value)]


@pytest.mark.parametrize(("cls", "field"), MEASURED, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_a_field_takes_its_unit_and_refuses_nan_and_other_dimensions(cls: type, field: str) -> None:
    one, unit = sample(cls), unit_of(cls, field)
    value = getattr(one, field)
    assert value is not None, "its sample needs a number"
    units = unit.replace("^n", f"^{getattr(one, 'exponent', 1.0):g}").split(" or ")[0].split(", ")

    def text(x: float, k: int) -> str:
        u = units[k] if len(units) > 1 else units[0]
        return repr(x) if u == "-" else f"{x!r} {u}"

    assert np.array_equal(getattr(dataclasses.replace(one, **{field: each(value, text)}), field), value)
    for bad in (math.nan, "nan", "1 kg m/A"):
        with pytest.raises(InputError, match=rf"{field}(\[\d\])*:? .*(; allowed: |finite)"):
            dataclasses.replace(one, **{field: each(value, lambda *_, bad=bad: bad)})


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_no_public_part_has_plain_numbers_without_a_unit(cls: type) -> None:
    of_user = [f for f in given(cls) if not re.search(r"Measure|Callable", str(f.type))]
    plain = [f.name for f in of_user if re.search(r"\bfloat\b|ArrayLike|Vector3", str(f.type))]
    plain = [name for name in plain if (cls.__name__, name) not in PLAIN]
    told = f"{cls.__module__}.{cls.__name__}: make them Measure, with a unit, or an exception with its reason"
    assert not plain or cls.__name__ in EXCEPTIONS, f"{plain} of {told}"


def test_no_exception_is_left_over() -> None:
    names = {cls.__name__ for cls in CLASSES}
    assert EXCEPTIONS.keys() <= names
    assert {name for name, _ in (*PLAIN, *LATER)} <= names


MAKERS: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
    (joint_torque, {"limit": 2.0}, {"limit": "2 N m"}),
    (joint_torque, {"limit": 2.0}, {"limit": "2 N"}),
    (joint_spring, {"stiffness": 5.0, "damping": 0.1}, {"stiffness": "5 N/m", "damping": "100 mN s/m"}),
    (joint_spring, {"lower": 0.5, "upper": 0.6}, {"lower": "50 cm", "upper": "60 cm"}),
    (ff.uniform_gravity, {"g_W": (0, 0, -9.81)}, {"g_W": (0, 0, "-9.81 m/s^2")}),
    (Friction.dry, {"coulomb": 3.0}, {"coulomb": "3 N m"}),
    (Valves, {"min_on": 0.1}, {"min_on": "100 ms"}),
    (Pulses, {"tick": 0.005}, {"tick": "5 ms"}),
    (box_plates, {"size": (1.0, 2.0, 0.5)}, {"size": ("1 m", "2 m", "50 cm")}),
    (corners, {"half": (1.0, 1.0, 0.5)}, {"half": (1.0, "1 m", "50 cm")}),
    (ring, {"circle": 0.5, "z": 0.1, "count": 3}, {"circle": "50 cm", "z": "10 cm", "count": 3}),
    (
        hertz_stiffness,
        {"radii": (0.1, math.inf), "moduli": (7e10, 7e10)},
        {"radii": ("10 cm", math.inf), "moduli": ("70 GPa", "70 GPa")},
    ),
]


@pytest.mark.parametrize(("make", "numbers", "texts"), MAKERS, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_made_of_texts_is_what_is_made_of_numbers(make: Any, numbers: Any, texts: Any) -> None:
    name = ["arm.hinge"] if make is joint_spring else ["arm.hinge", "arm.tau", 0] if make is joint_torque else []
    assert make(*name, **texts) == make(*name, **numbers)
    wrong = {key: each(value, lambda *_: "1 kg m/A") for key, value in numbers.items() if key != "count"}
    for key, value in wrong.items():
        with pytest.raises(InputError, match=key):
            make(*name, **{**numbers, key: value})


def test_grids_and_cones_take_texts() -> None:
    assert cubic(1, 1, 2, "40 cm").spacing == cubic(1, 1, 2).spacing
    assert hexagonal([(0, 0)], "1 m", height="10 cm").spacing == 1.0
    assert cone("35 deg", "36 cm", "1 cm") == cone(math.radians(35.0), 0.36, 0.01)
