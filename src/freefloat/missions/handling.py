"""What missions with modules share: onboard models of the robot on its stack, and the task that runs a plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.engine.graph import Joint
from freefloat.engine.mission import Mission
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.engine.tree import compile_tree
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.joint_modes import Footing
from freefloat.gnc.control.sequence import Sequencer
from freefloat.structure.tensor_body import TensorBody


def mass_of(body: TensorBody) -> Mass:
    """Mass properties of a tensor body in its frame, as onboard software knows them."""
    own = body.mass_properties()
    return Mass(own.mass, np.array(own.p_TTcm), np.array(own.I_TTcm_T))


def footing(
    mission: Mission, arm: str, stack: str, tip: str, stands: Joint | None = None, without: Sequence[str] = ()
) -> Footing:
    """An onboard model of the robot `arm` on the stack; `stands` is the edge by which it stands there, if any."""
    bp = mission.blueprint
    edges = [*bp.joints.values(), *([stands] if stands is not None else [])]
    links = [link for name, link in bp.links.items() if name not in without]
    edges = [e for e in edges if e.parent not in without and e.child not in without]
    tree = compile_tree(links, edges, (), [stack])
    joints = tuple(j for j in bp.joints if j.startswith(f"{arm}.") and j in tree.rate)
    return Footing(tree.model, joints, stack, tip)


def plan_task(sequencer: Sequencer, arm: str, stack: str, assembly: str, hands: Sequence[str], rate: float) -> Task:
    """The sequencer as a task at `rate` [Hz]."""
    n = len(sequencer.modes.effort)
    reads = {"q": f"{arm}.q", "qd": f"{arm}.qd", "alarms": f"{assembly}.alarms"}
    reads |= {"q_WB": f"{stack}.q_WB", "v_WB": f"{stack}.v_WB", "w_WB_B": f"{stack}.w_WB_B"}
    reads |= {f"{h}.state": f"{assembly}.{h}.state" for h in hands}
    return Task(
        sequencer,
        1.0 / rate,
        reads,
        writes={"tau": f"{arm}.tau", **{f"{h}.order": f"{assembly}.{h}.order" for h in hands}},
        records={
            "error": Signal(f"{arm}.error", "rad", (n,), meaning="reference minus measured joint position"),
            "step": Signal("plan.step", "-", (3,), meaning="number of the step; all done; safe stop"),
        },
        name="plan",
    )
