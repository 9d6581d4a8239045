"""A link's mass may change during a run: motion stays, the audit books, the plant is as if built anew."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError

HEAVY = (150.0, np.array([0.1, -0.2, 0.3]), np.array([[30.0, 1.0, -2.0], [1.0, 25.0, 0.5], [-2.0, 0.5, 20.0]]))
LIGHT = (90.0, np.array([0.05, 0.1, -0.02]), np.diag([12.0, 15.0, 11.0]))
TUMBLE = ff.Motion(ff.Pose.from_rpy((0.1, 0.5, -0.3), (1.0, 2.0, 3.0)), (0.3, -0.2, 0.4), (0.5, -0.1, 0.2))


@dataclass(frozen=True)
class Vessel:
    """One free link whose mass may change, with an outside wrench."""

    properties: Any = HEAVY
    variable: bool = True
    name: str = "vessel"

    def build(self, b: Any) -> None:
        from freefloat.engine.rows import body_wrench

        mass, p, inertia = self.properties
        full = b.body(ff.Link("", mass, p, inertia, variable=self.variable), TUMBLE)
        b.add(body_wrench(full, b.command("wrench", (6,), "N m, N"), ff.Pose.identity(), "body"))


@pytest.fixture
def changed() -> Any:
    """A mission of one vessel whose mass changes at 0.5 s."""
    event = ff.Event("change", lambda s: s.world.set_mass("vessel", *LIGHT), at=0.5)
    return ff.Mission([Vessel()], events=[event])


def accelerations(world: Any) -> np.ndarray:
    return world.compiled().data.qacc.copy()


def test_the_frame_keeps_its_pose_and_velocity() -> None:
    session = ff.Mission([Vessel()]).session()
    session.step(0.3)
    before = [session.read(f"vessel.{s}") for s in ("p_WB", "q_WB", "v_WB", "w_WB_B")]
    session.world.set_mass("vessel", *LIGHT)
    after = [session.read(f"vessel.{s}") for s in ("p_WB", "q_WB", "v_WB", "w_WB_B")]
    for a, b in zip(before, after, strict=True):
        np.testing.assert_allclose(b, a, rtol=0.0, atol=1e-15)


def test_the_audit_books_the_mass_and_momentum_that_leave(changed: Any) -> None:
    session = changed.session()
    start = session.world.audit()
    result = changed.complete(session, 1.0, strict=True)
    end = session.world.audit()
    assert end["mass"][0] == 90.0
    assert start["mass"][0] == 150.0
    assert result.metrics["audit.mass_drift"] == 0.0
    assert np.linalg.norm(end["momentum"] - start["momentum"]) > 1.0, "momentum left with the mass"
    assert max(result.audit.drifts.values()) < 1e-12


def test_a_run_goes_on_like_one_that_started_with_the_new_mass(changed: Any) -> None:
    session = changed.session()
    session.step(0.5)
    motion = session.world.motion("vessel")
    session.step(0.5)
    other = ff.Mission([Vessel(LIGHT)]).session()
    other.set_motion("vessel", *motion)
    other.step(0.5)
    for signal in ("p_WB", "q_WB", "v_WB", "w_WB_B"):
        np.testing.assert_allclose(session.read(f"vessel.{signal}"), other.read(f"vessel.{signal}"), atol=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_accelerations_right_after_a_change_are_those_of_a_world_built_so(random_robot: Any, seed: int) -> None:
    robot = random_robot(seed)
    rng = np.random.default_rng(seed)
    links = list(robot.graph.links)
    k = int(rng.integers(len(links)))
    links[k] = replace(links[k], variable=True)
    new = {"mass": LIGHT[0], "p_LLcm": LIGHT[1], "I_LLcm_L": LIGHT[2]}
    first, second = (
        ff.Mission([replace(robot, graph=replace(robot.graph, links=tuple(ls)))]).session().world
        for ls in (links, [*links[:k], replace(links[k], **new), *links[k + 1 :]])
    )
    tau = rng.normal(size=len(robot.graph.joints))
    for world in (first, second):
        world.write("robot.tau", tau)
    before = accelerations(first)
    first.set_mass(f"robot.{links[k].name}", *LIGHT)
    ours, fresh = accelerations(first), accelerations(second)
    assert np.abs(ours - before).max() > 1e-3 * np.abs(before).max()
    np.testing.assert_allclose(ours, fresh, rtol=0.0, atol=1e-12 * np.abs(fresh).max())


def test_a_snapshot_holds_the_masses(changed: Any) -> None:
    whole = changed.run(1.0)
    session = changed.session()
    session.step(0.3)
    early = session.snapshot()
    session.step(0.4)
    late = pickle.loads(pickle.dumps(session.snapshot()))
    session.restore(early)
    assert session.world.audit()["mass"][0] == 150.0
    fresh = changed.session()
    fresh.restore(late)
    assert fresh.world.audit()["mass"][0] == 90.0
    for result in (changed.complete(session, 1.0), changed.complete(fresh, 1.0)):
        assert np.array_equal(result["vessel.q_WB"], whole["vessel.q_WB"])
        assert result.metrics == pytest.approx(whole.metrics, rel=0.0, abs=0.0)


def test_a_structural_change_keeps_a_changed_mass() -> None:
    cargo = ff.RigidBody("cargo", 10.0)
    mission = ff.Mission([Vessel(), cargo], connections=[ff.Connection("grip", "vessel", "cargo")])
    session = mission.session()
    session.world.set_mass("vessel", *LIGHT)
    session.attach("grip")
    assert session.world.audit()["mass"][0] == 100.0


@pytest.mark.parametrize(
    ("link", "properties", "says"),
    [
        ("fixed", LIGHT, "declare it with variable=True"),
        ("vesel", LIGHT, "Did you mean 'vessel'"),
        ("vessel", (0.0, *LIGHT[1:]), r"mass 0\.0 kg must be positive"),
        ("vessel", (np.nan, *LIGHT[1:]), "must be positive"),
        ("vessel", (1.0, LIGHT[1], np.diag([1.0, 1.0, 9.0])), "principal moment must not exceed"),
        ("vessel", (1.0, np.array([0.0, np.inf, 0.0]), LIGHT[2]), "finite"),
    ],
)
def test_a_change_that_makes_no_sense_is_one_clear_error(link: str, properties: Any, says: str) -> None:
    world = ff.Mission([Vessel(), Vessel(variable=False, name="fixed")]).session().world
    mass = world.audit()["mass"][0]
    with pytest.raises(InputError, match=says):
        world.set_mass(link, *properties)
    assert world.audit()["mass"][0] == mass
    assert world.links["vessel"].mass == 150.0
