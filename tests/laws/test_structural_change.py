"""Re-rooting, attaching and detaching while a run goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.log.reader import read_log
from freefloat.errors import InputError
from freefloat.inertia import parallel_axis

HOLDS = ["tree", "constraint"]


def motions(session: ff.Session) -> dict[str, np.ndarray]:
    """Pose and twist of every link as numbers."""
    found = {}
    for name in session.world.links:
        X, w, v = session.world.motion(name)
        found[name] = np.concatenate([X.matrix().ravel(), w, v])
    return found


def assert_same(a: dict[str, np.ndarray], b: dict[str, np.ndarray], tolerance: float) -> None:
    for name, values in a.items():
        assert np.allclose(values, b[name], rtol=0.0, atol=tolerance), name


def docking(hold: str = "tree", **options: Any) -> ff.Mission:
    """Two tumbling bodies with different velocities and a connection between them."""
    a = ff.RigidBody("a", 20.0, (3.0, 2.0, 2.5), p_BBcm=(0.1, 0.0, -0.1), motion=ff.Motion(w_WL_L=(0.2, -0.1, 0.3)))
    start = ff.Motion(ff.Pose.from_rpy((0.2, 0.5, -0.3), (1.0, 0.2, 0.1)), (-0.3, 0.4, 0.1), (-0.5, 0.1, 0.2))
    b = ff.RigidBody("b", 8.0, (0.5, 0.7, 0.9), p_BBcm=(0.0, 0.2, 0.0), motion=start)
    return ff.Mission([a, b], connections=[ff.Connection("dock", "a", "b", hold=hold)], **options)


@pytest.mark.parametrize("seed", range(5))
def test_root_a_to_b_to_a_returns_every_pose_and_twist(seed: int, random_robot: Any) -> None:
    session = ff.Mission([random_robot(seed, 8)]).session()
    before = motions(session)
    q, qd = session.read("robot.q"), session.read("robot.qd")
    for link in (f"robot.link{i}" for i in (5, 2, 7, 0)):
        session.reroot(link)
        assert session.world.roots == (link,)
        assert_same(before, motions(session), 1e-12)
        assert np.array_equal(session.read("robot.q"), q)
        assert np.array_equal(session.read("robot.qd"), qd)


def plastic_impact(session: ff.Session) -> tuple[np.ndarray, np.ndarray, float]:
    """(velocity of the centre of mass, angular velocity, energy lost) of two bodies that become one, in closed form."""
    world = session.world
    bodies = []
    for name, link in world.links.items():
        X, w, v = world.motion(name)
        w_W = X.R @ w
        c = X.apply(link.p_LLcm)
        bodies.append((link.mass, c, v + np.cross(w_W, c - X.p), X.R @ link.I_LLcm_L @ X.R.T, w_W))
    M = sum(m for m, *_ in bodies)
    C = sum(m * c for m, c, *_ in bodies) / M
    V = sum(m * v for m, _, v, *_ in bodies) / M
    I_C = sum(parallel_axis(I_b, m, c - C) for m, c, _, I_b, _ in bodies)
    L = sum(np.cross(c - C, m * v) + I_b @ w for m, c, v, I_b, w in bodies)
    omega = np.linalg.solve(I_C, L)
    before = sum(0.5 * m * v @ v + 0.5 * w @ I_b @ w for m, _, v, I_b, w in bodies)
    return V, omega, float(before - 0.5 * M * V @ V - 0.5 * omega @ L)


@pytest.mark.parametrize("hold", HOLDS)
def test_attaching_keeps_the_momenta_and_loses_the_energy_of_the_closed_form(hold: str, momenta: Any) -> None:
    session = docking(hold).session()
    session.step(0.2)
    V, omega, expected = plastic_impact(session)
    P0, L0, T0 = momenta(session)
    lost = session.attach("dock")
    P1, L1, T1 = momenta(session)
    assert np.allclose(P1, P0, rtol=0.0, atol=1e-12 * np.linalg.norm(P0))
    assert np.allclose(L1, L0, rtol=0.0, atol=1e-12 * np.linalg.norm(L0))
    assert lost == pytest.approx(expected, rel=1e-11)
    assert pytest.approx(expected, rel=1e-11) == T0 - T1
    for name in "ab":
        X, w, _ = session.world.motion(name)
        assert np.allclose(X.R @ w, omega, rtol=0.0, atol=1e-11)
    assert np.allclose(P1 / 28.0, V, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("hold", HOLDS)
def test_a_central_impact_loses_half_the_reduced_mass_times_speed_squared(hold: str) -> None:
    b = ff.RigidBody("b", 5.0, motion=ff.Motion(ff.Pose(np.eye(3), [1.0, 0, 0]), v_WL=(-2.0, 0.0, 0.0)))
    mission = ff.Mission([ff.RigidBody("a", 20.0), b], connections=[ff.Connection("dock", "a", "b", hold=hold)])
    session = mission.session()
    assert session.attach("dock") == pytest.approx(0.5 * 4.0 * 4.0, rel=1e-13)
    assert session.read("a.v_WB")[0] == pytest.approx(-0.4, rel=1e-13)


@pytest.mark.parametrize("hold", HOLDS)
def test_the_audit_counts_an_impact_as_heat_and_passes(hold: str) -> None:
    lost: list[float] = []
    events = [
        ff.Event("close", lambda s: lost.append(s.attach("dock")), at=0.2),
        ff.Event("open", lambda s: s.detach("dock"), at=0.6),
    ]
    result = docking(hold, events=events).run(1.0)
    assert result.audit.passed
    assert lost[0] > 0.1
    assert result.metrics["audit.heat_J"] == pytest.approx(lost[0], rel=1e-12)
    assert result.audit.drifts["linear_momentum_drift"] < 1e-12
    assert result.audit.drifts["energy_drift"] < 1e-9


@pytest.mark.parametrize("hold", HOLDS)
def test_detaching_changes_nothing_at_that_instant(hold: str) -> None:
    session = docking(hold).session()
    session.attach("dock")
    session.step(0.3)
    before = motions(session)
    session.detach("dock")
    assert_same(before, motions(session), 1e-12)
    with_dock = docking(hold).session()
    with_dock.attach("dock")
    with_dock.step(0.5)
    session.step(0.2)
    assert np.linalg.norm(session.read("b.p_WB") - with_dock.read("b.p_WB")) > 1e-4


def test_what_is_attached_at_rest_stays_where_it_is() -> None:
    session = ff.Mission(
        [ff.RigidBody("a"), ff.RigidBody("b", motion=ff.Motion(ff.Pose.from_rpy((0.1, 0.2, 0.3), (3.0, 0.0, 0.0))))],
        connections=[ff.Connection("dock", "a", "b")],
    ).session()
    before = motions(session)
    assert session.attach("dock") == 0.0
    assert_same(before, motions(session), 1e-15)


def test_an_arm_that_grasps_keeps_momentum_and_its_joints(bus_with_arm: Any, momenta: Any) -> None:
    start = ff.Motion(ff.Pose(np.eye(3), [0.5, 0.2, 3.5]), (0.2, 0.1, 0.0), (0.1, -0.2, -0.1))
    parts = [*bus_with_arm(), ff.RigidBody("cargo", 60.0, size=(0.4, 0.4, 0.4), motion=start)]
    for hold in HOLDS:
        session = ff.Mission(parts, connections=[ff.Connection("grip", "arm.tool", "cargo", hold=hold)]).session()
        session.write("arm.tau", [1.0, -2.0, 0.5, 1.0, 0.02, 0.02, 0.0])
        session.step(0.3)
        q = session.read("arm.q")
        P0, L0, T0 = momenta(session)
        lost = session.attach("grip")
        P1, L1, T1 = momenta(session)
        assert np.array_equal(session.read("arm.q"), q)
        assert np.allclose(P1, P0, rtol=0.0, atol=1e-12 * np.linalg.norm(P0))
        assert np.allclose(L1, L0, rtol=0.0, atol=1e-12 * np.linalg.norm(L0))
        assert lost == pytest.approx(T0 - T1, rel=1e-10)
        assert lost > 0.0


def test_a_connection_that_closes_a_loop_is_held_by_a_constraint_and_freed_again() -> None:
    frames = {"p": ff.Pose(np.eye(3), [0.2, 0.0, 0.0])}
    bodies = [ff.RigidBody("a", frames=frames), ff.RigidBody("b"), ff.RigidBody("c")]
    pairs = [("ab", "a", "b"), ("bc", "b", "c"), ("ca", "c", "a.p")]
    session = ff.Mission(bodies, connections=[ff.Connection(*p) for p in pairs]).session()
    for name, *_ in pairs:
        session.attach(name)
    assert [edge.name for edge in session.world.compiled().loops] == ["ca"]
    session.write("a.wrench", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    session.step(0.5)
    assert np.abs(session.read("ca.error")).max() < 1e-12
    session.detach("ab")
    assert session.world.compiled().loops == ()
    assert len(session.world.roots) == 1


def test_no_signal_task_or_log_column_changes_through_structural_changes(
    bus_with_arm: Any, law: Any, swing: Any, tmp_path: Any
) -> None:
    start = ff.Motion(ff.Pose(np.eye(3), [0.5, 0.2, 3.5]))
    parts = [*bus_with_arm(), ff.RigidBody("cargo", 60.0, size=(0.4, 0.4, 0.4), motion=start)]
    task = ff.Task(law(swing), 0.004, {"qd": "arm.qd"}, {"tau": "arm.tau"}, {"qd": ff.Sensor(noise=1e-4)}, name="swing")
    changes = [
        ff.Event("grip", lambda s: s.attach("grip"), at=0.1),
        ff.Event("root", lambda s: s.reroot("cargo"), at=0.2),
        ff.Event("drop", lambda s: s.detach("grip"), at=0.3),
        ff.Event("home", lambda s: s.reroot("bus"), at=0.4),
    ]
    mission = ff.Mission(parts, [task], changes, [ff.Connection("grip", "arm.tool", "cargo")])
    plain = ff.Mission(parts, [task], (), [ff.Connection("grip", "arm.tool", "cargo")]).run(0.5)
    session = mission.session()
    groups = dict(session.recorder.groups)
    result = mission.complete(session, 0.5, log=tmp_path / "log.mcap")
    assert session.recorder.groups == groups
    assert {g: f.columns for g, f in result.frames.items()} == {g: f.columns for g, f in plain.frames.items()}
    log = read_log(tmp_path / "log.mcap").frames
    assert {g: f.columns for g, f in log.items()} == {g: f.columns for g, f in plain.frames.items()}
    assert log["plant"].height == 51
    assert len(result.controllers["swing"].seen) == 125
    assert result.audit.passed
    first = result.time("arm.q") < 0.1
    assert np.array_equal(result["arm.q"][first], plain["arm.q"][first])


def test_impossible_changes_are_refused_and_nothing_happens() -> None:
    session = docking().session()
    with pytest.raises(InputError, match="connection 'dock' is open already"):
        session.detach("dock")
    session.attach("dock")
    before = motions(session)
    with pytest.raises(InputError, match="connection 'dock' is closed already"):
        session.attach("dock")
    assert_same(before, motions(session), 0.0)
    frames = {"p": ff.Pose.identity()}
    own = ff.Mission([ff.RigidBody("a", frames=frames)], connections=[ff.Connection("self", "a", "a.p")]).session()
    with pytest.raises(InputError, match=r"'a' and 'a.p' are on the same link 'a'"):
        own.attach("self")
