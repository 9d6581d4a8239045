"""What users mount on the adapter plates, checked against plates, robots and outlets (Benninghoff and others 2017,
sec. 2.2.9, Tables 2 and 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from freefloat.amounts import Amount, Count, Measure, Measures, not_negative, positive, take, take_rows
from freefloat.errors import InputError, placed, unknown_name
from freefloat.geometry.shape import Shape
from freefloat.inertia import check_inertia


@dataclass(frozen=True)
class Outlet:
    """Terminals of one kind at the electrical interface block on the back of a plate."""

    name: str
    terminals: int = 1
    current: Measure = 0.0  # [A] most at each terminal; 0: it carries data only

    def __post_init__(self) -> None:
        take(self, f"outlet {self.name!r}", terminals=Count(1), current=not_negative("A"))


OUTLETS: dict[str, Outlet] = {
    outlet.name: outlet
    for outlet in (
        Outlet("5 V", 3, 4.0),
        Outlet("12 V", 2, 2.0),
        Outlet("24 V", 3, 2.5),
        Outlet("28 V", 3, 2.5),
        Outlet("230 V", 1, 10.0),
        Outlet("RJ-48", 2),
        Outlet("BNC", 1),
    )
}
POWER = tuple(name for name, outlet in OUTLETS.items() if outlet.current)
DATA = tuple(name for name, outlet in OUTLETS.items() if not outlet.current)


@dataclass(frozen=True)
class AdapterPlate:
    """A tooling adapter plate between flange and equipment (Table 5), in its frame T: z outwards, x to the block."""

    edge: Measure  # [m] of the square
    payload: Measure  # [kg] most that it carries
    mass: Measure  # [kg]
    inertia: Measures  # [kg m^2] Ixx, Iyy, Izz as printed; taken about the plate's centre in axes of T, assumed
    robot_payload: Measure  # [kg] most that the robot carries, the plate among it (Table 2)
    thickness: Measure = 0.03  # [m] assumed

    def __post_init__(self) -> None:
        take(self, "adapter plate", edge=positive("m"), thickness=positive("m"), mass=positive("kg"))
        take(self, "adapter plate", payload=positive("kg"), robot_payload=positive("kg"))
        take_rows(self, "adapter plate", 3, inertia=positive("kg m^2"))

    @property
    def allowance(self) -> float:
        """[kg] of equipment and mock-up: the tighter of what the plate carries and what it leaves of the robot's."""
        return min(self.payload, self.robot_payload - self.mass)


PLATES = (
    AdapterPlate(0.7, 60.0, 47.0, (19.7, 1.0, 20.3), 100.0),  # of robot 1, the KR100 HA
    AdapterPlate(1.0, 200.0, 54.0, (19.5, 2.5, 21.3), 240.0),  # of robot 2, the KR240-2
)


@dataclass(frozen=True)
class Equipment:
    """A thing on a plate: a sensor, a computer, a docking tool, a mock-up. Places are in T, whose z points outwards."""

    name: str
    mass: Measure = 1.0  # [kg]
    centre: Measures = (0.0, 0.0, 0.1)  # [m] of mass, in T
    inertia: Measures = (0.01, 0.01, 0.01)  # [kg m^2] about that, in axes of T; diagonal or matrix
    outlet: str = ""  # of its power, such as "24 V"; empty: it needs none
    current: Measure = 0.0  # [A] that it draws
    data: Sequence[str] = ()  # terminals of its data, such as ("RJ-48",)
    shapes: Sequence[Shape] = ()  # in T; what is seen of it and touches

    def __post_init__(self) -> None:
        where = f"equipment {self.name!r}"
        take(self, where, mass=positive("kg"), current=not_negative("A"))
        take_rows(self, where, 3, centre=Amount("m"))
        matrix = len(np.shape(self.inertia)) == 2
        take_rows(self, where, *((3, 3) if matrix else (3,)), inertia=Amount("kg m^2"))
        if not matrix:
            object.__setattr__(self, "inertia", tuple(map(tuple, np.diag(self.inertia).tolist())))
        try:
            check_inertia(np.array(self.inertia))
        except InputError as error:
            raise placed(error, where) from None
        self._check_outlets(where)

    def _check_outlets(self, where: str) -> None:
        if isinstance(self.data, str):
            object.__setattr__(self, "data", (self.data,))
        if self.outlet and self.outlet not in POWER:
            raise unknown_name(f"{where}: outlet", self.outlet, POWER)
        for name in self.data:
            if name not in DATA:
                raise unknown_name(f"{where}: data terminal", name, DATA)
        if self.current and not self.outlet:
            raise InputError(f"{where}: current {self.current:g} A from no outlet; allowed: one of {', '.join(POWER)}")
        if self.outlet and self.current > OUTLETS[self.outlet].current:
            most = OUTLETS[self.outlet].current
            raise InputError(f"{where}: current {self.current:g} A at {self.outlet}; allowed: at most {most:g} A")


def check_equipment(robot: Literal[1, 2], equipment: Sequence[Equipment], mockup: Equipment, where: str) -> None:
    """Refuse what one robot's plate cannot carry or connect; `where` begins the message.

    Each thing takes a terminal of its own for its power, and one for each of its data links.
    """
    plate, things = PLATES[robot - 1], (*equipment, mockup)
    names = [thing.name for thing in things]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{where}: two things on the plate of robot {robot} are named {name!r}; names must differ")
    total = sum(thing.mass for thing in things)
    if total > plate.allowance:
        raise InputError(
            f"{where}: {', '.join(names)} on the plate of robot {robot}: {total:g} kg; allowed: at most "
            f"{plate.allowance:g} kg, as the plate carries {plate.payload:g} kg, and the robot {plate.robot_payload:g} "
            f"kg with its plate of {plate.mass:g} kg"
        )
    for outlet in OUTLETS.values():
        users = [thing.name for thing in things for name in (thing.outlet, *thing.data) if name == outlet.name]
        if len(users) > outlet.terminals:
            raise InputError(
                f"{where}: {', '.join(users)} on the plate of robot {robot}: {len(users)} terminals {outlet.name}; "
                f"allowed: at most {outlet.terminals}"
            )
