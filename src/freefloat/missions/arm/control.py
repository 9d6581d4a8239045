"""Settings that arm scenarios share: the joint path, the controllers, the sensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.blueprint import Blueprint
from freefloat.engine.sensing import Sensor
from freefloat.engine.task import Task
from freefloat.engine.tree import Tree, compile_tree
from freefloat.frames import Array
from freefloat.gnc.control.free_floating import generalised_inertia
from freefloat.gnc.control.joints import ComputedTorque, JointPD
from freefloat.gnc.planning.arm.joint_path import QuinticPath
from freefloat.missions.drive_settings import servo_task
from freefloat.scenario.fields import Settings, quantity, setting


class PDSettings(Settings):
    """Independent joint control tau = I (w^2 e + 2 z w e'), I the least that a joint feels on its way."""

    kind: Literal["pd"] = setting("pd", "independent joints")
    rate: float = quantity(250.0, "Hz", "update rate", gt=0, le=1e5)
    bandwidth: float = quantity(20.0, "rad/s", "natural frequency w of each joint alone", gt=0)
    damping: float = quantity(1.0, "-", "damping ratio z of each joint alone", gt=0)


class ComputedTorqueSettings(Settings):
    """Inverse dynamics with the reacting base, and a second-order error response."""

    kind: Literal["computed-torque"] = setting("computed-torque", "inverse dynamics")
    rate: float = quantity(250.0, "Hz", "update rate", gt=0, le=1e5)
    bandwidth: float = quantity(4.0, "rad/s", "natural frequency of the joint error", gt=0)
    damping: float = quantity(1.0, "-", "damping ratio of the joint error", gt=0)


class JointSensors(Settings):
    """What the joint controller measures."""

    position_noise: float = quantity(0.0, "rad", "standard deviation of a joint position sample", ge=0)
    position_quantum: float = quantity(0.0, "rad", "smallest step of a joint position reading; 0: continuous", ge=0)
    rate_noise: float = quantity(0.0, "rad/s", "standard deviation of a joint rate sample", ge=0)
    delay: float = quantity(0.0, "s", "age of a joint sample when it is used", ge=0, le=1)
    dropout: float = quantity(0.0, "-", "probability that a joint sample is lost", ge=0, lt=1)

    def sensors(self) -> dict[str, Sensor]:
        """Sensors on q and qd; none where they are ideal."""
        q = Sensor(None, self.delay, self.position_noise, 0.0, self.position_quantum, self.dropout)
        qd = Sensor(None, self.delay, self.rate_noise, 0.0, 0.0, self.dropout)
        return {n: s for n, s in {"q": q, "qd": qd}.items() if s != Sensor()}


def joint_tasks(
    blueprint: Blueprint,
    tree: Tree,
    arm: str,
    base: str,
    path: QuinticPath,
    control: PDSettings | ComputedTorqueSettings,
    sensors: JointSensors,
    drives: Sequence[JointDrive] | None = None,
) -> list[Task]:
    """The tasks that move `arm` (on the floating link `base`) along a path, with `tree` as its onboard model.

    With drives the controller's feedback is that of a servo behind it, which gets the path and the efforts for its
    accelerations (computed torque) or none (pd).
    """
    meaning = "reference minus measured joint position"
    records = {"error": replace(blueprint.signal(f"{arm}.q"), name=f"{arm}.error", meaning=meaning)}
    writes = {"tau": f"{arm}.tau"}
    if drives is not None:
        writes = {"q_ref": f"{arm}.servo_q", "qd_ref": f"{arm}.servo_qd", "tau_ref": f"{arm}.servo_tau"}
    wiring = {"writes": writes, "sensors": sensors.sensors(), "records": records, "name": "control"}
    reads = {"q": f"{arm}.q", "qd": f"{arm}.qd"}
    joints = joints_of(arm, blueprint, tree)
    dofs = np.array([tree.rate[j] for j in joints])
    least, largest = _inertia_range(tree, [tree.coordinate[j] for j in joints], dofs, path)
    if isinstance(control, PDSettings):
        controller = JointPD(path, least * control.bandwidth**2, least * 2.0 * control.damping * control.bandwidth)
    else:
        reads |= {"q_WB": f"{base}.q_WB", "v_WB": f"{base}.v_WB", "w_WB_B": f"{base}.w_WB_B"}
        controller = ComputedTorque(path, tree.model, dofs, control.bandwidth, control.damping)
    task = Task(controller, 1.0 / control.rate, reads, **wiring)
    if drives is None:
        return [task]
    effort = [blueprint.joints[j].effort for j in joints]
    return [task, servo_task(blueprint.signal(f"{arm}.q"), drives, effort, least, largest)]


def _inertia_range(
    tree: Tree, coordinates: list[int], dofs: NDArray[np.intp], path: QuinticPath
) -> tuple[Array, Array]:
    """The least inertia that each joint feels along the path while all others give way (gains scaled with it stay
    stable however the joints couple), and the largest while all others are held."""
    least, largest = np.full(path.q0.shape[0], np.inf), np.zeros(path.q0.shape[0])
    for t in np.linspace(0.0, path.duration, 101):
        tree.data.qpos[coordinates] = path.at(t)[0]
        inertia = generalised_inertia(tree.model, tree.data, dofs)
        least = np.minimum(least, 1.0 / np.diagonal(np.linalg.inv(inertia)))
        largest = np.maximum(largest, np.diagonal(inertia))
    return least, largest


def joints_of(arm: str, blueprint: Blueprint, tree: Tree) -> list[str]:
    """Names of an arm's joints that move."""
    return [j for j in blueprint.joints if j.startswith(f"{arm}.") and j in tree.rate]


def onboard_model(blueprint: Blueprint) -> Tree:
    """A model of the drawn structure for controllers: exact, and their own copy, with named frames as sites."""
    links, joints = list(blueprint.links.values()), list(blueprint.joints.values())
    tree = compile_tree(links, joints, (), blueprint.roots)
    for name, (link, X_LF) in blueprint.frames.items():
        if name not in blueprint.links:
            tree.spec.body(link).add_site(name=name, pos=X_LF.p, quat=X_LF.q)
    model = tree.spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return replace(tree, model=model, data=data)
