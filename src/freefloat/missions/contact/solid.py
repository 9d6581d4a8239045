"""A homogeneous body of one shape, free or fixed to the world."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.contact import Ball, corners, ring
from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import Link
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.geometry.shape import Shape

RIM = 12  # balls that stand for a rim of a cylinder


@dataclass(frozen=True)
class Solid:
    """Part: one body of even density, named after the part; its frame B is that of its shape.

    Signals: `name.p_WB`, `.q_WB`, and of a free body `.v_WB`, `.w_WB_B`.
    """

    name: str
    mass: float  # [kg]
    shape: Shape
    motion: Motion
    fixed: bool = False  # to the world, where `motion` has it

    def build(self, b: Builder) -> None:
        """Add the body."""
        link = Link("", self.mass, np.zeros(3), np.diag(inertia_of(self.shape, self.mass)), (self.shape,))
        b.body(link, None if self.fixed else self.motion)
        if self.fixed:
            b.anchor("", self.motion.X_WL)


def inertia_of(shape: Shape, mass: float) -> Array:
    """Principal moments (3,) [kg m^2] of an evenly dense shape about its centre."""
    s = shape.size
    match shape.kind:
        case "box":
            x, y, z = (4.0 * h * h for h in s)
            return mass / 12.0 * np.array([y + z, x + z, x + y])
        case "sphere":
            return np.full(3, 0.4 * mass * s[0] ** 2)
        case "cylinder":
            across = mass * (0.25 * s[0] ** 2 + s[1] ** 2 / 3.0)
            return np.array([across, across, 0.5 * mass * s[0] ** 2])
        case "capsule":
            r, h = s
            tube, ball = 2.0 * h, 4.0 / 3.0 * r  # volumes over pi r^2
            m_tube, m_ball = mass * tube / (tube + ball), mass * ball / (tube + ball)
            across = m_tube * (0.25 * r * r + h * h / 3.0) + m_ball * (0.4 * r * r + h * h + 0.75 * h * r)
            return np.array([across, across, 0.5 * m_tube * r * r + 0.4 * m_ball * r * r])
        case _:
            raise InputError(f"inertia of a {shape.kind}; allowed: box, sphere, cylinder, capsule")


def balls_of(shape: Shape) -> tuple[Ball, ...]:
    """Balls by which a body touches a flat face: its corners, ends or rims."""
    match shape.kind:
        case "box":
            return corners(shape.size)
        case "sphere":
            return (Ball((0.0, 0.0, 0.0), shape.size[0]),)
        case "cylinder":
            radius, half = shape.size
            return (*ring(radius, -half, RIM), *ring(radius, half, RIM))
        case "capsule":
            radius, half = shape.size
            return (Ball((0.0, 0.0, -half), radius), Ball((0.0, 0.0, half), radius))
        case _:
            raise InputError(f"balls of a {shape.kind}; allowed: box, sphere, cylinder, capsule")


def below(balls: tuple[Ball, ...], R: Array) -> float:
    """How far [m] the lowest point of these balls is below the origin, turned by R."""
    return -min(float((R @ np.array(ball.p_BC))[2]) - ball.radius for ball in balls) if balls else -math.inf
