from __future__ import annotations

from typing import Any, ClassVar, Literal

import pytest

from freefloat.scenario import registry
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Rotation, Settings, Vector3, choice, quantity, rotation, setting


class Bus(Settings):
    mass: float = quantity(1000.0, "kg", "dry mass", gt=0)
    size: Vector3 = quantity((1.0, 1.0, 1.2), "m", "edges in B", gt=0)
    attitude: Rotation = rotation((0.0, 0.0, 0.0), "R_WB at the start")


class PD(Settings):
    kind: Literal["pd"] = setting("pd", "a spring and a damper per joint")
    stiffness: float = quantity(100.0, "N m/rad", "of every joint", ge=0)


class Wheels(Settings):
    kind: Literal["wheels"] = setting("wheels", "reaction wheels")
    speed: float = quantity(..., "rad/s", "largest speed", gt=0)
    axes: tuple[str, ...] = setting(("x",), "driven axes")


class Target(Settings):
    name: str = setting(..., "what it is called")
    at: float = quantity(..., "s", "when it is reached", ge=0)


class Probe(Scenario):
    kind: ClassVar[str] = "probe"
    title: ClassVar[str] = "A scenario with every sort of field"

    integrator: IntegratorSettings = setting(IntegratorSettings(step=0.01), "how the plant is integrated")
    bus: Bus = setting(Bus(mass=500.0), "the bus")
    control: PD | Wheels = choice(PD(stiffness=50.0), "attitude control")
    joints: tuple[float, ...] = quantity((0.1, 0.2), "rad", "joint angles", ge=-4, le=4)
    targets: tuple[Target, ...] = setting((Target(name="a", at=1.0),), "where to go")
    limit: float | None = quantity(None, "N", "largest force", gt=0)
    gains: dict[str, float] = quantity({"roll": 1.0}, "N m", "by axis")
    sound: bool = setting(False, "in space")
    count: int = quantity(3, "-", "of things", ge=1)

    def build(self) -> Any:
        return object()


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> registry.Registry:
    """A registry of scenarios that holds nothing but the probe."""
    fresh = registry.Registry("freefloat.tests-none")
    fresh.add("probe", Probe)
    monkeypatch.setattr(registry, "scenarios", fresh)
    return fresh


@pytest.fixture
def probe(only: Any) -> type[Probe]:
    return Probe
