"""Satellites in one world, the facility's robots that show them in another, closed through the command record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.contact import Contact
from freefloat.contact.surfaces import Plane
from freefloat.engine.mission import Mission, WorldSetup
from freefloat.engine.rehearsal import Rehearsal
from freefloat.engine.result import Result
from freefloat.engine.task import Task
from freefloat.errors import FieldError, InputError
from freefloat.facility.axes import CYCLE
from freefloat.facility.cameras import write_observation
from freefloat.facility.part import START
from freefloat.facility.procedure import Step, automatic
from freefloat.facility.record import Record
from freefloat.facility.user_tool import UserTools
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.missions.facility.courses import DATA_LIN
from freefloat.missions.facility.hybrid_contact import (
    CONTACT_TOOLS,
    DISC,
    PLATE,
    Held,
    RenderedImpact,
    plate_mockup,
    tip_mockup,
)
from freefloat.missions.facility.hybrid_judge import Showing, free_since, reference
from freefloat.missions.facility.hybrid_link import Shown, record_of
from freefloat.missions.facility.hybrid_settings import FlightSettings, ImpactSettings
from freefloat.missions.facility.hybrid_space import BACK, X_GP, Departure, Flight, Pairing
from freefloat.missions.facility.scenario import FacilityScenario
from freefloat.missions.impacts.ideal import Pair
from freefloat.missions.impacts.impact import TIP
from freefloat.missions.impacts.judge import rendered
from freefloat.missions.impacts.laboratory import real_contact, simulated_contact
from freefloat.missions.impacts.satellite import tool_carriers
from freefloat.missions.impacts.settings import SatelliteSettings, Switch, ToolSettings
from freefloat.missions.impacts.tasks import HORIZON, LOGGED, motion_ahead, rendering_wiring
from freefloat.scenario.base import IntegratorSettings
from freefloat.scenario.fields import quantity, setting
from freefloat.scenario.registry import register

TOUCHING = 5e-4  # [s] step of both worlds with contact
LEAST_FREE = 0.1  # [s] of free flight before the tools meet
STATE = {"state": "sync.state"}
OFF = np.array([0.5, *[0.0] * 12])  # [m] on the rail, from where the facility is to start
TURNED = np.radians([0.0, *[3.0, -2.0, 2.0, 4.0, 3.0, 5.0] * 2])  # of the robots' axes


@register
class EposHybrid(FacilityScenario):
    """The satellites' relative motion is executed by two robots. With contact, the robots' contact is rendered: the
    record carries where the satellites will be a delay later, as the forces in the wrists say."""

    kind: ClassVar[str] = "epos-hybrid"
    title: ClassVar[str] = "The docking facility shows two simulated satellites, which may collide"

    duration: float = quantity(48.0, "s", "simulated time", gt=0, le=1e9)
    record_rate: float = quantity(200.0, "Hz", "rate of the worlds' signals, between set-points too", gt=0, le=1e6)
    integrator: IntegratorSettings = setting(IntegratorSettings(step="auto"), "how both worlds are integrated")
    contact: Switch = setting("off", "on: tools of the robots' own touch, and the impact is rendered")
    servicer: SatelliteSettings = setting(SatelliteSettings(), "the satellite that comes, shown by robot 1")
    client: SatelliteSettings = setting(
        SatelliteSettings(inertia=(10.0, 14.0, 17.0)), "the satellite that waits, shown by robot 2"
    )
    flight: FlightSettings = setting(FlightSettings(), "how they fly without contact")
    impact: ImpactSettings = setting(ImpactSettings(), "how they fly with contact")
    tools: ToolSettings = setting(ToolSettings(), "what touches, and where it is on the satellites")

    def user_tools(self) -> UserTools:
        """With contact, those of the tip and the plate."""
        if self.contact == "off":
            return self.facility.tools()
        if self.facility.tool:
            raise FieldError("facility.tool", f"{self.facility.tool!r} with contact on; allowed: none, it has its own")
        return CONTACT_TOOLS

    @property
    def pairing(self) -> Pairing:
        """Both satellites."""
        return Pairing((self.servicer.model(), self.client.model()), self.tools)

    def flown(self) -> Flight:
        """How they fly."""
        return self.flight.flight() if self.contact == "off" else self.impact.flight(self.tools.radius)

    def first(self, rail: float | None) -> Record:
        """What is commanded while the satellites rest."""
        motions, ports = self.pairing.at_rest(self.flown().distance), self.pairing.ports
        first, second = (m.X_W @ X_BU for m, X_BU in zip(motions, ports, strict=True))
        return record_of((first, second), self.user_tools().rob1, rail)

    def rail(self) -> float | None:
        """Where the carriage stands [m] all the time, with contact: robot 1 has its usual reach when the tools meet."""
        if self.contact == "off":
            return None
        X_GT = X_GP @ Pose(BACK, [-self.tools.radius, 0.0, 0.0]) @ CONTACT_TOOLS.rob1.inverse()
        return float(X_GT.p[0]) + DATA_LIN

    def begin(self) -> Sequence[float]:
        """Near where the facility is to start, so that it has a way there: on the rail, or both robots' own."""
        rail, kinematics = self.rail(), self.kinematics()
        try:
            axes = kinematics.to_axes(self.first(rail), START)
        except InputError as error:
            raise FieldError("flight" if rail is None else "impact", f"first command: {error}") from None
        axes += OFF if rail is None else TURNED
        return axes.tolist()

    def build(self) -> Mission:
        """Two worlds, and what connects them."""
        held = self.contact == "on"
        self._check_departure()
        mockups = {"mockup1": tip_mockup(self.tools.radius), "mockup2": plate_mockup()} if held else {}
        lab = self.lab(**mockups)
        ports = self.pairing.ports
        steps = automatic("sync", confirm=self.facility.confirm)
        robots = Held(lab, 1, ports[0]), Held(lab, 2, ports[1])
        touching = [self._mockups(robots)] if held else []
        if held:
            steps.append(Step("stop", after=self.impact.running, when="running"))
        showing = Showing(ports, self.facility.delay, self.facility.delay if held else 0.0)
        worlds = self.world(lab, self.control(lab, steps), *touching), self._space(held)
        return Mission(
            worlds=[replace(world, integrator=self._steps().make()) for world in worlds],
            tasks=[self._rendering(robots) if held else self._departure(), self._application(held)],
            record_rate=self.record_rate,
            judge=partial(self._judge, showing),
            writers=[partial(self._write, showing), partial(write_observation, world="lab")],
        )

    def _check_departure(self) -> None:
        """Refuse one that is still under way when the tools meet: the ideal motion is that of free satellites."""
        i, free = self.impact, self.impact.distance / self.impact.speed
        if self.contact == "on" and free - 0.5 * i.ramp < LEAST_FREE:
            most = f"up to {2.0 * (free - LEAST_FREE):.3g} s, to be over before the tools meet"
            raise FieldError("impact.ramp", f"{i.ramp:g} s; allowed: {most}, at this distance and speed")

    def _steps(self) -> IntegratorSettings:
        """Shorter ones for a contact: slow arms hardly exchange energy, and the audit wants a millionth of it."""
        long = self.contact == "off" or self.integrator.step != "auto"
        return self.integrator if long else self.integrator.changed(step=TOUCHING)

    def _mockups(self, robots: tuple[Held, Held]) -> Contact:
        tools = self.pairing.tools
        return real_contact(robots, self.tools.assumed, tools, Plane(robots[1].X_FT @ tools.surface.X_CS))

    def _space(self, held: bool) -> WorldSetup:
        """The satellites; the facility's own simulation, which it may do again, where their contact is rendered."""
        tools, pairing = self.pairing.tools, self.pairing
        X_CS = tools.surface.X_CS
        tip = Shape("sphere", (tools.radius,), Pose(np.eye(3), tools.p_ST), TIP)
        disc = Shape("cylinder", DISC, X_CS @ Pose(np.eye(3), [0.0, 0.0, -DISC[1]]), PLATE)
        bodies = tool_carriers(pairing.bodies, pairing.at_rest(self.flown().distance), tools, ([tip], [disc]))
        if not held:
            return WorldSetup("space", bodies)
        met = simulated_contact(self.tools.rendered, tools, Plane(X_CS))
        return WorldSetup("space", [*bodies, met], rehearsed=Rehearsal(horizon=HORIZON))

    def _departure(self) -> Task:
        reads = STATE | {"q_1": "servicer.q_WB", "q_2": "client.q_WB"}
        writes = {"wrench_1": "servicer.wrench", "wrench_2": "client.wrench"}
        return Task(Departure(self.flown(), self.pairing.bodies), CYCLE, reads, writes, name="departure")

    def _rendering(self, robots: tuple[Held, Held]) -> Task:
        carriers, departure = (robots[0].carrier(), robots[1].carrier()), Departure(self.flown(), self.pairing.bodies)
        reads, writes = rendering_wiring((robots[0].name, robots[1].name))
        controller = RenderedImpact(carriers, self.pairing.tools, self.tools.assumed, departure)
        return Task(controller, CYCLE, reads | STATE, writes, records=LOGGED, name="rendering")

    def _application(self, held: bool) -> Task:
        """It runs after what commands the satellites, so that it sees ahead under the orders of now."""
        reads = motion_ahead(self.facility.delay if held else 0.0) | STATE
        shown = Shown(self.pairing.ports, self.user_tools().rob1, self.rail())
        return Task(shown, CYCLE, reads, {"record": "sync.command"}, name="application")

    def _pair(self) -> Pair:
        return Pair(self.pairing.bodies, self.pairing.tools, self.tools.rendered)

    def _judge(self, showing: Showing, result: Result) -> dict[str, float]:
        """Executed against simulated; with contact, the satellites against the ideal motion too."""
        metrics = showing.judge(result)
        since = free_since(result, self.flown().ramp)
        if self.contact == "off" or since is None:
            return metrics
        return metrics | rendered(result, reference(result, self._pair(), since), since)

    def _write(self, showing: Showing, result: Result, out: Path) -> None:
        from freefloat.missions.facility.hybrid_pictures import draw_hybrid  # heavy, and only needed here

        draw_hybrid(result, showing, out)
