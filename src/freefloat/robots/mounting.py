"""Where a frame that something is mounted on stands at the start, from what parts have built so far."""

from __future__ import annotations

from freefloat.engine.blueprint import Blueprint
from freefloat.engine.graph import WORLD, LinkGraph
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.robots.posture import Posture


def start_pose(blueprint: Blueprint, frame: str) -> Pose:
    """X_WF of a named frame at the start, with every joint where it starts; what glides is not followed."""
    link, X_LF = blueprint.frame(frame)
    gliding = [joint.name for joint in blueprint.joints.values() if joint.kind == "planar"]
    joints = tuple(joint for joint in blueprint.joints.values() if joint.kind != "planar")
    floating = {root: motion.X_WL for root, motion in blueprint.motions.items()}
    graph = LinkGraph(tuple(blueprint.links.values()), joints, WORLD, floating=floating)
    links = Posture.of(graph, {joint: q for joint, (q, _) in blueprint.joint_start.items()}).links
    if link not in links:
        what = f"glides on {', '.join(gliding)}" if gliding else "hangs from nothing"
        raise InputError(f"frame {frame!r}: its link {link!r} {what}; allowed: one that the world or a body carries")
    return links[link] @ X_LF
