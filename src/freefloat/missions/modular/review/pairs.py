"""Which solids of robots are compared with each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from freefloat.engine.graph import LinkGraph
from freefloat.engine.tree import compile_tree
from freefloat.frames import Pose
from freefloat.geometry.nearest import APART, BETWEEN
from freefloat.geometry.solids import SolidModel
from freefloat.missions.modular.review.motion import Names
from freefloat.missions.modular.review.moving import Moving
from freefloat.missions.modular.review.subject import Reviewed, Subject

POSTURES = 400  # at random, at which solids near each other are looked at
AT_LIMIT = 0.3  # share of the joints that are at one of their limits then
APART_BY_DESIGN = 0.005  # [m] that solids keep in all of them which cannot meet
MANY = 10**6  # joints between what does not hang together


class Pair(NamedTuple):
    """Two solids, how their distance counts, and how many joints are between them."""

    a: int
    b: int
    counts: int
    joints: int


def pairs_of(subject: Subject, names: Names, moving: Moving, model: SolidModel) -> list[Pair]:
    """Solids of one robot that are not neighbours along it, and all of two robots; modules count with their robot.

    Left out are solids across one or two joints that cannot meet within the limits of the joints, such as a hand and
    the housings of the fore-arm next to it.
    """
    robot_of: dict[int, int] = {}
    joints: dict[tuple[int, int], int] = {}
    for k, robot in enumerate(subject.robots):
        own = _links(robot, names)
        held = {names.tool(hand.tool) for hand in robot.hands}
        robot_of |= dict.fromkeys(own, k)
        steps = steps_between(robot.graph)
        for a, link_a in own.items():
            for b, link_b in own.items():
                far = steps[link_a][link_b]
                joints[a, b] = far if far >= 2 or (far == 1 and (a in held or b in held)) else 0
    found: list[Pair] = []
    for a, link_a in enumerate(moving.links):
        for b, link_b in enumerate(moving.links[:a]):
            if robot_of[link_a] != robot_of[link_b]:
                found.append(Pair(a, b, BETWEEN, MANY))
            elif joints[link_a, link_b] > 0:
                found.append(Pair(a, b, APART, joints[link_a, link_b]))
    never = {pair for robot in subject.robots for pair in _cannot_meet(found, model, moving, robot, subject, names)}
    return [pair for pair in found if pair not in never]


def _links(robot: Reviewed, names: Names) -> dict[int, str]:
    """Index -> link of the graph, for links with solids, and for modules the link that carries them."""
    own = {names.links.index(f"{robot.name}.{link.name}"): link.name for link in robot.graph.links if link.shapes}
    return own | {names.tool(h.tool): robot.link_of(h).removeprefix(f"{robot.name}.") for h in robot.hands}


def _cannot_meet(
    pairs: Sequence[Pair], model: SolidModel, moving: Moving, robot: Reviewed, subject: Subject, names: Names
) -> list[Pair]:
    own = _links(robot, names)
    near = [pair for pair in pairs if pair.joints <= 2 and moving.links[pair.a] in own]
    least = np.full(len(near), np.inf)
    for poses in _postures(robot, subject, names):
        for s, (link, X_LG) in enumerate(zip(moving.links, moving.poses, strict=True)):
            if link in own:
                X = poses[link] @ X_LG
                model.xpos[s], model.xmat[s] = X.p, X.R.ravel()
        least = np.minimum(least, [model.distance(pair.a, pair.b) for pair in near])
    return [pair for pair, distance in zip(near, least, strict=True) if distance > APART_BY_DESIGN]


def _postures(robot: Reviewed, subject: Subject, names: Names) -> Iterator[dict[int, Pose]]:
    """Poses of a robot's links, and of modules in its hands, at random postures within the limits of its joints."""
    graph, rng = robot.graph, np.random.default_rng(0)
    tree = compile_tree(graph.links, graph.joints, (), [graph.root])
    low, high = (
        np.clip([getattr(j, end) for j in graph.moving], -2.0 * np.pi, 2.0 * np.pi) for end in ("lower", "upper")
    )
    at = [tree.coordinate[j.name] for j in graph.moving]
    frames = {f"{robot.name}.{f}": (link.name, X) for link in graph.links for f, X in link.frames.items()}
    for _ in range(POSTURES):
        limit = np.where(rng.random(len(at)) < 0.5, low, high)
        tree.data.qpos[at] = np.where(rng.random(len(at)) < AT_LIMIT, limit, rng.uniform(low, high))
        mujoco.mj_kinematics(tree.model, tree.data)
        X_WL = {n: Pose.from_quat(tree.data.xquat[b], tree.data.xpos[b]) for n, b in tree.body.items()}
        found = {k: X_WL[name] for k, name in _links(robot, names).items()}
        for hand in robot.hands:
            link, X_LE = frames[hand.frame]
            centre = Pose(np.eye(3), subject.bodies[hand.tool].grid.p_TP[0])
            found[names.tool(hand.tool)] = X_WL[link] @ X_LE @ centre
        yield found


def steps_between(graph: LinkGraph) -> dict[str, dict[str, int]]:
    """How many moving joints are between two links; what hangs together in no way is MANY apart."""
    names = [link.name for link in graph.links]
    steps = {a: {b: 0 if a == b else MANY for b in names} for a in names}
    for joint in graph.joints:
        if joint.parent in steps and joint.child in steps:
            steps[joint.parent][joint.child] = steps[joint.child][joint.parent] = int(joint.kind != "fixed")
    for via in names:
        for a in names:
            for b in names:
                steps[a][b] = min(steps[a][b], steps[a][via] + steps[via][b])
    return steps
