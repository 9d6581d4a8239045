"""A joint with a full drive turns slowly: which imperfection makes its speed ripple, and at which frequency."""

import argparse
from dataclasses import replace

import numpy as np

import freefloat as ff
from freefloat.drives import Friction, JointDrive, load_drive
from freefloat.gnc.control.joint_servo import JointServo
from freefloat.gnc.control.servo_gains import ServoDrive

SPEED, RATE = 0.01, 200.0  # [rad/s] of the joint, [Hz] of records
INERTIA = 12.0  # [kg m^2] of the boom about the hinge
ROBOT = """
<robot name="boom">
  <link name="base">
    <inertial><mass value="2000"/><inertia ixx="900" ixy="0" ixz="0" iyy="900" iyz="0" izz="900"/></inertial>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="base"/><child link="boom"/><axis xyz="0 0 1"/><limit effort="160" velocity="3"/>
  </joint>
  <link name="boom">
    <inertial><mass value="15"/><inertia ixx="12" ixy="0" ixz="0" iyy="12" iyz="0" izz="12"/></inertial>
  </link>
</robot>"""
TOLD = {"q_ref": "servo_q", "qd_ref": "servo_qd", "tau_ref": "servo_tau", "mode": "servo_mode"}
SEEN = {"motor_q": "motor_resolver", "motor_qd": "motor_qd", "q": "load_resolver", "torque": "torque_sensor"}


class Ramp:
    """A steady slow turn."""

    def update(self, t, meas):
        return {"q": [SPEED * t], "qd": [SPEED]}


def turn(drive: JointDrive) -> ff.Result:
    """The boom under its servo for 14 s."""
    gear, J, effort = drive.gear, drive.motor.inertia, 160.0
    known = ServoDrive(gear.ratio, J, gear.stiffness, gear.damping, effort, INERTIA, INERTIA)
    servo = JointServo.tuned(known, 1e-3, coulomb=drive.friction.coulomb, viscous=drive.friction.viscous)
    tasks = [
        ff.Task(Ramp(), 0.001, writes={"q": "rig.servo_q", "qd": "rig.servo_qd"}),
        ff.Task(servo, 0.001, {k: f"rig.{v}" for k, v in (TOLD | SEEN).items()}, {"tau": "rig.tau"}),
    ]
    rig = ff.Arm("rig", ff.load_urdf(ROBOT), drives=[drive], servo="position")
    return ff.Mission([rig], tasks, record_rate=RATE).run(14.0, strict=True)


def ripple(result: ff.Result) -> tuple[float, dict[str, float]]:
    """Root mean square of the rate's ripple over the last 8 s, and its parts at two frequencies, of SPEED."""
    rate = result["rig.qd"][-1600:, 0] / SPEED
    rate = rate - rate.mean()
    t = np.arange(rate.size) / RATE
    motor = SPEED * 160.0  # [rad/s]
    window = np.hanning(rate.size)

    def amplitude(per_turn: int) -> float:
        return float(2.0 * abs(np.sum(window * rate * np.exp(-1j * per_turn * motor * t))) / window.sum())

    return float(rate.std()), {"gear error": amplitude(2), "cogging": amplitude(84)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of rate, gear torque and currents")
    plot = parser.parse_args().plot

    full = load_drive("spider-shoulder")
    smooth = replace(full, motor=replace(full.motor, cogging=0.0))
    exact = replace(full, gear=replace(full.gear, kinematic_error=0.0))
    free = replace(full, friction=Friction(coulomb=0.0, viscous=full.friction.viscous))
    drives = {"as it is": full, "no cogging": smooth, "no gear error": exact, "no dry friction": free}
    print(f"a joint at {SPEED} rad/s: ripple of its rate (rms), parts of it, electric energy of 14 s")
    for name, drive in drives.items():
        result = turn(drive)
        rms, parts = ripple(result)
        shares = ", ".join(f"{what} {100 * share:5.2f} %" for what, share in parts.items())
        print(f"  {name:16s} {100 * rms:5.2f} %: {shares}; {result['rig.drive_energy'][-1, 0]:.2f} J")
        if plot and name == "as it is":
            result.plot("rig.qd", "rig.torque_gear", "rig.current", path=plot)
    turns = SPEED * 160.0 / (2.0 * np.pi)  # [1/s] of the motor
    print(f"cogging passes at {84 * turns:.1f} Hz, the gear's error at {2 * turns:.2f} Hz")


if __name__ == "__main__":
    main()
