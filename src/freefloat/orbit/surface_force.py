"""Force of air and of sunlight on a flat plate, in any axes.

Plain functions of scalars and indexable triples, without allocation, so that Numba compiles them unchanged. n is the
outward unit normal; a plate that faces away feels nothing. A sphere is a plate whose normal follows the flow or Sun.
"""

from __future__ import annotations

import math

from freefloat.orbit.earth import FLATTENING, R_EQUATOR


def plate_drag(density, cd, area, n, v):
    """Force (x, y, z) [N] of air on a plate that moves through it with v [m/s]: -1/2 rho cd A max(0, n.v) v.

    Free-molecular flow, one coefficient cd [-] on the area facing the flow.
    """
    facing = n[0] * v[0] + n[1] * v[1] + n[2] * v[2]
    if facing <= 0.0:
        return 0.0, 0.0, 0.0
    s = -0.5 * density * cd * area * facing
    return s * v[0], s * v[1], s * v[2]


def plate_light(pressure, specular, diffuse, area, n, s):
    """Force (x, y, z) [N] of sunlight from the direction s (unit, to the Sun), pressure = irradiance / c [N/m^2].

    -P A cos [(1 - specular) s + 2 (specular cos + diffuse / 3) n], cos = n.s > 0; the rest of the light is absorbed
    (Montenbruck and Gill, Satellite Orbits, eq. 3.73, with a Lambertian share).
    """
    cosine = n[0] * s[0] + n[1] * s[1] + n[2] * s[2]
    if cosine <= 0.0:
        return 0.0, 0.0, 0.0
    f = -pressure * area * cosine
    along_s, along_n = f * (1.0 - specular), f * 2.0 * (specular * cosine + diffuse / 3.0)
    return (
        along_s * s[0] + along_n * n[0],
        along_s * s[1] + along_n * n[1],
        along_s * s[2] + along_n * n[2],
    )


def spheroid_height(p, k):
    """Height [m] of p over the Earth's spheroid with pole k: r - a (1 - f sin^2 lat), within 50 m of the geodetic."""
    r = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    sine = (p[0] * k[0] + p[1] * k[1] + p[2] * k[2]) / r
    return r - R_EQUATOR * (1.0 - FLATTENING * sine * sine)


def exponential_density(density, scale_height, height, p, k):
    """Density at p from a sample taken at the `spheroid_height` height: the law between samples."""
    return density * math.exp((height - spheroid_height(p, k)) / scale_height)
