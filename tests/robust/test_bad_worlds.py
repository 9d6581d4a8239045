"""Bodies and robots that cannot exist never end the process; several worlds in threads are what they are alone."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.errors import FreefloatError, InputError
from freefloat.robots import asset

BODIES: dict[str, dict[str, Any]] = {
    "no mass": {"mass": 0.0},
    "negative mass": {"mass": -5.0},
    "mass not a number": {"mass": np.nan},
    "infinite mass": {"mass": np.inf},
    "mass below MuJoCo's least": {"mass": 1e-200},
    "no inertia": {"inertia": (0.0, 0.0, 0.0)},
    "negative inertia": {"inertia": (1.0, -1.0, 1.0)},
    "impossible inertia": {"inertia": (1.0, 1.0, 5.0)},
    "inertia not a number": {"inertia": (1.0, np.nan, 1.0)},
    "inertia not symmetric": {"inertia": np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])},
    "inertia of two numbers": {"inertia": (1.0, 2.0)},
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_cannot_exist_is_refused_in_one_line(kind: str) -> None:
    with pytest.raises(InputError) as error:
        ff.Mission([ff.RigidBody("bus", **BODIES[kind])]).session()
    assert "\n" not in str(error.value)


def spoilt_arm(change: Callable[[Link], Link] | None = None, joint: dict[str, Any] | None = None) -> LinkGraph:
    graph = ff.load_urdf(asset("arm7"))
    links = tuple(change(link) if change and n == 3 else link for n, link in enumerate(graph.links))
    joints = tuple(replace(j, **(joint or {})) if n == 2 else j for n, j in enumerate(graph.joints))
    return LinkGraph(links, joints, graph.root)


ROBOTS: dict[str, Callable[[], LinkGraph]] = {
    "link without mass": lambda: spoilt_arm(lambda k: replace(k, mass=0.0)),
    "negative mass": lambda: spoilt_arm(lambda k: replace(k, mass=-1.0)),
    "mass not a number": lambda: spoilt_arm(lambda k: replace(k, mass=np.nan)),
    "impossible inertia": lambda: spoilt_arm(lambda k: replace(k, I_LLcm_L=np.diag([1.0, 1.0, 9.0]))),
    "negative inertia": lambda: spoilt_arm(lambda k: replace(k, I_LLcm_L=-np.eye(3))),
    "inertia not a number": lambda: spoilt_arm(lambda k: replace(k, I_LLcm_L=np.full((3, 3), np.nan))),
    "centre not a number": lambda: spoilt_arm(lambda k: replace(k, p_LLcm=np.full(3, np.nan))),
    "axis of no length": lambda: spoilt_arm(joint={"axis": np.zeros(3)}),
    "axis not a number": lambda: spoilt_arm(joint={"axis": np.full(3, np.nan)}),
    "child that is not there": lambda: spoilt_arm(joint={"child": "nothing"}),
    "a loop of joints": lambda: spoilt_arm(joint={"child": ff.load_urdf(asset("arm7")).root}),
    "negative armature": lambda: spoilt_arm(joint={"armature": -1.0}),
}


@pytest.mark.parametrize("kind", ROBOTS)
def test_a_robot_that_cannot_exist_is_refused_in_one_line_or_cannot_go_on(kind: str) -> None:
    with pytest.raises(FreefloatError) as error:
        ff.Mission([ff.Arm("arm", ROBOTS[kind]())]).run(0.05)
    assert "\n" not in str(error.value)


def test_an_arm_without_joints_on_nothing_or_out_of_its_limits_is_refused() -> None:
    graph = ff.load_urdf(asset("arm7"))
    lone = LinkGraph((graph.links[0],), (), graph.links[0].name)
    fixed = Joint("j", "fixed", graph.links[0].name, graph.links[1].name, ff.Pose.identity())
    for part, message in (
        (ff.Arm("arm", lone), "no moving joint"),
        (ff.Arm("arm", LinkGraph(graph.links[:2], (fixed,), graph.links[0].name)), "no moving joint"),
        (ff.Arm("arm", graph, on="bus.mont"), "unknown frame 'bus.mont'"),
        (ff.Arm("arm", graph, q=(0.0, 0.0)), "2 start positions q for 7 joints"),
        (ff.Arm("arm", graph, q=(99.0, 0, 0, 0, 0, 0, 0)), "start position 99 is outside"),
        (ff.Arm("arm", graph, q=(np.nan, 0, 0, 0, 0, 0, 0)), "start of joint .shoulder_roll. nan; allowed: any number"),
    ):
        with pytest.raises(InputError, match=message):
            ff.Mission([ff.RigidBody("bus", frames={"mount": ff.Pose.identity()}), part])


def test_worlds_in_threads_have_the_same_bits_as_one_after_the_other(bus_with_arm: Any, law: Any, swing: Any) -> None:
    def run(seed: int) -> np.ndarray:
        noise = {"qd": ff.Sensor(noise=1e-3, delay=0.0017)}
        task = ff.Task(law(swing), 0.004, {"qd": "arm.qd"}, {"tau": "arm.tau"}, noise)
        result = ff.Mission(bus_with_arm(), [task]).run(0.5, seed=seed)
        return np.hstack([result["arm.q"], result["bus.q_WB"]])

    alone = [run(seed) for seed in range(6)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, range(6)))
    assert not np.array_equal(alone[0], alone[1])
    for a, b in zip(alone, together, strict=True):
        assert np.array_equal(a, b)


def test_the_plant_lets_other_threads_work(bus_with_arm: Any) -> None:
    """While a long stretch is integrated in one thread, another keeps counting."""
    import threading

    session = ff.Mission(bus_with_arm(motion=ff.Motion(w_WL_L=(0.1, 0.2, 0.3)))).session()
    done = threading.Event()

    def work() -> None:
        session.step(5.0)  # few enough steps and rows for one compiled call
        done.set()

    thread = threading.Thread(target=work)
    count = 0
    thread.start()
    while not done.is_set():
        count += 1
    thread.join()
    assert session.world.steps == 5_000
    assert count > 1000
