"""Osculating Keplerian elements, states and the preset orbits (Vallado, Fundamentals of Astrodynamics, ch. 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, positive, take
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array
from freefloat.orbit.earth import R_EQUATOR, RATE

MU = 3.986004415e14  # [m^3/s^2] Earth's GM of EGM2008, GGM05S and JGM3
J2 = 1.0826261738522227e-3  # [-] EGM2008, tide free
R_FIELD = 6378136.3  # [m] reference radius of the same models

TROPICAL_YEAR = 365.2421897 * 86400.0  # [s]
_SINGULAR = 1e-11  # [-] below: circular (e) or equatorial (sin i), angles by convention


@dataclass(frozen=True)
class Elements:
    """A bound orbit: semi-major axis [m], eccentricity [-], angles [rad]; in ECI.

    Where an angle has no meaning (circular, equatorial), `from_state` counts from the node or the x axis instead.
    """

    a: Measure  # [m] semi-major axis
    e: Measure = 0.0  # [-] eccentricity
    i: Measure = 0.0  # [rad] inclination
    raan: Measure = 0.0  # [rad] right ascension of the ascending node
    argp: Measure = 0.0  # [rad] argument of perigee
    nu: Measure = 0.0  # [rad] true anomaly

    def __post_init__(self) -> None:
        take(self, "orbit", a=positive("m"), e=Amount("-", ge=0.0, lt=1.0), i=Amount("rad", ge=0.0, le=math.pi))
        take(self, "orbit", raan=Amount("rad"), argp=Amount("rad"), nu=Amount("rad"))

    @property
    def perigee(self) -> float:
        """Perigee distance from the Earth's centre [m]."""
        return self.a * (1.0 - self.e)

    def mean_motion(self, mu: float = MU) -> float:
        """n [rad/s]."""
        return math.sqrt(mu / self.a**3)

    def period(self, mu: float = MU) -> float:
        """T [s]."""
        return 2.0 * math.pi / self.mean_motion(mu)

    def state(self, mu: float = MU) -> tuple[Array, Array]:
        """p_I [m], v_I [m/s]."""
        p = self.a * (1.0 - self.e**2)
        c, s = math.cos(self.nu), math.sin(self.nu)
        r, k = p / (1.0 + self.e * c), math.sqrt(mu / p)
        P, Q = self._perifocal()
        return r * (c * P + s * Q), k * (-s * P + (self.e + c) * Q)

    def _perifocal(self) -> tuple[Array, Array]:
        cO, sO = math.cos(self.raan), math.sin(self.raan)
        ci, si = math.cos(self.i), math.sin(self.i)
        cw, sw = math.cos(self.argp), math.sin(self.argp)
        P = np.array([cO * cw - sO * sw * ci, sO * cw + cO * sw * ci, sw * si])
        Q = np.array([-cO * sw - sO * cw * ci, -sO * sw + cO * cw * ci, cw * si])
        return P, Q

    def mean_anomaly(self) -> float:
        """M [rad] in [0, 2 pi)."""
        E = 2.0 * math.atan2(
            math.sqrt(1.0 - self.e) * math.sin(self.nu / 2.0), math.sqrt(1.0 + self.e) * math.cos(self.nu / 2.0)
        )
        return (E - self.e * math.sin(E)) % (2.0 * math.pi)

    def advanced(self, dt: float, mu: float = MU) -> Elements:
        """The elements dt [s] later on the Kepler orbit."""
        nu = true_anomaly(self.mean_anomaly() + self.mean_motion(mu) * dt, self.e)
        return Elements(self.a, self.e, self.i, self.raan, self.argp, nu)

    @classmethod
    def from_state(cls, p_I: Measures, v_I: Measures, mu: float = MU) -> Elements:
        """Elements of a state [m, m/s]; an unbound or rectilinear one is an `InputError`."""
        r, v = orbital_state(p_I, v_I)
        distance, h = float(np.linalg.norm(r)), np.cross(r, v)
        momentum = float(np.linalg.norm(h))
        energy = 0.5 * float(v @ v) - mu / distance if distance > 0.0 else 0.0
        if energy >= 0.0 or momentum == 0.0:
            raise InputError(f"the state p={r.tolist()} m, v={v.tolist()} m/s is not on a bound orbit around the Earth")
        e_vector = np.cross(v, h) / mu - r / distance
        w = h / momentum
        e = float(np.linalg.norm(e_vector))
        node = np.array([-w[1], w[0], 0.0])
        equatorial = float(np.linalg.norm(node)) < _SINGULAR
        n = np.array([1.0, 0.0, 0.0]) if equatorial else node / np.linalg.norm(node)
        circular = e < _SINGULAR
        perigee = n if circular else e_vector / e
        return cls(
            -mu / (2.0 * energy),
            0.0 if circular else e,
            math.atan2(math.hypot(w[0], w[1]), w[2]),
            0.0 if equatorial else math.atan2(n[1], n[0]) % (2.0 * math.pi),
            0.0 if circular else _angle(n, perigee, w),
            _angle(perigee, r / distance, w),
        )


def orbital_state(p_I: Measures, v_I: Measures) -> tuple[Array, Array]:
    """A state that a user gave as arrays (3,) [m], (3,) [m/s]."""
    p, v = Amount("m").numbers(p_I, (3,), "orbit: p_I"), Amount("m/s").numbers(v_I, (3,), "orbit: v_I")
    return np.array(p), np.array(v)


def _angle(a: Array, b: Array, axis: Array) -> float:
    """Angle from a to b about the axis, in [0, 2 pi)."""
    return math.atan2(float(np.cross(a, b) @ axis), float(a @ b)) % (2.0 * math.pi)


def true_anomaly(mean: float, e: float) -> float:
    """nu [rad] from the mean anomaly [rad], 0 <= e < 1, by Newton's method on Kepler's equation."""
    M = math.remainder(mean, 2.0 * math.pi)
    E = M + math.copysign(0.85 * e, M)  # Danby's start, converges for every e < 1
    for _ in range(50):
        step = (E - e * math.sin(E) - M) / (1.0 - e * math.cos(E))
        E -= step
        if abs(step) < 1e-15 * max(1.0, abs(E)):
            break
    return 2.0 * math.atan2(math.sqrt(1.0 + e) * math.sin(E / 2.0), math.sqrt(1.0 - e) * math.cos(E / 2.0))


def node_rate(elements: Elements, mu: float = MU) -> float:
    """Secular rate of the node by J2 [rad/s]: -3/2 n J2 (R/p)^2 cos i (Vallado eq. 9-38)."""
    p = elements.a * (1.0 - elements.e**2)
    return -1.5 * elements.mean_motion(mu) * J2 * (R_FIELD / p) ** 2 * math.cos(elements.i)


def sun_synchronous_inclination(a: Measure, e: Measure = 0.0) -> float:
    """Inclination [rad] at which the node follows the mean Sun, one turn in a tropical year."""
    c = (2.0 * math.pi / TROPICAL_YEAR) / node_rate(Elements(a, e, 0.0))
    if abs(c) > 1.0:
        raise InputError(f"no sun-synchronous orbit has a semi-major axis of {a} m")
    return math.acos(c)


def _leo() -> Elements:
    return Elements(R_EQUATOR + 400e3, i=math.radians(51.6))


def _sso() -> Elements:
    a = R_EQUATOR + 700e3
    return Elements(a, i=sun_synchronous_inclination(a))


def _geo() -> Elements:
    return Elements((MU / RATE**2) ** (1.0 / 3.0))


PRESETS = {"leo-400": _leo, "sso-700": _sso, "geo": _geo}


def preset(name: str) -> Elements:
    """The orbit `leo-400` (400 km, 51.6 deg), `sso-700` (700 km, sun-synchronous) or `geo`."""
    if name not in PRESETS:
        raise unknown_name("orbit", name, PRESETS)
    return PRESETS[name]()
