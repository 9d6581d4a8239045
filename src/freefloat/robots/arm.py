"""An arm as a part: a robot graph on a frame of another part, with torque-commanded joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import LinkGraph
from freefloat.engine.rows import joint_spring, joint_torque
from freefloat.errors import InputError


@dataclass(frozen=True)
class Arm:
    """A robot with n moving joints, mounted on the frame `on`, or free-floating where `on` is None.

    Signals: `name.q`, `.qd`, `.qdd`, `.tau_applied` and poses of every link and frame. Command: `name.tau` (n,).
    Efforts are clipped to the joints' limits; damping, springs and, with `stop_stiffness`, stops at the position
    limits act as the robot's file says.
    """

    name: str
    graph: LinkGraph
    on: str | None = None
    q: Sequence[float] | None = None  # [rad or m] start positions; None: zero
    motion: Motion | None = None  # start of a free-floating robot's root
    stop_stiffness: float = 0.0  # [N m/rad] 0: no stops
    stop_damping: float = 0.0  # [s/rad]

    def build(self, b: Builder) -> None:
        """Add links, joints, drives and springs."""
        moving = [j for j in self.graph.joints if j.kind != "fixed"]
        if not moving:
            raise InputError(f"part {self.name!r}: the robot has no moving joint")
        q = self.q if self.q is not None else [0.0] * len(moving)
        names = b.graph(self.graph, q, self.on, self.motion)
        kinds = {j.kind for j in moving}
        angular = kinds == {"revolute"}
        b.joint_signals(names, "rad" if angular else "m")
        unit = "N m" if angular else "N"
        most = [j.effort for j in moving]
        tau = b.command("tau", (len(moving),), unit, "commanded joint efforts", ([-e for e in most], most))
        rows = [b.add(joint_torque(n, tau, i, j.effort)) for i, (n, j) in enumerate(zip(names, moving, strict=True))]
        b.signal_of("tau_applied", rows, "effort", "joint efforts after limits", unit)
        for name, j in zip(names, moving, strict=True):
            if j.stiffness or j.damping or self.stop_stiffness:
                stops = (j.lower, j.upper, self.stop_stiffness, self.stop_damping)
                b.add(joint_spring(name, j.stiffness, j.damping, j.springref, *stops))
