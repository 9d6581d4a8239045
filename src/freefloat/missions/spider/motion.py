"""SPIDER moves its tip, commanded at any level; how near it is to where it should be."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.engine.event import Event
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.session import Session
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.operational import CURRENTS, OPERATIONAL
from freefloat.missions.drive_settings import drive_metrics
from freefloat.missions.spider.arm import Spider
from freefloat.missions.spider.command_settings import (
    CurrentCommand,
    RequirementCommand,
    SpiderCommand,
    TorqueCommand,
    checked_values,
    placed_in,
)
from freefloat.missions.spider.settings import PayloadSettings, SpiderSettings
from freefloat.missions.spider.tip import tip_errors, tip_places
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import choice, quantity, setting
from freefloat.scenario.registry import register

REST = 1.0  # [s] at the end of a move in which the tip should stand still


@register
class SpiderMotion(Scenario):
    """SPIDER with full drives follows commands; the default shows its requirements of accuracy."""

    kind: ClassVar[str] = "spider-motion"
    title: ClassVar[str] = "SPIDER's tip at 0.1 m/s, at 1 mm/s and in a step of 1 mm, with motors, gears and friction"

    duration: float = quantity(31.0, "s", "simulated time", gt=0, le=1e9)
    arm: SpiderSettings = setting(SpiderSettings(), "the arm")
    payload: PayloadSettings = setting(PayloadSettings(), "what it holds")
    command: SpiderCommand = choice(RequirementCommand(), "what it is told")
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated; both follow the drives"
    )

    def build(self) -> Mission:
        """Base, arm, jaws, payload; operations, tip control, joint servo and amplifiers as tasks."""
        spider = self.arm.make(self.payload.make(), level=self.command.level)
        events = [*spider.events, *self._direct(spider)]
        try:
            spider.operations.begin(self.command.operations(spider.arm.chain.pose(self.arm.start)))
        except InputError as e:
            raise placed_in("command", e) from None
        return Mission(
            spider.blueprint,
            tasks=spider.tasks,
            events=events,
            integrator=self.integrator.make(driven=True),
            record_rate=self.record_rate,
            judge=partial(self._judge, spider=spider),
            plots=("tip.p_wanted", "tip.p_reached", "arm.q", "arm.torque_gear", "arm.motor_qd"),
            writers=[self._pictures],
        )

    def _direct(self, spider: Spider) -> list[Event]:
        """Torques or currents from the start, and their end."""
        command, starts = self.command, spider.blueprint.starts
        if isinstance(command, CurrentCommand):
            most = [d.driver.max_current for d in spider.drives]
            starts["operator.current"] = checked_values(command.current, most, "command.current", "A")
        elif isinstance(command, TorqueCommand):
            _, most = spider.blueprint.limits["arm.tau"]
            starts["operator.torque"] = checked_values(command.torque, most, "command.torque", "N m")
        else:
            return []
        what = "currents" if command.level == CURRENTS else "torques"
        return [Event(f"{what} end", _hold, at=command.time)]

    def _judge(self, result: Result, spider: Spider) -> dict[str, float]:
        """Errors of the tip, on each leg where there are legs, and what the drives took."""
        time, off, angle = tip_errors(result)
        found = {
            "tip_error_max_m": float(np.linalg.norm(off, axis=1).max()),
            "tip_error_rms_m": float(np.sqrt(np.mean(np.sum(off**2, axis=1)))),
            "tip_attitude_error_max_deg": float(np.rad2deg(angle.max())),
            **drive_metrics(result, "arm", spider.drives),
        }
        if isinstance(self.command, RequirementCommand):
            found |= self._legs(result, time, off, angle)
        return found

    def _legs(self, result: Result, time: Array, off: Array, angle: Array) -> dict[str, float]:
        """By leg, as far as the run got."""
        plan = result.controllers["plan"]
        begins, found = [*plan.started_at, result.duration], dict[str, float]()
        for name, start, end in zip(("fast", "slow"), begins, begins[1:], strict=False):
            on = (time >= start) & (time <= end)
            found[f"tip_error_{name}_m"] = float(np.linalg.norm(off[on], axis=1).max())
            found[f"tip_attitude_error_{name}_deg"] = float(np.rad2deg(angle[on].max()))
        if len(plan.started_at) == 3:
            p = tip_places(result)
            before, after = (time > begins[2] - 0.5 * REST) & (time <= begins[2]), time > time[-1] - 0.5 * REST
            moved = p[after].mean(axis=0) - p[before].mean(axis=0)
            found["step_error_m"] = float(np.linalg.norm(moved - np.asarray(self.command.step)))  # pyright: ignore
            rest = p[time > time[-1] - REST]
            found["hunting_m"] = float(np.linalg.norm(rest.max(axis=0) - rest.min(axis=0)))
        return found

    def _pictures(self, result: Result, out: Path) -> None:
        from freefloat.missions.spider.motion_picture import draw_errors  # heavy, and only needed here

        time, off, angle = tip_errors(result)
        draw_errors(time, off, angle, out / "plots" / "tip_error.png")


def _hold(session: Session) -> None:
    session.write("operator.level", [float(OPERATIONAL)])
