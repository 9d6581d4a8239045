"""Which row of the bank two solids make, closed forms before MuJoCo's search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from freefloat.contact.convex_pair import ConvexPair, hull
from freefloat.contact.surfaces import Ball, Plane, Surface, corners, numbers_of, ring
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels import surfaces as K
from freefloat.kernels.bank import Solid as Made
from freefloat.kernels.contact_row import BALL, CAPSULES, CONVEX

Solid = Shape | Ball | Surface
SURFACES = {"sphere": K.SPHERE, "capsule": K.CAPSULE, "box": K.BOX, "cylinder": K.CYLINDER}
RIM = 16  # balls that stand for each rim of a cylinder on a plane
MOST_CORNERS = 64  # of a mesh on a plane
ROUNDING, LARGEST_ROUNDING = 0.1, 5e-3  # of convex shapes: of the smallest half size, and [m]


NOTHING = Made()


@dataclass(frozen=True)
class Pair:
    """Columns of a row, whether the first solid is its B, and what MuJoCo needs of it."""

    columns: dict[str, Any]
    swapped: bool = False
    solid: Made = NOTHING


def pairs_of(a: Solid, b: Solid) -> list[Pair]:
    """The rows of two solids."""
    ball = _ball(b)
    if ball is not None and not (isinstance(a, Shape) and a.kind == "mesh"):
        return [Pair(_ball_on(a, ball))]
    if _ball(a) is not None and not (isinstance(b, Shape) and b.kind == "mesh"):
        return [replace(pair, swapped=not pair.swapped) for pair in pairs_of(b, a)]
    if isinstance(b, Surface) and not isinstance(a, Surface):
        return [replace(pair, swapped=not pair.swapped) for pair in pairs_of(b, a)]
    if isinstance(a, Surface):
        return [pair for small in _balls_of(a, b) for pair in pairs_of(a, small)]
    assert isinstance(a, Shape | Ball)
    assert isinstance(b, Shape | Ball)
    first, second = _shape(a), _shape(b)
    if first.kind == second.kind == "capsule":
        return [Pair(_capsules(first, second))]
    return [_convex(first, second)]


def _ball(solid: Solid) -> Ball | None:
    if isinstance(solid, Shape) and solid.kind == "sphere":
        x, y, z = solid.X_LG.p.tolist()
        return Ball((x, y, z), solid.size[0])
    return solid if isinstance(solid, Ball) else None


def _shape(solid: Shape | Ball) -> Shape:
    return solid if isinstance(solid, Shape) else Shape("sphere", (solid.radius,), Pose(np.eye(3), solid.p_BC))


def radius_of(shape: Shape) -> float:
    """Radius [m] of a ball around a shape's origin that holds it; not of meshes."""
    if shape.kind in ("sphere", "capsule"):
        return float(sum(shape.size))
    return float(np.linalg.norm(shape.size))


def _frames(X_AS: Pose, X_BC: Pose) -> dict[str, Any]:
    return {"p_AS": X_AS.p, "R_AS": X_AS.R, "p_BC": X_BC.p, "R_BC": X_BC.R}


def _ball_on(a: Solid, ball: Ball) -> dict[str, Any]:
    """A ball on a shape or surface."""
    other = _ball(a)
    if other is not None:
        a = _shape(other)
    if isinstance(a, Shape):
        kind, size, data, X_AS = SURFACES[a.kind], [*a.size, *([0.0] * (3 - len(a.size)))], [], a.X_LG
        far = radius_of(a)
    else:
        assert not isinstance(a, Ball)
        (kind, size, data, far), X_AS = numbers_of(a), a.X_LS
    frames = _frames(X_AS, Pose(np.eye(3), ball.p_BC))
    own = {"pair": BALL, "radius": ball.radius, "half": 0.0, "surface": kind, "size": size, "data": data}
    return {**own, **frames, "reach": far + ball.radius}


def _capsules(a: Shape, b: Shape) -> dict[str, Any]:
    own = {"pair": CAPSULES, "radius": b.size[0], "half": b.size[1], "surface": K.CAPSULE, "size": [*a.size, 0.0]}
    return {**own, "data": [], **_frames(a.X_LG, b.X_LG), "reach": radius_of(a) + radius_of(b)}


def _convex(a: Shape, b: Shape) -> Pair:
    """Any two convex shapes, rounded."""
    smallest = min(min(s.size) for s in (a, b) if s.kind != "mesh") if a.kind != "mesh" or b.kind != "mesh" else 1.0
    rounding = min(LARGEST_ROUNDING, ROUNDING * smallest)
    make = partial(ConvexPair, a, b, rounding)
    tried = make()
    own = {"pair": CONVEX, "radius": 0.0, "half": 0.0, "surface": K.BOX, "size": [0.0, 0.0, 0.0], "data": []}
    return Pair({**own, **_frames(a.X_LG, b.X_LG), "reach": tried.radius_a + tried.radius_b}, solid=Made(make))


def _balls_of(surface: Surface, solid: Solid) -> Sequence[Ball]:
    """Balls that stand for a solid on a surface, exactly so on a plane (of a cylinder's rims, some points)."""
    what = solid.kind if isinstance(solid, Shape) else type(solid).__name__
    if not isinstance(solid, Shape):
        raise InputError(
            f"contact of a {type(surface).__name__} with a {what}: no pair; allowed: shapes and balls on it"
        )
    if not isinstance(surface, Plane):
        raise InputError(f"contact of a {type(surface).__name__} with a {what}: no pair; allowed: spheres, or `balls`")
    if solid.kind == "capsule":
        local = [Ball((0.0, 0.0, end * solid.size[1]), solid.size[0]) for end in (-1, 1)]
    elif solid.kind == "box":
        local = corners(solid.size)
    elif solid.kind == "cylinder":
        radius, half = solid.size
        local = [*ring(radius, -half, RIM), *ring(radius, half, RIM)]
    else:
        points = hull(solid.mesh, solid.size)
        if len(points) > MOST_CORNERS:
            raise InputError(
                f"contact of a plane with {solid.mesh!r}: its hull has {len(points)} corners; allowed: at most "
                f"{MOST_CORNERS}, or give `balls`"
            )
        local = [Ball((x, y, z)) for x, y, z in points.tolist()]
    placed = [(*solid.X_LG.apply(np.array(ball.p_BC)).tolist(), ball.radius) for ball in local]
    return [Ball((x, y, z), radius) for x, y, z, radius in placed]
