"""A joint's drive: motor, driver, gear, friction, brake and resolvers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, overload

from freefloat.amounts import Count, Measure, UnfitError, not_negative, take
from freefloat.drives.brake import Brake
from freefloat.drives.driver import Driver
from freefloat.drives.friction import Friction
from freefloat.drives.gear import Gear
from freefloat.drives.motor import Motor
from freefloat.drives.resolver import Resolver
from freefloat.errors import unknown_name

Level = Literal["ideal", "elastic", "full"]
LEVELS: tuple[Level, ...] = ("ideal", "elastic", "full")

PARTS: dict[str, type] = {
    "motor": Motor,
    "driver": Driver,
    "gear": Gear,
    "friction": Friction,
    "brake": Brake,
    "motor_resolver": Resolver,
    "load_resolver": Resolver,
}


@dataclass(frozen=True)
class JointDrive:
    """What stands between a commanded effort and a joint.

    The rotor turns about the joint's unit axis a; its stator is in the joint's parent link, which turns with w:
        h = J (Om + a.w),  h' = T = T_m - kap tau - F / N - T_brake,  th' = h / J - a.w
    The parent link feels -T a - w x (h a) and, by the joint, -tau a; the child link feels +tau a.
    """

    motor: Motor = field(default_factory=Motor)
    driver: Driver = field(default_factory=Driver)
    gear: Gear = field(default_factory=Gear)
    friction: Friction = field(default_factory=Friction)
    brake: Brake = field(default_factory=Brake)
    motor_resolver: Resolver = field(default_factory=Resolver)
    load_resolver: Resolver = field(default_factory=Resolver)
    substeps: int = 0  # [-] of a step of the plant; 0: as many as winding and gear need at each step
    name: str = ""
    torque_quantum: Measure = 0.0  # [N m] of the torque sensor's reading of the gear's torque; 0: not rounded

    def __post_init__(self) -> None:
        where = self.place
        for name, kind in PARTS.items():
            if not isinstance(value := getattr(self, name), kind):
                raise UnfitError(where, name, value, f"a {kind.__name__}")
        take(self, where, substeps=Count(), torque_quantum=not_negative("N m"))

    @property
    def place(self) -> str:
        """How messages call it."""
        return f"drive {self.name!r}" if self.name else "drive"

    @overload
    def at(self, level: Literal["elastic", "full"]) -> JointDrive: ...
    @overload
    def at(self, level: str) -> JointDrive | None: ...
    def at(self, level: str) -> JointDrive | None:
        """The drive at a level of detail; None at "ideal", where the effort is the joint's torque.

        "elastic": an ideal motor of the same constant and inertia behind the gear's ratio, spring and damper; neither
        friction nor brake, perfect resolvers. "full": all of it.
        """
        if level not in LEVELS:
            raise unknown_name(f"level of {self.place}", str(level), LEVELS)
        if level == "ideal":
            return None
        if level == "full":
            return self
        return replace(
            self,
            motor=replace(self.motor, kind="ideal", viscous=0.0, unbalance=0.0, third_harmonic=0.0),
            gear=replace(
                self.gear, backlash=0.0, hysteresis=0.0, kinematic_error=0.0, kinematic_phase=0.0, torque_loss=0.0
            ),
            friction=Friction(coulomb=0.0, viscous=0.0),
            brake=Brake(torque=0.0),
            motor_resolver=Resolver(bits=0),
            load_resolver=Resolver(bits=0),
            torque_quantum=0.0,
        )
