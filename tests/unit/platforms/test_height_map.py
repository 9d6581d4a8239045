"""Height maps: statistics of the synthetic ones, spline against SciPy's, files, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.image import imsave
from scipy.interpolate import RectBivariateSpline

from freefloat.errors import InputError
from freefloat.platforms.height_map import (
    CORRELATION,
    PEAK_TO_PEAK,
    HeightMap,
    flat,
    loaded,
    smoothed,
    synthetic,
)

SIZE = (4.8, 9.0)  # [m]
MIRRORED = 24  # cells around a map: the spline forgets its end conditions by 0.27 each


def scipy_spline(m: HeightMap) -> RectBivariateSpline:
    """SciPy's bicubic spline through the map continued by its mirror images."""
    nx, ny = m.heights.shape
    x, y = (m.spacing * (np.arange(-MIRRORED, n + MIRRORED) - 0.5 * (n - 1)) for n in (nx, ny))
    return RectBivariateSpline(x, y, np.pad(m.heights, MIRRORED, mode="reflect"), s=0)


@pytest.fixture(scope="module")
def floor() -> HeightMap:
    return synthetic(1, SIZE)


@pytest.fixture(scope="module")
def oracle(floor: HeightMap) -> RectBivariateSpline:
    return scipy_spline(floor)


places = st.tuples(st.floats(-2.4, 2.4), st.floats(-4.5, 4.5))


@given(p=places)
def test_height_and_gradient_are_those_of_scipys_spline(floor: HeightMap, oracle: RectBivariateSpline, p: Any) -> None:
    h, slope = floor.at(p)
    assert h == pytest.approx(float(oracle.ev(*p)), abs=1e-14)
    assert slope == pytest.approx([float(oracle.ev(*p, dx=1)), float(oracle.ev(*p, dy=1))], abs=1e-13)


@given(p=places)
def test_the_gradient_is_the_finite_difference_of_the_height(floor: HeightMap, p: Any) -> None:
    step = 1e-4
    p = np.clip(p, (-2.3, -4.4), (2.3, 4.4))
    ahead, behind = (np.array([floor.at(p + sign * step * e)[0] for e in np.eye(2)]) for sign in (1.0, -1.0))
    assert floor.at(p)[1] == pytest.approx((ahead - behind) / (2.0 * step), abs=2e-9)


def test_many_points_at_once_are_read_as_each_alone(floor: HeightMap) -> None:
    points = np.random.default_rng(2).uniform((-3.0, -5.0), (3.0, 5.0), (50, 2))
    heights, slopes = floor.at(points)
    assert heights.shape == (50,)
    assert slopes.shape == (50, 2)
    for p, h, slope in zip(points, heights, slopes, strict=True):
        assert floor.at(p)[0] == h
        assert floor.at(p)[1].tolist() == slope.tolist()


def test_the_spline_goes_through_the_given_heights(floor: HeightMap) -> None:
    (nx, ny), s = floor.heights.shape, floor.spacing
    for i, j in [(0, 0), (nx - 1, ny - 1), (0, ny - 1), (7, 33), (20, 0)]:
        p = s * (np.array([i, j]) - 0.5 * np.array([nx - 1, ny - 1]))
        assert floor.at(p)[0] == pytest.approx(floor.heights[i, j], abs=1e-15)


def test_beyond_the_edge_the_floor_goes_on_level_without_a_step(floor: HeightMap) -> None:
    edge, beyond = floor.at((2.4 - 1e-9, 1.0)), floor.at((3.0, 1.0))
    assert beyond[1][0] == 0.0
    assert edge[1][0] == pytest.approx(0.0, abs=1e-10), "the slope across the edge ends at it"
    assert beyond[0] == pytest.approx(edge[0], abs=1e-12)
    assert beyond[1][1] == pytest.approx(edge[1][1], abs=1e-10)
    assert floor.at((9.0, -9.0))[1].tolist() == [0.0, 0.0]


def test_a_spline_reproduces_a_plane_away_from_its_edges() -> None:
    x = 0.1 * (np.arange(61) - 30)
    m = HeightMap(0.01 * x[:, None] - 0.02 * x[None, :], 0.1)
    h, slope = m.at((0.123, -0.271))
    assert h == pytest.approx(0.01 * 0.123 + 0.02 * 0.271, abs=1e-15)
    assert slope == pytest.approx([0.01, -0.02], abs=1e-14)


def test_a_map_is_square_in_its_cells_and_centred() -> None:
    m = HeightMap(np.zeros((5, 9)), 0.25)
    assert m.size == (1.0, 2.0)
    with pytest.raises(ValueError, match="read-only"):
        m.heights[0, 0] = 1.0


def test_a_map_keeps_no_hold_of_the_array_it_was_given() -> None:
    given_heights = np.zeros((5, 5))
    m = HeightMap(given_heights, 0.1)
    given_heights[2, 2] = 1.0
    assert m.at((0.0, 0.0))[0] == 0.0


def test_a_flat_floor_is_level_everywhere() -> None:
    m = flat(SIZE)
    assert m.size[1] >= SIZE[1]
    for p in [(0.0, 0.0), (2.4, 4.5), (-1.0, 3.0)]:
        assert m.at(p)[0] == 0.0
        assert m.at(p)[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_a_synthetic_floor_spans_its_peak_to_peak_over_its_size(seed: int) -> None:
    m = synthetic(seed, SIZE)
    assert m.size == pytest.approx(SIZE)
    assert np.ptp(m.heights) == pytest.approx(PEAK_TO_PEAK, rel=1e-12)
    assert abs(m.heights.mean()) < 1e-3 * PEAK_TO_PEAK
    assert np.ptp(synthetic(seed, SIZE, 2e-3).heights) == pytest.approx(2e-3, rel=1e-12)


def test_a_seed_gives_always_the_same_floor_and_another_seed_another() -> None:
    assert synthetic(7, SIZE).heights.tobytes() == synthetic(7, SIZE).heights.tobytes()
    assert np.abs(synthetic(7, SIZE).heights - synthetic(8, SIZE).heights).max() > 0.2 * PEAK_TO_PEAK


def test_slopes_are_about_0_4_mm_per_m() -> None:
    rms, largest = [], []
    for seed in range(20):
        m = synthetic(seed, SIZE)
        slope = np.array(np.gradient(m.heights, m.spacing))
        rms.append(np.sqrt(np.mean(np.sum(slope**2, axis=0))))
        largest.append(np.sqrt(np.sum(slope**2, axis=0)).max())
    assert 0.3e-3 < np.mean(rms) < 0.5e-3
    assert 0.8e-3 < np.mean(largest) < 1.4e-3


LAGS = (1, 2, 4, 7, 10, 14)  # cells


def variogram(field: np.ndarray, lag: int) -> float:
    """Half the mean square of h(p + lag) - h(p) along x and y: (1 - C(lag)) sigma^2, free of the mean."""
    along_x, along_y = field[lag:] - field[:-lag], field[:, lag:] - field[:, :-lag]
    return 0.25 * float(np.mean(along_x**2) + np.mean(along_y**2))


def test_the_autocovariance_is_gaussian_with_0_7_m() -> None:
    # the ratio to the variogram beyond 3 correlation lengths, where C = 1e-4; each seed is one independent sample
    found = []
    for seed in range(120):
        field = synthetic(seed, (9.0, 9.0)).heights
        found.append([variogram(field, lag) for lag in (*LAGS, 21)])
    sill = np.array(found)[:, -1]
    ratios = np.array(found)[:, :-1] / sill.mean()
    expected = 1.0 - np.exp(-((0.1 * np.array(LAGS) / CORRELATION) ** 2))
    error = ratios.mean(axis=0) - expected
    deviation = (ratios.std(axis=0) + expected * sill.std() / sill.mean()) / np.sqrt(len(found))
    assert np.all(np.abs(error) < 4.0 * deviation)
    assert np.all(deviation < 0.05 * expected), "enough seeds to tell"


def test_the_two_axes_have_the_same_statistics() -> None:
    rows = []
    for seed in range(60):
        field = synthetic(seed, (9.0, 9.0)).heights
        rows.append((np.mean((field[7:] - field[:-7]) ** 2), np.mean((field[:, 7:] - field[:, :-7]) ** 2)))
    x, y = np.array(rows).T
    assert abs(np.mean(x - y)) < 4.0 * np.std(x - y) / np.sqrt(len(rows))


def test_opposite_edges_are_independent() -> None:
    products = []
    for seed in range(150):
        field = synthetic(seed, SIZE).heights
        products.append(np.mean(field[0] * field[-1]) / np.mean(field**2))
    # removing the mean correlates all pairs by minus the mean's own variance, 3.6 % here
    assert abs(np.mean(products) + 0.036) < 4.0 * np.std(products) / np.sqrt(len(products))


def test_an_array_of_heights_loads_as_it_is_without_smoothing(tmp_path: Path) -> None:
    heights = 1e-3 * np.random.default_rng(1).normal(size=(6, 11))
    np.save(tmp_path / "floor.npy", heights)
    m = loaded(tmp_path / "floor.npy", 5.0, smoothing=0.0)
    assert np.array_equal(m.heights, heights)
    assert m.spacing == 0.5
    assert m.size == (2.5, 5.0)


def ramps(tmp_path: Path, shape: tuple[int, int]) -> Path:
    """An 8-bit grey image (rows, columns): white in the first row's right corner, grey falls left and downwards."""
    rows, columns = shape
    down, right = np.linspace(1.0, 0.0, rows)[:, None], np.linspace(0.0, 1.0, columns)[None, :]
    grey = np.round(255.0 * (0.75 * down + 0.25 * right)).astype(np.uint8)
    file = tmp_path / "floor.png"
    imsave(file, np.repeat(grey[..., None], 3, axis=-1))
    return file


def test_an_images_columns_are_x_and_its_last_row_is_the_lowest_y(tmp_path: Path) -> None:
    m = loaded(ramps(tmp_path, (31, 16)), 9.0, smoothing=0.0)
    assert m.heights.shape == (16, 31)
    assert m.size == pytest.approx((4.5, 9.0))
    assert m.heights[-1, -1] == pytest.approx(PEAK_TO_PEAK), "white at the right of the first row: +x, +y"
    assert m.heights[0, 0] == 0.0, "black at the left of the last row: -x, -y"
    assert m.heights[0, -1] == pytest.approx(0.75 * PEAK_TO_PEAK, rel=0.01)
    assert m.heights[-1, 0] == pytest.approx(0.25 * PEAK_TO_PEAK, rel=0.01)


def test_an_images_levels_span_the_peak_to_peak_that_is_asked_for(tmp_path: Path) -> None:
    file = ramps(tmp_path, (31, 16))
    one, two = loaded(file, 9.0, 1e-3, 0.0), loaded(file, 9.0, 2e-3, 0.0)
    assert np.allclose(two.heights, 2.0 * one.heights, rtol=1e-12)
    levels = np.round(255.0 * one.heights / 1e-3)
    assert np.allclose(one.heights, 1e-3 * levels / 255.0, atol=1e-12)


def test_smoothing_takes_the_steps_of_8_bits_out_of_the_slope(tmp_path: Path) -> None:
    x = np.linspace(0.0, 1.0, 181)
    grey = np.round(20.0 + 30.0 * x).astype(np.uint8)  # few levels: slope 0.0105 mm/m in steps
    file = tmp_path / "floor.png"
    imsave(file, np.repeat(np.broadcast_to(grey[::-1, None], (181, 96))[..., None], 3, axis=-1))
    rough, smooth = loaded(file, 9.0, smoothing=0.0), loaded(file, 9.0, smoothing=0.3)

    def slopes(m: HeightMap) -> np.ndarray:
        return np.array([m.at((0.0, y))[1][1] for y in np.linspace(-3.0, 3.0, 101)])

    true = 30.0 / 255.0 * PEAK_TO_PEAK / 9.0
    assert slopes(smooth).mean() == pytest.approx(true, rel=0.05)
    assert np.std(slopes(smooth)) < 0.15 * np.std(slopes(rough))


@pytest.mark.parametrize("n", [(121, 61), (91, 48), (601, 320), (60, 35)])
@pytest.mark.parametrize("smoothing", [0.15, 0.3])
def test_a_smoothed_hill_is_the_wider_hill_at_the_same_place(n: tuple[int, int], smoothing: float) -> None:
    """A Gaussian hill through a Gaussian filter has a closed form, whatever the pixel is."""
    pixel = 9.0 / (n[0] - 1)
    x, y = (pixel * (np.arange(k) - 0.5 * (k - 1)) for k in (n[1], n[0]))
    width, top = 0.5, np.array([0.9, 2.4])
    hill = np.exp(-((x[:, None] - top[0]) ** 2 + (y[None, :] - top[1]) ** 2) / (2.0 * width**2))
    m = smoothed(hill, pixel, smoothing)
    wider = width**2 + smoothing**2
    for off in [(0.0, 0.0), (0.4, 0.0), (0.0, -0.4), (-0.3, 0.5)]:
        expected = width**2 / wider * np.exp(-float(np.dot(off, off)) / (2.0 * wider))
        assert m.at(top + off)[0] == pytest.approx(expected, abs=4e-3), off


@pytest.mark.parametrize("n", [(121, 61), (91, 48), (601, 320), (60, 35)])
def test_smoothing_keeps_the_size_of_the_map_to_a_cell(n: tuple[int, int]) -> None:
    pixel = 9.0 / (n[0] - 1)
    m = smoothed(np.zeros((n[1], n[0])), pixel, 0.3)
    assert m.size == pytest.approx((pixel * (n[1] - 1), 9.0), abs=m.spacing)


@pytest.mark.parametrize("spacing", [0.0, -0.1, np.nan, np.inf, "wide", None, "1 kg"])
def test_a_spacing_that_cannot_be_is_refused(spacing: float) -> None:
    with pytest.raises(InputError, match=r"height map: spacing.*(> 0 m|'1 m'|m, cm, km)"):
        HeightMap(np.zeros((4, 4)), spacing)


@pytest.mark.parametrize(
    "heights",
    [
        np.zeros(16),
        np.zeros((3, 9)),
        np.zeros((9, 3)),
        np.full((5, 5), np.nan),
        np.zeros((4, 4, 4)),
        "floor.png",
        None,
        [[1.0, 2.0], [3.0]],
        [],
    ],
)
def test_heights_that_are_no_map_are_refused(heights: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"height map: .*heights.*; allowed: "):
        HeightMap(heights, 0.1)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"height map 'nowhere.png': no such file"):
        loaded("nowhere.png", 9.0)


def test_a_file_that_is_no_image_is_named(tmp_path: Path) -> None:
    file = tmp_path / "floor.png"
    file.write_text("no picture")
    with pytest.raises(InputError, match=r"height map '.*floor.png': .*; allowed: an image or .npy"):
        loaded(file, 9.0)


def test_an_image_that_is_too_small_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"height map '.*floor.png': shape \(3, 9\); allowed: \(nx, ny\), 4 or more"):
        loaded(ramps(tmp_path, (9, 3)), 9.0)


@pytest.mark.parametrize(("pixel", "smoothing"), [(0.0, 0.1), (-1.0, 0.1), (0.1, -0.1), (np.nan, 0.1), (0.1, np.inf)])
def test_pixels_and_smoothing_that_cannot_be_are_refused(pixel: float, smoothing: float) -> None:
    with pytest.raises(InputError, match=r"height map: (pixel|smoothing) .*; allowed: >=? 0 m"):
        smoothed(np.zeros((9, 9)), pixel, smoothing)


@pytest.mark.parametrize("content", [b"no array", np.array([object()] * 16).dumps()], ids=["text", "pickle"])
def test_a_broken_array_file_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "floor.npy"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"height map '.*floor.npy'"):
        loaded(file, 9.0)


def test_an_array_of_words_is_named(tmp_path: Path) -> None:
    np.save(tmp_path / "floor.npy", np.full((5, 5), "high"))
    with pytest.raises(InputError, match=r"height map '.*floor.npy'"):
        loaded(tmp_path / "floor.npy", 9.0)


def test_a_loaded_map_with_a_hole_is_refused_by_its_name(tmp_path: Path) -> None:
    heights = np.zeros((60, 100))
    heights[3, 3] = np.nan
    np.save(tmp_path / "hole.npy", heights)
    with pytest.raises(InputError, match=r"hole\.npy': 1 heights are not finite"):
        loaded(tmp_path / "hole.npy", 9.0)
