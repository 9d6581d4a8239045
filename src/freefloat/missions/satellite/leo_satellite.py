"""A satellite in low Earth orbit: wheels stop its tumble, then it points to the Earth with noisy sensors."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.frames import Array, quat_conj, quat_log, quat_mul
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.estimation.attitude_ekf import AttitudeEKF
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.missions.satellite.onboard_attitude import NO_ALMANAC, OnboardAttitude
from freefloat.missions.satellite.settings import (
    ControlSettings,
    GnssSettings,
    GyroSettings,
    InertialSettings,
    LvlhSettings,
    PyramidSettings,
    SatelliteSettings,
    SunSettings,
    SurfaceSettings,
    TrackerSettings,
)
from freefloat.orbit.environment import Sky, SurfaceForces, SurfaceHeat, heat_task, surface_force_task
from freefloat.orbit.ephemeris import sun_knots
from freefloat.orbit.epoch import DAY, Epoch
from freefloat.orbit.flown import eci_motion
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import choice, quantity, setting
from freefloat.scenario.registry import register

BODY = "satellite"
PLOTS = (
    f"{BODY}.w_WB_B",
    f"{BODY}.q_WB",
    "attitude.error",
    "attitude.bias",
    "wheels.h",
    f"{BODY}.density",
    f"{BODY}.light",
    f"{BODY}.absorbed",
)


@register
class LeoSatellite(Scenario):
    """A 100 kg satellite with four wheels, gyro, star tracker and GNSS, under drag and solar pressure."""

    kind: ClassVar[str] = "leo-satellite"
    title: ClassVar[str] = "A tumbling satellite in low orbit comes to rest and points to the Earth"

    duration: float = quantity(11120.0, "s", "simulated time; two turns of the default orbit", gt=0, le=1e9)
    integrator: IntegratorSettings = setting(IntegratorSettings(step=0.05), "how the plant is integrated")
    record_rate: float = quantity(1.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    orbit: OrbitSettings = setting(OrbitSettings(), "the orbit")
    satellite: SatelliteSettings = setting(SatelliteSettings(), "the satellite")
    surface: SurfaceSettings = setting(SurfaceSettings(), "air and light on its faces")
    wheels: PyramidSettings = setting(PyramidSettings(), "the reaction wheels")
    gyro: GyroSettings = setting(GyroSettings(), "the rate gyro")
    tracker: TrackerSettings = setting(TrackerSettings(), "the star tracker")
    gnss: GnssSettings = setting(GnssSettings(), "the GNSS receiver")
    control: ControlSettings = setting(ControlSettings(), "the attitude controller")
    pointing: LvlhSettings | SunSettings | InertialSettings = choice(LvlhSettings(), "where the satellite shall point")

    def build(self) -> Mission:
        """Orbit, body and wheels; surface forces, heat and attitude control as tasks."""
        frame = self.orbit.frame(self.duration)
        epoch, plates = frame.reference.epoch, self.surface.plates(self.satellite.size)
        forces = SurfaceForces(epoch, plates, self.surface.drag, self.surface.pressure)
        return Mission(
            [frame, self.satellite.body(BODY), self.wheels.part("wheels", BODY)],
            tasks=[
                surface_force_task(forces, BODY, period=self.surface.period),
                heat_task(SurfaceHeat(epoch, plates), BODY),
                self._attitude_task(epoch),
            ],
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=self._judge,
            plots=PLOTS,
            writers=[self.orbit.writer(BODY)],
        )

    def _attitude_task(self, epoch: Epoch) -> Task:
        period = 1.0 / self.control.rate
        system = AttitudeSystem(
            self.control.controller(self.satellite.inertia, self.pointing.make()),
            self.wheels.allocation(period),
            AttitudeEKF(self.gyro.model(), self.tracker.model()),
        )
        to_sun = isinstance(self.pointing, SunSettings)
        return Task(
            OnboardAttitude(system, sun_knots(epoch, self.duration + DAY) if to_sun else NO_ALMANAC),
            period,
            reads={
                "w_gyro": f"{BODY}.w_WB_B",
                "q_WT": f"{BODY}.q_WB",
                "p_WB": f"{BODY}.p_WB",
                "v_WB": f"{BODY}.v_WB",
                "p_IW": "orbit.p_IW",
                "v_IW": "orbit.v_IW",
                "speed": "wheels.speed",
            },
            writes={"tau_wheel": "wheels.tau"},
            sensors={"w_gyro": self.gyro.sensor(), "q_WT": self.tracker.sensor(), **self.gnss.sensors()},
            records={
                "q_WB": Signal("attitude.q_WB", "-", (4,), "W", "estimated attitude, scalar first"),
                "P_attitude": Signal("attitude.P", "rad^2", (3, 3), "B", "the filter's covariance of its attitude"),
                "bias": Signal("attitude.bias", "rad/s", (3,), "B", "estimated gyro bias"),
                "error": Signal("attitude.error", "rad", (3,), "B", "pointing error that the controller sees"),
                "mode": Signal("attitude.mode", "-", (1,), meaning="0 detumble, 1 pointing"),
            },
            name="attitude",
        )

    def _judge(self, result: Result) -> dict[str, float]:
        """Detumble, true pointing, the filter against its own bounds, wheels and light.

        Pointing and filter are judged from the end of the first orbit on (half the run where that is shorter); the
        3-sigma figures are three times the root mean square about zero, on the worst axis. An instant that was never
        reached is left out.
        """
        t, error = self.true_error(result)
        rate = np.linalg.norm(result[f"{BODY}.w_WB_B"], axis=1)
        settled = t >= min(self.orbit.period(), 0.5 * self.duration)
        miss, nees, inside = self._estimator(result)
        largest = np.linalg.norm(error, axis=1)
        found = {
            "detumble_time_s": _first(t, rate <= self.control.handover),
            "pointing_time_s": _first(t, ~np.logical_or.accumulate((largest > ACQUIRED)[::-1])[::-1]),
            "pointing_error_3sigma_deg": float(np.rad2deg(3.0 * _rms(error[settled], 0).max())),
            "pointing_error_rms_deg": float(np.rad2deg(_rms(largest[settled], 0))),
            "pointing_error_max_deg": float(np.rad2deg(largest[settled].max())),
            "estimator_error_3sigma_deg": float(np.rad2deg(3.0 * miss)),
            "estimator_inside_3sigma": inside,
            "estimator_nees": nees,
            "wheel_momentum_max_N_m_s": float(np.abs(result["wheels.h"]).max()),
            "wheel_torque_max_N_m": float(np.abs(result["wheels.tau_applied"]).max()),
            "eclipse_fraction": float(np.mean(result[f"{BODY}.light"] < 0.5)),
        }
        return {name: value for name, value in found.items() if not np.isnan(value)}

    def true_error(self, result: Result) -> tuple[Array, Array]:
        """Times (n,) and rotation vectors (n, 3) [rad] from the true reference to the true attitude, in B."""
        t, p, v = eci_motion(result, BODY)
        sky, pointing, q = Sky(Epoch(self.orbit.epoch)), self.pointing.make(), result[f"{BODY}.q_WB"]
        error = np.empty((t.size, 3))
        for k in range(t.size):
            known = {"p_ECI": p[k], "v_ECI": v[k], "sun_W": sky.direction(t[k], p[k])}
            error[k] = quat_log(quat_mul(quat_conj(pointing.at(t[k], known).q_WR), q[k]))
        return t, error

    def estimator_error(self, result: Result) -> tuple[Array, Array, Array]:
        """Times (n,), true errors of the estimate (n, 3) [rad] in B, and the filter's covariances (n, 3, 3)."""
        t, t_filter = result.time(f"{BODY}.q_WB"), result.time("attitude.q_WB")
        nearest = np.clip(np.searchsorted(t_filter, t - 1e-6), 0, t_filter.size - 1)
        both = np.abs(t_filter[nearest] - t) < 1e-6
        rows = nearest[both]
        truth, estimate = result[f"{BODY}.q_WB"][both], result["attitude.q_WB"][rows]
        error = np.array([quat_log(quat_mul(quat_conj(a), b)) for a, b in zip(estimate, truth, strict=True)])
        return t[both], error, result["attitude.P"][rows]

    def _estimator(self, result: Result) -> tuple[float, float, float]:
        """Root mean square error on the worst axis [rad], mean NEES per degree of freedom, share inside 3 sigma."""
        t, error, P = self.estimator_error(result)
        chosen = t >= min(self.orbit.period(), 0.5 * self.duration, t[-1])
        error, P = error[chosen], P[chosen]
        nees = np.einsum("ni,ni->n", error, np.linalg.solve(P, error[..., None])[..., 0]) / 3.0
        sigma = np.sqrt(np.diagonal(P, axis1=1, axis2=2))
        return float(_rms(error, 0).max()), float(nees.mean()), float(np.mean(np.abs(error) <= 3.0 * sigma))


ACQUIRED = np.deg2rad(0.5)  # [rad] true error below which the satellite counts as pointing


def _first(t: Array, true: Array) -> float:
    """First instant at which something is true; not a number where it never is."""
    return float(t[np.argmax(true)]) if true.any() else float("nan")


def _rms(values: Array, axis: int) -> Array:
    return np.sqrt(np.mean(values**2, axis=axis))
