"""REACSA is pushed and comes back to the origin, beside a platform that nobody controls (Fig. 5.5)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from freefloat.engine.blueprint import Part
from freefloat.engine.event import Event
from freefloat.engine.result import Result
from freefloat.engine.session import Session
from freefloat.errors import FieldError
from freefloat.frames import Array
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference, rest_to_rest
from freefloat.missions.platform.reacsa_scenario import BODY, ReacsaScenario
from freefloat.platforms.catalogue import REACSA
from freefloat.platforms.platform import FloatingPlatform
from freefloat.scenario.base import IntegratorSettings
from freefloat.scenario.fields import Settings, quantity, setting
from freefloat.scenario.registry import register

TWIN = "uncontrolled"


class PushSettings(Settings):
    """A disturbance wrench for a moment (eq. 5.5)."""

    force: tuple[float, float] = quantity((5000.0, 5000.0), "N", "in the floor's axes")
    torque: float = quantity(1000.0, "N m", "about the vertical")
    lasts: float = quantity(1e-3, "s", "time that it lasts", gt=0, le=10.0)
    at: float = quantity(0.0, "s", "time of its start", ge=0)


@register
class ReacsaStabilise(ReacsaScenario):
    """The filter is not told of the push; thrusters and wheel bring the platform back and hold it."""

    kind: ClassVar[str] = "reacsa-stabilise"
    title: ClassVar[str] = "A floating platform is pushed and comes back, beside one that drifts away"

    duration: float = quantity(180.0, "s", "simulated time", gt=0, le=1e6)
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="dopri5", step=0.005), "how the plant is integrated; 5 ms where walls are hit"
    )
    push: PushSettings = setting(PushSettings(), "the disturbance")
    settled: float = quantity(20.0, "s", "time after the push from which on the hold is judged", ge=0)

    def reference(self) -> HermiteReference:
        """At rest in the origin."""
        return rest_to_rest((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), self.duration)

    def others(self) -> list[Part]:
        """The platform that nobody controls: same body, same floor, same push; the two do not touch."""
        single = self.floor.contact == "single"
        return [
            FloatingPlatform(TWIN, REACSA.body, self.floor.floor(), single_contact=single, rgba=(0.85, 0.55, 0.35, 0.5))
        ]

    def events(self) -> list[Event]:
        """The push begins and ends."""
        if self.push.at >= self.duration:
            raise FieldError("push.at", f"{self.push.at:g} s; allowed: before the run ends, {self.duration:g} s")
        wrench = np.array([0.0, 0.0, self.push.torque, *self.push.force, 0.0])

        def hold(value: Array) -> Event:
            def act(session: Session) -> None:
                for name in (BODY, TWIN):
                    session.write(f"{name}.push", value)

            at = self.push.at if value.any() else self.push.at + self.push.lasts
            return Event("push" if value.any() else "push ends", act, at=at)

        return [hold(wrench), hold(np.zeros(6))]

    def judge(self, result: Result) -> dict[str, float]:
        """The tracking figures, how far the push carries it, how well it holds, and where the other one went."""
        found = super().judge(result)
        t, pose = result.time(f"{BODY}.pose"), result[f"{BODY}.pose"]
        distance, angle = np.hypot(pose[:, 0], pose[:, 1]), np.rad2deg(np.abs(pose[:, 2]))
        free = result[f"{TWIN}.pose"]
        held = t >= self.push.at + self.settled
        if held.any():
            found["hold_position_max_m"] = float(distance[held].max())
            found["hold_angle_max_deg"] = float(angle[held].max())
        return found | {
            "push_position_max_m": float(distance.max()),
            "push_angle_max_deg": float(angle.max()),
            "uncontrolled_distance_max_m": float(np.hypot(free[:, 0], free[:, 1]).max()),
            "uncontrolled_turn_max_deg": float(np.rad2deg(np.abs(free[:, 2]).max())),
        }

    def plotted(self) -> tuple[str, ...]:
        """Those of every platform, and the other one's pose."""
        return (*super().plotted(), f"{TWIN}.pose")
