"""Forces of contacts in the scene of a log."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mcap.reader import make_reader

import freefloat as ff
from freefloat.contact import Contact, SpringDamper
from freefloat.engine.log.scene import ForceTopic
from freefloat.engine.pushes import Push


def _run(path: Path, touching: bool) -> ff.Result:
    start = ff.Motion(ff.Pose(np.eye(3), (0.0, 0.0, 0.06)), v_WL=(0.0, 0.0, -0.2))
    box = ff.RigidBody("box", 1.0, size=(0.1, 0.1, 0.1), motion=start)
    parts = [box, Contact("touch", "world", "box", SpringDamper(1e3))] if touching else [box]
    return ff.Mission(parts).run(0.3, log=path)


def _forces(path: Path) -> list[tuple[float, bytes]]:
    with path.open("rb") as file:
        messages = make_reader(file).iter_messages(topics=["/scene/forces"])
        return [(1e-9 * message.log_time, message.data) for _, _, message in messages]


def test_arrows_are_in_the_log_while_pairs_push_and_are_deleted_when_they_stop(tmp_path: Path) -> None:
    result = _run(tmp_path / "log.mcap", touching=True)
    *during, (after, last) = _forces(tmp_path / "log.mcap")
    begin, end = result.touches[0].t, result.touches[0].t + result.touches[0].duration
    assert len(during) >= 2
    for t, message in during:
        assert begin <= t <= end + 1e-9
        assert all(f"touch.{k}".encode() in message for k in (0, 2, 4, 6))
    assert end <= after <= end + 0.021
    assert len(last) < 0.5 * len(during[0][1])  # deletions alone


def test_a_run_without_contact_has_no_such_topic(tmp_path: Path) -> None:
    _run(tmp_path / "log.mcap", touching=False)
    assert _forces(tmp_path / "log.mcap") == []


def test_a_message_holds_all_arrows_and_nothing_is_told_twice() -> None:
    topic = ForceTopic()
    pushes = [Push(f"touch.{k}", "", np.ones(3), np.array([0.0, 0.0, 9.0])) for k in range(2)]
    both = repr(topic.update(0, pushes))
    assert 'id: "touch.0"' in both
    assert 'id: "touch.1"' in both
    one = repr(topic.update(1, pushes[:1]))
    assert one.count("ArrowPrimitive {") == 1
    assert one.count("SceneEntityDeletion {") == 1
    assert topic.update(2, ()) is not None
    assert topic.update(3, ()) is None
