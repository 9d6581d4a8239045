"""A solid that is fixed to a link: seen, touched and met by rays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from freefloat.frames import Pose

ShapeKind: TypeAlias = Literal["box", "sphere", "cylinder", "capsule", "mesh"]


@dataclass(frozen=True)
class Shape:
    """A visible solid G fixed to its link L. Sizes [m]: box half-extents (3), sphere radius (1),
    cylinder and capsule radius and half-length along z (2), mesh scale (3) with `mesh` naming the file.
    """

    kind: ShapeKind
    size: tuple[float, ...]
    X_LG: Pose = field(default_factory=Pose.identity)
    rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.72, 1.0)
    mesh: str = ""


Shapes: TypeAlias = Mapping[str, Sequence[Shape]]  # link name -> shapes
Poses: TypeAlias = Mapping[str, Pose]  # link name -> X_WL
