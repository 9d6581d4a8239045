"""A solid that is fixed to a link: seen, touched and met by rays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from freefloat.amounts import Amount, Measures, take_rows
from freefloat.errors import InputError
from freefloat.frames import Pose

ShapeKind: TypeAlias = Literal["box", "sphere", "cylinder", "capsule", "mesh"]
SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "mesh": 3}  # numbers of each kind


@dataclass(frozen=True)
class Shape:
    """A solid G fixed to its link L. Sizes [m]: box half-extents (3), sphere radius (1),
    cylinder and capsule radius and half-length along z (2), mesh scale (3) with `mesh` naming the file.
    `name` is the one that a robot's file gives it; several shapes of a link may share one.
    """

    kind: ShapeKind
    size: Measures  # [m]
    X_LG: Pose = field(default_factory=Pose.identity)
    rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.72, 1.0)
    mesh: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if self.kind not in SIZES:
            raise InputError(f"shape: kind {self.kind!r}; allowed: {', '.join(SIZES)}")
        where = f"shape {self.name!r}" if self.name else f"shape ({self.kind})"
        take_rows(self, where, SIZES[self.kind], size=Amount("-") if self.kind == "mesh" else Amount("m", ge=0.0))
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"shape: name {self.name!r}; allowed: text")


Shapes: TypeAlias = Mapping[str, Sequence[Shape]]  # link name -> shapes
Poses: TypeAlias = Mapping[str, Pose]  # link name -> X_WL
