"""The world that falls along a reference orbit: moved back on its centre of mass, saved, copied."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.reference import ReferenceOrbit

EPOCH = Epoch("2026-03-20T12:00:00Z")


def falling(reach: float = 1000.0, ahead: float = 3600.0, v: float = 2.0) -> ff.Mission:
    """Two bodies 950 m away from the origin that leave it with v [m/s]."""
    frame = FallingFrame(ReferenceOrbit.from_preset(EPOCH, "leo-400"), reach=reach, ahead=ahead)
    bodies = [
        ff.RigidBody(
            name,
            mass,
            size=(1.0, 2.0, 3.0),
            motion=ff.Motion(ff.Pose.from_rpy((0.1, 0.2, 0.3), (950.0, y, 20.0)), (0.01, -0.02, 0.015), (v, 0.1, -0.2)),
        )
        for name, mass, y in (("one", 100.0, 0.0), ("two", 300.0, 40.0))
    ]
    return ff.Mission([frame, *bodies], integrator=ff.RK4(0.1), record_rate=0.1)


def eci(session: ff.Session) -> dict[str, np.ndarray]:
    p, v = session.read("orbit.p_IW"), session.read("orbit.v_IW")
    return {
        body: np.concatenate([p + session.read(f"{body}.p_WB"), v + session.read(f"{body}.v_WB")])
        for body in ("one", "two")
    }


def test_moving_the_frame_keeps_every_eci_state_and_attitude() -> None:
    session = falling(v=5.0).session()
    session.step(10.0)
    before = eci(session)
    turned = {b: (session.read(f"{b}.q_WB"), session.read(f"{b}.w_WB_B")) for b in before}
    assert np.linalg.norm(session.read("one.p_WB")) > 1000.0
    session.upkeeps[0].tend(session.world, session.now_ns)
    assert np.linalg.norm(session.read("one.p_WB")) < 50.0
    after = eci(session)
    for body in before:
        assert np.abs(after[body] - before[body])[:3].max() <= 4e-9  # [m] two bits of 6.8e6 m
        assert np.abs(after[body] - before[body])[3:].max() <= 4e-12  # [m/s]
        np.testing.assert_allclose(session.read(f"{body}.q_WB"), turned[body][0], atol=1e-15)
        np.testing.assert_allclose(session.read(f"{body}.w_WB_B"), turned[body][1], atol=1e-16)


def test_the_flight_goes_on_as_without_the_move_and_the_audit_holds() -> None:
    moved, still = falling(v=5.0).session(), falling(reach=math.inf, v=5.0).session()
    for session in (moved, still):
        session.step(600.0)
    assert np.linalg.norm(still.read("one.p_WB")) > 3500.0
    assert np.linalg.norm(moved.read("one.p_WB")) < 1000.0
    for body, state in eci(still).items():
        assert np.linalg.norm(eci(moved)[body] - state) < 1e-4  # the distant frame's own series ends at 2nd order
    result = falling(v=5.0).run(600.0, strict=True)
    jumps = np.linalg.norm(np.diff(result["one.p_WB"], axis=0), axis=1)
    assert jumps.max() > 900.0
    p = result["orbit.p_IW"] + result["one.p_WB"]
    bend = np.diff(p, 2, axis=0)
    assert np.linalg.norm(np.diff(bend, axis=0), axis=1).max() < 20.0, "the flight itself is smooth"


def test_a_frame_on_its_bodies_is_never_moved() -> None:
    result = falling(reach=5000.0).run(100.0, strict=True)
    assert np.linalg.norm(np.diff(result["one.p_WB"], axis=0), axis=1).max() < 25.0


def test_the_table_is_extended_ahead_of_the_plant_without_a_trace() -> None:
    often, once = falling(ahead=30.0, reach=math.inf).run(300.0), falling(reach=math.inf).run(300.0)
    for signal in ("one.p_WB", "two.q_WB", "orbit.p_IW"):
        assert np.array_equal(often[signal], once[signal])


@pytest.mark.parametrize("stop", [7.0, 15.0, 47.0])  # before, between and after moves of the frame
def test_a_saved_run_goes_on_with_the_same_bits(stop: float, tmp_path: Any) -> None:
    mission = falling(v=5.0, ahead=30.0)
    whole = mission.run(120.0)
    session = mission.session()
    session.step(stop)
    saved = session.snapshot().save(tmp_path / "s")
    session.step(50.0)
    fresh = mission.session()
    for s in (session, fresh):
        s.restore(ff.Snapshot.load(saved))
        result = mission.complete(s, 120.0)
        for signal in ("one.p_WB", "two.q_WB", "orbit.p_IW", "orbit.v_IW"):
            assert np.array_equal(result[signal], whole[signal]), signal


def test_sessions_share_no_table() -> None:
    mission = falling(v=5.0)
    one, two = mission.session(), mission.session()
    one.step(100.0)
    two.step(1.0)
    a, b = (s.upkeeps[0].reference for s in (one, two))  # pyright: ignore[reportAttributeAccessIssue]
    assert a is not b
    assert a.t0 > 0.0
    assert b.t0 == 0.0
    assert not np.shares_memory(a.knots, b.knots)
    alone = mission.session()
    alone.step(1.0)
    for signal in ("orbit.p_IW", "orbit.v_IW"):  # read from the table
        assert two.read(signal).tobytes() == alone.read(signal).tobytes(), signal
    (given,) = mission.grounds[""].upkeeps
    assert given.reference.t_end == 10.0, "the mission's own stays as it was given"  # pyright: ignore[reportAttributeAccessIssue]


def test_a_frame_brings_itself_and_is_listed_once() -> None:
    frame = FallingFrame(ReferenceOrbit.from_preset(EPOCH, "leo-400"))
    ff.Mission([frame, ff.RigidBody("bus")]).session().step(1.0)
    with pytest.raises(InputError, match="upkeep 'orbit' is a part that brings itself; list it among the parts only"):
        ff.Mission([frame, ff.RigidBody("bus")], upkeeps=[frame])


def test_an_upkeep_without_its_part_is_refused() -> None:
    frame = FallingFrame(ReferenceOrbit.from_preset(EPOCH, "leo-400"))
    with pytest.raises(InputError, match=r"orbit\.gravity"):
        ff.Mission([ff.RigidBody("bus")], upkeeps=[frame]).session().step(1.0)


def test_two_frames_in_one_world_are_refused() -> None:
    reference = ReferenceOrbit.from_preset(EPOCH, "leo-400")
    frames = [FallingFrame(reference), FallingFrame(reference, "other")]
    with pytest.raises(InputError, match="other"):
        ff.Mission([*frames, ff.RigidBody("bus")]).session().step(1.0)


def test_the_frame_can_be_read_before_the_first_step() -> None:
    session = falling().session()
    np.testing.assert_allclose(session.read("orbit.p_IW"), [6778137.0, 0.0, 0.0], atol=1e-6)
