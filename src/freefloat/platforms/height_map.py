"""Height maps of floors: synthetic and seeded, or loaded; smooth between the points they are given at."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from numbers import Integral
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import gaussian_filter, map_coordinates, spline_filter

from freefloat.amounts import Amount, Measure, Measures, take
from freefloat.errors import InputError
from freefloat.frames import Array

SPACING = 0.1  # [m] of synthetic maps: a seventh of their correlation length
CORRELATION = 0.7  # [m] autocovariance exp(-(r / 0.7 m)^2)
_EDGE = Amount("m", gt=0.0)
PEAK_TO_PEAK = 0.8e-3  # [m] over the whole floor


@dataclass(frozen=True, eq=False)
class HeightMap:
    """Heights [m] (nx, ny) at x = x_0 + i spacing, y = y_0 + j spacing in the floor's frame W, centred on its origin.

    Between the points the height is the bicubic spline through them, so that force and torque of the potential are
    continuous with their first derivatives; beyond the edge the floor goes on level.
    """

    heights: Array  # [m]
    spacing: Measure  # [m]

    def __post_init__(self) -> None:
        heights = _matrix(self.heights)
        if min(heights.shape) < 4:
            raise InputError(f"height map: heights of shape {heights.shape}; allowed: (nx, ny), 4 or more of each")
        take(self, "height map", spacing=Amount("m", gt=0.0))
        heights.flags.writeable = False
        object.__setattr__(self, "heights", heights)

    @property
    def size(self) -> tuple[float, float]:
        """[m] along x and y."""
        nx, ny = self.heights.shape
        return (nx - 1) * self.spacing, (ny - 1) * self.spacing

    @cached_property
    def coefficients(self) -> Array:
        """(nx + 2, ny + 2) of the cubic B-spline through the heights: cell (i, j) uses [i : i + 4, j : j + 4]."""
        inner = spline_filter(self.heights, 3, mode="mirror", output=np.float64)
        return np.ascontiguousarray(np.pad(inner, 1, mode="reflect"))

    def at(self, p: ArrayLike) -> tuple[Array, Array]:
        """Heights (n,) [m] and gradients (n, 2) [-] at points p_WP (n, 2); of one point (2,), its own."""
        points = np.asarray(p, np.float64)
        last = np.array(self.heights.shape) - 1
        u = np.atleast_2d(points) / self.spacing + 0.5 * last
        clipped = np.clip(u, 0.0, last)
        cell = np.minimum(clipped.astype(np.int64), last - 1)
        b, db = _weights(clipped - cell)
        around = np.arange(4)
        C = self.coefficients[cell[:, 0, None, None] + around[:, None], cell[:, 1, None, None] + around]
        (bx, by), (dx, dy) = np.moveaxis(b, -1, 0), np.moveaxis(db, -1, 0)
        height, gx, gy = (np.einsum("in,nij,jn->n", x, C, y) for x, y in ((bx, by), (dx, by), (bx, dy)))
        slope = np.column_stack([gx, gy]) * (u == clipped) / self.spacing
        return (height, slope) if points.ndim == 2 else (height[0], slope[0])


def _matrix(given: ArrayLike) -> Array:
    """A copy of heights (nx, ny) [m], which must be finite numbers."""
    try:
        heights = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"height map: heights {reprlib.repr(given)}; allowed: a matrix of numbers (nx, ny)") from None
    if heights.ndim != 2 or not heights.size:
        raise InputError(f"height map: heights of shape {heights.shape}; allowed: (nx, ny), 4 or more of each")
    if not np.isfinite(heights).all():
        raise InputError(
            f"height map: {np.count_nonzero(~np.isfinite(heights))} heights are not finite; allowed: numbers"
        )
    return heights


def _weights(s: Array) -> tuple[Array, Array]:
    """Cubic B-spline weights (4, ...) and their derivatives at s in 0..1 of a cell."""
    r = 1.0 - s
    b = np.array([r**3, 3 * s**3 - 6 * s**2 + 4, 3 * r**3 - 6 * r**2 + 4, s**3]) / 6.0
    return b, np.array([-(r**2), 3 * s**2 - 4 * s, -(3 * r**2 - 4 * r), s**2]) / 2.0


def flat(size: Measures) -> HeightMap:
    """A level floor of this size [m]."""
    return _flat(max(_EDGE.numbers(size, (2,), "flat floor: size")))


@lru_cache(maxsize=4)  # many runs have one floor, here and below
def _flat(longest: float) -> HeightMap:
    return HeightMap(np.zeros((4, 4)), longest / 3.0)


def synthetic(seed: int, size: Measures, peak_to_peak: Measure = PEAK_TO_PEAK) -> HeightMap:
    """A random floor with Gaussian autocovariance exp(-(r / 0.7 m)^2), scaled to `peak_to_peak` [m] over its size [m].

    White noise through a Gaussian of 0.35 m has that autocovariance; 1.4 m around the floor are made and cut away.
    """
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"synthetic floor: seed {seed!r}; allowed: a whole number, 0 or more")
    size = Amount("m", ge=3 * SPACING, le=1e3).numbers(size, (2,), "synthetic floor: size")
    peak_to_peak = Amount("m", ge=0.0).number(peak_to_peak, "synthetic floor: peak_to_peak")
    return _synthetic(int(seed), tuple(size), peak_to_peak)


@lru_cache(maxsize=4)
def _synthetic(seed: int, size: tuple[float, ...], peak_to_peak: float) -> HeightMap:
    nx, ny = (round(s / SPACING) + 1 for s in size)
    margin = round(2.0 * CORRELATION / SPACING)
    noise = np.random.default_rng(seed).standard_normal((nx + 2 * margin, ny + 2 * margin))
    field = gaussian_filter(noise, 0.5 * CORRELATION / SPACING, mode="wrap")[margin : margin + nx, margin : margin + ny]
    field -= field.mean()
    return HeightMap(field * (peak_to_peak / np.ptp(field)), SPACING)


def smoothed(heights: ArrayLike, pixel: Measure, smoothing: Measure = 0.15) -> HeightMap:
    """Heights [m] at pixels of a size [m], smoothed by a Gaussian [m]: one level of an 8-bit map is already a slope."""
    h = _matrix(heights)
    pixel = _EDGE.number(pixel, "height map: pixel")
    smoothing = Amount("m", ge=0.0).number(smoothing, "height map: smoothing")
    h = gaussian_filter(h, smoothing / pixel, mode="nearest")
    shrink = min(0.5 * smoothing / pixel, (min(h.shape) - 1) / 3.0)
    if shrink <= 1.0:
        return HeightMap(h, pixel)
    counts = [int((n - 1) / shrink + 1e-9) + 1 for n in h.shape]
    places = [0.5 * (n - 1) + shrink * (np.arange(m) - 0.5 * (m - 1)) for n, m in zip(h.shape, counts, strict=True)]
    coarse = map_coordinates(h, np.meshgrid(*places, indexing="ij"), order=3, mode="nearest")
    return HeightMap(coarse, pixel * shrink)


def loaded(
    path: str | Path, length: Measure, peak_to_peak: Measure = PEAK_TO_PEAK, smoothing: Measure = 0.15
) -> HeightMap:
    """A map from a grey image (rows are y, the lowest row first shown last) or a NumPy array of heights [m] (nx, ny).

    `length` [m] is the map's extent along y; an image's levels span `peak_to_peak` [m] from black to white.
    """
    length = _EDGE.number(length, f"height map {str(path)!r}: length")
    peak_to_peak = Amount("m", ge=0.0).number(peak_to_peak, f"height map {str(path)!r}: peak_to_peak")
    file = Path(path)
    if not file.is_file():
        raise InputError(f"height map {str(path)!r}: no such file")
    try:
        heights = _array(file) if file.suffix == ".npy" else peak_to_peak * _grey(file)
    except Exception as e:  # pillow and NumPy raise many types
        raise InputError(f"height map {str(path)!r}: {type(e).__name__}: {e}; allowed: an image or .npy") from e
    if heights.ndim != 2 or min(heights.shape) < 4:
        raise InputError(f"height map {str(path)!r}: shape {heights.shape}; allowed: (nx, ny), 4 or more of each")
    if not np.isfinite(heights).all():
        raise InputError(f"height map {str(path)!r}: {np.count_nonzero(~np.isfinite(heights))} heights are not finite")
    return smoothed(heights, length / (heights.shape[1] - 1), smoothing)


def _array(file: Path) -> Array:
    given = np.load(file, allow_pickle=False)
    if np.iscomplexobj(given):
        raise TypeError("complex numbers")
    return np.asarray(given, np.float64)


def _grey(file: Path) -> Array:
    """Levels 0 to 1, (nx, ny), of an image whose rows are y with the last one lowest."""
    from matplotlib.image import imread

    read = np.asarray(imread(file))
    white = float(np.iinfo(read.dtype).max) if np.issubdtype(read.dtype, np.integer) else 1.0
    pixels = read.astype(np.float64) / white
    grey = pixels if pixels.ndim == 2 else pixels[..., :3].mean(axis=-1)
    return grey[::-1].T
