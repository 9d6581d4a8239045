"""A satellite without wheels turns by on/off thrusters and holds what it has turned to."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.errors import FieldError
from freefloat.frames import Array, Pose, quat_conj, quat_exp, quat_log, quat_mul
from freefloat.gnc.control.allocation import ThrusterAllocation
from freefloat.gnc.control.attitude import AttitudeController, AttitudeGains
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.dead_band import DeadBand
from freefloat.gnc.control.slew import SlewPointing, bang_time
from freefloat.gnc.estimation.attitude_ekf import AttitudeEKF
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.missions.satellite.bang_bang import BangBang
from freefloat.missions.satellite.settings import GyroSettings, SatelliteSettings, TrackerSettings
from freefloat.missions.satellite.slew_settings import JetSettings, PulseControlSettings, SlewSettings
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import quantity, setting
from freefloat.scenario.registry import register

BODY, JETS = "satellite", "jets"
VALVES = tuple(f"thruster {k}" for k in range(12))
ON_TARGET = np.deg2rad(0.1)  # [rad] true error below which the slew counts as done


@register
class SlewByThrusters(Scenario):
    """A 100 kg satellite with twelve cold-gas thrusters, a tank, gyro and star tracker, in low orbit."""

    kind: ClassVar[str] = "slew-by-thrusters"
    title: ClassVar[str] = "A satellite without wheels turns by pulses of its thrusters, and holds"

    duration: float = quantity(150.0, "s", "simulated time", gt=0, le=1e9)
    integrator: IntegratorSettings = setting(IntegratorSettings(step=0.005), "how the plant is integrated")
    record_rate: float = quantity(10.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    orbit: OrbitSettings = setting(OrbitSettings(degree=0, third_bodies=False), "the orbit")
    satellite: SatelliteSettings = setting(SatelliteSettings(rate=(0.0, 0.0, 0.0)), "the satellite, without propellant")
    jets: JetSettings = setting(JetSettings(), "the thrusters and their tank")
    gyro: GyroSettings = setting(GyroSettings(), "the rate gyro")
    tracker: TrackerSettings = setting(TrackerSettings(), "the star tracker")
    slew: SlewSettings = setting(SlewSettings(), "the turn")
    control: PulseControlSettings = setting(PulseControlSettings(), "the attitude controller")

    def build(self) -> Mission:
        """Orbit, body, thrusters and tank; attitude control as a task."""
        body, period = self.satellite.body(BODY), 1.0 / self.control.rate
        if abs(period / self.jets.tick - round(period / self.jets.tick)) > 1e-6:
            raise FieldError(
                "jets.tick",
                f"{self.jets.tick:g} s; allowed: a whole part of the {period:.6g} s between two updates "
                f"of the controller (control.rate {self.control.rate:g} Hz)",
            )
        if self.jets.min_on >= period:
            raise FieldError("jets.min_on", f"{self.jets.min_on:g} s; allowed: below {period:.6g} s (control.rate)")
        return Mission(
            [
                self.orbit.frame(self.duration),
                replace(body, variable=True),
                self.jets.part(JETS, BODY, self.satellite.size, period, self.seed),
                self.jets.tank("tank", BODY, JETS, self.satellite.centre_of_mass),
            ],
            tasks=[self._attitude_task(period)],
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=self._judge,
            writers=[self._picture],
            plots=(f"{BODY}.w_WB_B", f"{BODY}.q_WB", "attitude.error", "attitude.tau"),
        )

    @cached_property
    def _allocation(self) -> ThrusterAllocation:
        s = self.satellite
        return self.jets.allocation(s.size, s.centre_of_mass, 1.0 / self.control.rate)

    @cached_property
    def _inertia(self) -> Array:
        return np.diag(self.satellite.inertia)

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """Attitudes q_WB before and after the turn."""
        q = Pose.from_rpy(self.satellite.attitude, (0.0, 0.0, 0.0)).q
        return q, quat_mul(q, quat_exp(self.slew.angle * self.slew.vector()))

    def pointing(self) -> SlewPointing:
        """The profile that is flown, with bangs of whole periods."""
        turn = np.concatenate([self._inertia @ self.slew.vector(), np.zeros(3)])
        full = self._allocation.B @ self._allocation.duties(1e6 * turn)  # along the turn, as much as there is
        a = self.control.share * float(full @ turn) / float(turn @ turn)
        fastest = 2.0 * math.sqrt(self.slew.angle / a)
        if self.slew.time < fastest:
            share = f"{100.0 * self.control.share:g} % of the torque"
            raise FieldError("slew.time", f"{self.slew.time:g} s; allowed: {fastest:.3g} s or more, with {share}")
        ramp = math.ceil(bang_time(self.slew.angle, self.slew.time, a) * self.control.rate - 1e-9) / self.control.rate
        return SlewPointing(*self.ends, self.slew.start, self.slew.time, min(ramp, 0.5 * self.slew.time))

    def _attitude_task(self, period: float) -> Task:
        gains = AttitudeGains(self.control.bandwidth, self.control.damping, 0.0)
        system = AttitudeSystem(
            AttitudeController(self._inertia, self.pointing(), gains),
            filter=AttitudeEKF(self.gyro.model(), self.tracker.model()),
            thrusters=self._allocation,
            dead_band=DeadBand(self.control.dead_band),
        )
        return Task(
            system,
            period,
            reads={"w_gyro": f"{BODY}.w_WB_B", "q_WT": f"{BODY}.q_WB"},
            writes={"on_time": f"{JETS}.pulse"},
            sensors={"w_gyro": self.gyro.sensor(), "q_WT": self.tracker.sensor()},
            records={
                "q_WB": Signal("attitude.q_WB", "-", (4,), "W", "estimated attitude, scalar first"),
                "error": Signal(
                    "attitude.error", "rad", (3,), "B", "error against the profile that the controller sees"
                ),
                "tau": Signal("attitude.tau", "N m", (3,), "B", "torque that the thrusters are asked for"),
                "on_time": Signal("attitude.on_time", "s", (12,), "", "time that each valve shall be open", VALVES),
            },
            name="attitude",
        )

    def _judge(self, result: Result) -> dict[str, float]:
        """True error at the end and at rest, pulses, and propellant beside the least.

        Errors are those of the true attitude: against the attitude turned to, and against the profile. What was not
        reached is left out. The least propellant is `BangBang`'s for the same turn in the same time by nominal
        thrusters; it knows nothing of the run.
        """
        t, follow = self.true_error(result)
        q = result[f"{BODY}.q_WB"]
        off = np.array([np.linalg.norm(quat_log(quat_mul(quat_conj(self.ends[1]), now))) for now in q])
        done, rest = self.slew.start + self.slew.time, self.slew.start + self.slew.time + self.slew.settling
        gas, on, least = result[f"{JETS}.propellant"].sum(axis=1), result["attitude.on_time"], self.least_propellant()
        found = {
            "pointing_error_deg": float(np.rad2deg(off[-1])),
            "tracking_error_max_deg": float(np.rad2deg(np.linalg.norm(follow, axis=1).max())),
            "pulses": float(np.count_nonzero(on)),
            "on_time_s": float(on.sum()),
            "propellant_kg": float(gas[-1]),
            "propellant_bang_bang_kg": least,
        }
        if t[-1] >= done:
            found["propellant_ratio"] = float(gas[-1]) / least
            reached = int(np.flatnonzero(np.append(True, off > ON_TARGET))[-1])  # the first of those that stay below
            if reached < t.size:
                found["settling_time_s"] = max(0.0, float(t[reached]) - done)
        at_rest = np.flatnonzero(t >= rest)
        if at_rest.size > 1:
            first = int(at_rest[0])
            found["pointing_error_max_deg"] = float(np.rad2deg(off[first:].max()))
            found["propellant_at_rest_per_minute_kg"] = 60.0 * float((gas[-1] - gas[first]) / (t[-1] - t[first]))
        return found

    def true_error(self, result: Result) -> tuple[Array, Array]:
        """Times (n,) and rotation vectors (n, 3) [rad] from the profile to the true attitude, in B."""
        t, q, profile = result.time(f"{BODY}.q_WB"), result[f"{BODY}.q_WB"], self.pointing()
        error = [quat_log(quat_mul(quat_conj(profile.at(x, {}).q_WR), now)) for x, now in zip(t, q, strict=True)]
        return t, np.array(error)

    def least_propellant(self) -> float:
        """[kg] of the same turn in the same time without a pulse too much, by nominal thrusters."""
        p, d = self.jets.places(self.satellite.size)
        moments = np.cross(p - np.asarray(self.satellite.centre_of_mass), d)
        wrenches = self.jets.thrust * np.hstack([moments, d]).T
        ideal = BangBang.of(self._inertia, self.slew.vector(), wrenches, self.jets.specific_impulse)
        return ideal.propellant(self.slew.angle, self.slew.time)

    def _picture(self, result: Result, out: Path) -> None:
        """The turn, its error, pulses and propellant below each other."""
        from freefloat.missions.satellite.slew_picture import Slew, draw_slew  # heavy, and only needed here

        t, error = self.true_error(result)
        q = result[f"{BODY}.q_WB"]
        turned = np.array([np.linalg.norm(quat_log(quat_mul(quat_conj(self.ends[0]), now))) for now in q])
        draw_slew(
            Slew(
                t,
                np.rad2deg(turned),
                np.rad2deg(error),
                np.rad2deg(self.control.dead_band),
                result.time("attitude.on_time"),
                result["attitude.on_time"],
                self._allocation.B[:3],
                result[f"{JETS}.propellant"].sum(axis=1),
                self.least_propellant(),
            ),
            out / "plots" / "slew.png",
        )
