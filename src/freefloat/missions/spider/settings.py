"""Settings that SPIDER's scenarios share: the arm, where it stands, what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from freefloat.drives.joint_drive import JointDrive, Level
from freefloat.engine.blueprint import Part
from freefloat.errors import FieldError
from freefloat.frames import Pose
from freefloat.gnc.control.operational import HybridGains
from freefloat.missions.drive_settings import DRIVES, DrivenSettings
from freefloat.missions.spider.arm import Base, Payload, Spider, assemble
from freefloat.scenario.fields import Rotation, Settings, Vector3, quantity, rotation, setting

SUBSTEPS = 16  # [-] of drives that leave their number open: slow motion over cogging needs them for its energy
START = (-0.3, 0.4, 0.0, 1.2, 0.0, 0.8, 0.0)  # [rad] the tip at (0.957, -0.296, 0.619) m in the mount's axes


class HybridSettings(Settings):
    """Gains and limits of operational-space control (`HybridGains`)."""

    tip: float = quantity(5.0, "1/s", "rate at which the reference returns to its line", gt=0, le=100)
    force: float = quantity(6e-3, "m/N/s", "speed of the tip per error of force", gt=0, le=1)
    torque: float = quantity(4e-3, "rad/(N m s)", "angular rate of the tip per error of torque", gt=0, le=1)
    tip_speed: float = quantity(0.1, "m/s", "largest speed of the tip", gt=0, le=1)
    tip_rate: float = quantity(0.1, "rad/s", "largest angular rate of the tip", gt=0, le=1)
    posture: float = quantity(
        0.1, "1/s", "rate at which joints that the tip leaves free go to the start's", gt=0, le=10
    )
    force_filter: float = quantity(200.0, "rad/s", "bandwidth in which the wrist's wrench is taken", gt=0, le=1e4)
    force_lead: float = quantity(8e-3, "s", "time by which the wrench is led, against swings", gt=0, le=1)
    force_yield: float = quantity(
        10.0, "1/s", "rate at which the reference goes to the tip, along forces", gt=0, le=1e3
    )
    load_filter: float = quantity(100.0, "rad/s", "bandwidth in which the servo is told its load", gt=0, le=1e4)
    window: float = quantity(0.05, "rad", "most that references are off the joints", gt=0, le=1)

    def make(self) -> HybridGains:
        """The gains."""
        return HybridGains(**self.model_dump())


class SpiderSettings(DrivenSettings):
    """The arm on its base."""

    drives: Level | tuple[Level, ...] = setting("full", DRIVES)
    base: Base = setting("station", "what it stands on: a station of 4.2e5 kg or a free flyer of 1 t")
    start: tuple[float, ...] = quantity(START, "rad", "joint positions at the start, and the posture it keeps to")
    force_noise: float = quantity(0.0, "N", "standard deviation of a sample of the wrist sensor (N m of torques)", ge=0)
    control: HybridSettings = setting(HybridSettings(), "operational-space control")

    def all_drives(self) -> list[JointDrive]:
        """A drive at every joint."""
        if len(self.start) != 7:
            raise FieldError("arm.start", f"{len(self.start)} numbers; allowed: 7")
        found = self.joint_drives(7, "arm")
        if found is None:
            raise FieldError("arm.drives", "ideal: SPIDER's control reads its resolvers; allowed: elastic, full")
        return [replace(d, substeps=SUBSTEPS) if d.substeps == 0 else d for d in found]

    def make(
        self,
        payload: Payload | None = None,
        parts: Sequence[Part] = (),
        level: int = 0,
        drives: Sequence[JointDrive] | None = None,
    ) -> Spider:
        """The assembled arm; with other drives than those of the settings."""
        own, gains = self.all_drives() if drives is None else drives, self.control.make()
        return assemble(own, self.start, self.base, payload, gains, self.force_noise, parts, level)


class PayloadSettings(Settings):
    """A box that the jaws hold by a bar on one face, or will."""

    mass: float = quantity(0.0, "kg", "mass; 0: there is none", ge=0, le=1000)
    size: Vector3 = quantity((0.5, 0.5, 0.5), "m", "edges; a solid box gives the inertia", gt=0)
    held: bool = setting(True, "held from the start; else it is at rest at `place`")
    place: Vector3 = quantity((0.95, 0.2, 0.62), "m", "where its bar is, in the mount's axes A")
    attitude: Rotation = rotation((0.0, 2.4, -0.3), "attitude of the box in A, z away from the arm")

    def make(self) -> Payload | None:
        """The payload, if there is one."""
        if self.mass == 0.0:
            return None
        X_AG = None if self.held else Pose.from_rpy(self.attitude, self.place)
        return Payload(self.mass, self.size, X_AG)
