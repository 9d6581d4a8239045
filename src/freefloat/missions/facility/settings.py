"""Settings of the docking facility in scenarios: joints, accuracy, delay, limits, tools, what is mounted."""

from __future__ import annotations

from typing import Literal

from freefloat.errors import about
from freefloat.facility.clearance import MARGIN
from freefloat.facility.equipment import Equipment
from freefloat.facility.user_tool import FIG24, UserTools, read_user_tools
from freefloat.scenario.fields import Settings, Vector3, file, quantity, setting

Outlet = Literal["", "5 V", "12 V", "24 V", "28 V", "230 V"]


class EquipmentSettings(Settings):
    """A piece of equipment that is mounted on an adapter plate besides the mock-up."""

    name: str = setting("equipment", "what it is called in messages")
    mass: float = quantity(1.0, "kg", "mass", gt=0, le=1e4)
    centre: Vector3 = quantity((0.0, 0.0, 0.1), "m", "centre of mass in the plate's frame T, z outwards")
    inertia: Vector3 = quantity((0.01, 0.01, 0.01), "kg m^2", "moments about its centre of mass", gt=0, le=1e4)
    outlet: Outlet = setting("", "outlet of the plate that feeds it; empty: none")
    current: float = quantity(0.0, "A", "that it draws there", ge=0, le=100)
    data: tuple[Literal["RJ-48", "BNC"], ...] = setting((), "data terminals that it takes")

    def make(self) -> Equipment:
        """The part's."""
        return Equipment(self.name, self.mass, self.centre, self.inertia, self.outlet, self.current, self.data)


class FacilitySettings(Settings):
    """The docking facility."""

    joints: Literal["rigid", "elastic"] = setting("rigid", "links follow their motors, or swing behind elastic gears")
    accuracy: Literal["ideal", "calibrated", "raw"] = setting(
        "ideal", "robots as designed; with errors by the seed, corrected by a static model; or with errors alone"
    )
    model: str = file("", "static model of `freefloat facility calibrate`; empty: of a calibration of this very seed")
    delay: float = quantity(0.012, "s", "transport delay of the robot controllers", ge=0, le=0.2)
    on_limit: Literal["stop", "follow"] = setting(
        "stop", "a command beyond limits of speed or acceleration: Safe Stop, or followed with limited jerk"
    )
    margin: float = quantity(MARGIN, "m", "distance that solids keep, but for the docking pair", ge=0, le=1)
    tool: str = file("", "user tools of both robots, a user_tool.val file; empty: those of Fig. 24 of the publication")
    equipment1: tuple[EquipmentSettings, ...] = setting((), "more equipment on the plate of robot 1")
    equipment2: tuple[EquipmentSettings, ...] = setting((), "more equipment on the plate of robot 2")
    confirm: float = quantity(0.0, "s", "the operator confirms not before", ge=0, le=1e6)
    lamp: bool = setting(False, "the Sun lamp is switched on at the start")

    def tools(self) -> UserTools:
        """Those of the file."""
        if not self.tool:
            return FIG24
        with about("facility.tool"):
            return read_user_tools(self.tool)
