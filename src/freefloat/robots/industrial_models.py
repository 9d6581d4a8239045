"""Types of industrial robots as bodies: masses, gears' stiffness and damping, rotors; all assumed
(docs/reference/parameters.md, "Industrial robots")."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.amounts import Measure, Measures, not_negative, positive, take, take_rows
from freefloat.engine.graph import LinkGraph
from freefloat.errors import unknown_name
from freefloat.robots.industrial_links import Girth, industrial_graph
from freefloat.robots.shipped import load_robot
from freefloat.six_axis_arms import Six, SixAxisArm, six_axis_arm


def _wrist(first: float, last: float) -> Six:
    return first, first, first, last, last, last


@dataclass(frozen=True)
class IndustrialModel:
    """What a type of robot is made of."""

    arm: SixAxisArm
    mass: Measure  # [kg] of all links, the base among them
    girth: Girth
    stiffness: Measures  # [N m/rad] of the gears, output side
    damping: Measures  # [N m s/rad] of the gears
    rotor: Measures  # [kg m^2] inertia of the motor times the gear's ratio: what the link that carries it feels
    file: str = ""  # a shipped robot file in place of mass and girth

    def __post_init__(self) -> None:
        where = f"industrial robot {self.arm.name!r}"
        take(self, where, mass=positive("kg"))
        take_rows(self, where, 6, stiffness=positive("N m/rad"), damping=not_negative("N m s/rad"))
        take_rows(self, where, 6, rotor=positive("kg m^2"))

    def graph(self) -> LinkGraph:
        """Links and joints; root `base`, joints A1 to A6, frame `flange`."""
        return load_robot(self.file) if self.file else industrial_graph(self.arm, self.mass, self.girth)


HEAVY = Girth(0.42, 0.16, 0.13)
MODELS: dict[str, IndustrialModel] = {
    model.arm.name: model
    for model in (
        IndustrialModel(
            six_axis_arm("kr16-2"),
            235.0,
            Girth(0.2, 0.08, 0.06),
            _wrist(4e5, 4e4),
            _wrist(400.0, 40.0),
            _wrist(0.2, 0.05),
            "kr16_2",
        ),
        IndustrialModel(six_axis_arm("kr240-2"), 1267.0, HEAVY, _wrist(3e6, 6e5), _wrist(3e3, 600.0), _wrist(1.0, 0.3)),
        IndustrialModel(
            six_axis_arm("kr100-ha"), 1200.0, HEAVY, _wrist(3e6, 6e5), _wrist(3e3, 600.0), _wrist(1.0, 0.3)
        ),
    )
}


def industrial_model(name: str) -> IndustrialModel:
    """A type by its name: "kr16-2", "kr240-2" or "kr100-ha"."""
    if name not in MODELS:
        raise unknown_name("industrial robot", name, MODELS)
    return MODELS[name]
