"""Settings that orbit scenarios share: epoch, start and gravity, which make the falling frame."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

from freefloat.engine.mission import Writer
from freefloat.engine.result import Result
from freefloat.errors import about
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.flown import flown_ephemeris
from freefloat.orbit.gravity import GravityField
from freefloat.orbit.kepler import Elements, preset
from freefloat.orbit.oem import write_oem
from freefloat.orbit.reference import GravityOnly, ReferenceOrbit
from freefloat.scenario.fields import Settings, Vector3, choice, quantity, setting

TABLE = 3600.0  # [s] of the reference orbit made at a time
SHORTEST = 60.0  # [s]


class PresetStart(Settings):
    """A circular orbit by its name."""

    kind: Literal["preset"] = setting("preset", "a named orbit")
    orbit: Literal["leo-400", "sso-700", "geo"] = setting(
        "leo-400", "400 km at 51.6 deg, 700 km sun-synchronous, or geostationary"
    )
    node: float = quantity(0.0, "rad", "right ascension of the ascending node")
    anomaly: float = quantity(0.0, "rad", "angle from the node along the orbit at the start")

    def elements(self) -> Elements:
        """Osculating elements at the epoch."""
        e = preset(self.orbit)
        return Elements(e.a, e.e, e.i, self.node, 0.0, self.anomaly)


class ElementsStart(Settings):
    """Osculating Keplerian elements in ECI."""

    kind: Literal["elements"] = setting("elements", "Keplerian elements at the epoch")
    a: float = quantity(6778137.0, "m", "semi-major axis", gt=0)
    e: float = quantity(0.0, "-", "eccentricity", ge=0, lt=1)
    i: float = quantity(0.9, "rad", "inclination", ge=0, le=math.pi)
    node: float = quantity(0.0, "rad", "right ascension of the ascending node")
    perigee: float = quantity(0.0, "rad", "argument of perigee")
    anomaly: float = quantity(0.0, "rad", "true anomaly")

    def elements(self) -> Elements:
        """Osculating elements at the epoch."""
        return Elements(self.a, self.e, self.i, self.node, self.perigee, self.anomaly)


class StateStart(Settings):
    """Position and velocity in ECI."""

    kind: Literal["state"] = setting("state", "position and velocity at the epoch")
    position: Vector3 = quantity((6778137.0, 0.0, 0.0), "m", "p_I at the epoch")
    velocity: Vector3 = quantity((0.0, 4763.3, 6009.9), "m/s", "v_I at the epoch")

    def elements(self) -> Elements:
        """Osculating elements at the epoch."""
        return Elements.from_state(self.position, self.velocity)


class OrbitSettings(Settings):
    """When and where the mission flies, and what pulls it."""

    epoch: str = setting("2026-03-20T12:00:00Z", "UTC at the start of the run, ISO 8601")
    start: PresetStart | ElementsStart | StateStart = choice(PresetStart(), "the orbit at the epoch")
    degree: int = quantity(20, "-", "degree and order of the Earth's gravity field; 0: point mass", ge=0, le=120)
    third_bodies: bool = setting(True, "whether Sun and Moon pull")
    reach: float = quantity(1000.0, "m", "distance of the centre of mass at which the frame W is put back on it", gt=0)

    def period(self) -> float:
        """One turn of the Kepler orbit at the start [s]."""
        return self.start.elements().period()

    def writer(self, *bodies: str) -> Writer:
        """Of the flown orbits as a CCSDS ephemeris, `orbit.oem`, dated with the epoch so that its bytes repeat."""

        def write(result: Result, out: Path) -> None:
            epoch = Epoch(self.epoch)
            flown = [flown_ephemeris(result, body, epoch) for body in bodies]
            write_oem(out / "orbit.oem", flown, created=epoch.isoformat(0.0, 0))

        return write

    def frame(self, duration: float = TABLE) -> FallingFrame:
        """The falling frame W at the start of its reference orbit; for a short run, with a short table."""
        forces = GravityOnly(GravityField(degree=self.degree), ("sun", "moon") if self.third_bodies else ())
        with about("epoch"):
            epoch = Epoch(self.epoch)
        with about("start"):
            if isinstance(self.start, StateStart):
                reference = ReferenceOrbit(epoch, self.start.position, self.start.velocity, forces)
            else:
                reference = ReferenceOrbit.from_elements(epoch, self.start.elements(), forces)
        return FallingFrame(reference, reach=self.reach, ahead=min(max(duration + SHORTEST, SHORTEST), TABLE))
