"""A platform on air bearings: a rigid body that glides in the plane of a floor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Count, Measure, Measures, mixed, not_negative, positive, share, take, take_rows
from freefloat.engine.blueprint import Builder, RowOutput
from freefloat.engine.graph import Link
from freefloat.engine.rows import body_wrench
from freefloat.engine.signals import Signal
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels.bank import Row
from freefloat.kernels.floor import CONTACTS, FLOOR
from freefloat.platforms.floor_picture import floor_drawing
from freefloat.platforms.height_map import HeightMap
from freefloat.units import G0


@dataclass(frozen=True, eq=False)
class Floor:
    """A rectangular floor around the world's origin, walls along its edges."""

    size: Measures  # [m] along x and y
    height: HeightMap
    stiffness: Measure = 5.0e4  # [N/m] of the walls: 0.2 s of contact for 200 kg (assumed)
    damping: Measure = 2.0  # [s/m] of the walls, Hunt and Crossley (assumed)

    def __post_init__(self) -> None:
        take_rows(self, "floor", 2, size=positive("m"))
        take(self, "floor", stiffness=not_negative("N/m"), damping=not_negative("s/m"))


@dataclass(frozen=True)
class Body:
    """A round platform: its body without the wheel's spin, and its bearings."""

    mass: Measure  # [kg]
    inertia: Measure  # [kg m^2] about z, without the wheel's spin
    radius: Measure  # [m]
    height: Measure  # [m] of the visible cylinder
    bearings: int = 3  # 1 to 3
    bearing_radius: Measure = 0.25  # [m] of the circle that the bearings stand on

    def __post_init__(self) -> None:
        take(self, "platform body", mass=positive("kg"), inertia=positive("kg m^2"), radius=positive("m"))
        take(self, "platform body", height=positive("m"), bearing_radius=positive("m"), bearings=Count(1, 3))

    def contacts(self, single: bool) -> Array:
        """p_BC (n, 2) [m] of the bearings, the first on +x; or one contact in the middle."""
        if single or self.bearings == 1:
            return np.zeros((1, 2))
        angles = 2.0 * math.pi * np.arange(self.bearings) / self.bearings
        return self.bearing_radius * np.column_stack([np.cos(angles), np.sin(angles)])


@dataclass(frozen=True, eq=False)
class FloatingPlatform:
    """The body on its bearings. Frame `name` is at its centre, x and y in the floor's plane, z up.

    Signals: `name.pose` [m, m, rad], `name.rate`, `name.floor` [J, N, N, N m]: the floor's potential, force and torque.
    Command `name.push` [torque; force] in the world: a disturbance from outside.
    """

    name: str
    body: Body
    ground: Floor
    pose: Measures = (0.0, 0.0, 0.0)  # [m, m, rad] at the start
    rate: Measures = (0.0, 0.0, 0.0)  # [m/s, m/s, rad/s]
    single_contact: bool = False
    rgba: Measures = (0.75, 0.76, 0.8, 1.0)  # [-] red, green, blue, opacity

    def __post_init__(self) -> None:
        where = f"platform {self.name!r}"
        for name, units in (("pose", ("m", "m", "rad")), ("rate", ("m/s", "m/s", "rad/s"))):
            object.__setattr__(self, name, mixed(getattr(self, name), units, f"{where}: {name}"))
        take_rows(self, where, 4, rgba=share())

    def build(self, b: Builder) -> None:
        """One link that glides, and its row of the floor's bank."""
        body, ground = self.body, self.ground
        half = [0.5 * s - body.radius for s in ground.size]
        if not all(abs(q) <= limit for q, limit in zip(self.pose, half, strict=False)):
            raise InputError(
                f"platform {self.name!r}: starts at ({self.pose[0]:g}, {self.pose[1]:g}) m; "
                f"allowed: |x| <= {half[0]:g} m, |y| <= {half[1]:g} m"
            )
        middle = Pose.from_quat(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.5 * body.height]))
        shapes = (
            Shape("cylinder", (body.radius, 0.5 * body.height), middle, self.rgba),
            Shape("box", (0.5 * body.radius, 0.02, 0.01), _top(body), (0.85, 0.2, 0.15, 1.0)),
        )
        across = 0.5 * body.inertia + body.mass * body.height**2 / 12.0  # out of the plane, where nothing moves
        link = Link("body", body.mass, np.zeros(3), np.diag([across, across, body.inertia]), shapes)
        name = b.body(link)
        b.frame("", name, Pose.identity())
        b.glide("body", self.pose, self.rate)
        row = b.add(self._floor_row(b.full("floor"), name))
        meaning, labels = "potential, and force and torque on the body", ("potential", "force x", "force y", "torque z")
        felt = Signal(row.name, "J, N, N, N m", (4,), "W", meaning, labels)
        b.signal(felt, [RowOutput(row.name, k) for k in range(4)])
        push = b.command("push", (6,), "N m, N", "torque and force from outside, in W")
        b.add(body_wrench(name, push, Pose.identity(), "world"))
        seen = b.blueprint.seen
        seen.traced.append(name)
        if "floor" not in seen.drawn:  # several platforms share one
            seen.drawn["floor"] = floor_drawing(ground.size, ground.height)

    def _floor_row(self, name: str, link: str) -> Row:
        body, ground = self.body, self.ground
        contacts, height = body.contacts(self.single_contact), ground.height
        places = np.zeros((CONTACTS, 2))
        places[: len(contacts)] = contacts
        return FLOOR.row(
            name,
            body=link,
            weight=body.mass * G0 / len(contacts),
            contacts=len(contacts),
            p_BC=places,
            spacing=height.spacing,
            rows=height.coefficients.shape[0],
            columns=height.coefficients.shape[1],
            half=(0.5 * ground.size[0], 0.5 * ground.size[1]),
            radius=body.radius,
            stiffness=ground.stiffness,
            damping=ground.damping,
            coefficients=height.coefficients,
        )


def _top(body: Body) -> Pose:
    place = np.array([0.5 * body.radius, 0.0, body.height + 0.01])
    return Pose.from_quat(np.array([1.0, 0.0, 0.0, 0.0]), place)
