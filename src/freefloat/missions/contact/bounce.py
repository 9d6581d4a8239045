"""Bodies of several shapes drop on a tilted plate, bounce, slide and roll: contact for newcomers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from freefloat.contact import Contact
from freefloat.engine.blueprint import Motion, Part
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.rows import uniform_gravity
from freefloat.errors import FieldError
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.missions.contact.settings import Friction, HuntCrossleySettings, Law, RegularisedSettings
from freefloat.missions.contact.solid import Solid, balls_of, below
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Rotation, Settings, Vector3, choice, quantity, rotation, setting
from freefloat.scenario.registry import register

AT_REST = 5e-3  # [m/s] and, at a body's size, [m/s] of turning: slower is at rest on the plate


class OnGround(Settings):
    """The plate stands on the ground, and bodies fall on it."""

    kind: Literal["ground"] = setting("ground", "where the plate is")
    gravity: float = quantity(9.81, "m/s^2", "downwards", gt=0, le=1000)
    drop_height: float = quantity(
        0.1, "m", "between the plate and each body at the start, along the normal", ge=0, le=100
    )


class InFreeFall(Settings):
    """No weight: the bodies fly towards the plate, which floats freely or is held."""

    kind: Literal["free-fall"] = setting("free-fall", "where the plate is")
    speed: float = quantity(0.5, "m/s", "of the bodies towards the plate at the start", gt=0, le=100)
    distance: float = quantity(
        0.05, "m", "between the plate and each body at the start, along the normal", ge=0, le=100
    )
    fixed: bool = setting(False, "whether the plate is held; a free one is pushed away")


class PlateSettings(Settings):
    """The plate; bodies start over its upper end and slide along its x axis."""

    tilt: float = quantity(math.radians(12.0), "rad", "about y, so that +x goes down", ge=-1.4, le=1.4)
    size: Vector3 = quantity((2.2, 0.9, 0.06), "m", "edges", gt=0, le=100)
    mass: float = quantity(20.0, "kg", "of a free plate", gt=0, le=1e6)


class BodySettings(Settings):
    """One body."""

    shape: Literal["sphere", "box", "capsule", "cylinder"] = setting("sphere", "its shape")
    mass: float = quantity(1.0, "kg", "of even density", gt=0, le=1e6)
    radius: float = quantity(0.06, "m", "of a sphere, capsule or cylinder", gt=0, le=10)
    length: float = quantity(0.12, "m", "of a cylinder, or of a capsule between the centres of its ends", gt=0, le=10)
    size: Vector3 = quantity((0.14, 0.12, 0.08), "m", "edges of a box", gt=0, le=10)
    attitude: Rotation = rotation((0.0, 0.0, 0.0), "against the plate at the start")

    def solid(self, colour: tuple[float, float, float, float]) -> Shape:
        """Its shape."""
        match self.shape:
            case "sphere":
                size: tuple[float, ...] = (self.radius,)
            case "box":
                size = tuple(0.5 * edge for edge in self.size)
            case _:
                size = (self.radius, 0.5 * self.length)
        return Shape(self.shape, size, rgba=colour)


LYING = (0.5 * math.pi, 0.0, 0.0)
BODIES = {
    "ball": BodySettings(),
    "box": BodySettings(shape="box", attitude=(0.0, 0.3, 0.0)),
    "capsule": BodySettings(shape="capsule", radius=0.04, attitude=LYING),
    "can": BodySettings(shape="cylinder", radius=0.05, attitude=(0.0, -0.25, 0.0)),
}
COLOURS = (
    (0.84, 0.33, 0.20, 1.0),
    (0.16, 0.46, 0.80, 1.0),
    (0.20, 0.62, 0.38, 1.0),
    (0.86, 0.66, 0.16, 1.0),
    (0.55, 0.36, 0.75, 1.0),
)
GREY = (0.72, 0.74, 0.77, 1.0)


@register
class Bounce(Scenario):
    """Each body touches the plate, by a contact of its own (`touch_ball`, ...); bodies do not touch each other."""

    kind: ClassVar[str] = "bounce"
    title: ClassVar[str] = "A ball, a box, a capsule and a can drop on a tilted plate: bouncing, sliding, rolling, rest"

    duration: float = quantity(1.5, "s", "simulated time", gt=0, le=1e9)
    record_rate: float = quantity(500.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="dopri5", step="auto"), "how the plant is integrated; the step follows the stiffness"
    )
    place: OnGround | InFreeFall = choice(OnGround(), "on the ground, or in free fall")
    plate: PlateSettings = setting(PlateSettings(), "the plate")
    law: Law = choice(HuntCrossleySettings(), "force along the normal")
    friction: Friction = choice(RegularisedSettings(), "force along the plate")
    bodies: dict[str, BodySettings] = setting(BODIES, "what falls on it, side by side, by name")

    def build(self) -> Mission:
        """The plate, the bodies, and a contact for each."""
        if not self.bodies or "plate" in self.bodies:
            raise FieldError("bodies", f"{list(self.bodies)}; allowed: at least one, and none that is named 'plate'")
        X_WP = Pose.from_rpy((0.0, self.plate.tilt, 0.0), (0.0, 0.0, 0.0))
        half = tuple(0.5 * edge for edge in self.plate.size)
        fixed = isinstance(self.place, OnGround) or self.place.fixed
        parts: list[Part] = [Solid("plate", self.plate.mass, Shape("box", half, rgba=GREY), Motion(X_WP), fixed)]
        for n, (name, body) in enumerate(self.bodies.items()):
            solid = body.solid(COLOURS[n % len(COLOURS)])
            balls = balls_of(solid)
            parts.append(Solid(name, body.mass, solid, self._start(n, body, below(balls, _turned(body)), X_WP)))
            parts.append(Contact(f"touch_{name}", "plate", name, self.law.make(), self.friction.make(), balls=balls))
        return Mission(
            parts,
            rows=[uniform_gravity((0.0, 0.0, -self.place.gravity))] if isinstance(self.place, OnGround) else [],
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=self._judge,
            writers=[self._pictures],
        )

    def _start(self, n: int, body: BodySettings, depth: float, X_WP: Pose) -> Motion:
        """Over the upper end of the plate, in a lane of its own."""
        length, width, thickness = self.plate.size
        lane = width * ((n + 0.5) / len(self.bodies) - 0.5)
        above, speed = (
            (self.place.drop_height, 0.0)
            if isinstance(self.place, OnGround)
            else (self.place.distance, self.place.speed)
        )
        end = -0.42 * math.copysign(length, self.plate.tilt) if isinstance(self.place, OnGround) else 0.0
        X_PB = Pose(_turned(body), np.array([end, lane, 0.5 * thickness + depth + above]))
        v = X_WP.R @ np.array([0.0, 0.0, -speed])
        return Motion(X_WP @ X_PB, (0.0, 0.0, 0.0), (float(v[0]), float(v[1]), float(v[2])))

    def _judge(self, result: Result) -> dict[str, float]:
        """What became of the bodies, seen from the plate."""
        rests, slides, rebounds = 0, [0.0], [0.0]
        for name, body in self.bodies.items():
            gap = result[f"touch_{name}.gap"].min(axis=1)
            met = np.flatnonzero(gap <= 0.0)
            rebounds.append(float(gap[met[0] :].max()) if len(met) else 0.0)
            p = self._seen(result, name)
            slides.append(float(np.linalg.norm(p[-1, :2] - p[0, :2])))
            back = max(0, len(p) - 1 - round(0.1 * self.record_rate))
            moved = float(np.linalg.norm(p[-1] - p[back]))
            turned = float(np.linalg.norm(result[f"{name}.w_WB_B"][-1])) * body.radius
            if len(met) and moved < 0.1 * AT_REST and turned < AT_REST:
                rests += 1
        return {
            "bodies_at_rest": float(rests),
            "largest_rebound_m": max(rebounds),
            "longest_slide_m": max(slides),
        }

    def _seen(self, result: Result, name: str) -> Array:
        """Where a body was over the plate, p_PB (n, 3) [m]."""
        X = [Pose.from_quat(q, p) for q, p in zip(result["plate.q_WB"], result["plate.p_WB"], strict=True)]
        return np.array([x.inverse().apply(p) for x, p in zip(X, result[f"{name}.p_WB"], strict=True)])

    def _pictures(self, result: Result, out: Path) -> None:
        from freefloat.view.touching import draw_touching  # heavy, and only needed here

        draw_touching(result, {name: f"touch_{name}" for name in self.bodies}, out / "plots")


def _turned(body: BodySettings) -> Array:
    return Pose.from_rpy(body.attitude, (0.0, 0.0, 0.0)).R
