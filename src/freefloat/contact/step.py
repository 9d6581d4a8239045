"""The longest step for a contact: its springs swing, and its dampers brake, the mass that they act on.

Two balls that meet, with RK4, have an energy that is off in proportion to h^4: at sqrt(k / m) h = 0.4, 0.2, 0.1, 0.05
by 7e-5, 2e-5, 1.7e-6, 1.1e-7 within the contact (the speeds after it by 3e-5, 4e-6, 1.7e-7, 6e-9), with a damper at
c h / m = 0.2, 0.1 by 3e-5, 2e-6. At 0.07 every law stays below the 1e-6 that the audit allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np

from freefloat.engine.advice import Longest
from freefloat.engine.graph import Vector
from freefloat.engine.tree import WORLD, Tree
from freefloat.engine.world import World
from freefloat.kernels.contact_laws import HUNT_CROSSLEY, IMPULSE, LANKARANI_NIKRAVESH, SPRING_DAMPER
from freefloat.kernels.contact_row import REGULARISED, STICKING

MOST = 0.07  # of sqrt(k / m) h and of c h / m
MOST_SLIP = 0.5  # of c h / m where c is the slope of regularised friction: 2e-7
SLOWEST = 0.1  # [m/s] at which bodies are taken to meet, unless they are faster


class Touching(NamedTuple):
    """A pair of a contact: a ball of link b, its centre in b's frame and its radius, may touch link a."""

    a: str
    b: str
    p_BC: tuple[float, ...]  # [m]
    radius: float = 0.0  # [m]
    empty: bool = False  # one of the two is the place of a module that is not there yet: nothing is known of its mass


def peak_penetration(stiffness: float, exponent: float, speed: float, mass: float) -> float:
    """[m] at which a spring k x^n has taken up the energy m v^2 / 2."""
    return float((0.5 * (exponent + 1.0) * mass * speed**2 / stiffness) ** (1.0 / (exponent + 1.0)))


def slope_at_peak(stiffness: float, exponent: float, speed: float, mass: float) -> float:
    """[N/m] of a spring k x^n at the deepest penetration."""
    if exponent == 1.0:
        return stiffness
    return exponent * stiffness * peak_penetration(stiffness, exponent, speed, mass) ** (exponent - 1.0)


def advised_step(stiffness: float, exponent: float, speed: float, mass: float, damping: float = 0.0) -> float:
    """[s] for a mass [kg] that meets a spring k x^n at a speed [m/s], with a damper [N s/m] beside it."""
    spring = _for_spring(slope_at_peak(stiffness, exponent, speed, mass), mass)
    return min(spring, _for_damper(damping, mass)).step


def _for_spring(k: float, m: float) -> Longest:
    return Longest(MOST * math.sqrt(m / k), f"{k:.3g} N/m on {m:.3g} kg; sqrt(k/m) h at most {MOST}")


def _for_damper(c: float, m: float, most: float = MOST) -> Longest:
    return Longest(most * m / c if c > 0.0 else math.inf, f"{c:.3g} N s/m on {m:.3g} kg; c h/m at most {most}")


@dataclass(frozen=True)
class ContactAdvice:
    """Advice of the contact that has the signal `name.gap`, one entry a pair. `numbers` are those of law and friction,
    by the names of the bank's columns."""

    contact: str
    pairs: Sequence[Touching]
    numbers: Mapping[str, float]

    @property
    def name(self) -> str:
        """For the warning."""
        return f"contact {self.contact!r}"

    def longest_step(self, world: World) -> Longest:
        """The shortest over all pairs, if they touched as they stand now: along the normals of now."""
        gaps, masses = world.gradient(f"{self.contact}.gap"), Masses(world.compiled())
        steps = (step for pair, g in zip(self.pairs, gaps, strict=True) for step in self._of(pair, g, masses))
        return min(steps, default=Longest(math.inf))

    def _of(self, pair: Touching, gap: Vector, masses: Masses) -> Iterator[Longest]:
        of = self.numbers
        k, n, m = of["stiffness"], of["exponent"], masses.along(gap)
        speed = max(SLOWEST, masses.speed(pair))
        if m == math.inf or pair.empty:
            return
        press = k * peak_penetration(k, n, speed, m) ** n  # [N] at the peak
        yield _for_spring(slope_at_peak(k, n, speed, m), m)
        yield _for_damper(self._damper(press, speed), m)
        if of["friction"] == STICKING:
            m = masses.across(pair, gap)
            yield _for_spring(of["shear_stiffness"], m)
            yield _for_damper(of["shear_damping"], m)
        elif of["friction"] == REGULARISED:
            yield _for_damper(of["mu"] * press / of["slip_speed"], masses.across(pair, gap), MOST_SLIP)

    def _damper(self, press: float, speed: float) -> float:
        """[N s/m] of the law's damper, at most."""
        law = self.numbers["law"]
        if law in (SPRING_DAMPER, IMPULSE):
            return self.numbers["damping"]
        if law == HUNT_CROSSLEY:
            return 1.5 * self.numbers["damping"] * press
        if law == LANKARANI_NIKRAVESH:
            return 0.75 * (1.0 - self.numbers["restitution"] ** 2) * press / speed
        return 0.0


class Masses:
    """What the pairs of a world push against, 1 / (n^T J M^-1 J^T n); inf where nothing gives."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        m, d = tree.model, tree.data
        mujoco.mj_fwdPosition(m, d)
        M: Vector = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        self.minv = np.linalg.inv(M)

    def along(self, gap: Vector) -> float:
        """[kg] along the normal, from the gradient of the gap: n^T J."""
        return _mass(float(gap @ self.minv @ gap))

    def across(self, pair: Touching, gap: Vector) -> float:
        """[kg] along the surface, where it is least, at the point of the ball that would touch."""
        centre = self._centre(pair)
        n = np.linalg.lstsq(self._jacobian(pair, centre).T, gap)[0]
        n /= max(float(np.linalg.norm(n)), 1e-12)
        J = (np.eye(3) - np.outer(n, n)) @ self._jacobian(pair, centre - pair.radius * n)
        return _mass(float(np.linalg.eigvalsh(J @ self.minv @ J.T)[-1]))

    def speed(self, pair: Touching) -> float:
        """[m/s] of the two links against each other at the ball's centre."""
        return float(np.linalg.norm(self._jacobian(pair, self._centre(pair)) @ self.tree.data.qvel))

    def _centre(self, pair: Touching) -> Vector:
        d, b = self.tree.data, self._body(pair.b)
        return d.xpos[b] + d.xmat[b].reshape(3, 3) @ np.array(pair.p_BC)

    def _body(self, link: str) -> int:
        return 0 if link == WORLD else self.tree.body[link]

    def _jacobian(self, pair: Touching, p: Vector) -> Vector:
        """Of the velocity of b over a at p, in W."""
        m, d = self.tree.model, self.tree.data
        of: list[Vector] = []
        for link in (pair.a, pair.b):
            J: Vector = np.zeros((3, m.nv))
            mujoco.mj_jac(m, d, J, None, p, self._body(link))
            of.append(J)
        return of[1] - of[0]


def _mass(give: float) -> float:
    return 1.0 / give if give > 1e-12 else math.inf
