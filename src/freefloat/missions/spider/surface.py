"""The plate that SPIDER touches: rigid, elastic, or with mass on a sprung joint; and the stylus that touches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from freefloat.contact import Ball, Contact, Plane, SpringDamper, StickingFriction
from freefloat.docking.sight import SIGHT
from freefloat.engine.blueprint import Builder, Connection, Part
from freefloat.engine.event import Event
from freefloat.engine.graph import Joint, Link
from freefloat.engine.rows import joint_spring
from freefloat.engine.signals import AXES, Signal
from freefloat.engine.sources import RowOutput
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.structure.body import box_inertia

if TYPE_CHECKING:
    from freefloat.engine.session import Session

Kind = Literal["rigid", "elastic", "sprung"]
LENGTH, RADIUS, MASS = 0.03, 0.004, 0.05  # [m], [m], [kg] of the stylus; assumed
THICKNESS = 0.01  # [m] of the plate
SLIP_SPEED = 1e-3  # [m/s] below which friction fades
SUNK = 1e-9  # [m] below the plate at which the touch is located, so that what is held does not cross it again
TOUCH, IMPULSE = "touch", "surface.impulse"


@dataclass(frozen=True)
class Stylus:
    """Part: a pin on the palm whose point, the origin of its link, is what touches."""

    name: str = "stylus"
    on: str = "jaws.grip"

    def build(self, b: Builder) -> None:
        """One link, z out of the palm."""
        pin = Shape(
            "cylinder", (RADIUS, 0.5 * LENGTH), Pose(np.eye(3), (0.0, 0.0, -0.5 * LENGTH)), (0.9, 0.4, 0.2, 1.0)
        )
        middle, inertia = np.array([0.0, 0.0, -0.5 * LENGTH]), box_inertia(MASS, (2 * RADIUS, 2 * RADIUS, LENGTH))
        b.body(Link("", MASS, middle, inertia, (pin,)))
        link, X_LF = b.blueprint.frame(self.on)
        b.fix("mount", "", link, X_LF @ Pose(np.eye(3), (0.0, 0.0, LENGTH)))


@dataclass(frozen=True)
class Surface:
    """Part: a plate, z along its normal, that a stylus may touch.

    Signals `surface.p_SN` and `surface.v_SN` of the stylus' point N in axes of the plate S, and `surface.impulse`
    [N s], what the last plastic impact took.
    """

    kind: Kind
    on: str  # frame that X_AS is in
    X_AS: Pose  # of the middle of its face
    size: tuple[float, float]  # [m]
    mass: float  # [kg]
    stiffness: float  # [N/m] of the spring that carries it
    damping: float  # [N s/m]
    name: str = "surface"
    touched_by: str = "stylus"

    def build(self, b: Builder) -> None:
        """One link: fixed, or on a slide along its normal with a spring and a damper."""
        edges = (*self.size, THICKNESS)
        down = Pose(np.eye(3), (0.0, 0.0, -0.5 * THICKNESS))
        shape = Shape("box", tuple(0.5 * e for e in edges), down, (0.55, 0.6, 0.65, 1.0))
        b.body(Link("", self.mass, down.p, box_inertia(self.mass, edges), (shape,)))
        link, X_LA = b.blueprint.frame(self.on)
        if self.kind == "sprung":
            slide = Joint("slide", "prismatic", link, "", X_LA @ self.X_AS, damping=self.damping)
            joint = b.joint(slide, parent=link)
            b.add(joint_spring(joint, self.stiffness, self.damping))
        else:
            b.fix("mount", "", link, X_LA @ self.X_AS)
        b.command("impulse", (1,), "N s", "of the last plastic impact")
        row = b.add(SIGHT.row(b.full("sight"), cone=self.name, head=self.touched_by))
        for quantity, unit, meaning in (("p", "m", "place"), ("v", "m/s", "velocity")):
            told = f"{meaning} of the stylus' point on the plate; z is how far it is off"
            signal = Signal(b.full(f"{quantity}_SN"), unit, (3,), "S", told, AXES)
            b.signal(signal, [RowOutput(row.name, f"{quantity}_{axis}") for axis in AXES])


def elastic(stiffness: float, damping: float, friction: float) -> Part:
    """The contact of an elastic surface: a spring with a damper, the force of which never pulls."""
    law = SpringDamper(stiffness, damping)
    rubs = StickingFriction(friction, stiffness, damping) if friction > 0.0 else None
    return Contact(TOUCH, "surface", "stylus", law, rubs, surfaces=[Plane()], balls=[Ball((0.0, 0.0, 0.0), 0.0)])


def rigid(friction: float) -> Connection:
    """The contact of a rigid surface: the point slides on the plate and turns freely, and the plate does not pull."""
    free = ("x", "y", "rx", "ry", "rz")
    return Connection(
        TOUCH,
        "surface",
        "stylus",
        hold="constraint",
        free=free,
        pushes="+z",
        friction=friction,
        slip_speed=SLIP_SPEED,
    )


def touching() -> list[Event]:
    """Closes a rigid contact where the point meets the plate: a plastic impact."""
    return [Event("met", _meet, "surface.p_SN", 2, -SUNK, "falling")]


def _meet(session: Session) -> str:
    if np.isfinite(session.read(f"{TOUCH}.push")).all():
        return "held"
    speed = -float(session.read("surface.v_SN")[2])
    X_SN = session.pose("surface").inverse() @ session.pose("stylus")
    lost = float(session.attach(TOUCH, Pose(X_SN.R, (X_SN.p[0], X_SN.p[1], 0.0))))
    impulse = 2.0 * lost / speed if speed > 0.0 else 0.0  # of the mass that is stopped, lost = m v^2 / 2
    session.write(IMPULSE, [impulse])
    return f"{speed:.4g} m/s, {lost:.4g} J lost, {impulse:.4g} N s"
