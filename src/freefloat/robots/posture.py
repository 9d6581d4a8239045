"""Where a robot's links and joints are at given positions of its joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from freefloat.engine.graph import WORLD, Joint, LinkGraph
from freefloat.frames import Pose
from freefloat.robots.declared import motion


@dataclass(frozen=True)
class Posture:
    """Poses in the frame of the root, or of what the robot stands on."""

    links: Mapping[str, Pose]  # X_RL, the root's or the world's among them
    joints: Mapping[str, Pose]  # X_RJ, before the joint's own motion
    order: tuple[Joint, ...]  # parents first; those in series behind each other

    @classmethod
    def of(cls, graph: LinkGraph, q: Mapping[str, float]) -> Posture:
        """At positions [rad or m] by joint; those that are not given are zero."""
        links: dict[str, Pose] = {graph.root: Pose.identity(), **graph.floating}
        joints: dict[str, Pose] = {}
        order = outward(graph)
        for j in order:
            joints[j.name] = links[j.child if j.series else j.parent] @ j.X_PJ
            links[j.child] = joints[j.name] @ motion(j, q.get(j.name, 0.0)) @ j.X_JC
        return cls(links, joints, tuple(order))


def outward(graph: LinkGraph) -> list[Joint]:
    """Joints with their parents before them; those in series stay together, those that close a loop are left out."""
    below: dict[str, list[Joint]] = {}
    for j in graph.joints:
        below.setdefault(j.parent, []).append(j)
    queue = [graph.root, *graph.floating]
    seen = {*queue, WORLD}
    if graph.root != WORLD and WORLD in below:
        queue.append(WORLD)
    found: list[Joint] = []
    for name in queue:  # grows while it is read
        for j in below.get(name, ()):
            if j.series or j.child not in seen:
                found.append(j)
            if j.child not in seen:
                seen.add(j.child)
                queue.append(j.child)
    return found
