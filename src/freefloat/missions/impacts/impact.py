"""Two robots render two satellites that collide: the mission behind all scenarios of impacts."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from functools import partial
from pathlib import Path

import numpy as np

from freefloat.contact import Contact
from freefloat.contact.surfaces import Plane, Surface
from freefloat.engine.mission import Mission, WorldSetup
from freefloat.engine.rehearsal import Rehearsal
from freefloat.engine.result import Result
from freefloat.engine.rows import uniform_gravity
from freefloat.errors import FieldError, RenderingWarning
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.gnc.control.rendering.controller import SETTLE
from freefloat.gnc.control.rendering.cycle import Moving
from freefloat.gnc.control.rendering.shapes import Tools
from freefloat.missions.impacts import settings as S
from freefloat.missions.impacts.ideal import Pair, Reference
from freefloat.missions.impacts.judge import judged
from freefloat.missions.impacts.laboratory import BAR, GRAVITY, REACH, Stand, bar, real_contact, simulated_contact
from freefloat.missions.impacts.satellite import ToolCarrier, tool_carriers
from freefloat.missions.impacts.tasks import HORIZON, facility_tasks
from freefloat.missions.impacts.truth import Errors, Truth, drawn
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import quantity, setting

STEPS = {"along": 5e-5, "across": 1.25e-5}  # [s] of a laboratory with elastic joints; else RIGID
RIGID = 1e-4  # [s]
TURNS = {"along": np.eye(3), "across": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])}  # R_WD
TIP = (0.85, 0.35, 0.2, 1.0)


class Impact(Scenario):
    """Fields and worlds that all impacts have."""

    duration: float = quantity(2.0, "s", "simulated time", gt=0, le=1e9)
    record_rate: float = quantity(500.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how both worlds are integrated"
    )
    servicer: S.SatelliteSettings = setting(S.SatelliteSettings(), "the satellite that comes, carried by robot 1")
    client: S.SatelliteSettings = setting(S.SatelliteSettings(), "the satellite that rests, carried by robot 2")
    robots: S.RobotSettings = setting(S.RobotSettings(), "both robots, their cycle and delay")
    errors: Errors = setting(
        "none",
        "none: all is as assumed, rigid joints; typical: stiffness 10 % off, tools 1 mm, 1 N noise, elastic joints "
        "known to 10 %",
    )
    rendering: S.Rendering = setting("observer", "how the robots' contact acts on the satellites")
    prediction: S.Switch = setting("on", "set-points are the satellites' motion a delay ahead")
    recomputation: S.Recomputation = setting(
        "contact", "what is done again: the whole contact each cycle, once at its onset, or nothing"
    )

    @abstractmethod
    def tools_used(self) -> S.ToolSettings:
        """What touches."""

    @abstractmethod
    def start(self) -> tuple[Array, Array]:
        """Place of the servicer's tip from the client's tool, and its speed, along the axes of the approach."""

    @abstractmethod
    def known_tools(self) -> Tools:
        """Tip and surface by design, in the satellites' frames."""

    @abstractmethod
    def solid(self, X_LS: Pose) -> Surface:
        """The surface with its frame in that of a link."""

    @abstractmethod
    def draw(self, result: Result, out: Path, stands: tuple[Stand, Stand], tools: Tools, reference: Reference) -> None:
        """The picture of the run."""

    @abstractmethod
    def look(self, X_LS: Pose) -> list[Shape]:
        """How the client's tool is drawn on a link."""

    def build(self) -> Mission:
        """Laboratory and satellites, the facility's tasks, and the ideal motion as their judge."""
        truth, tools = drawn(self.errors, self.seed), self.known_tools()
        self._warn_of_short_contacts()
        stands, motions = self.stands(), self.motions()
        self._check_start(tools, motions)
        looks = self._looks(stands, tools)
        robots = stands[0].robot(motions[0], truth, looks[0]), stands[1].robot(motions[1], truth, looks[1])
        touching = self._mockups(stands, tools, truth)
        laboratory = WorldSetup(
            "lab",
            [*robots, touching],
            rows=[uniform_gravity(tuple(GRAVITY.tolist()))],
            integrator=self._steps(truth).make(),
        )
        bodies = self._satellites(motions, tools)
        met = self._contact(tools)
        space = WorldSetup(
            "space", [*bodies, met], integrator=self.integrator.make(), rehearsed=Rehearsal(horizon=HORIZON)
        )
        true_tools = tools.moved(truth.tip, truth.surface)
        pair = Pair((self.servicer.model(), self.client.model()), true_tools, self.tools_used().rendered)
        reference = Reference(pair, motions)
        return Mission(
            worlds=[laboratory, space],
            tasks=facility_tasks(self, stands, robots, tools, truth),
            record_rate=self.record_rate,
            judge=partial(judged, reference=reference, stands=stands),
            writers=[partial(self.draw, stands=stands, tools=tools, reference=reference)],
        )

    def _steps(self, truth: Truth) -> IntegratorSettings:
        """Of the laboratory: slow arms hardly exchange energy, and the audit wants a millionth of it."""
        if self.integrator.step != "auto":
            return self.integrator
        return self.integrator.changed(step=RIGID if truth.joints == "rigid" else STEPS[self.robots.direction])

    def _check_start(self, tools: Tools, motions: tuple[Moving, Moving]) -> None:
        """Refuse tools that touch at the start, and warn where they may before the wrists have found their zero."""
        gap = float(tools.meet(tools.tip_in_client(motions[0].X_W, motions[1].X_W), np.zeros(3))[0])
        if gap <= 0.0:
            raise FieldError(
                "approach", f"the tip starts {-1e3 * gap:.3g} mm inside the client's tool; allowed: outside"
            )
        speed = float(np.linalg.norm(motions[0].v_W - motions[1].v_W))
        zero = SETTLE * self.robots.cycle + self.robots.delay
        if gap < speed * zero:
            warnings.warn(
                f"approach: tools may touch {gap / speed:.3g} s after the start, and wrists need {zero:.3g} s to find "
                "their zero: what they feel before is taken for it. Start farther away, or with a shorter cycle",
                RenderingWarning,
                stacklevel=4,
            )

    def _warn_of_short_contacts(self) -> None:
        m1, m2 = self.servicer.mass, self.client.mass
        lasting = math.pi * math.sqrt(m1 * m2 / (m1 + m2) / self.tools_used().rendered)
        if lasting < 2.0 * self.robots.cycle:
            than = "shorter than" if lasting < self.robots.cycle else "near"
            warnings.warn(
                f"robots.cycle: a central contact lasts {1e3 * lasting:.3g} ms, {than} the cycle of "
                f"{1e3 * self.robots.cycle:.3g} ms; robots see little or nothing of it. Softer tools, heavier "
                "satellites or a shorter cycle would do",
                RenderingWarning,
                stacklevel=4,
            )

    def stands(self) -> tuple[Stand, Stand]:
        """Both robots with their mock-ups, by design."""
        tools, R_WD = self.known_tools(), TURNS[self.robots.direction]
        tips = np.array(tools.p_ST), tools.surface.X_CS.p
        return Stand(1, self.robots, tips[0], R_WD), Stand(2, self.robots, tips[1], R_WD)

    def motions(self) -> tuple[Moving, Moving]:
        """Satellites at the start: the client's tool half way between the robots."""
        tools, R_WD = self.known_tools(), TURNS[self.robots.direction]
        x, z = REACH[self.robots.model]
        meeting = np.array([x + BAR, 0.0, z])
        tip, speed = self.start()
        p_1 = meeting + R_WD @ (tip - np.array(tools.p_ST))
        p_2 = meeting - R_WD @ tools.surface.X_CS.p
        still = np.zeros(3)
        return Moving(Pose(R_WD, p_1), R_WD @ speed, still), Moving(Pose(R_WD, p_2), still, still)

    def _looks(self, stands: tuple[Stand, Stand], tools: Tools) -> tuple[list[Shape], list[Shape]]:
        tip = stands[0].X_FT.apply(np.array(tools.p_ST))
        ball = Shape("sphere", (tools.radius,), Pose(np.eye(3), tip), TIP)
        return [bar(), ball], [bar(), *self.look(stands[1].X_FT @ tools.surface.X_CS)]

    def _mockups(self, stands: tuple[Stand, Stand], tools: Tools, truth: Truth) -> Contact:
        """The laboratory's contact, as it truly is."""
        true = tools.moved(truth.tip, truth.surface)
        surface = self.solid(stands[1].X_FT @ true.surface.X_CS)
        return real_contact(stands, truth.stiffness * self.tools_used().assumed, true, surface)

    def _satellites(self, motions: tuple[Moving, Moving], tools: Tools) -> list[ToolCarrier]:
        tip = Shape("sphere", (tools.radius,), Pose(np.eye(3), tools.p_ST), TIP)
        bodies = self.servicer.model(), self.client.model()
        return tool_carriers(bodies, motions, tools, ([tip], self.look(tools.surface.X_CS)))

    def _contact(self, tools: Tools) -> Contact:
        """Of the satellites: by the paper on planes, else on the known surface."""
        surface = Plane(tools.surface.X_CS) if self.rendering == "paper" else self.solid(tools.surface.X_CS)
        return simulated_contact(self.tools_used().rendered, tools, surface)
