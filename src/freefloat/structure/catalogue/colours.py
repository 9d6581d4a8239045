"""Colours of module types: no two alike."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from freefloat.frames import Array

Rgb = tuple[float, float, float]
APART = 25.0  # [-] least distance in CIE L*a*b* of two colours that shading does not make alike, assumed
LEVELS = (0.25, 0.45, 0.65, 0.90)  # of red, green and blue in colours to choose from
LIGHT = (38.0, 90.0)  # [-] L* of the darkest and the brightest of them, so that edges and faces show
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])  # of sRGB
_WHITE = _XYZ.sum(axis=1)


def distinct(wanted: Sequence[Rgb | None]) -> list[Rgb]:
    """Colours as wanted, but where one is not given or too near to one before it, the one farthest from all others."""
    kept: list[Rgb | None] = []
    for rgb in wanted:
        alike = rgb is None or any(other is not None and distance(rgb, other) < APART for other in kept)
        kept.append(None if alike else rgb)
    choice = [c for c in itertools.product(LEVELS, LEVELS, LEVELS) if LIGHT[0] <= _lab(c)[0] <= LIGHT[1]]
    chosen: list[Rgb] = []
    for i, rgb in enumerate(kept):
        if rgb is None:
            taken = [*chosen, *(other for other in kept[i:] if other is not None)]
            rgb = max(choice, key=lambda c: min((distance(c, other) for other in taken), default=0.0))
        chosen.append(rgb)
    return chosen


def distance(a: Rgb, b: Rgb) -> float:
    """Of two colours in CIE L*a*b* (1976); 2.3 is just noticeable."""
    return float(np.linalg.norm(_lab(a) - _lab(b)))


@lru_cache(maxsize=1024)
def _lab(rgb: Rgb) -> Array:
    c = np.array(rgb, dtype=np.float64)
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    t = _XYZ @ linear / _WHITE
    x, y, z = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)])
