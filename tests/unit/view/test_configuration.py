"""Pictures of configurations: modules where they are, in the colour of what they are, with a legend that says so."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.figure import Figure

from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.geometry.tessellation import assemble, tessellate
from freefloat.structure import Module, TensorBody, cubic, hexagonal, load_catalogue
from freefloat.structure.design.check import check_design
from freefloat.structure.design.file import load_design
from freefloat.view.camera import Camera
from freefloat.view.configuration import Contents, Frame, draw_configuration, is_configuration, picture_sequence
from freefloat.view.configuration_colours import COLOUR_MAP, POWER_RGB, UNKNOWN, colouring
from freefloat.view.configuration_labels import labels
from freefloat.view.configuration_scene import AS_BUILT, links
from freefloat.view.design_picture import draw_design, layers

MOSAR, MIRROR = load_catalogue("mosar"), load_catalogue("mirror")
SMALL = {"width": 120, "height": 100}


def stack(*cells: tuple[int, int, int], kinds: tuple[str, ...] = ()) -> TensorBody:
    body = TensorBody("stack", cubic(2, 2, 2), MOSAR)
    for k, cell in enumerate(cells):
        body.insert(body.grid.index(cell), Module(k + 1, MOSAR.type((kinds or ("bus",) * 9)[k])))
    return body


def texts(figure: Figure) -> list[str]:
    legends = [ax.get_legend() for ax in figure.axes]
    return [t.get_text() for legend in legends if legend is not None for t in legend.get_texts()]


def test_a_hexagonal_prism_is_drawn_exactly_as_its_grid_outlines_it() -> None:
    body = TensorBody("mirror", hexagonal([(0, 0)], 1.0, 0.1), MIRROR)
    body.insert(0, Module(1, MIRROR.type("hub")))
    shapes, _ = links(Frame([Contents.of(body)]))
    (boxes,) = shapes.values()
    points = np.concatenate([tessellate(box).points.reshape(-1, 3) for box in boxes])
    inside = (body.grid.normals @ points.T).max(axis=1)
    reach = np.array([body.grid.normals[f] @ body.grid.outline[list(c)][0] for f, c in enumerate(body.grid.faces)])
    assert inside / reach == pytest.approx(np.full(8, 0.965))


def test_modules_are_where_their_body_is() -> None:
    X_WT = Pose.from_rpy((0.2, -0.4, 1.0), (3.0, -2.0, 1.0))
    body = stack((0, 0, 0), (1, 1, 1))
    shapes, poses = links(Frame([Contents.of(body, X_WT)]))
    centres = {
        name: assemble(shapes, {name: X}, np.zeros(3)).points.reshape(-1, 3).mean(axis=0) for name, X in poses.items()
    }
    assert len(centres) == 2
    for place, centre in zip(body.occupied.tolist(), centres.values(), strict=True):
        assert centre == pytest.approx((X_WT @ body.X_TM(place)).p, abs=1e-6)


def test_contents_do_not_follow_the_body_that_they_were_taken_from() -> None:
    body = stack((0, 0, 0))
    before = Contents.of(body, temperature=np.full(8, 300.0))
    body.remove(0)
    assert before.occupied.tolist() == [0]
    with pytest.raises(InputError, match=r"shape \(3,\); allowed: \(8,\)"):
        Contents.of(body, temperature=np.zeros(3))


def test_power_states_are_told_apart_by_role_and_supply() -> None:
    body = stack((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), kinds=("solar", "bat", "payload", "payload"))
    on = np.ones(8, dtype=bool)
    on[body.find(4)] = False
    known = Contents.of(body, powered=on)
    paint = colouring("power", [Frame([known])])
    seen = [paint.paint(known, int(body.find(k) or 0)) for k in (1, 2, 3, 4)]
    assert seen == [POWER_RGB[n] for n in ("source", "battery", "powered", "without power")]
    assert list(paint.entries) == ["source", "battery", "powered", "without power"]
    silent = Contents.of(body)
    assert colouring("power", [Frame([silent])]).entries == {"unknown": UNKNOWN}


def test_one_temperature_scale_spans_all_frames_and_infinite_heat_is_at_its_end() -> None:
    cold = Contents.of(stack((0, 0, 0)), temperature=np.full(8, 250.2))
    hot = Contents.of(stack((0, 0, 0)), temperature=np.full(8, 310.7))
    paint = colouring("temperature", [Frame([cold]), Frame([hot])])
    assert paint.scale == (250.0, 311.0)
    assert paint.paint(cold, 0) == pytest.approx(colormaps[COLOUR_MAP](0.2 / 61.0)[:3])
    burning = Contents.of(stack((0, 0, 0)), temperature=np.full(8, np.inf))
    assert paint.paint(burning, 0) == pytest.approx(colormaps[COLOUR_MAP](1.0)[:3])
    assert paint.paint(Contents.of(stack((0, 0, 0))), 0) == UNKNOWN
    with pytest.raises(InputError, match="lowest first"):
        colouring("temperature", [Frame([cold])], (300.0, 200.0))
    with pytest.raises(InputError, match=r"allowed: type \| temperature \| power"):
        colouring("mass", [Frame([cold])])  # type: ignore[arg-type]


def test_a_label_is_on_its_own_module_and_a_hidden_module_has_none() -> None:
    body = stack((0, 0, 0), (1, 0, 0))
    frame = Frame([Contents.of(body)])
    shapes, poses = links(frame)
    camera = Camera(eye=(10.0, 0.0, 0.0), target=(0.0, 0.0, 0.0), fov=0.2, width=200, height=200)
    (front,) = labels(frame, shapes, poses, camera)
    assert front.text == "2"
    scale = 100.0 / np.tan(0.1) / (10.0 - 0.2 - 0.965 * 0.2)
    assert front.x == pytest.approx(100.0 - 0.2 * scale, abs=1e-3)  # y to the right of this camera
    assert front.y == pytest.approx(100.0 + 0.2 * scale, abs=1e-3)
    aside = Camera(eye=(0.0, -10.0, 0.0), fov=0.2, width=200, height=200)
    assert sorted(label.text for label in labels(frame, shapes, poses, aside)) == ["1", "2"]


def test_a_picture_has_the_legend_of_what_is_in_it_and_says_what_made_it(tmp_path: Path) -> None:
    body = stack((0, 0, 0), (1, 0, 0), kinds=("solar", "bat"))
    file = tmp_path / "new" / "types.png"
    figure = draw_configuration(Contents.of(body), file, title="two", **SMALL)  # type: ignore[arg-type]
    assert texts(figure) == ["solar", "bat", "active interface", "passive interface"]
    assert is_configuration(file)
    (tmp_path / "plain.png").write_bytes(b"not a picture")
    assert not is_configuration(tmp_path / "plain.png")
    assert not is_configuration(tmp_path / "absent.png")
    with pytest.raises(InputError, match=r"'\.jpg' is unknown; allowed: \.png"):
        draw_configuration(Contents.of(body), tmp_path / "a.jpg", **SMALL)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot be written"):
        draw_configuration(Contents.of(body), tmp_path / "plain.png" / "a.png", **SMALL)  # type: ignore[arg-type]


def test_a_module_is_drawn_in_a_colour_near_its_legend() -> None:
    for name, kind in {"source": "solar", "battery": "bat", "powered": "payload"}.items():
        contents = Contents.of(stack((0, 0, 0), kinds=(kind,)), powered=np.ones(8, dtype=bool))
        figure = draw_configuration(contents, colour="power", identities=False, **SMALL)  # type: ignore[arg-type]
        image = np.asarray(figure.axes[0].images[0].get_array(), dtype=np.float64) / 255.0
        drawn = image[np.any(image < 1.0, axis=-1)]
        off = {n: np.abs(np.median(drawn, axis=0) - rgb).max() for n, rgb in POWER_RGB.items()}
        assert min(off, key=lambda n: off[n]) == name
        assert off[name] < 0.15


def test_a_sequence_has_a_tile_with_its_caption_for_every_frame_and_one_legend(tmp_path: Path) -> None:
    arm = {"arm": [Shape("capsule", (0.05, 0.4))]}
    frames = [
        Frame(
            [Contents.of(stack((0, 0, 0)), temperature=np.full(8, 280.0 + k))],
            time=10.0 * k,
            caption="carry" if k else "",
            shapes=arm,
            poses={"arm": Pose(np.eye(3), (0.1 * k, 0.0, 0.8))},
        )
        for k in range(5)
    ]
    file = tmp_path / "sheet.png"
    figure = picture_sequence(frames, file, colour="temperature", columns=3, **SMALL)  # type: ignore[arg-type]
    titles = [ax.get_title() for ax in figure.axes if ax.images]
    assert titles == ["t = 0 s", "t = 10 s, carry", "t = 20 s, carry", "t = 30 s, carry", "t = 40 s, carry"]
    bars = [bar for ax in figure.axes for bar in ax.child_axes]
    assert [bar.get_ylabel() for bar in bars] == ["temperature [K]"]
    assert file.stat().st_size > 5000
    tiles = [np.asarray(ax.images[0].get_array()) for ax in figure.axes if ax.images]
    assert all(np.any(a != b) for a, b in pairwise(tiles))
    with pytest.raises(InputError, match="at least one frame"):
        picture_sequence([])


def test_an_empty_configuration_is_a_blank_picture_and_not_a_crash() -> None:
    figure = draw_configuration(Contents.of(stack()), **SMALL)  # type: ignore[arg-type]
    assert np.all(np.asarray(figure.axes[0].images[0].get_array()) == 255)


def test_layers_go_apart_until_every_module_of_a_stack_shows_its_identity(
    monkeypatch: pytest.MonkeyPatch, draw_roughly: Callable[[pytest.MonkeyPatch], None]
) -> None:
    draw_roughly(monkeypatch)
    report = check_design(load_design("mosar-stack"))
    figure = draw_design(report)
    shown = [sorted(int(t.get_text()) for t in ax.texts) for ax in figure.axes if ax.images]
    assert shown == [[], *[list(range(1, 28))] * 4]
    assert layers(cubic(3, 3, 1)) == layers(hexagonal([(0, 0)])) == AS_BUILT
