"""A motor of the manipulator SPIDER at a steady speed: the ripple of its torque, harmonic by harmonic."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from freefloat.drives import JointDrive, load_drive
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import FieldError
from freefloat.frames import Array
from freefloat.missions.spider.harmonics import Harmonics, fit_harmonics, measured_frequencies
from freefloat.robots.drive_bench import DriveBench
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import file, quantity, setting
from freefloat.scenario.registry import register

SETTLED = 0.03  # [s] from which on the torque is looked at: 30 time constants of the current loop's slow pole
MULTIPLES = (1, 2, 4)  # of the electrical frequency, where offset, unbalance and third harmonic show
HIGHEST = 6  # multiple of the electrical frequency that is looked at
STEP = 5e-5  # [s] short against the electrical turn; the drive takes as many substeps as its loops need


@register
class SpiderJointRipple(Scenario):
    """One joint whose rotor is turned at a given speed while its current loops hold a given current.

    The torque of its motor then has a mean and harmonics of the electrical frequency, p times the rotor's: the offset
    of a current sensor gives one at 1, unbalanced phases at 2, the third harmonic of the back-EMF at 4 (Ferretti and
    others 2004, Fig. 7). Gear, friction and load do not change it, because the speed is imposed.
    """

    kind: ClassVar[str] = "spider-joint-ripple"
    title: ClassVar[str] = "Torque ripple of a brushless motor at a steady speed, and where each harmonic comes from"

    duration: float = quantity(1.0, "s", "simulated time", gt=0, le=1e9)
    record_rate: float = quantity(20000.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    integrator: IntegratorSettings = setting(
        IntegratorSettings(step=STEP), "how the plant is integrated; in short steps for the fast current loops"
    )
    drive: str = file("spider-shoulder", "a drive that comes with Freefloat, or FILE.yaml or FILE.yaml:NAME")
    loop_gain: float = quantity(20.0, "-", "factor on both gains of the current loops: from 1 kHz to 20 kHz", gt=0)
    speed: float = quantity(955.0 * math.pi / 30.0, "rad/s", "of the rotor, imposed", gt=0, le=1e5)
    current: float = quantity(4.0, "A", "amplitude of the phase currents that are commanded", gt=0)
    offset: float = quantity(0.015, "-", "of the current sensor of phase A, as a share of the current", gt=-1, lt=1)
    unbalance: float = quantity(0.015, "-", "phase A stronger than B by this share", gt=-1, lt=1)
    third_harmonic: float = quantity(0.008, "-", "of the back-EMF, of its first", gt=-1, lt=1)
    cogging: float = quantity(0.0, "N m", "amplitude of cogging, in place of the drive's", ge=0)
    load_inertia: float = quantity(10.0, "kg m^2", "of what the joint turns", gt=0)

    def build(self) -> Mission:
        """The joint on a bench, at speed from the start."""
        drive = self._drive()
        tau = drive.gear.ratio * drive.motor.torque_constant * self.current
        bench = DriveBench("joint", drive, self.load_inertia, tau=tau, course=self.speed)
        p = drive.motor.pole_pairs
        return Mission(
            [bench],
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=partial(self._judge, p=p),
            plots=("joint.torque_motor",),
            writers=[partial(self._pictures, p=p)],
        )

    def _drive(self) -> JointDrive:
        drive = load_drive(self.drive)
        motor, driver = drive.motor, drive.driver
        if motor.kind != "brushless" or driver.kind != "current":
            raise FieldError(
                "drive",
                f"{self.drive} has a {motor.kind} motor and a {driver.kind} driver; allowed: brushless, current",
            )
        if self.current > driver.max_current:
            raise FieldError("current", f"{self.current:g} A; allowed: up to max_current {driver.max_current:g} A")
        worse = replace(motor, cogging=self.cogging, unbalance=self.unbalance, third_harmonic=self.third_harmonic)
        gains = replace(
            driver,
            kp=self.loop_gain * driver.kp,
            ki=self.loop_gain * driver.ki,
            offset=(self.offset * self.current, 0.0),
        )
        return replace(drive, motor=worse, driver=gains)

    def _torque(self, result: Result) -> tuple[Array, Array]:
        """Times and torque of the motor once it has settled."""
        t, torque = result.time("joint.torque_motor"), result["joint.torque_motor"][:, 0]
        settled = t >= SETTLED
        return t[settled], torque[settled]

    def _harmonics(self, result: Result, p: int) -> Harmonics | None:
        """By multiples of the rotor's speed, as far as the records show them; none of less than a turn."""
        t, torque = self._torque(result)
        count = min(self._highest(p), int(0.45 * self.record_rate * 2.0 * math.pi / self.speed))
        if not t.size or t[-1] - t[0] < 2.0 * math.pi / self.speed or count < p:
            return None
        return fit_harmonics(t, torque, self.speed, count)

    def _highest(self, p: int) -> int:
        """Harmonic of the rotor's turn up to which there is something to see."""
        cogs = load_drive(self.drive).motor.cogging_count if self.cogging > 0.0 else 0
        return max(HIGHEST * p, cogs)

    def _judge(self, result: Result, p: int) -> dict[str, float]:
        """Mean torque, and frequencies and amplitudes of the ripple; without those that the records do not show."""
        found = self._harmonics(result, p)
        if found is None:
            return {}
        t, torque = self._torque(result)
        shown = [k for k in MULTIPLES if k * p <= found.amplitudes.size]
        hertz = measured_frequencies(t, torque, p * self.speed, max(shown))
        metrics = {"mean_torque_N_m": found.mean}
        for k in shown:
            metrics[f"ripple_{k}p_percent"] = 100.0 * float(found.amplitudes[k * p - 1]) / abs(found.mean)
            metrics[f"ripple_{k}p_hz"] = float(hertz[k - 1])
        return metrics

    def _pictures(self, result: Result, out: Path, p: int) -> None:
        from freefloat.missions.spider.pictures import draw_ripple  # heavy, and only needed here

        found = self._harmonics(result, p)
        if found is not None:
            draw_ripple(found, p, out / "plots" / "ripple.png")
