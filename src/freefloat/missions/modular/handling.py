"""What missions with modules share: onboard models of the robot on its stack, and the tasks that run a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import mujoco
import numpy as np

from freefloat.engine.blueprint import Blueprint
from freefloat.engine.graph import Joint
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.engine.tree import compile_tree
from freefloat.frames import Array, Pose
from freefloat.gnc.control.free_floating import generalised_inertia
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.joint_modes import Footing
from freefloat.gnc.control.sequence import Sequencer
from freefloat.structure.tensor_body import TensorBody

LONG_STEP = 4e-3  # [s] where joints are ideal and nothing touches: a period of their controller
PROGRESS = ("step", "all done", "safe stop")


def known_mass(body: TensorBody) -> Mass:
    """Mass properties of a tensor body in its frame, as onboard software knows them."""
    own = body.mass_properties()
    return Mass(own.mass, np.array(own.p_TTcm), np.array(own.I_TTcm_T))


def footing(
    bp: Blueprint,
    arm: str,
    stack: str,
    tip: str,
    stands: Joint | None = None,
    without: Sequence[str] = (),
    end: str = "",
    mass_scale: float = 1.0,
) -> Footing:
    """An onboard model of the robot `arm` on the drawn stack; `stands` is the edge by which it stands there, if any,
    and `end` the frame of the arm that is on the stack then, where it may come to stand elsewhere. All that moves has
    `mass_scale` times its mass in it."""
    edges = [*bp.joints.values(), *([stands] if stands is not None else [])]
    links = [link for name, link in bp.links.items() if name not in without]
    edges = [e for e in edges if e.parent not in without and e.child not in without]
    tree = compile_tree(links, edges, (), [stack])
    joints = tuple(j for j in bp.joints if j.startswith(f"{arm}.") and j in tree.rate)
    foot, X_FE = bp.frame(end) if end else ("", Pose.identity())
    return Footing(tree.model, joints, stack, tip, foot, X_FE, mass_scale)


def inertia_range(
    footings: Mapping[str, Footing], postures: Sequence[Array], payloads: Sequence[Mass]
) -> tuple[Array, Array]:
    """The least inertia [kg m^2] that each joint feels while all others give way, and the largest while they are held:
    over ways to stand, postures and payloads."""
    n = len(postures[0])
    least, largest = np.full(n, np.inf), np.zeros(n)
    for foot in footings.values():
        model, data = foot.model, mujoco.MjData(foot.model)
        joints = [model.joint(name) for name in foot.joints]
        dofs = np.array([int(j.dofadr[0]) for j in joints])
        for payload in payloads:
            foot.set_payload(payload)
            for q in postures:
                data.qpos[[int(j.qposadr[0]) for j in joints]] = q
                inertia = generalised_inertia(model, data, dofs)
                least = np.minimum(least, 1.0 / np.diagonal(np.linalg.inv(inertia)))
                largest = np.maximum(largest, np.diagonal(inertia))
        foot.set_payload(Mass.none())
    return least, largest


def plan_tasks(
    sequencer: Sequencer,
    joints: Signal,
    stack: str,
    assembly: str,
    hands: Sequence[str],
    rate: float,
    felt: bool = False,
    servo: Task | None = None,
) -> tuple[Task, ...]:
    """The sequencer as the task `plan`, and its joint controller at `rate` [Hz] as the task `joints`, in front of the
    joint servo where there is one.

    `joints` is the signal of the robot's joint positions; `felt`: the assembly tells of collisions.
    """
    arm = joints.part
    collisions = {"collisions": f"{assembly}.collisions"} if felt else {}
    plan = Task(
        sequencer,
        sequencer.period,
        {
            "q": f"{arm}.q",
            "alarms": f"{assembly}.alarms",
            **{f"{h}.state": f"{assembly}.{h}.state" for h in hands},
            **collisions,
        },
        {f"{h}.order": f"{assembly}.{h}.order" for h in hands},
        records={"step": Signal("plan.step", "-", (3,), meaning="progress of the plan; 1: yes", labels=PROGRESS)},
        name="plan",
    )
    reads = {"q": f"{arm}.q", "qd": f"{arm}.qd"}
    reads |= {"q_WB": f"{stack}.q_WB", "v_WB": f"{stack}.v_WB", "w_WB_B": f"{stack}.w_WB_B"}
    meaning = "reference minus measured joint position"
    writes = {"tau": f"{arm}.tau"}
    if servo is not None:
        writes = {f"{n}_ref": f"{arm}.servo_{n}" for n in ("q", "qd", "tau")} | {"mode": f"{arm}.servo_mode"}
    control = Task(
        sequencer.modes,
        1.0 / rate,
        reads,
        writes,
        records={"error": replace(joints, name=f"{arm}.error", meaning=meaning)},
        name="joints",
    )
    return (plan, control) if servo is None else (plan, control, servo)
