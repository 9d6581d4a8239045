"""What falls on a spacecraft's surfaces along its orbit: sunlight with eclipses, albedo, the Earth's infrared."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.frames import Array
from freefloat.orbit.heat import albedo_irradiance, earth_infrared
from freefloat.orbit.lighting import sunlight
from freefloat.orbit.reference import ReferenceOrbit
from freefloat.structure.heat.climate import Light


@dataclass(frozen=True)
class OrbitLight:
    """Light at the reference orbit; W has the axes of ECI."""

    reference: ReferenceOrbit

    def __call__(self, t: float, normals_W: Array) -> Light:
        """At t [s] on surfaces with these outward normals (k, 3)."""
        p_I = self.reference.position(t)
        sun = sunlight(self.reference.epoch, t, p_I)
        albedo = albedo_irradiance(normals_W, p_I, sun.direction_I, sun.unshadowed)
        return Light(sun.direction_I, sun.irradiance, sun.visible, albedo, earth_infrared(normals_W, p_I))
