"""SPIDER presses on a plate and slides along it under hybrid position and force control."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.taps import Record
from freefloat.errors import InputError
from freefloat.frames import Array, Pose, quat_exp, quat_to_matrix
from freefloat.gnc.control.operations import Operation
from freefloat.missions.drive_settings import drive_metrics
from freefloat.missions.spider.arm import Spider, assemble
from freefloat.missions.spider.command_settings import placed_in
from freefloat.missions.spider.settings import SpiderSettings
from freefloat.missions.spider.surface import IMPULSE, LENGTH, TOUCH, Kind, Stylus, Surface, elastic, rigid, touching
from freefloat.missions.spider.tip import tip_errors
from freefloat.robots import load_robot
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Settings, Vector3, quantity, setting
from freefloat.scenario.registry import register

DOWN = (-0.2, 0.35, 0.0, 1.45, 0.0, float(np.pi) - 1.8, 0.0)  # [rad] the tool's axis along -z of the mount
GROUP = "force"
SLIDE = 2  # place of the slide among the operations
TOUCHING = 0.1  # [s] after first touch in which the peak of the touch is looked for


class SurfaceSettings(Settings):
    """The plate and what it is made of."""

    kind: Kind = setting("rigid", "held by multipliers (rigid), a spring (elastic), or rigid with mass on a spring")
    gap: float = quantity(0.02, "m", "from the stylus to the plate at the start", gt=0, le=0.2)
    stiffness: float = quantity(1e5, "N/m", "of an elastic plate, or of the spring that carries it", gt=0, le=1e9)
    damping: float = quantity(500.0, "N s/m", "beside the spring", ge=0, le=1e6)
    mass: float = quantity(5.0, "kg", "of the plate", gt=0, le=1e4)
    friction: float = quantity(0.0, "-", "Coulomb's coefficient", ge=0, le=2)
    size: tuple[float, float] = quantity((0.3, 0.4), "m", "edges", gt=0)


class WipeSettings(Settings):
    """What is done: approach until it touches, press, slide."""

    force: float = quantity(20.0, "N", "that is kept", gt=0, le=100)
    approach_speed: float = quantity(0.01, "m/s", "at which the plate is met", gt=0, le=0.1)
    press: float = quantity(3.0, "s", "time for the force to settle before the slide", gt=0)
    by: Vector3 = quantity((0.0, 0.2, 0.0), "m", "way along the plate, in the mount's axes")
    speed: float = quantity(0.02, "m/s", "of the slide", gt=0, le=0.1)
    rest: float = quantity(1.0, "s", "at its end", gt=0)


@register
class SpiderForceControl(Scenario):
    """SPIDER touches a plate, presses with 20 N and slides (Ferretti and others 2004, sec. V-C, Fig. 10)."""

    kind: ClassVar[str] = "spider-force-control"
    title: ClassVar[str] = "SPIDER touches a plate, presses with 20 N and slides along it, with full drives"

    duration: float = quantity(18.0, "s", "simulated time", gt=0, le=1e9)
    arm: SpiderSettings = setting(SpiderSettings(start=DOWN, force_noise=0.1), "the arm")
    surface: SurfaceSettings = setting(SurfaceSettings(), "what it touches")
    wipe: WipeSettings = setting(WipeSettings(), "what it does")
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated; both follow the drives"
    )

    def build(self) -> Mission:
        """As in `spider-motion`, with a stylus in the hand and a plate on the base."""
        spider = self._assemble()
        try:
            spider.operations.begin(self._operations())
        except InputError as e:
            raise placed_in("wipe", e) from None
        hard = self.surface.kind != "elastic"
        force = (f"{TOUCH}.push",) if hard else (f"{TOUCH}.force",)
        return Mission(
            spider.blueprint,
            tasks=spider.tasks,
            events=touching() if hard else (),
            integrator=self.integrator.make(driven=True),
            record_rate=self.record_rate,
            records=[Record(GROUP, (*force, "surface.p_SN"), 1000.0)],
            judge=partial(self._judge, spider=spider),
            plots=("tip.wrench", "surface.p_SN", "arm.torque_gear", "arm.motor_qd"),
            writers=[self._pictures],
        )

    def _assemble(self) -> Spider:
        s, arm = self.surface, self.arm
        X_AT = tool_pose(arm.start)
        p = X_AT.p + X_AT.R @ np.array([0.0, 0.0, LENGTH + s.gap])
        X_AS = Pose(X_AT.R @ np.diag([1.0, -1.0, -1.0]), p)
        plate = Surface(s.kind, f"{arm.base}.mount", X_AS, s.size, s.mass, s.stiffness, s.damping)
        parts, connections = [Stylus(), plate], []
        if s.kind == "elastic":
            parts.append(elastic(s.stiffness, s.damping, s.friction))
        else:
            connections.append(rigid(s.friction))
        drives = arm.all_drives()
        return assemble(
            drives,
            arm.start,
            arm.base,
            None,
            arm.control.make(),
            arm.force_noise,
            parts,
            connections=connections,
        )

    def _operations(self) -> list[Operation]:
        w, axis = self.wipe, _axis(self.arm.start)
        reach = self.surface.gap + 0.02
        return [
            Operation("approach", direction=axis, distance=reach, speed=w.approach_speed, force=0.25 * w.force),
            Operation("press", force=w.force, settle=w.press),
            Operation("slide", by=w.by, speed=w.speed, force=w.force, settle=w.rest),
        ]

    def _judge(self, result: Result, spider: Spider) -> dict[str, float]:
        """The force while it slides, what the touch did, and how near the tip was to its line on the plate."""
        plan = result.controllers["plan"]
        found = {"plan_completed": float(plan.finished), **drive_metrics(result, "arm", spider.drives)}
        time, force = self._force(result)
        begun = [*plan.started_at, np.inf, np.inf, np.inf]
        felt = np.isfinite(force)
        if felt.any():
            first = float(time[felt][0])
            found["touch_force_peak_N"] = float(np.nanmax(force[time <= first + TOUCHING]))
        if self.surface.kind != "elastic" and felt.any():
            found["touch_impulse_N_s"] = float(result[IMPULSE].max())
            told = result[f"{TOUCH}.error"]
            off = [told[np.isfinite(told)], result.of(GROUP)["surface.p_SN"][felt, 2]]  # by the engine, by the poses
            found["constraint_violation_m"] = max(float(np.abs(v).max(initial=0.0)) for v in off)
        if begun[SLIDE] < result.duration:
            error = np.nan_to_num(force[time >= begun[SLIDE]]) - self.wipe.force
            found["force_rms_error_n"] = float(np.sqrt(np.mean(error**2)))
            found["force_error_max_N"] = float(np.abs(error).max())
            instants, off, angle = tip_errors(result)
            axis, on = np.array(_axis(self.arm.start)), instants >= begun[SLIDE]
            along = off[on] - np.outer(off[on] @ axis, axis)
            found["slide_path_error_max_m"] = float(np.linalg.norm(along, axis=1).max())
            found["slide_attitude_error_max_deg"] = float(np.rad2deg(angle[on].max()))
        return found

    def _force(self, result: Result) -> tuple[Array, Array]:
        """Times, and the force between plate and stylus [N]; not a number while a rigid contact is open."""
        record = result.of(GROUP)
        hard = self.surface.kind != "elastic"
        force = record[f"{TOUCH}.{'push' if hard else 'force'}"].ravel()
        return record.t, force if hard else np.where(record["surface.p_SN"][:, 2] < 0.0, force, np.nan)

    def _pictures(self, result: Result, out: Path) -> None:
        from freefloat.missions.spider.force_picture import draw_force  # heavy, and only needed here

        time, force = self._force(result)
        begun = result.controllers["plan"].started_at
        pressed = begun[1] if len(begun) > 1 else np.inf
        wanted = np.where(time >= pressed, self.wipe.force, 0.0)
        draw_force(time, wanted, np.nan_to_num(force), begun, out / "plots" / "contact_force.png")


def tool_pose(q: Sequence[float]) -> Pose:
    """X_AT of SPIDER's tool at the joint positions q."""
    robot, X = load_robot("spider"), Pose.identity()
    for angle, joint in zip(q, robot.moving, strict=True):
        X = X @ joint.X_PJ @ Pose(quat_to_matrix(quat_exp(angle * joint.axis)))
    (hand,) = (link for link in robot.links if "tool" in link.frames)
    return X @ hand.frames["tool"]


def _axis(q: Sequence[float]) -> tuple[float, float, float]:
    """The tool's axis in A, along which it approaches."""
    return tuple(tool_pose(q).R[:, 2].tolist())
