"""A satellite in low orbit: wheels, gyro, star tracker and filter turn it to the Earth; gravity acts at every stage."""

import argparse

import numpy as np

import freefloat as ff
from freefloat.actuators import ReactionWheels
from freefloat.frames import quat_conj, quat_log, quat_mul
from freefloat.gnc.control.allocation import WheelAllocation, pyramid_axes
from freefloat.gnc.control.attitude import AttitudeController, AttitudeGains
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.pointing import LVLHPointing
from freefloat.gnc.estimation.attitude_ekf import AttitudeEKF
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.reference import ReferenceOrbit
from freefloat.sensors import Gyro, StarTracker

INERTIA = (12.0, 10.0, 8.0)  # [kg m^2]
WHEEL = {"inertia": 0.005, "max_torque": 0.1, "max_speed": 400.0}  # [kg m^2], [N m], [rad/s]


def attitude_task() -> ff.Task:
    """Filter, controller and wheel allocation, four times a second."""
    control = AttitudeController(
        np.diag(INERTIA), LVLHPointing(), AttitudeGains(0.1), torque_limit=0.1, rate_limit=0.01
    )
    return ff.Task(
        AttitudeSystem(control, WheelAllocation(pyramid_axes(), **WHEEL), AttitudeEKF()),
        period=0.25,
        reads={
            "w_gyro": "sat.w_WB_B",
            "q_WT": "sat.q_WB",
            "p_ECI": "orbit.p_IW",  # the satellite is within metres of the frame's origin
            "v_ECI": "orbit.v_IW",
            "speed": "wheels.speed",
        },
        sensors={"w_gyro": ff.Sensor(model=Gyro()), "q_WT": ff.Sensor(delay=0.1, model=StarTracker())},
        writes={"tau_wheel": "wheels.tau"},
        name="attitude",
    )


def true_error(result: ff.Result) -> np.ndarray:
    """Angle [deg] between the true attitude and the orbital frame."""
    angle = []
    for p, v, q_WB in zip(result["orbit.p_IW"], result["orbit.v_IW"], result["sat.q_WB"], strict=True):
        q_WR = LVLHPointing().at(0.0, {"p_ECI": p, "v_ECI": v}).q_WR
        angle.append(np.linalg.norm(quat_log(quat_mul(quat_conj(q_WR), q_WB))))
    return np.rad2deg(np.array(angle))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of rates and wheel momenta")
    plot = parser.parse_args().plot

    frame = FallingFrame(ReferenceOrbit.from_preset(Epoch("2026-03-20T12:00:00Z"), "leo-400"), ahead=900.0)
    tumble = ff.Motion(w_WL_L=(0.01, -0.008, 0.012))
    sat = ff.RigidBody("sat", 100.0, INERTIA, (0.6, 0.8, 0.9), motion=tumble)
    wheels = ReactionWheels("wheels", "sat", pyramid_axes(), **WHEEL)
    mission = ff.Mission([frame, sat, wheels], tasks=[attitude_task()], integrator=ff.RK4(0.05), record_rate=1.0)
    result = mission.run(800.0, seed=1)

    error = true_error(result)
    print(f"angle to the orbital frame: {error[0]:.1f} deg at the start, {error[-1]:.4f} deg at the end")
    print(f"largest in the last 200 s: {error[-200:].max():.4f} deg")
    print(f"rate at the end: {np.rad2deg(np.linalg.norm(result['sat.w_WB_B'][-1])):.4f} deg/s, one turn per orbit")
    print(f"largest wheel momentum: {np.abs(result['wheels.h']).max():.3f} N m s")
    altitude = np.linalg.norm(result["orbit.p_IW"] + result["sat.p_WB"], axis=1) - 6378137.0
    print(f"altitude over the equatorial radius: {altitude.min() / 1e3:.2f} to {altitude.max() / 1e3:.2f} km")
    print(f"angular momentum drift {result.metrics['audit.angular_momentum_drift']:.0e}")
    if plot:
        result.plot("sat.w_WB_B", "wheels.h", path=plot)


if __name__ == "__main__":
    main()
