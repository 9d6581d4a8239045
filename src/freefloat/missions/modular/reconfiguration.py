"""Walking robots rebuild a modular spacecraft in orbit from one design into another, by a plan, and recover."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from freefloat.engine.blueprint import Motion, draw
from freefloat.engine.mission import Mission
from freefloat.frames import Pose
from freefloat.gnc.control.executive.belief import Modules
from freefloat.gnc.control.executive.executive import Executive
from freefloat.gnc.control.executive.onboard_models import ModelKeeper
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.walking_feedforward import WalkingFeedforward
from freefloat.gnc.planning.reconfiguration.problem import Plan
from freefloat.missions.attitude_settings import AttitudeSettings, WheelSettings
from freefloat.missions.modular.crew import ASSEMBLY, STACK, Member, crew_tasks, onboard_robot
from freefloat.missions.modular.handling import LONG_STEP
from freefloat.missions.modular.orbit_light import OrbitLight
from freefloat.missions.modular.planning import JOINT_SPEED
from freefloat.missions.modular.rebuilding import Rebuilding, rebuilding_of, seconds_alone
from freefloat.missions.modular.rebuilding_faults import FaultSettings, Name, inject, seeded
from freefloat.missions.modular.rebuilding_metrics import judge
from freefloat.missions.modular.review.pictures import mission_pictures
from freefloat.missions.modular.review.review import reviewer
from freefloat.missions.modular.review.subject import subject_of
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import file, quantity, setting
from freefloat.scenario.registry import register
from freefloat.structure.assembly import Assembly
from freefloat.structure.faults import Fault
from freefloat.structure.heat.climate import Climate
from freefloat.structure.tensor_body import TensorBody
from freefloat.structure.tensor_part import TensorPart

CLEARANCE = 0.002  # [m] between the faces of a carried module and those of its neighbours on the grid
MEAN_POWER = 77.0  # [W] of a robot
LOSS = 5.0  # [s] of rest and notice in an operation
TAIL = 20.0  # [s] after the plan
SPARE, PATIENCE = 1.5, 600.0  # [-], [s] for recoveries
WHEELS = WheelSettings(inertia=0.05, max_torque=5.0)  # assumed: what carried modules ask for at full joint speed
PLOTS = ("attitude.error", "plan.step", "modules.power", "modules.temperature")


@register
class Reconfiguration(Scenario):
    """One or two walking manipulators fly a plan between two designs; wheels hold the attitude."""

    kind: ClassVar[str] = "reconfiguration"
    title: ClassVar[str] = "A walking robot rebuilds a spacecraft of 20 modules from a slab into a tower, in orbit"

    duration: float = quantity(0.0, "s", "simulated time; 0: as long as the plan takes", ge=0, le=1e9)
    record_rate: float = quantity(10.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    start: str = file("slab-20", "the design at the start: a shipped name or a file")
    goal: str = file("tower-20", "the design that is wanted")
    plan: str = file("slab-to-tower", "plan: a shipped name or a file of `freefloat plan`; empty: made now")
    alone: str = file("", "plan of one robot for the same job, with which `makespan_ratio` compares; empty: none")
    match: Literal["type", "identity"] = setting("type", "whether a goal cell wants a type of module or that very one")
    robots: Literal[1, 2] = setting(1, "how many of the start's robots work")
    joint_speed: float = quantity(JOINT_SPEED, "rad/s", "largest joint speed", ge=1e-3, le=0.349)
    coupling: Literal["auto", "tree", "constraint"] = setting(
        "auto", "how closed interfaces are held: by the tree where there is no loop (auto, tree), or by constraints"
    )
    eta: float = quantity(50.0, "1/s", "Baumgarte rate of constraints", ge=0, le=1000)
    attitude: Literal["off", "feedback", "feedforward"] = setting(
        "feedforward", "attitude control with reaction wheels: none, by feedback alone, or with the robots' motion too"
    )
    onboard_mass_error: float = quantity(
        0.0, "-", "by how much onboard models take what robots move as too heavy", gt=-0.9, le=10
    )
    fault: Name | Literal["none"] = setting("none", "what goes wrong at an operation that the seed picks")
    faults: tuple[FaultSettings, ...] = setting((), "what goes wrong besides, by name, time and place")
    orbit: OrbitSettings = setting(OrbitSettings(), "the orbit")
    wheels: WheelSettings = setting(WHEELS, "the reaction wheels")
    attitude_control: AttitudeSettings = setting(AttitudeSettings(bandwidth=0.2), "the attitude controller")
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated"
    )

    def build(self) -> Mission:
        """The plan first, read or made; then the mission that flies it."""
        return self.fly(rebuilding_of(self.start, self.goal, self.plan, self.match, self.robots, self.joint_speed))

    def fly(self, job: Rebuilding) -> Mission:
        """Structure, robots and hands, wheels; executive and attitude control as tasks, the assembly as upkeep."""
        span = self.duration or self._span(job.plan)
        frame = self.orbit.frame(span)
        X_WT = Pose(lvlh_axes(frame.reference.position(0.0), frame.reference.velocity(0.0)), np.zeros(3))
        faults = [*self.faults] if self.fault == "none" else [*self.faults, seeded(self.fault, self.seed, job)]
        wrong = inject(faults, job)
        body = wrong.body
        crew = job.crew(body)
        stack = TensorPart(STACK, body, motion=Motion(X_WT))
        loads = [part for m in crew for part in m.tools(body.catalogue, body.grid.spacing, CLEARANCE)]
        assembly = self._assembly([stack, *loads], crew, OrbitLight(frame.reference), wrong.faults)
        hold = "constraint" if self.coupling == "constraint" else "tree"
        blueprint = draw(
            [
                frame,
                stack,
                *(m.arm(X_WT, body.grid) for m in crew),
                *loads,
                self.wheels.part("wheels", STACK),
                assembly,
            ],
            [*(c for m in crew for c in m.connections(hold, self.eta)), *wrong.connections],
        )
        scale = 1.0 + self.onboard_mass_error
        robots = [onboard_robot(blueprint, m, [o for o in crew if o is not m], body.grid, scale) for m in crew]
        keeper = ModelKeeper(0.5 * body.grid.spacing)
        executive = Executive(job.planning, job.plan, robots, known_modules(body), keeper)
        tasks = crew_tasks(blueprint, executive, crew)
        if self.attitude != "off":
            lead, modes = 0.5 / self.attitude_control.rate, tuple(r.modes for r in robots)
            ahead = WalkingFeedforward(modes, lead) if self.attitude == "feedforward" else None
            inertia = np.array(body.mass_properties().I_TTcm_T)
            tasks += (self.attitude_control.task(STACK, X_WT.q, inertia, self.wheels, ahead),)
        alone = seconds_alone(self.start, self.goal, self.alone, self.match) if self.alone else 0.0
        graphs = {m.name: m.walker.graph for m in crew}
        subject = subject_of(assembly, graphs, self.wheels.capacity(), CLEARANCE)
        return Mission(
            blueprint,
            tasks=tasks,
            events=wrong.events,
            integrator=self.integrator.make(longest=LONG_STEP),
            record_rate=self.record_rate,
            judge=partial(judge, job=job, alone=alone),
            plots=[name for name in PLOTS if self.attitude != "off" or not name.startswith("attitude.")],
            writers=[mission_pictures(subject), self.orbit.writer(STACK)],
            review=reviewer(subject),
            duration=span,
        )

    def _span(self, plan: Plan) -> float:
        """[s] what the plan takes, with time to recover where something is to go wrong."""
        slower = max(JOINT_SPEED / self.joint_speed, 1.0)  # than `freefloat plan` takes for granted
        nominal = slower * plan.cost + LOSS * len(plan.operations) + TAIL
        return nominal if self.fault == "none" and not self.faults else SPARE * nominal + PATIENCE

    def _assembly(
        self, parts: list[TensorPart], crew: list[Member], light: OrbitLight, faults: Sequence[Fault]
    ) -> Assembly:
        active = parts[0].contents.catalogue.interface("active")
        return Assembly(
            ASSEMBLY,
            parts,
            [setup for m in crew for setup in m.setups(active)],
            robots={m.name: tuple(m.hands.values()) for m in crew},
            robot_demand=MEAN_POWER,
            coupling=self.coupling,
            eta=self.eta,
            climate=Climate(light),
            faults=faults,
            closed=[m.hands["a"] for m in crew],
        )


def known_modules(body: TensorBody) -> Modules:
    """What the executive knows of the modules."""
    types = {int(i): int(t) for i, t in zip(body.identity, body.shape, strict=True) if t > 0}
    masses = [
        Mass(float(t.mass), np.array(t.p_MMcm, np.float64), np.array(t.I_MMcm_M, np.float64))
        for t in body.catalogue.types
    ]
    return Modules(body.grid, types, [Mass.none(), *masses])
