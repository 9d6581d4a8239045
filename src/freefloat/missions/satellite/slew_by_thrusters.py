"""A satellite without wheels turns by on/off thrusters and holds what it has turned to."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.errors import InputError
from freefloat.frames import Array, Pose, quat_conj, quat_exp, quat_log, quat_mul
from freefloat.gnc.control.allocation import ThrusterAllocation
from freefloat.gnc.control.attitude import AttitudeController, AttitudeGains
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.dead_band import DeadBand
from freefloat.gnc.control.slew import SlewPointing, bang_time
from freefloat.gnc.estimation.attitude_ekf import AttitudeEKF
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.missions.satellite.bang_bang import BangBang
from freefloat.missions.satellite.jet_settings import JetSettings
from freefloat.missions.satellite.settings import GyroSettings, SatelliteSettings, TrackerSettings
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Settings, Vector3, quantity, setting
from freefloat.scenario.registry import register

BODY, JETS = "satellite", "jets"
ON_TARGET = np.deg2rad(0.1)  # [rad] true error below which the slew counts as done


class SlewSettings(Settings):
    """A turn about an axis of the body: thrust, coast, thrust."""

    axis: Vector3 = quantity((0.0, 0.0, 1.0), "-", "axis of the turn in B; its length does not count")
    angle: float = quantity(math.pi / 3.0, "rad", "how far", gt=0, le=math.pi)
    start: float = quantity(10.0, "s", "when it starts; the attitude of the start is held until then", ge=0)
    time: float = quantity(60.0, "s", "from rest to rest", gt=0)
    settling: float = quantity(20.0, "s", "after it, from when on the satellite counts as at rest", ge=0)

    def vector(self) -> Array:
        """The unit vector of the axis."""
        size = float(np.linalg.norm(self.axis))
        if not size > 0.0:
            raise InputError(f"slew.axis: {self.axis}; allowed: not zero")
        return np.asarray(self.axis) / size


class PulseControlSettings(Settings):
    """Quaternion feedback on the slew's profile, and how little of an error thrusters leave alone."""

    rate: float = quantity(4.0, "Hz", "update rate of filter and controller, and of the pulses", gt=0, le=100)
    bandwidth: float = quantity(0.2, "rad/s", "natural frequency of the attitude error", gt=0)
    damping: float = quantity(0.7, "-", "damping ratio of the attitude error", gt=0)
    dead_band: float = quantity(np.deg2rad(0.03), "rad", "error on an axis at which thrusters start to work", gt=0)
    share: float = quantity(0.8, "-", "of the largest torque, which the profile uses; feedback has the rest", gt=0, le=1)


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
            plots=(f"{BODY}.w_WB_B", f"{BODY}.q_WB", "attitude.error", "attitude.on_time", f"{JETS}.propellant"),
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
                "error": Signal("attitude.error", "rad", (3,), "B", "error against the profile that the controller sees"),
                "tau": Signal("attitude.tau", "N m", (3,), "B", "torque that the thrusters are asked for"),
                "on_time": Signal("attitude.on_time", "s", (12,), "", "time that each valve is asked to be open"),
            },
            name="attitude",
        )

    def _judge(self, result: Result) -> dict[str, float]:
        """True error at the end and at rest, pulses, and propellant beside the least.

        Errors are true attitude against the attitude turned to, or against the profile while it turns. What was not
        reached is left out. The least propellant is `BangBang`'s for the same turn in the same time by nominal
        thrusters; it knows nothing of the run.
        """
        t, q = result.time(f"{BODY}.q_WB"), result[f"{BODY}.q_WB"]
        done, rest = self.slew.start + self.slew.time, self.slew.start + self.slew.time + self.slew.settling
        off = np.array([np.linalg.norm(quat_log(quat_mul(quat_conj(self.ends[1]), now))) for now in q])
        profile = self.pointing()
        follow = np.array(
            [np.linalg.norm(quat_log(quat_mul(quat_conj(profile.at(x, {}).q_WR), now))) for x, now in zip(t, q, strict=True)]
        )
        gas = result[f"{JETS}.propellant"].sum(axis=1)
        least = self._bang_bang().propellant(self.slew.angle, self.slew.time)
        found = {
            "pointing_error_deg": float(np.rad2deg(off[-1])),
            "tracking_error_max_deg": float(np.rad2deg(follow.max())),
            "pulses": float(np.count_nonzero(result["attitude.on_time"])),
            "on_time_s": float(result["attitude.on_time"].sum()),
            "propellant_kg": float(gas[-1]),
            "propellant_bang_bang_kg": least,
        }
        if t[-1] >= done:
            found["propellant_ratio"] = float(gas[-1]) / least
            late = np.flatnonzero(off > ON_TARGET)
            if late.size < t.size and late[-1] + 1 < t.size:
                found["settling_time_s"] = max(0.0, float(t[late[-1] + 1]) - done)
        if t[-1] > rest:
            at_rest = t >= rest
            minutes = float(t[-1] - t[at_rest][0]) / 60.0
            found["pointing_error_max_deg"] = float(np.rad2deg(off[at_rest].max()))
            if minutes > 0.0:
                found["propellant_at_rest_per_minute_kg"] = float(gas[-1] - gas[at_rest][0]) / minutes
        return found

    def _bang_bang(self) -> BangBang:
        """The judge's own thrusters: nominal, about the centre of mass."""
        p, d = self.jets.places(self.satellite.size)
        moments = np.cross(p - np.asarray(self.satellite.centre_of_mass), d)
        wrenches = self.jets.thrust * np.hstack([moments, d]).T
        return BangBang.of(self._inertia, self.slew.vector(), wrenches, self.jets.specific_impulse)
