"""Pictures of a run: framing that shows what is there, and files that hold it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.transforms import Bbox

from freefloat.charts import STYLE
from freefloat.engine.log.reader import read_log
from freefloat.engine.log.shapes import read_looks
from freefloat.engine.log.writer import LogWriter
from freefloat.engine.scene import Scene
from freefloat.engine.signals import Signal
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape, ShapeKind
from freefloat.view.framing import boxes_of, cameras_for, corners_of, groups_of, is_spread
from freefloat.view.picture import Instant, chosen_instants, draw_picture
from freefloat.view.run_folder import log_of, picture_log, scene_of_log
from freefloat.view.tile import Caption, draw_names, pixels, round_length, told_length, told_time
from freefloat.view.viewpoint import viewpoint

BOX = Shape("box", (0.5, 0.4, 0.3))
KINDS: tuple[tuple[ShapeKind, tuple[float, ...]], ...] = (
    ("box", (0.5, 0.4, 0.3)),
    ("sphere", (0.2,)),
    ("cylinder", (0.1, 0.4)),
)
SMALL: dict[str, Any] = {"width": 48, "height": 36}


def scene(**places: tuple[float, float, float]) -> Scene:
    poses = {name: Pose(np.eye(3), np.array(p)) for name, p in places.items()}
    return Scene(dict.fromkeys(places, (BOX,)), poses, dict.fromkeys(places, ""))


def in_view(one: Scene, camera: object) -> bool:
    at = pixels(camera, corners_of(one, boxes_of(one)))  # pyright: ignore[reportArgumentType]
    return bool((at >= 0.0).all() and (at[:, 0] <= 400).all() and (at[:, 1] <= 300).all())


@pytest.mark.parametrize("travel", [1.0, 5e5])
def test_every_instant_is_in_view_and_only_what_leaves_it_is_followed(travel: float) -> None:
    scenes = [scene(bus=(0.0, 0.0, 0.0)), scene(bus=(travel, 0.0, 0.0))]
    cameras = cameras_for(scenes, (1.0, -1.4, 0.7), 400, 300, (0.0, 0.0, 1.0))
    assert (cameras[0] == cameras[1]) == (travel < 2.0)
    assert all(in_view(one, camera) for one, camera in zip(scenes, cameras, strict=True))
    away = [float(np.linalg.norm(np.subtract(c.eye, c.target))) for c in cameras]
    assert away[0] == pytest.approx(away[1], rel=1e-6)


def test_bodies_far_from_each_other_are_ringed_and_shown_from_near() -> None:
    far, near = scene(chief=(0.0, 0.0, 0.0), deputy=(0.0, 200.0, 0.0)), scene(a=(0.0, 0.0, 0.0), b=(1.5, 0.0, 0.0))
    assert is_spread(groups_of(far, boxes_of(far)))
    assert not is_spread(groups_of(near, boxes_of(near)))
    figure = draw_picture([Instant(0.0, far), Instant(9.0, far)], **SMALL)
    told = [ax.get_title(loc="left") for ax in figure.axes]
    assert told == ["0 s", "9 s", "9 s, chief from near", "9 s, deputy from near"]
    assert {text.get_text() for text in figure.axes[0].texts} >= {"chief", "deputy"}


@pytest.mark.parametrize("t", [-1.0, 20.1, float("nan")])
def test_an_instant_outside_the_run_is_refused(t: float) -> None:
    assert chosen_instants((20.0, 0.0), 20.0) == [20.0, 0.0]
    assert chosen_instants((), 20.0) == [0.0, 10.0, 20.0]
    with pytest.raises(InputError, match="allowed: 0 to 20 s, the time of the run"):
        chosen_instants((0.0, t), 20.0)


def test_nothing_to_see_is_refused() -> None:
    bare = Scene({"bus": ()}, {"bus": Pose.identity()}, {"bus": ""})
    with pytest.raises(InputError, match="no link has a shape"):
        draw_picture([Instant(0.0, bare)])
    with pytest.raises(InputError, match="at least one instant"):
        draw_picture([])


@pytest.mark.parametrize(("length", "told"), [(2000.0, "2 km"), (0.5, "50 cm"), (0.002, "2 mm"), (3.0, "3 m")])
def test_lengths_are_told_as_people_say_them(length: float, told: str) -> None:
    assert told_length(length) == told
    assert round_length(0.99 * round_length(length) * 1.02) <= length


def test_a_log_gives_the_scene_of_its_run_back_and_a_picture(tmp_path: Path) -> None:
    turned = Pose.from_quat([0.8, 0.6, 0.0, 0.0], [0.1, 0.2, 0.3])
    shapes = tuple(Shape(kind, size, turned, (0.2, 0.4, 0.6, 1.0)) for kind, size in KINDS)
    signals = [Signal("bus.p_WB", "m", (3,), "W"), Signal("bus.q_WB", "-", (4,), "W")]
    with LogWriter(tmp_path / "log.mcap", {"plant": signals}, {"bus": shapes}) as log:
        log.write("plant", [0.0, 1.0], [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.6, 0.0, 0.8, 0.0]])
        log.scene(0.5, {"bus": shapes[:2]})
    data, looks = read_log(log_of(tmp_path)), read_looks(tmp_path / "log.mcap", tmp_path)
    assert [(t, len(shown["bus"])) for t, shown in looks] == [(0.0, 3), (0.5, 2)]
    again = scene_of_log(data, looks, 1.0)
    assert again.poses["bus"].p == pytest.approx(np.array([0.1, 0.2, 0.3]), abs=1e-12)
    for ours, theirs in zip(scene_of_log(data, looks, 0.2).shapes["bus"], shapes, strict=True):
        assert (ours.kind, ours.size, ours.rgba) == (theirs.kind, theirs.size, theirs.rgba)
        assert np.allclose(ours.X_LG.p, theirs.X_LG.p)
        assert np.allclose(ours.X_LG.R, theirs.X_LG.R)
    X_WB = Pose.from_quat([0.6, 0.0, 0.8, 0.0], [0.1, 0.2, 0.3])
    draw_picture([Instant(1.0, Scene({"bus": shapes[:2]}, {"bus": X_WB}, {"bus": ""}))], tmp_path / "ours.png", **SMALL)
    picture_log(tmp_path, [1.0], tmp_path / "theirs.png", **SMALL)
    assert np.array_equal(imread(tmp_path / "ours.png"), imread(tmp_path / "theirs.png"))


def test_a_mesh_that_cannot_be_drawn_is_left_out_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "arm.dae").write_text("<COLLADA/>")
    bad = Shape("mesh", (1.0, 1.0, 1.0), mesh=str(tmp_path / "arm.dae"))
    one = scene(bus=(0.0, 0.0, 0.0), arm=(1.0, 0.0, 0.0))
    some = Scene({"bus": (BOX, bad), "arm": (bad,)}, one.poses, one.worlds)
    with pytest.warns(UserWarning, match=r"picture: mesh .*arm\.dae cannot be drawn and is left out"):
        draw_picture([Instant(0.0, some)], tmp_path / "a.png", **SMALL)
    draw_picture([Instant(0.0, scene(bus=(0.0, 0.0, 0.0)))], tmp_path / "b.png", **SMALL)
    assert np.array_equal(imread(tmp_path / "a.png"), imread(tmp_path / "b.png"))


def test_a_picture_is_taken_from_where_small_parts_are_not_hidden() -> None:
    wall = (Shape("box", (1.0, 1.0, 1.0)),)
    knob = (Shape("box", (0.1, 0.1, 0.1)),)

    def side(place: tuple[float, float, float]) -> list[float]:
        poses = {"bus": Pose.identity(), "knob": Pose(np.eye(3), np.array(place))}
        one = Scene({"bus": wall, "knob": knob}, poses, {"bus": "", "knob": ""})
        return viewpoint([one], np.array([1.0, -1.4, 0.7])).tolist()

    assert side((0.0, -1.1, 0.0)) == [1.0, -1.4, 0.7]
    assert side((0.0, 1.1, 0.0)) == [1.0, 1.4, 0.7]
    assert side((0.0, 0.0, -1.1)) == [1.0, -1.4, -0.7]


def test_names_stand_neither_on_each_other_nor_on_parts() -> None:
    one = scene(bus=(0.0, 0.0, 0.0), left=(-1.6, 0.0, 0.0), above=(0.0, 0.0, 1.2))
    (camera,) = cameras_for([one], (0.0, -1.0, 0.0), 400, 300, (0.0, 0.0, 1.0))
    figure = Figure(figsize=(400 / STYLE["dpi"], 300 / STYLE["dpi"]), dpi=STYLE["dpi"])
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0, 400), ylim=(300, 0))
    boxes = boxes_of(one)
    parts = {n: corners_of(one, {n: boxes[n]}) for n in boxes}
    draw_names(ax, camera, [Caption(n, points) for n, points in parts.items()])
    figure.draw_without_rendering()
    areas = {text.get_text(): text.get_window_extent() for text in ax.texts}
    assert set(areas) == set(parts)
    for name, area in areas.items():
        assert not any(area.overlaps(other) for n, other in areas.items() if n != name)
        for points in parts.values():
            solid = Bbox(np.array([0.0, 300.0]) + pixels(camera, points)[[0, -1]] * [1.0, -1.0])
            assert not area.overlaps(Bbox.from_extents(*solid.min, *solid.max))


@pytest.mark.parametrize(("t", "told"), [(0.0, "0 s"), (314.159, "314.2 s"), (11200.0, "11200 s")])
def test_times_are_told_without_powers_of_ten(t: float, told: str) -> None:
    assert told_time(t) == told
