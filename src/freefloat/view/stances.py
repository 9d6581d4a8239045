"""Where robots stand, in pictures of modular spacecraft: a post on the face, in a colour of its own for each robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.view.configuration_scene import AS_BUILT, SHRINK, Contents, Rgb, Spread

Stances = Mapping[str, tuple[int, int]]  # name of a robot -> place and side

COLOURS: tuple[Rgb, ...] = ((1.0, 0.45, 0.0), (0.0, 0.72, 0.72), (0.85, 0.10, 0.60), (0.35, 0.75, 0.10))
FOOT, POST, BALL = 0.19, 0.07, 0.13  # [-] radii over the spacing of the grid
HIGH = 0.55  # [-] the same, height of the post


def stance_colours(names: Sequence[str]) -> dict[str, Rgb]:
    """A colour for each robot, as a legend names them."""
    return {f"robot {name}": COLOURS[k % len(COLOURS)] for k, name in enumerate(names)}


def stance_marks(
    body: Contents, stances: Stances, spread: Spread = AS_BUILT
) -> tuple[dict[str, Sequence[Shape]], dict[str, Pose]]:
    """Shapes and poses X_WL of a post for each robot, for a `Frame`."""
    shapes: dict[str, Sequence[Shape]] = {}
    poses: dict[str, Pose] = {}
    centres, a = body.spread(spread), body.grid.spacing
    for (name, (place, side)), rgb in zip(stances.items(), stance_colours(list(stances)).values(), strict=True):
        X_PF, rgba = body.grid.X_PF[side], (*rgb, 1.0)
        shapes[f"stance {name}"] = (
            Shape("cylinder", (FOOT * a, 0.04 * a), Pose(np.eye(3), (0.0, 0.0, 0.04 * a)), rgba),
            Shape("cylinder", (POST * a, 0.5 * HIGH * a), Pose(np.eye(3), (0.0, 0.0, 0.5 * HIGH * a)), rgba),
            Shape("sphere", (BALL * a,), Pose(np.eye(3), (0.0, 0.0, HIGH * a)), rgba),
        )
        poses[f"stance {name}"] = body.X_WT @ Pose(np.eye(3), centres[place]) @ Pose(X_PF.R, SHRINK * X_PF.p)
    return shapes, poses
