"""Settings that scenarios of floating platforms share: floor, thrusters, wheel, motion capture."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
from pydantic import model_validator

from freefloat.actuators.thrusters import Feed, Thruster, Thrusters
from freefloat.actuators.valves import Valves
from freefloat.actuators.wheels import ReactionWheels
from freefloat.engine.randomness import stream
from freefloat.engine.sensing import Sensor
from freefloat.errors import FieldError, about
from freefloat.frames import Array
from freefloat.platforms.catalogue import Platform
from freefloat.platforms.height_map import HeightMap, flat, loaded, synthetic
from freefloat.platforms.platform import Floor
from freefloat.scenario.fields import Settings, file, quantity, setting
from freefloat.units import RPM


class FloorSettings(Settings):
    """The floor: level, random and smooth, or a map of a real one."""

    kind: Literal["flat", "uneven"] = setting("uneven", "level, or with heights")
    contact: Literal["three", "single"] = setting("three", "three bearings, or one contact in the middle (no torque)")
    seed: int = quantity(1, "-", "seed of the random floor", ge=0, lt=2**32)
    size: tuple[float, float] = quantity((4.8, 9.0), "m", "length along x and y", gt=1.0, le=100.0)
    peak_to_peak: float = quantity(0.8e-3, "m", "from lowest to highest point; an .npy map has its own", gt=0, le=0.1)
    map: str = file("", "image or .npy of heights; empty: a random floor")
    smoothing: float = quantity(0.15, "m", "width of the Gaussian that smooths a loaded map", ge=0, le=10.0)

    def heights(self) -> HeightMap:
        """The height map, made or read once."""
        return self._heights

    @cached_property
    def _heights(self) -> HeightMap:
        if self.kind == "flat":
            return flat(self.size)
        if self.map:
            with about("floor.map"):
                found = loaded(self.map, self.size[1], self.peak_to_peak, self.smoothing)
            if found.size[0] < self.size[0] - 2.0 * found.spacing:
                raise FieldError(
                    "floor.map",
                    f"{self.map!r}: {found.size[0]:.4g} m along x where it is {self.size[1]:g} m along y; "
                    f"allowed: {self.size[0]:g} m or more along x (floor.size)",
                )
            return found
        return synthetic(self.seed, self.size, self.peak_to_peak)

    def floor(self) -> Floor:
        """The floor with its walls."""
        return Floor(self.size, self.heights())


class ThrusterSettings(Settings):
    """Cold-gas thrusters; the defaults are ideal."""

    opening: float = quantity(0.0, "s", "lag of a valve that opens; 3 ms is open within 10 ms", ge=0, le=1.0)
    closing: float = quantity(0.0, "s", "lag of a valve that closes", ge=0, le=1.0)
    min_on: float = quantity(0.0, "s", "least time open that the valve driver keeps", ge=0, le=10.0)
    min_off: float = quantity(0.0, "s", "least time closed that the valve driver keeps", ge=0, le=10.0)
    strength_sigma: float = quantity(0.0, "-", "standard deviation of each thruster's strength about 1", ge=0, le=1)
    strength_clip: float = quantity(0.3, "-", "largest error of a strength", ge=0, lt=1)
    tilt_sigma: float = quantity(0.0, "rad", "standard deviation of each direction's error in the plane", ge=0, le=0.5)
    drop: float = quantity(0.0, "-", "thrust lost with each further open valve of a bank; about 0.11", ge=0, lt=0.3)
    sag: float = quantity(0.0, "-", "thrust lost in a long pulse; measured: 0.43 within 3 s", ge=0, lt=1)
    sag_lag: float = quantity(0.8, "s", "time constant of that loss", gt=0, le=100)
    specific_impulse: float = quantity(65.0, "s", "of air from a cold nozzle (assumed)", gt=0)
    pressure: float = quantity(3e7, "Pa", "in the gas bottles at the start", gt=0)

    @model_validator(mode="after")
    def _lags_go_together(self) -> ThrusterSettings:
        if (self.opening > 0.0) != (self.closing > 0.0):
            told = f"opening {self.opening:g} s, closing {self.closing:g} s; allowed: both 0 or both positive"
            raise FieldError("opening" if self.opening > 0.0 else "closing", told)
        return self

    @property
    def dwells(self) -> bool:
        """Whether a valve driver stands between controller and valves."""
        return self.min_on > 0.0 or self.min_off > 0.0

    def strengths(self, seed: int, n: int) -> Array:
        """(n,) true thrust over nominal."""
        off = stream(seed, "thruster.strength").normal(0.0, self.strength_sigma, n)
        return 1.0 + np.clip(off, -self.strength_clip, self.strength_clip)

    def part(self, name: str, on: str, platform: Platform, seed: int, period: float = 1e-3) -> Thrusters:
        """The set on a platform, errors drawn from the run's seed; `period` [s] of the valve driver."""
        n = len(platform.nozzles)
        strength = self.strengths(seed, n)
        tilt = stream(seed, "thruster.tilt").normal(0.0, self.tilt_sigma, n)
        z = 0.5 * platform.body.height
        thrusters = [
            Thruster(
                (*nozzle.position, z),
                (*nozzle.direction, 0.0),
                platform.thrust,
                self.specific_impulse,
                self.opening,
                self.closing,
                float(strength[k]),
                (0.0, 0.0, float(tilt[k])),
            )
            for k, nozzle in enumerate(platform.nozzles)
        ]
        banks = [nozzle.manifold for nozzle in platform.nozzles]
        valves = Valves(self.min_on, self.min_off, period) if self.dwells else None
        return Thrusters(name, on, thrusters, valves, banks, Feed(self.drop, self.sag, self.sag_lag))


class WheelSettings(Settings):
    """The reaction wheel and the speed loop of its motor."""

    max_torque: float = quantity(1.7, "N m", "largest torque of the motor", gt=0)
    max_speed: float = quantity(500.0 * RPM, "rad/s", "largest speed", gt=0)
    lag: float = quantity(0.05, "s", "time constant of the speed loop (assumed)", ge=1e-3, le=1.0)
    viscous: float = quantity(0.0, "N m s/rad", "friction that grows with the speed", ge=0)
    dry: float = quantity(0.0, "N m", "friction of the bearings, felt most at low speed", ge=0)
    idle: float = quantity(0.0, "rad/s", "speed at the start, and about which it works")

    @model_validator(mode="after")
    def _idles_below_its_limit(self) -> WheelSettings:
        if abs(self.idle) >= self.max_speed:
            raise FieldError("idle", f"{self.idle:g} rad/s; allowed: below max_speed, {self.max_speed:g} rad/s")
        return self

    def part(self, name: str, on: str, inertia: float, turning: float) -> ReactionWheels:
        """The wheel about z of a body that turns [rad/s] at the start."""
        return ReactionWheels(
            name,
            on,
            [[0.0, 0.0, 1.0]],
            inertia,
            self.max_torque,
            self.max_speed,
            self.viscous,
            self.dry,
            momentum=inertia * (self.idle + turning),
            speed_lag=self.lag,
        )


class MotionCaptureSettings(Settings):
    """Cameras that see the platform's pose, and the wheel's encoder (Table 5.3)."""

    position_variance: float = quantity(1e-5, "m^2", "of white noise on x and on y", ge=0)
    angle_variance: float = quantity(1e-5, "rad^2", "of white noise on the angle", ge=0)
    wheel_variance: float = quantity(1e-4, "rad^2/s^2", "of white noise on the wheel's speed", ge=0)
    delay: float = quantity(0.0, "s", "from the picture to the pose", ge=0, le=1.0)
    dropout: float = quantity(0.0, "-", "probability that a pose is lost", ge=0, lt=1)

    def sensors(self) -> dict[str, Sensor]:
        """By the controller's names."""
        xy, theta = np.sqrt(self.position_variance), np.sqrt(self.angle_variance)
        noise = np.array([xy, xy, theta])
        return {
            "pose": Sensor(noise=noise, delay=self.delay, dropout=self.dropout),
            "wheel": Sensor(noise=np.sqrt(self.wheel_variance)),
        }
