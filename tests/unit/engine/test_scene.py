"""Which shapes are where: the table that compiled code sees, the live scene, and `/scene` of a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from numba import njit

import freefloat as ff
from freefloat.engine.session import Session
from freefloat.engine.shape_table import KINDS
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels import handle as H
from freefloat.kernels import shapes as K
from freefloat.view.camera import Camera
from freefloat.view.raycast import render

BALL = Shape("sphere", (0.3,), Pose.from_rpy([0.1, 0.2, 0.3], [1.0, 0.0, 0.5]))
ROD = Shape("capsule", (0.1, 0.4), Pose.from_rpy([0.0, 0.7, 0.0], [0.0, -1.0, 0.0]))


@njit
def _pose(h, row, p, q):
    K.shape_pose(h, row, p, q)


@njit
def _rows(h, body):
    return K.shapes_of(h, body)


def cargo(name: str = "cargo", x: float = 4.0) -> ff.RigidBody:
    motion = ff.Motion(Pose(np.eye(3), [x, 0.0, 0.0]), (0.1, 0.2, 0.3), (0.0, 0.1, 0.0))
    return ff.RigidBody(name, 50.0, size=(0.5, 0.4, 0.3), motion=motion)


def mission(bus_with_arm: Any, **options: Any) -> ff.Mission:
    return ff.Mission([*bus_with_arm(), cargo()], connections=[ff.Connection("grip", "arm.tool", "cargo")], **options)


def check(session: Session) -> None:
    """Every shape of every link has its row, and compiled code finds it where the live scene has it."""
    scene = session.scene()
    for plant in session._plants:
        plant.refresh()
        h, n = plant.memory.h, 0
        for link, own in plant.links.items():
            rows, body = plant.shapes.rows(link), plant.tree.body[link]
            n += len(rows)
            assert _rows(h, body) == (rows.start, rows.stop)
            placed = [x for x in scene if x.link == link]
            assert len(rows) == len(own.shapes) == len(placed)
            for row, shape, there in zip(rows, own.shapes, placed, strict=True):
                numbers = plant.memory[H.SHAPES][row]
                assert numbers[[K.KIND, K.BODY]].tolist() == [KINDS[shape.kind], body]
                assert numbers[K.SIZE : K.SIZE + len(shape.size)].tolist() == list(shape.size)
                p, q = np.zeros(3), np.zeros(4)
                _pose(h, row, p, q)
                X_WG = session.motion(link)[0] @ shape.X_LG
                assert (there.world, there.shape) == (plant.name, shape)
                np.testing.assert_allclose(p, X_WG.p, atol=1e-12)
                np.testing.assert_allclose(q, X_WG.q, atol=1e-12)
                np.testing.assert_allclose(there.X_WG.matrix(), X_WG.matrix(), atol=1e-12)
        assert plant.memory[H.SHAPES].shape == (n, K.SHAPE_COLUMNS)
        assert _rows(h, 0) == (0, 0), "nothing is fixed to the world"


def test_the_table_follows_attaching_rerooting_detaching_and_new_shapes(bus_with_arm: Any) -> None:
    session = mission(bus_with_arm).session()
    check(session)
    session.step(0.1)
    before = session._plants[0].tree.body["cargo"]
    session.attach("grip")
    check(session)
    session.reroot("cargo")
    assert session._plants[0].tree.body["cargo"] != before
    check(session)
    session.world.set_shapes("cargo", (BALL, ROD, *session.world.links["cargo"].shapes))
    check(session)
    session.detach("grip")
    session.world.set_shapes("bus", ())
    check(session)
    session.world.set_shapes("cargo", session.world.links["cargo"].shapes[1:][::-1])
    session.step(0.1)
    check(session)


def test_the_table_of_each_of_two_worlds_has_its_own_shapes() -> None:
    worlds = [ff.WorldSetup("left", [cargo("a"), cargo("b", 6.0)]), ff.WorldSetup("right", [cargo("c")])]
    session = ff.Mission(worlds=worlds).session()
    session.step(0.05)
    session.worlds["right"].set_shapes("c", [BALL, ROD])
    check(session)
    told = [(x.world, x.link) for x in session.scene()]
    assert told == [("left", "a"), ("left", "b"), ("right", "c"), ("right", "c")]
    assert [x.link for x in session.scene().of("left")] == ["a", "b"]
    with pytest.raises(InputError, match="left"):
        session.scene().of("middle")


def test_a_restored_session_has_the_shapes_and_the_table_of_then(bus_with_arm: Any, tmp_path: Path) -> None:
    session = mission(bus_with_arm).session()
    session.world.set_shapes("cargo", [BALL])
    session.step(0.05)
    session.attach("grip")
    saved = session.snapshot()
    saved.save(tmp_path / "s")
    session.world.set_shapes("cargo", [ROD, ROD])
    session.reroot("cargo")
    session.step(0.05)
    session.restore(saved)
    check(session)
    assert session.world.links["cargo"].shapes == (BALL,)
    other = mission(bus_with_arm).session()
    other.restore(ff.Snapshot.load(tmp_path / "s"))
    check(other)
    assert [s.kind for s in other.world.links["cargo"].shapes] == ["sphere"]


def test_meshes_are_numbered_and_nothing_is_dropped(tmp_path: Path) -> None:
    path = str(tmp_path / "a.stl")
    mesh = [Shape("mesh", (1.0, 1.0, 2.0), mesh=path) for path in (path, "b.stl", path)]
    session = ff.Mission([cargo()]).session()
    session.world.set_shapes("cargo", [BALL, *mesh])
    check(session)
    plant = session._plants[0]
    table = plant.memory[H.SHAPES]
    assert table[:, K.KIND].tolist() == [K.SPHERE, K.MESH, K.MESH, K.MESH]
    assert table[:, K.NUMBER].tolist() == [-1.0, 0.0, 1.0, 0.0]
    assert plant.shapes.meshes == [path, "b.stl"]
    with pytest.raises(InputError, match="cargo"):
        plant.shapes.rows("none")


@pytest.mark.parametrize(
    ("kind", "size"), [("box", (1.0,)), ("sphere", (1.0, 2.0)), ("capsule", (np.nan, 1.0)), ("cone", (1.0,))]
)
def test_a_shape_with_other_numbers_than_its_kind_has_is_refused(kind: Any, size: Any) -> None:
    with pytest.raises(InputError, match="allowed"):
        Shape(kind, size)


def test_the_live_scene_can_be_drawn() -> None:
    session = ff.Mission([cargo("a"), cargo("b", 6.0)]).session()
    scene = session.scene()
    camera = Camera.fit(scene.shapes, scene.poses, width=60, height=40)
    both = render(scene.shapes, scene.poses, camera, "white")
    session.world.set_shapes("a", ())
    scene = session.scene()
    assert 0 < np.any(render(scene.shapes, scene.poses, camera, "white") != 255, axis=-1).sum() < (both != 255).sum()


def test_a_change_is_dated_by_the_located_event_that_made_it(tmp_path: Path, shown_by: Any) -> None:
    def change(session: Session) -> None:
        session.world.set_shapes("a", [ROD])
        session.world.set_shapes("a", [BALL])  # at the same instant: one message
        session.world.set_shapes("b", [])

    fall = ff.Event("far", change, "a.p_WB", 1, 0.0123456789, "rising", times=1)
    log = tmp_path / "log.mcap"
    result = ff.Mission([cargo("a"), cargo("b", 6.0)], events=[fall]).run(0.4, log=log)
    (fired,) = result.events
    assert fired.t == pytest.approx(0.123456789, abs=1e-6)
    (_, _, start), (stamp, deleted, after) = shown_by(log).updates
    assert stamp == round(1e9 * fired.t)
    assert (start.keys(), after.keys(), deleted) == ({"a", "b"}, {"a"}, ["b"])
    assert after["a"][0][0] == "sphere"
    assert [t for t, _ in result.looks] == [0.0, fired.t]
    assert result.scene_at(0.1).shapes["b"]
    assert not result.scene_at(fired.t).shapes["b"]


@pytest.mark.parametrize("keep", [True, False])
def test_structure_that_changes_without_shapes_writes_no_further_scene(
    bus_with_arm: Any, tmp_path: Path, shown_by: Any, keep: bool
) -> None:
    events = [
        ff.Event("hold", lambda s: s.attach("grip"), at=0.02),
        ff.Event("turn", lambda s: s.reroot("cargo"), at=0.04),
        ff.Event("open", lambda s: s.detach("grip"), at=0.06),
    ]
    log = tmp_path / "log.mcap"
    result = mission(bus_with_arm, events=events).run(0.1, log=log, keep=keep)
    assert len(shown_by(log).updates) == len(result.looks) == 1


def test_shapes_of_two_worlds_are_shown_in_their_frames(tmp_path: Path, shown_by: Any) -> None:
    worlds = [ff.WorldSetup("left", [cargo("a")]), ff.WorldSetup("right", [cargo("b")])]
    events = [ff.Event("paint", lambda s: s.worlds["right"].set_shapes("b", [ROD, BALL]), at=0.05)]
    log = tmp_path / "log.mcap"
    result = ff.Mission(worlds=worlds, events=events).run(0.1, log=log)
    shown = shown_by(log)
    assert [(t, {k: len(v) for k, v in e.items()}) for t, _, e in shown.updates] == [
        (0, {"a": 1, "b": 1}),
        (50_000_000, {"a": 1, "b": 4}),  # a capsule is a cylinder and two balls
    ]
    assert {link: shown.frames[link][0][1] for link in ("a", "b")} == {"a": "left", "b": "right"}
    assert dict(result.scene_at(0.1).worlds) == {"a": "left", "b": "right"}


def test_a_forks_log_begins_with_the_shapes_and_the_instant_of_the_fork(tmp_path: Path, shown_by: Any) -> None:
    m = ff.Mission([cargo("a")])
    session = m.session()
    session.step(0.05)
    session.world.set_shapes("a", [BALL, BALL])
    session.step(0.05)
    fork = m.session()
    fork.restore(session.snapshot())
    log = tmp_path / "fork.mcap"
    result = m.complete(fork, 0.2, log)
    ((stamp, _, scene),) = shown_by(log).updates
    assert (stamp, len(scene["a"])) == (100_000_000, 2)
    assert [(t, len(shapes["a"])) for t, shapes in result.looks] == [(0.0, 1), (0.05, 2)]


def test_going_back_with_an_open_log_shows_what_was_then(tmp_path: Path, shown_by: Any) -> None:
    class BackAndForth:
        def advance(self, session: Session, end_ns: int) -> int:
            session.advance_to(50_000_000)
            saved = session.snapshot()
            session.world.set_shapes("a", [BALL, BALL])
            session.advance_to(100_000_000)
            session.restore(saved)
            session.advance_to(end_ns)
            return 0

    log = tmp_path / "log.mcap"
    result = ff.Mission([cargo("a")]).run(0.2, log=log, pace=BackAndForth())
    told = [(stamp, len(scene["a"])) for stamp, _, scene in shown_by(log).updates]
    assert told == [(0, 1), (50_000_000, 2), (50_000_000, 1)]
    assert len(result.looks) == 1


def test_links_with_meshes_have_a_topic_of_their_own_that_other_changes_leave_alone(tmp_path: Path) -> None:
    from mcap.reader import make_reader

    path = tmp_path / "box.stl"
    trimesh.creation.box(extents=(1.0, 1.0, 1.0)).export(path)
    mesh, log = Shape("mesh", (1.0, 1.0, 1.0), mesh=str(path)), tmp_path / "log.mcap"
    events = [
        ff.Event("mesh", lambda s: s.world.set_shapes("a", [mesh]), at=0.02),
        ff.Event("paint", lambda s: s.world.set_shapes("b", [BALL]), at=0.04),
        ff.Event("plain", lambda s: s.world.set_shapes("a", [ROD]), at=0.06),
    ]
    ff.Mission([cargo("a"), cargo("b", 6.0)], events=events).run(0.1, log=log)
    with log.open("rb") as f:
        told = [(c.topic, m.log_time, m.data) for _, c, m in make_reader(f).iter_messages()]
    stamps = {topic: [stamp // 10**6 for at, stamp, _ in told if at == topic] for topic in ("/scene", "/scene/meshes")}
    assert stamps == {"/scene": [0, 20, 40, 60], "/scene/meshes": [20, 60]}
    assert [path.read_bytes() in data for topic, _, data in told if topic == "/scene/meshes"] == [True, False]
