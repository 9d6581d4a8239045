"""The docking facility as programs and operators meet it: `freefloat facility serve` runs it without an end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, Literal

from freefloat.engine.mission import Mission
from freefloat.facility.cameras import write_observation
from freefloat.facility.outside import Outside
from freefloat.facility.part import START
from freefloat.facility.procedure import automatic
from freefloat.missions.facility.scenario import FacilityScenario
from freefloat.scenario.fields import Settings, quantity, setting
from freefloat.scenario.registry import register


class LinkSettings(Settings):
    """The sync link, by which applications command the facility."""

    gone: float = quantity(
        1.0, "s", "an application that is silent for so long has left; another may come", gt=0, le=60
    )
    timeout: float = quantity(1.0, "s", "in lockstep, how long a cycle waits for the application's answer", gt=0, le=60)


@register
class ServedFacility(FacilityScenario):
    """The lab with its operation. What moves it comes from outside: applications, robot controllers, operators."""

    kind: ClassVar[str] = "facility"
    title: ClassVar[str] = "The docking facility for programs and operators who connect to it"

    duration: float = quantity(20.0, "s", "simulated time of `freefloat run`; a server has no end", gt=0, le=1e9)
    rail: float = quantity(START[0], "m", "where robot 1 stands on the rail at the start", ge=0, le=25)
    operator: Literal["", "sync", "rsi"] = setting(
        "", "a mode that is switched on, started and confirmed by itself; empty: operators do all of it"
    )
    link: LinkSettings = setting(LinkSettings(), "the sync link")

    def begin(self) -> Sequence[float]:
        """Robot 1 where it is told, all else in the posture of rest."""
        return self.rail, *START[1:]

    def build(self) -> Mission:
        """With nobody outside."""
        return self.served(None)

    def served(self, outside: Outside | None, gps_start: float = 0.0) -> Mission:
        """With an outside, and the GPS time [s] at which its first cycle is."""
        lab = self.lab()
        steps = automatic(self.operator, confirm=self.facility.confirm) if self.operator else []
        control = replace(self.control(lab, steps), outside=outside, gps_start=gps_start)
        writers = [partial(write_observation, world="lab")]
        return Mission(worlds=[self.world(lab, control)], record_rate=self.record_rate, writers=writers)
