"""SPIDER: accuracy of the tip, what the station feels, impacts with a fault, and the mass that an impact feels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.result import Result
from freefloat.frames import Array
from freefloat.missions.spider.impact_fault import SpiderImpactFault
from freefloat.missions.spider.tables import DIRECTIONS, make
from freefloat.scenario.files import load
from freefloat.verify.case import Comparison, at_least, at_most, case, compare, within
from freefloat.verify.oracles.impact_peak import first_peak

REQUIRED = "requirements of SPIDER: accuracy 2.5 mm and 0.5 deg, resolution 1 mm, 0.001 to 0.1 m/s"
SPAN = 60.0  # [s] of the motion to and fro; the scenario's own 1000 s show all bands
HARD = 1e7  # [N/m]
THEORY = "elastic contact: v sqrt(K m), m = 1 / (n J M^-1 J^T n) of the links with joints and base free"


def _run(name: str, **changes: object) -> tuple[dict[str, float], Result]:
    scenario = load(name, {key.replace("__", "."): value for key, value in changes.items()})
    mission = scenario.build()
    result = mission.run(scenario.duration, scenario.seed, progress=False)
    return {**mission.judge(result), **result.metrics}, result


@case("spider", source="Ferretti and others 2004, Object-oriented modeling of a space robotic manipulator")
def spider_case() -> Iterator[Comparison]:
    """Full drives, control behind the joint servo."""
    own, _ = _run("spider-motion")
    for name, speed in (("fast", "0.1 m/s"), ("slow", "1 mm/s")):
        off, turned = own[f"tip_error_{name}_m"], own[f"tip_attitude_error_{name}_deg"]
        yield at_most(f"tip at {speed}: error", "m", ours=off, published=2.5e-3, tolerance=0.0, source=REQUIRED)
        yield at_most(f"tip at {speed}: angle", "deg", ours=turned, published=0.5, tolerance=0.0, source=REQUIRED)
    step = own["step_error_m"]
    yield at_most("step of 1 mm: error", "m", ours=step, published=3e-4, tolerance=0.0, source=REQUIRED)
    heavy, _ = _run("spider-motion", payload__mass=250.0)
    yield compare("tip with 250 kg: error", "m", published=2.5e-3, ours=heavy["tip_error_max_m"], source=REQUIRED)
    quiet, _ = _run("spider-microgravity", duration=SPAN)
    yield at_least(
        "30 kg at 2.5 cm/s: least margin below the microgravity limit in 60 s",
        "dB",
        published=0.0,
        ours=quiet["margin_db_min"],
        tolerance=-10.0,
    )
    power = quiet["power_mean_W"]
    yield at_least("power with 30 kg at 2.5 cm/s, least published", "W", published=30.0, ours=power, tolerance=0.0)
    yield at_most("power with 30 kg at 2.5 cm/s, largest published", "W", published=130.0, ours=power, tolerance=0.0)
    yield from _faults()


def _faults() -> Iterator[Comparison]:
    for cell in make(supplies=(48.0,)):
        what = f"impact {cell.direction} the tool at {cell.stiffness_N_m:.0e} N/m, all motors at 10 A"
        most = cell.kinetic_J + cell.electric_J
        note = "energy: what moved at the touch and what the supply gave since"
        yield at_most(f"{what}: energy", "J", ours=cell.energy_J, published=most, tolerance=0.0, source=note)


@case("impact-mass", source=THEORY)
def impact_mass_case() -> Iterator[Comparison]:
    """No fault, 1e7 N/m: along the tool, and across it, where gears of the wrist take part as well."""
    for way, direction in DIRECTIONS.items():
        told = f"{way} the tool"
        own, result = _run("spider-impact-fault", obstacle__direction=direction, obstacle__stiffness=HARD, fault=False)
        expected, ours = own["first_peak_expected_N"], own["first_peak_N"]
        if direction[2]:
            yield within(f"{told}: first peak", "N", published=expected, ours=ours, tolerance=0.01 * expected)
        else:
            yield compare(f"{told}: first peak, rotors and gears left out", "N", published=expected, ours=ours)
        linear = _linear_peak(result, direction)
        yield within(
            f"{told}: first peak of links, gears and rotors",
            "N",
            published=linear,
            ours=ours,
            tolerance=0.01 * linear,
            source="linear equations of links and rotors between gears, by their exponential",
        )
        yield at_most(f"{told}: drift of energy", "-", ours=own["audit.energy_drift"], tolerance=1e-6)


def _linear_peak(result: Result, direction: tuple[float, float, float]) -> float:
    scenario = load("spider-impact-fault", {"obstacle.direction": direction})
    assert isinstance(scenario, SpiderImpactFault)
    spider, record, touch = scenario.arm.make(), result.of("impact_energy"), result.touches[0]
    at = int(np.searchsorted(record.t, touch.t, side="right")) - 1
    q, qd, motor = (record[f"arm.{name}"][at] for name in ("q", "qd", "motor_qd"))
    _, J = spider.arm.chain.pose_and_jacobian(q)
    start = spider.arm.chain.pose(scenario.arm.start)
    row = start.R @ np.asarray(direction) @ J[3:]
    ratio, rotor, k, b = _gears(spider.drives)
    scale = touch.speed / float(row @ qd)  # the record is up to 1 ms older than the touch
    return first_peak(spider.arm.inertia(q), rotor * ratio**2, k, b, row, HARD, scale * qd, scale * motor / ratio)


def _gears(drives: Sequence[JointDrive]) -> tuple[Array, Array, Array, Array]:
    own = list(drives)
    ratio = np.array([d.gear.ratio for d in own])
    rotor = np.array([d.motor.inertia for d in own])
    return ratio, rotor, np.array([d.gear.stiffness for d in own]), np.array([d.gear.damping for d in own])
