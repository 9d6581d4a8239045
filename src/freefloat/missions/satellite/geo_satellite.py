"""The satellite of `leo-satellite` in geostationary orbit: it turns to the Sun and flies through the Earth's shadow."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from freefloat.missions.orbit_settings import OrbitSettings, PresetStart
from freefloat.missions.satellite.leo_satellite import LeoSatellite
from freefloat.missions.satellite.settings import GnssSettings, InertialSettings, LvlhSettings, SunSettings
from freefloat.scenario.fields import choice, quantity, setting
from freefloat.scenario.registry import register

BEFORE_SHADOW = float(np.deg2rad(165.0))  # [rad] an hour before midnight at an equinox


@register
class GeoSatellite(LeoSatellite):
    """A 100 kg satellite with four wheels, gyro and star tracker, under solar pressure; no drag up there."""

    kind: ClassVar[str] = "geo-satellite"
    title: ClassVar[str] = "A tumbling satellite in geostationary orbit turns to the Sun and crosses the Earth's shadow"

    duration: float = quantity(7200.0, "s", "simulated time", gt=0, le=1e9)
    orbit: OrbitSettings = setting(OrbitSettings(start=PresetStart(orbit="geo", anomaly=BEFORE_SHADOW)), "the orbit")
    gnss: GnssSettings = setting(
        GnssSettings(position_noise=10.0, position_slow=20.0, velocity_noise=0.05, velocity_slow=0.01),
        "the GNSS receiver, which sees side lobes only",
    )
    pointing: SunSettings | LvlhSettings | InertialSettings = choice(SunSettings(), "where the satellite shall point")
