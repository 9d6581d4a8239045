"""The Sun simulator: a floodlight that warms up, and the illuminance that it makes at a point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.amounts import Amount, Measure, Measures, UnfitError, not_negative, positive, take, take_rows
from freefloat.engine.blueprint import Builder
from freefloat.engine.graph import WORLD, Link
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels.bank import Column, Effect, State

DARK, BRIGHT = (0.10, 0.10, 0.11, 1.0), (1.0, 0.97, 0.80, 1.0)
WARM = 3.0  # time constants until it counts as warm: 95 %


def _lamp_stage(t, p, x, u, view, dx, tau, wrench, y, power):  # the one signature of an effect; compiled
    for r in range(p.i.shape[0]):
        on = 1.0 if u[p.i[r, 0]] > 0.5 else 0.0
        dx[r] = (on - x[r]) / p.f[r, 0]
        y[r] = on * x[r] * p.f[r, 1]


LAMP = Effect(
    "sun_lamp",
    _lamp_stage,
    columns=(Column("constant", "s", meaning="of warming and cooling"), Column("flux", "lm", meaning="when warm")),
    commands=("on",),
    states=(State("warmth", "-", meaning="share of the full light that it is warm enough for"),),
    outputs=(Column("flux", "lm", meaning="luminous flux"),),
)


@dataclass(frozen=True)
class SunLamp:
    """A floodlight at p_WL that looks at a point; ARRI Max 12/18 (Benninghoff and others 2017, sec. 2.2.1).

    Its light fills a cone of full angle `beam` evenly, so that at the distance r from it the illuminance on a surface
    that faces it is E = flux / (Omega r^2), Omega = 2 pi (1 - cos(beam / 2)). On, it nears its full flux with a time
    constant of a third of `warm_up` (95 % after it); off, it is dark at once and cools as slowly.
    """

    p_WL: Measures = (9.0, -3.4, 1.2)  # [m] where it stands, assumed
    looks_at: Measures = (2.0, 0.0, 0.0)  # [m] in W, assumed
    flux: Measure = 1.15e6  # [lm] when warm
    power: Measure = 12e3  # [W] electrical
    beam: Measure = 0.5236  # [rad] full angle of its cone, assumed
    warm_up: Measure = 120.0  # [s] assumed

    def __post_init__(self) -> None:
        take_rows(self, "Sun lamp", 3, p_WL=Amount("m"), looks_at=Amount("m"))
        take(self, "Sun lamp", flux=not_negative("lm"), power=not_negative("W"), warm_up=positive("s"))
        take(self, "Sun lamp", beam=positive("rad", le=math.pi))
        self.direction  # noqa: B018  refuses a lamp that looks nowhere

    @property
    def direction(self) -> Array:
        """Unit vector along its axis, in W."""
        d = np.subtract(self.looks_at, self.p_WL)
        length = float(np.linalg.norm(d))
        if length == 0.0:
            raise UnfitError("Sun lamp", "looks_at", self.looks_at, "another point than p_WL")
        return d / length

    @property
    def intensity(self) -> float:
        """[cd] within the cone, when warm."""
        return self.flux / (2.0 * math.pi * (1.0 - math.cos(0.5 * self.beam)))

    def illuminance(self, p_W: ArrayLike, flux: float | None = None, normal: ArrayLike | None = None) -> float:
        """[lx] at a point of W with this flux [lm] (None: the full one), on a surface with that normal (None: one that
        faces the lamp); nothing shades it. Zero outside the cone."""
        ray = np.asarray(p_W, np.float64) - np.array(self.p_WL)
        r = float(np.linalg.norm(ray))
        if r == 0.0 or float(ray @ self.direction) < r * math.cos(0.5 * self.beam):
            return 0.0
        share = 1.0 if flux is None else flux / self.flux if self.flux else 0.0
        n = np.zeros(3) if normal is None else np.asarray(normal, np.float64)
        facing = 1.0 if normal is None else max(0.0, -float(ray @ n) / (r * float(np.linalg.norm(n))))
        return self.intensity * share * facing / r**2

    def build(self, b: Builder, floor: float) -> None:
        """Command `on` (0 or 1), signals `warmth` and `flux`, and the link `head` on its stand."""
        d = self.direction
        across = np.cross(d, (1.0, 0.0, 0.0) if abs(d[0]) < 0.9 else (0.0, 1.0, 0.0))
        across /= np.linalg.norm(across)
        X_WL = Pose(np.column_stack([np.cross(across, d), across, d]), np.array(self.p_WL))
        height = self.p_WL[2] - floor
        stand = Pose(X_WL.R.T, X_WL.inverse().apply((*self.p_WL[:2], floor + 0.5 * max(height, 0.02))))
        shapes = (
            Shape("cylinder", (0.35, 0.20), Pose(np.eye(3), (0.0, 0.0, -0.2)), DARK, name="lamp"),
            Shape("cylinder", (0.31, 0.01), Pose(np.eye(3), (0.0, 0.0, 0.005)), BRIGHT, name="lens"),
            Shape("cylinder", (0.04, 0.5 * max(height, 0.02)), stand, DARK, name="stand"),
        )
        b.body(Link("head", 80.0, np.zeros(3), 5.0 * np.eye(3), shapes))
        b.fix("head_mount", "head", WORLD, X_WL)
        on = b.command("on", (), "-", "1: the Sun lamp is switched on", limits=(0.0, 1.0))
        row = b.add(LAMP.row(b.full("light"), on=on, constant=self.warm_up / WARM, flux=self.flux))
        b.signal_of("warmth", [row], "warmth")
        b.signal_of("flux", [row], "flux")
