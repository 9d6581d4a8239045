"""Pictures: shapes appear where the pinhole camera says, lit by the sun, the same bytes every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.view.raycast import Camera, render, render_sequence, save_png

RED = (0.9, 0.1, 0.1, 1.0)
FRONT = Camera(eye=(10.0, 0.0, 0.0), fov=0.4, width=80, height=60)
SPHERE = {"ball": [Shape("sphere", (1.0,), rgba=RED)]}
HERE = {"ball": Pose.identity()}


def at(x: float, y: float, z: float) -> dict[str, Pose]:
    return {"ball": Pose.from_rpy([0.0, 0.0, 0.0], [x, y, z])}


def drawn(image: np.ndarray) -> np.ndarray:
    return np.any(image != 255, axis=-1)


def test_a_sphere_covers_the_disc_that_projection_predicts() -> None:
    image = render(SPHERE, HERE, FRONT, background="white")
    radius = 60 / 2 * np.tan(np.arcsin(1.0 / 10.0)) / np.tan(0.2)  # [pixel] of the silhouette cone
    assert drawn(image).sum() == pytest.approx(np.pi * radius**2, rel=0.06)
    rows, cols = np.nonzero(drawn(image))
    assert rows.mean() == pytest.approx(29.5, abs=0.3)
    assert cols.mean() == pytest.approx(39.5, abs=0.3)


def test_left_is_left_and_up_is_up() -> None:
    """From +x looking back at the origin, +y is to the right and +z is up."""
    rows, cols = np.nonzero(drawn(render(SPHERE, at(0.0, 1.0, 0.8), FRONT, background="white")))
    assert rows.mean() < 29.5
    assert cols.mean() > 39.5


def test_the_side_toward_the_sun_is_brighter_and_a_body_between_casts_a_shadow() -> None:
    lit = render(SPHERE, HERE, FRONT, sun=(1.0, 0.0, 1.0))
    assert lit[20, 40].sum() > lit[40, 40].sum() + 60
    shade = {"ball": [*SPHERE["ball"], Shape("box", (3.0, 3.0, 0.05), Pose.from_rpy([0, 0, 0], [0.0, 0.0, 6.0]))]}
    shaded = render(shade, HERE, FRONT, sun=(0.0, 0.0, 1.0))
    open_sky = render(SPHERE, HERE, FRONT, sun=(0.0, 0.0, 1.0))
    assert shaded[20, 40].sum() < open_sky[20, 40].sum() - 60


def test_a_mesh_file_is_drawn_like_the_same_box(tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    trimesh.creation.box(extents=(1.0, 1.0, 1.0)).export(path)
    camera = Camera(eye=(6.0, -4.0, 3.0), fov=0.5, width=60, height=60)
    mesh = render({"ball": [Shape("mesh", (1.0, 2.0, 1.0), mesh=str(path))]}, HERE, camera)
    box = render({"ball": [Shape("box", (0.5, 1.0, 0.5))]}, HERE, camera)
    assert np.abs(mesh.astype(int) - box.astype(int)).mean() < 1.0


def test_pictures_are_the_same_bytes_every_time_and_far_from_the_origin() -> None:
    image = render(SPHERE, HERE, FRONT)
    assert image.shape == (60, 80, 3)
    assert image.dtype == np.uint8
    assert np.array_equal(image, render(SPHERE, HERE, FRONT))
    far = Camera((7e6 + 10.0, 0.0, 0.0), (7e6, 0.0, 0.0), fov=0.4, width=80, height=60)
    assert np.abs(render(SPHERE, at(7e6, 0.0, 0.0), far).astype(int) - image.astype(int)).max() <= 2


def test_ghosts_of_earlier_poses_are_fainter_the_older_they_are() -> None:
    poses = [at(0.0, -1.6, 0.0), at(0.0, 0.0, 1.5), at(0.0, 1.6, 0.0)]
    camera = Camera((12.0, 0.0, 0.0), width=90, height=60)
    image = render_sequence(SPHERE, poses, camera, background="white").astype(int)
    centres = [np.argwhere(drawn(render(SPHERE, p, camera, "white"))).mean(axis=0).astype(int) for p in poses]
    oldest, newer, solid = (255 - image[row, col].min() for row, col in centres)
    assert 0 < oldest < newer < solid
    row, col = centres[-1]
    assert np.array_equal(image[row, col], render(SPHERE, poses[-1], camera)[row, col])


def test_the_fitted_camera_sees_everything_with_little_waste() -> None:
    shapes = {"ball": [Shape("box", (0.2, 3.0, 0.4))]}
    camera = Camera.fit(shapes, at(5.0, 2.0, -1.0), width=160, height=90)
    rows, cols = np.nonzero(drawn(render(shapes, at(5.0, 2.0, -1.0), camera, background="white")))
    assert rows.min() > 0
    assert rows.max() < 89
    assert cols.min() > 0
    assert cols.max() < 159
    assert max(np.ptp(rows) / 90, np.ptp(cols) / 160) > 0.85


def test_nothing_to_see_gives_the_background() -> None:
    assert np.all(render({}, {}, FRONT, background="white") == 255)
    assert np.array_equal(render(SPHERE, {}, FRONT), render({}, {}, FRONT))
    invisible = {"ball": [Shape("sphere", (1.0,), rgba=(1.0, 1.0, 1.0, 0.0))]}
    assert np.all(render(invisible, HERE, FRONT, background="white") == 255)


def test_a_camera_without_a_direction_and_an_unreadable_mesh_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="eye and target coincide"):
        render(SPHERE, HERE, Camera((0.0, 0.0, 0.0)))
    with pytest.raises(InputError, match="up is parallel"):
        render(SPHERE, HERE, Camera((0.0, 0.0, 3.0)))
    with pytest.raises(InputError, match=r"none\.stl"):
        render({"ball": [Shape("mesh", (1.0, 1.0, 1.0), mesh=str(tmp_path / "none.stl"))]}, HERE, FRONT)
    with pytest.raises(InputError, match="background 'pink'"):
        render(SPHERE, HERE, FRONT, background="pink")  # pyright: ignore[reportArgumentType]


def test_a_saved_picture_reads_back(tmp_path: Path) -> None:
    from matplotlib.image import imread

    image = render(SPHERE, HERE, FRONT)
    read = imread(save_png(tmp_path / "ball.png", image))
    assert np.array_equal(np.rint(255.0 * read[..., :3]).astype(np.uint8), image)
