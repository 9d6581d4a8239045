"""What a reconfiguration tells its executive of robots, modules and other plans."""

from __future__ import annotations

from itertools import pairwise

import mujoco
import numpy as np
import pytest

from freefloat.engine.tree import compile_tree
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.missions.modular.planning import JOINT_SPEED
from freefloat.missions.modular.rebuilding import ROUND, THICK, centre_line, rebuilding_of, seconds_alone


def corners(shape: Shape) -> Array:
    """Points of which a cylinder is the hull, nearly: both rims."""
    assert shape.kind == "cylinder"
    radius, half = shape.size
    turns = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    return np.array([(radius * np.cos(a), radius * np.sin(a), z) for a in turns for z in (-half, half)])


def off_line(points: Array, line: Array) -> float:
    """[m] how far the farthest point is from a chain of segments."""
    least = np.full(len(points), np.inf)
    for a, b in pairwise(line):
        share = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        least = np.minimum(least, np.linalg.norm(points - a - share[:, None] * (b - a), axis=1))
    return float(least.max())


def test_capsules_along_the_centre_line_hold_all_solids_of_the_robot_in_any_posture() -> None:
    job = rebuilding_of("slab-10x2", "two-towers", "slab-to-two-towers", "type", 2, JOINT_SPEED)
    graph, limb, rng, worst = job.walker.graph, job.planning.motions.limb, np.random.default_rng(0), 0.0
    tree = compile_tree(graph.links, graph.joints, (), [graph.root])
    at = [tree.coordinate[j.name] for j in graph.moving]
    link, X_LE = job.walker.ends["a"]
    for _ in range(40):
        tree.data.qpos[at] = q = rng.uniform(-2.0, 2.0, 7)
        mujoco.mj_kinematics(tree.model, tree.data)
        X_WL = {n: Pose.from_quat(tree.data.xquat[b], tree.data.xpos[b]) for n, b in tree.body.items()}
        line = (X_WL[link] @ X_LE).apply(centre_line(limb, q))
        for part in graph.links:
            for shape in part.shapes:
                worst = max(worst, off_line((X_WL[part.name] @ shape.X_LG).apply(corners(shape)), line))
    assert 0.9 * THICK < worst <= THICK


def test_a_ball_round_a_module_holds_its_corners() -> None:
    job = rebuilding_of("slab-10x2", "two-towers", "slab-to-two-towers", "type", 2, JOINT_SPEED)
    assert np.linalg.norm(job.pair.grid.outline, axis=1).max() <= ROUND * job.pair.grid.spacing


def test_the_plan_of_one_robot_must_be_for_one_robot_and_for_this_job() -> None:
    assert seconds_alone("slab-10x2", "two-towers", "slab-to-two-towers-alone", "type") > 1000.0
    for plan in ("slab-to-two-towers", "slab-to-tower"):
        with pytest.raises(InputError, match=r"plan\.json"):
            seconds_alone("slab-10x2", "two-towers", plan, "type")
