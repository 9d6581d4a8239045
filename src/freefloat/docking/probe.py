"""The probe of a docking port: a head on a rod that an attenuator lets give way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Measure, UnfitError, not_negative, positive, take
from freefloat.contact import Ball
from freefloat.engine.blueprint import Builder
from freefloat.engine.graph import Joint, Link
from freefloat.engine.rows import joint_spring, joint_torque
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape

ROD = 0.3  # radius of the rod over that of the head


@dataclass(frozen=True)
class DockingProbe:
    """Part: a probe on the frame `on`, along its z. The rod slides in a guide, against a spring and a damper.

    The joint `name.slide` is 0 extended and negative compressed, with a stop at either end of the stroke: Hunt and
    Crossley's law. Signals `name.q`, `name.qd` of it, `name.attenuation` [N] the spring's and damper's effort on it.
    Command `name.drive` [N] pushes it out, or retracts it where negative. Links `name.guide` and `name.head`; the
    frame of the head lies in the head's centre. `ball` is the head for a `Contact`.
    """

    name: str
    on: str
    length: Measure = 0.45  # [m] from the frame `on` to the head's centre, extended
    head_radius: Measure = 0.02  # [m]
    head_mass: Measure = 15.0  # [kg] with the rod
    guide_mass: Measure = 10.0  # [kg]
    stroke: Measure = 0.2  # [m]
    stiffness: Measure = 1500.0  # [N/m]
    damping: Measure = 800.0  # [N s/m]
    stop_stiffness: Measure = 5e4  # [N/m]
    stop_damping: Measure = 20.0  # [s/m]
    drive: Measure = 1000.0  # [N] largest effort of the retraction drive

    def __post_init__(self) -> None:
        where = f"probe {self.name!r}"
        take(self, where, length=positive("m"), head_radius=positive("m"), stroke=positive("m"))
        take(self, where, head_mass=positive("kg"), guide_mass=positive("kg"), drive=not_negative("N"))
        take(self, where, stiffness=not_negative("N/m"), damping=not_negative("N s/m"))
        take(self, where, stop_stiffness=positive("N/m"), stop_damping=not_negative("s/m"))
        if self.stroke >= self.length:
            raise UnfitError(where, "stroke", self.stroke, f"below its length, {self.length:g} m")

    @property
    def head(self) -> str:
        """Name of the head's link."""
        return f"{self.name}.head"

    @property
    def ball(self) -> Ball:
        """The head, in its own frame."""
        return Ball((0.0, 0.0, 0.0), self.head_radius)

    @property
    def mass(self) -> float:
        """[kg] of head and guide."""
        return self.head_mass + self.guide_mass

    def build(self, b: Builder) -> None:
        """Guide and head, the slide between them with its spring, stops and drive."""
        r, rod = self.head_radius, ROD * self.head_radius
        free = self.length - self.stroke  # [m] of the guide, which the rod leaves
        look = Pose(np.eye(3), [0.0, 0.0, 0.5 * free])
        tube = Shape("cylinder", (2.0 * rod, 0.5 * free), look, (0.35, 0.37, 0.42, 1.0))
        b.body(Link("guide", self.guide_mass, look.p, _tube(self.guide_mass, 2.0 * rod, free), (tube,)))
        back = Pose(np.eye(3), [0.0, 0.0, -0.5 * self.stroke])
        shapes = (
            Shape("sphere", (r,), rgba=(0.85, 0.35, 0.2, 1.0)),
            Shape("cylinder", (rod, 0.5 * self.stroke), back, (0.75, 0.75, 0.78, 1.0)),
        )
        b.body(Link("head", self.head_mass, back.p, _tube(self.head_mass, r, self.stroke), shapes))
        slide = Joint(
            "slide",
            "prismatic",
            "guide",
            "head",
            Pose(np.eye(3), [0.0, 0.0, self.length]),
            lower=-self.stroke,
            upper=0.0,
            effort=self.drive,
        )
        joint = b.joint(slide)
        b.mount(self.on, "guide")
        spring = joint_spring(
            joint,
            self.stiffness,
            self.damping,
            lower=-self.stroke,
            upper=0.0,
            stop_stiffness=self.stop_stiffness,
            stop_damping=self.stop_damping,
        )
        b.joint_signals([joint], "m")
        b.signal_of("attenuation", [b.add(spring)], "effort", "spring, damper and stops on the slide", "N")
        command = b.command("drive", (1,), "N", "effort of the drive on the slide", (-self.drive, self.drive))
        b.add(joint_torque(joint, command, 0, self.drive))


def _tube(mass: float, radius: float, length: float) -> np.ndarray:
    """Inertia [kg m^2] of a solid cylinder along z."""
    across = mass * (radius**2 / 4.0 + length**2 / 12.0)
    return np.diag([across, across, 0.5 * mass * radius**2])
