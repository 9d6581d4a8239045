"""Mail from other threads: read at a task's instants, repeated, and refused where it does not fit."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError


class Push:
    """Forces the body as the mail says."""

    def update(self, t: float, meas: Any) -> dict[str, Any]:
        return {"wrench": [0.0, 0.0, 0.0, float(meas["force"][0]), 0.0, 0.0]}


def pushed(mail: Any) -> ff.Mission:
    task = ff.Task(Push(), 0.01, writes={"wrench": "a.wrench"}, mail={"force": mail}, name="push")
    return ff.Mission([ff.RigidBody("a", 10.0)], tasks=[task])


def test_mail_from_another_thread_is_read_at_task_instants_and_can_be_repeated() -> None:
    box = ff.Mailbox([0.0])
    mission = pushed(box)
    session = mission.session()
    for force in (1.0, -3.0, 2.0):
        thread = threading.Thread(target=box.put, args=([force],))
        thread.start()
        thread.join()
        session.step(0.1)
    live = mission.complete(session, 0.3)
    taken = session.mail()["push"]["force"]
    assert [(t, float(v[0])) for t, v in taken] == [(0.0, 1.0), (0.1, -3.0), (0.2, 2.0)]
    again = pushed(ff.Replay(taken)).run(0.3)
    assert np.array_equal(again["a.v_WB"], live["a.v_WB"])
    assert again.metrics == live.metrics


def test_a_session_with_mail_from_outside_refuses_snapshots_and_a_replayed_one_does_not() -> None:
    session = pushed(ff.Mailbox([0.0])).session()
    session.step(0.1)
    with pytest.raises(InputError, match="snapshot: task 'push' has a live link, and the outside does not go back"):
        session.snapshot()
    repeated = pushed(ff.Replay(session.mail()["push"]["force"])).session()
    repeated.step(0.05)
    repeated.restore(repeated.snapshot())


def test_what_was_taken_goes_with_a_snapshot() -> None:
    taken = [(0.0, np.array([1.0])), (0.1, np.array([2.0])), (0.2, np.array([3.0]))]
    mission = pushed(ff.Replay(taken))
    session = mission.session()
    session.step(0.15)
    kept = session.snapshot()
    session.step(0.15)
    session.restore(kept)
    forked = mission.session()
    forked.restore(kept)
    for other in (session, forked):
        other.step(0.15)
        assert [t for t, _ in other.mail()["push"]["force"]] == [0.0, 0.1, 0.2]
    with pytest.raises(InputError, match="the instants must increase"):
        ff.Replay(taken[::-1])
    with pytest.raises(InputError, match="is not finite"):
        ff.Mailbox([np.nan])


@pytest.mark.parametrize(
    ("bad", "message"),
    [([1.0, 2.0], r"a value of shape \(2,\); allowed: \(1,\)"), ([np.nan], r"value \[nan\] is not finite")],
)
def test_mail_that_does_not_fit_is_refused_where_it_is_put(bad: Any, message: str) -> None:
    box = ff.Mailbox([0.0])
    with pytest.raises(InputError, match=message):
        box.put(bad)
    assert box.newest(0.0).tolist() == [0.0]


def test_a_name_that_is_both_read_and_mailed_is_refused() -> None:
    with pytest.raises(InputError, match="'p' is both read from a signal and taken from the mail"):
        ff.Task(Push(), 0.1, {"p": "a.p_WB"}, mail={"p": ff.Mailbox([0.0])})
