"""Free-floating kinematics: joint motions from the reaction null space move the arm and leave the attitude alone."""

import argparse

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline

import freefloat as ff
from freefloat.engine.blueprint import draw
from freefloat.frames import quat_log
from freefloat.gnc.control.free_floating import attitude_null_space, base_joint
from freefloat.gnc.control.joints import ComputedTorque
from freefloat.gnc.planning.arm.joint_path import QuinticPieces
from freefloat.missions.arm.control import onboard_model
from freefloat.robots import asset

START = np.array([0.3, -0.9, 0.4, 1.6, 0.2, 0.7, 0.0])  # [rad]
WISH = np.array([0.25, 0.15, 0.0, -0.1, 0.2, 0.0, 0.0])  # [rad/s] joint rates that we would like
MOVE = 12.0  # [s]


def plan(model: mujoco.MjModel, projected: bool) -> QuinticPieces:
    """Integrate the wished rates, or their projection on the null space of the base's attitude."""
    data = mujoco.MjData(model)
    times, q = np.linspace(0.0, MOVE, 1201), START.copy()
    points = []
    for t in times:
        points.append(q)
        data.qpos[model.jnt_qposadr[base_joint(model)] + 7 :] = q
        rate = np.sin(np.pi * t / MOVE) ** 2 * WISH
        if projected:
            N = attitude_null_space(model, data)
            rate = N @ (N.T @ rate)
        q = q + rate * (times[1] - times[0])
    q_at = CubicSpline(times, np.array(points), bc_type="clamped")
    return QuinticPieces(times, q_at(times), q_at(times, 1), q_at(times, 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the reactionless motion")
    plot = parser.parse_args().plot

    bus = ff.RigidBody("bus", 300.0, size=(1.2, 1.2, 1.2), frames={"mount": ff.Pose.from_rpy((0, 0, 0), (0, 0, 0.6))})
    arm = ff.Arm("arm", ff.load_urdf(asset("arm7")), on="bus.mount", q=START)
    reads = {"q": "arm.q", "qd": "arm.qd", "q_WB": "bus.q_WB", "v_WB": "bus.v_WB", "w_WB_B": "bus.w_WB_B"}
    for projected in (False, True):
        blueprint = draw([bus, arm])
        model = onboard_model(blueprint).model
        control = ComputedTorque(plan(model, projected), model, np.arange(6, 13), bandwidth=6.0, damping=1.0)
        task = ff.Task(control, 0.002, reads=reads, writes={"tau": "arm.tau"})
        result = ff.Mission(blueprint, [task]).run(MOVE + 1.0)
        turn = np.rad2deg([np.linalg.norm(quat_log(q)) for q in result["bus.q_WB"]]).max()
        tool = np.linalg.norm(np.diff(result["arm.tool.p_WF"], axis=0), axis=1).sum()
        label = "in the null space" if projected else "as wished        "
        print(f"{label}: the tool travels {tool:.2f} m, the base turns by up to {turn:.4f} deg")
    print("Four of the seven joint motions are free of reaction torque; the projection keeps only those.")
    if plot:
        result.plot("arm.q", "bus.w_WB_B", path=plot)


if __name__ == "__main__":
    main()
