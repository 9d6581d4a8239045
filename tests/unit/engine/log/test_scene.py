"""Forces of contacts in the scene of a log."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

import freefloat as ff
from freefloat.contact import Contact, SpringDamper


def _run(path: Path, touching: bool) -> ff.Result:
    start = ff.Motion(ff.Pose(np.eye(3), (0.0, 0.0, 0.06)), v_WL=(0.0, 0.0, -0.2))
    ball = ff.RigidBody("box", 1.0, size=(0.1, 0.1, 0.1), motion=start)
    parts = [ball, Contact("touch", "world", "box", SpringDamper(1e3))] if touching else [ball]
    return ff.Mission(parts).run(0.3, log=path)


def _forces(path: Path) -> list[tuple[int, object]]:
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        return [(m.log_time, d) for _, _, m, d in reader.iter_decoded_messages(topics=["/scene/forces"])]


def test_an_arrow_is_shown_while_a_pair_pushes_and_deleted_when_it_stops(tmp_path: Path) -> None:
    result = _run(tmp_path / "log.mcap", touching=True)
    messages = _forces(tmp_path / "log.mcap")
    begin, end = result.touches[0].t, result.touches[0].t + result.touches[0].duration
    *during, (after, last) = messages
    assert len(during) >= 2
    for t, message in during:
        assert begin <= 1e-9 * t <= end + 1e-9
        assert {entity.id for entity in message.entities} == {f"touch.{k}" for k in (0, 2, 4, 6)}
        assert all(entity.frame_id == "W" and len(entity.arrows) == 1 for entity in message.entities)
        arrow = message.entities[0].arrows[0]
        force = np.linalg.norm(result.pushes_at(1e-9 * t)[0].f_W)
        np.testing.assert_allclose(arrow.shaft_length + arrow.head_length, 0.1 * np.log10(1.0 + force), rtol=1e-9)
    assert end <= 1e-9 * after <= end + 0.021
    assert not last.entities
    assert len(last.deletions) == 4


def test_a_run_without_contact_has_no_such_topic(tmp_path: Path) -> None:
    _run(tmp_path / "log.mcap", touching=False)
    assert _forces(tmp_path / "log.mcap") == []
