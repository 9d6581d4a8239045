"""The facility's tasks, all at the robots' cycle, in the order of an instant: rendering, sending, following."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freefloat.engine.rehearsal import Ahead
from freefloat.engine.sensing import Sensor
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.gnc.control.follower import Follower, FollowerLimits, lead_of
from freefloat.gnc.control.rendering.carrier import Carrier
from freefloat.gnc.control.rendering.controller import Rendering
from freefloat.gnc.control.rendering.sender import Sender
from freefloat.gnc.control.rendering.shapes import Tools
from freefloat.gnc.planning.optional import ruckig
from freefloat.missions.impacts.laboratory import Stand
from freefloat.missions.impacts.truth import Truth
from freefloat.missions.impacts.ways import make_way
from freefloat.robots.industrial import IndustrialRobot

if TYPE_CHECKING:
    from freefloat.missions.impacts.impact import Impact

HORIZON = 1.5  # [s] over which the satellites' world is done again
BODIES = ((1, "servicer"), (2, "client"))
MOTION = (("p", "p_WB"), ("q", "q_WB"), ("v", "v_WB"), ("w", "w_WB_B"))
ROBOT = (("motor", "motor_q"), ("rate", "motor_qd"), ("turn", "motor_qdd"), ("wrist", "wrist"))
LOGGED = {
    "force": Signal("rendering.force", "N", (3,), "W", "of the client on the servicer's mock-up, by both wrists"),
    "offset": Signal("rendering.offset", "m", (3,), "client", "by which the surface is placed off its known place"),
    "touching": Signal("rendering.touching", "-", (1,), meaning="1 while the robots touch, by the measured force"),
    "handed": Signal("rendering.handed", "N", (3,), "W", "force that is put on the servicer from outside"),
}


def facility_tasks(
    scenario: Impact,
    stands: tuple[Stand, Stand],
    robots: tuple[IndustrialRobot, IndustrialRobot],
    tools: Tools,
    truth: Truth,
) -> list[Task]:
    """All of them; of the truth only the sensors' noise and what is measured at the start go in."""
    ruckig()  # followers chase by it: where it is missing, that is told before the run and not at the first chase
    carriers = stands[0].carrier(robots[0], truth), stands[1].carrier(robots[1], truth)
    return [
        _rendering(scenario, carriers, tools, truth),
        _sender(scenario),
        *(_follower(scenario, *both) for both in zip(stands, robots, carriers, strict=True)),
    ]


def rendering_wiring(robots: tuple[str, str] = ("robot1", "robot2")) -> tuple[dict[str, str], dict[str, str]]:
    """What a `Rendering` reads of both robots and satellites, and what it writes."""
    reads: dict[str, str] = {}
    for (k, body), robot in zip(BODIES, robots, strict=True):
        reads |= {f"{local}_{k}": f"{robot}.{signal}" for local, signal in ROBOT}
        reads |= {f"{local}_{k}": f"{body}.{signal}" for local, signal in MOTION}
    writes = {"place": "satellites.place", "gate": "satellites.gate"}
    return reads, writes | {f"wrench_{k}": f"{body}.wrench" for k, body in BODIES}


def motion_ahead(by: float) -> dict[str, str | Ahead]:
    """Both satellites' motion so much [s] later; of now, where that is 0."""
    reads: dict[str, str | Ahead] = {}
    for k, body in BODIES:
        for local, signal in MOTION:
            reads[f"{local}{k}"] = Ahead(f"{body}.{signal}", by) if by > 0.0 else f"{body}.{signal}"
    return reads


def _rendering(scenario: Impact, carriers: tuple[Carrier, Carrier], tools: Tools, truth: Truth) -> Task:
    reads, writes = rendering_wiring()
    noisy = {f"wrist_{k}": Sensor(noise=truth.noise) for k in (1, 2)} if truth.noise.any() else {}
    controller = Rendering(carriers, tools, make_way(scenario, tools, HORIZON))
    return Task(controller, scenario.robots.cycle, reads, writes, noisy, LOGGED, name="rendering")


def _sender(scenario: Impact) -> Task:
    ahead = scenario.robots.delay if scenario.prediction == "on" else 0.0
    reads = motion_ahead(ahead)
    writes = {f"setpoint{k}": f"robot{k}.setpoint" for k in (1, 2)}
    return Task(Sender(), scenario.robots.cycle, reads, writes, name="sender")


def _follower(scenario: Impact, stand: Stand, robot: IndustrialRobot, carrier: Carrier) -> Task:
    r = scenario.robots
    follower = Follower(
        stand.kinematics,
        robot.motor_start(),
        r.cycle,
        FollowerLimits(acceleration=r.acceleration, jerk=r.jerk),
        lead_of(r.cycle, r.delay),
        robot.qd,
        carrier.wound if carrier.statics is not None else None,
        stand.name,
    )
    reads, writes = {"setpoint": f"{stand.name}.setpoint"}, {"course": f"{stand.name}.course"}
    late = {"setpoint": Sensor(delay=r.delay)}
    return Task(follower, r.cycle, reads, writes, late, name=f"follower{stand.number}")
