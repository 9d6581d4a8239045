"""A rigid spacecraft or payload: one body, free to move, with named frames and an outside wrench to command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from freefloat.amounts import Amount, Measure, Measures, take, take_rows
from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import Link
from freefloat.engine.rows import body_wrench
from freefloat.errors import InputError, placed
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.inertia import check_inertia


def box_inertia(mass: float, size: ArrayLike) -> np.ndarray:
    """Inertia about the centre of a solid box with edges `size` [m]: diag [kg m^2]."""
    a, b, c = np.asarray(size, dtype=np.float64) ** 2
    return mass / 12.0 * np.diag([b + c, a + c, a + b])


@dataclass(frozen=True)
class RigidBody:
    """One free rigid body B named after the part, with frame B at its origin.

    Signals: `name.p_WB`, `.q_WB`, `.v_WB`, `.w_WB_B`. Command: `name.wrench` [torque; force] at the origin, in B.
    """

    name: str
    mass: Measure = 1000.0  # [kg]
    inertia: Measures | None = None  # [kg m^2] I_BBcm_B as diagonal (3,) or matrix; None: a solid box of `size`
    size: Measures = (2.0, 2.0, 2.0)  # [m] edges of the drawn box
    p_BBcm: Measures = (0.0, 0.0, 0.0)  # [m]
    frames: Mapping[str, Pose] = field(default_factory=lambda: MappingProxyType({}))  # name -> X_BF
    motion: Motion = field(default_factory=Motion)
    colour: Measures = (0.82, 0.70, 0.36, 1.0)  # [-] red, green, blue, opacity
    variable: bool = False  # its mass may change while the run goes on (`actuators.Tank`)

    def __post_init__(self) -> None:
        where = f"body {self.name!r}"
        take(self, where, mass=Amount("kg", gt=0.0))
        take_rows(self, where, 3, size=Amount("m", gt=0.0), p_BBcm=Amount("m"))
        take_rows(self, where, 4, colour=Amount("-", ge=0.0, le=1.0))
        if not isinstance(self.motion, Motion):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"{where}: motion {self.motion!r}; allowed: a Motion")
        if self.inertia is not None:
            matrix = len(np.shape(self.inertia)) == 2
            take_rows(self, where, *((3, 3) if matrix else (3,)), inertia=Amount("kg m^2"))

    def build(self, b: Builder) -> None:
        """Add the body, its frames and the wrench command."""
        inertia = box_inertia(self.mass, self.size) if self.inertia is None else np.array(self.inertia)
        if inertia.ndim == 1:
            inertia = np.diag(inertia)
        try:
            check_inertia(inertia)
        except InputError as e:
            raise placed(e, f"body {self.name!r}") from None
        shape = Shape("box", tuple(0.5 * s for s in self.size), rgba=self.colour)
        link = Link("", self.mass, np.array(self.p_BBcm), inertia, (shape,), self.frames, self.variable)
        full = b.body(link, self.motion)
        wrench = b.command("wrench", (6,), "N m, N", "outside torque and force at the origin, in B")
        b.add(body_wrench(full, wrench, Pose.identity(), "body"))
