"""Twenty real URDF robots against Pinocchio, which reads the files itself: accelerations at random states to 1e-10."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

from freefloat.engine.graph import WORLD, LinkGraph
from freefloat.engine.tree import Tree, compile_tree
from freefloat.frames import Pose
from freefloat.robots import load_urdf

SCRIPT = Path(__file__).parent / "pinocchio_states.py"
STATES = 3
ROBOTS = (  # with massless roots and links, point masses, impossible inertias of fixed links, mimic, dots, the world
    *("a1_description/urdf/a1.urdf", "alex_sake_hands.urdf", "anymal-kinova.urdf", "b1-z1.urdf", "baxter.urdf"),
    *("bolt.urdf", "centauro.urdf", "finger_edu.urdf", "g1_29dof_with_hand_rev_1_0.urdf", "human.urdf"),
    *("hyq_no_sensors.urdf", "panda_description/urdf/panda.urdf", "simple_humanoid.urdf", "talos_full_v2.urdf"),
    *(
        "ur5_robot.urdf",
        "tiago_pro.urdf",
        "cartpole.urdf",
        "kuka_iiwa/model.urdf",
        "laikago_toes.urdf",
        "pendulum5.urdf",
    ),
)
TOLERANCE = 1e-10


def tree_of(graph: LinkGraph) -> Tree:
    roots = [] if graph.root == WORLD else [graph.root]
    return compile_tree(graph.links, graph.joints, (), roots)


def random_states(graph: LinkGraph, root: str, seed: int) -> tuple[list[dict[str, Any]], list[np.ndarray]]:
    """States as Pinocchio takes them, and our accelerations: the root's as the file's root link R has it, then joints.

    Efforts are those of random accelerations, so that every joint counts, however light what it moves.
    """
    tree, rng = tree_of(graph), np.random.default_rng(seed)
    m, d = tree.model, tree.data
    names = {ours: theirs for theirs, ours in file_names(graph).items()}
    moving = [j.name for j in graph.joints if j.kind != "fixed"]
    home = next((link for link in graph.links if link.name == graph.root), None)
    X_HR = Pose.identity() if home is None or root == home.name else home.frames[root]
    states, found = [], []
    for _ in range(STATES):
        joints = {n: tuple(rng.uniform(-1.0, 1.0, 2)) for n in moving}
        for n, (q, v) in joints.items():
            d.qpos[tree.coordinate[n]], d.qvel[tree.rate[n]] = q, v
        X_WR, twist_R = Pose.exp(rng.uniform(-1.0, 1.0, 6)), np.zeros(6)
        a_wanted = rng.uniform(-1.0, 1.0, m.nv)
        if home is not None:
            X_WH, twist = X_WR @ X_HR.inverse(), rng.uniform(-1.0, 1.0, 6)  # (w, v) of H in axes of H
            d.qpos[:7] = [*X_WH.p, *X_WH.q]
            d.qvel[:6] = [*(X_WH.R @ twist[3:]), *twist[:3]]
            twist_R = X_HR.inverse().adjoint() @ twist
        mujoco.mj_forward(m, d)
        tau = np.zeros(m.nv)
        mujoco.mj_mulM(m, d, tau, a_wanted)
        tau += d.qfrc_bias
        tau[:6] *= home is None  # nothing pushes the root
        d.qfrc_applied[:] = tau
        mujoco.mj_forward(m, d)
        a = d.qacc
        states.append(
            {
                "X_WR": X_WR.matrix().tolist(),
                "twist": [*twist_R[3:], *twist_R[:3]],
                "wrench": [0.0] * 6,
                "joints": {names.get(n, n): (*joints[n], float(tau[tree.rate[n]])) for n in moving},
            }
        )
        ours = np.array([a[tree.rate[n]] for n in moving])
        if home is not None:
            R_WH, w, v = X_WH.R, twist[:3], twist[3:]
            spatial = np.concatenate([a[3:6], R_WH.T @ a[:3] - np.cross(w, v)])  # (angular, linear) in axes of H
            spatial = X_HR.inverse().adjoint() @ spatial
            ours = np.concatenate([spatial[3:], spatial[:3], ours])
        found.append(ours)
    return states, found


def file_names(graph: LinkGraph) -> dict[str, str]:
    """The file's names of joints -> ours, where they differ."""
    found = {}
    for note in graph.notes:
        place, _, ours = note.rpartition(": called ")
        if "<joint name=" in place:
            found[eval_name(place.split("<joint name=")[1].rstrip(">"))] = eval_name(ours)
    return found


def eval_name(quoted: str) -> str:
    return quoted.strip("'\"")


def errors(files: Sequence[Path], folder: Path, python: Sequence[str], env: dict[str, str]) -> dict[str, float]:
    """The largest relative difference of each robot."""
    robots, ours = [], []
    for i, file in enumerate(files):
        graph = load_urdf(file, unsupported="skip")
        root = root_of(file)
        states, found = random_states(graph, root, i)
        robots.append({"file": str(file), "floats": graph.root != WORLD, "states": states})
        ours.append(found)
    (folder / "states.json").write_text(json.dumps(robots), encoding="utf-8")
    subprocess.run([*python, str(SCRIPT), "states.json", "theirs.json"], cwd=folder, env=env, check=True)
    theirs = json.loads((folder / "theirs.json").read_text(encoding="utf-8"))
    return {
        file.name: float(
            np.max(
                [
                    np.linalg.norm(a - b) / np.linalg.norm(b)
                    for a, b in zip(mine, (np.array([*t["root"], *t["joints"].values()]) for t in other), strict=True)
                ]
            )
        )
        for file, mine, other in zip(files, ours, theirs, strict=True)
    }


def root_of(file: Path) -> str:
    """The file's root link."""
    robot = ElementTree.fromstring(file.read_bytes())
    children = {e.attrib["link"] for e in robot.findall("joint/child")}
    return next(e.attrib["name"] for e in robot.findall("link") if e.attrib["name"] not in children)


@pytest.fixture(scope="module")
def pinocchio(tmp_path_factory: pytest.TempPathFactory, pip_or_skip: Callable[..., None]) -> dict[str, str]:
    """The environment of a Python that has Pinocchio, in a folder of its own since it brings another NumPy."""
    folder = tmp_path_factory.mktemp("pinocchio")
    pip_or_skip("install", "--target", str(folder), "pin")
    site = next(iter(folder.glob("cmeel.prefix/lib/python*/site-packages")), folder)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(folder)])}


@pytest.mark.slow
def test_twenty_robots_accelerate_as_pinocchio_says(
    real_robots: Path, pinocchio: dict[str, str], tmp_path: Path
) -> None:
    files = [next(iter(sorted(real_robots.rglob(name)))) for name in ROBOTS]
    found = errors(files, tmp_path, [sys.executable], pinocchio)
    assert len(found) == 20
    assert all(error < TOLERANCE for error in found.values()), found  # a NaN is not below
