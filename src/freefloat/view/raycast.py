"""Pictures of a world by ray casting (embreex): sun with shadows, sky light with occlusion. No GL, no display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.engine.pushes import DECADE, Push
from freefloat.errors import InputError
from freefloat.geometry.rays import RayCaster
from freefloat.geometry.shape import Poses, Shapes
from freefloat.geometry.tessellation import Floats, Solids, assemble
from freefloat.view.arrows import arrows_of
from freefloat.view.camera import Camera, unit

Background: TypeAlias = Literal["space", "white"]
Image: TypeAlias = NDArray[np.uint8]  # (height, width, 3), sRGB

SUPERSAMPLE = 2  # rays per pixel and axis
OCCLUSION_RAYS = 8  # sky rays per sample
SUN = np.array([1.62, 1.56, 1.46], np.float32)  # [-] linear light of the sun
SKY = np.array([0.27, 0.30, 0.37], np.float32)  # [-] from all sides
RIM = np.array([0.20, 0.24, 0.32], np.float32)  # [-] at grazing angles, so that dark sides stay readable
GLOSS = 0.14  # [-] weight of the highlight
GLOSS_POWER = 40.0
TONE = (0.11, 0.4)  # [-] a, b of x (1 + a x) / (1 + b x), which holds back bright light


@dataclass(frozen=True)
class _Layer:
    """One casting at sample resolution: sRGB colour, and distance (inf where nothing is hit)."""

    color: Floats  # (h, w, 3)
    depth: Floats  # (h, w)


def _rays(camera: Camera) -> Floats:
    """Unit directions (h, w, 3) through the samples, row 0 at the top."""
    h, w = camera.height * SUPERSAMPLE, camera.width * SUPERSAMPLE
    tan = np.tan(0.5 * camera.fov)
    y = tan * (1.0 - 2.0 * (np.arange(h) + 0.5) / h)
    x = tan * camera.width / camera.height * (2.0 * (np.arange(w) + 0.5) / w - 1.0)
    right, up, forward = camera.axes()
    rays = x[None, :, None] * right + y[:, None, None] * up + forward
    return (rays / np.linalg.norm(rays, axis=-1, keepdims=True)).astype(np.float32)


def _sky_sets(count: int, rng: np.random.Generator) -> Floats:
    """Sets (count, OCCLUSION_RAYS, 3) of evenly spread unit vectors, each turned at random."""
    k = np.arange(OCCLUSION_RAYS) + 0.5
    z, turn = 1.0 - 2.0 * k / OCCLUSION_RAYS, np.pi * (1.0 + 5.0**0.5) * k
    spiral = np.stack([np.sqrt(1.0 - z * z) * np.cos(turn), np.sqrt(1.0 - z * z) * np.sin(turn), z], axis=1)
    turns, _ = np.linalg.qr(rng.standard_normal((count, 3, 3)))
    return (spiral @ turns).astype(np.float32)


def _open_sky(caster: RayCaster, start: Floats, n: Floats) -> Floats:
    """Share of cosine-weighted directions about the normals from which light of the sky arrives."""
    rng = np.random.default_rng(0)
    sets = _sky_sets(512, rng)[rng.integers(512, size=len(n))]
    clear = np.zeros(len(n), np.float32)
    for k in range(OCCLUSION_RAYS):
        direction = np.float32(1.001) * n + sets[:, k]
        clear += caster.clear(start, direction)
    return clear / np.float32(OCCLUSION_RAYS)


def _cast(world: Solids, camera: Camera, sun: Floats) -> _Layer:
    h, w = camera.height * SUPERSAMPLE, camera.width * SUPERSAMPLE
    color, depth = np.zeros((h * w, 3), np.float32), np.full(h * w, np.inf, np.float32)
    if len(world.points):
        _shade(world, _rays(camera).reshape(-1, 3), np.subtract(camera.eye, camera.target), sun, color, depth)
    return _Layer(color.reshape(h, w, 3), depth.reshape(h, w))


def _shade(world: Solids, rays: Floats, eye: NDArray[np.float64], sun: Floats, color: Floats, depth: Floats) -> None:
    """Fill `color` and `depth` for rays from `eye` (relative to the target)."""
    caster = RayCaster(world.points)
    origins = np.broadcast_to(eye.astype(np.float32), rays.shape).copy()
    seen, face, u, v, distance = caster.first(origins, rays)
    ray, u, v = rays[seen], u[:, None], v[:, None]
    corner = world.normals[face]
    n = (1.0 - u - v) * corner[:, 0] + u * corner[:, 1] + v * corner[:, 2]
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    flat = np.cross(world.points[face, 1] - world.points[face, 0], world.points[face, 2] - world.points[face, 0])
    flat /= np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-20)
    n *= np.where(np.sum(n * ray, axis=1, keepdims=True) > 0.0, -1.0, 1.0)
    flat *= np.where(np.sum(flat * ray, axis=1, keepdims=True) > 0.0, -1.0, 1.0)
    start = eye.astype(np.float32) + distance[:, None] * ray + flat * (2e-4 * distance[:, None])

    toward_sun = np.clip(n @ sun, 0.0, None)
    lit = caster.clear(start, sun)
    half = sun - ray
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    gloss = GLOSS * np.clip(np.sum(n * half, axis=1), 0.0, None) ** GLOSS_POWER
    rim = (1.0 - np.clip(-np.sum(n * ray, axis=1), 0.0, 1.0)) ** 4
    direct = (lit * toward_sun)[:, None] * SUN
    ambient = _open_sky(caster, start, n)[:, None] * (SKY + rim[:, None] * RIM)
    light = world.albedo[face] * (direct + ambient) + (lit * (toward_sun > 0.0) * gloss)[:, None] * SUN
    color[seen] = _srgb(light * (1.0 + TONE[0] * light) / (1.0 + TONE[1] * light))
    depth[seen] = distance


def _stars(rng: np.random.Generator, h: int, w: int) -> Floats:
    """Point-like stars with a steep brightness law, one soft spot each."""
    sky = np.zeros((h, w, 3), np.float32)
    count = h * w // 2600
    y, x = rng.integers(1, h - 1, count), rng.integers(1, w - 1, count)
    brightness = np.minimum(0.035 * (1.0 - rng.random(count)) ** -0.75, 0.9)
    tint = 1.0 + 0.25 * (rng.random((count, 3)) - 0.5)
    spot = np.array([[0.05, 0.2, 0.05], [0.2, 1.0, 0.2], [0.05, 0.2, 0.05]])
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            np.add.at(sky, (y + dy, x + dx), spot[dy + 1, dx + 1] * brightness[:, None] * tint)
    return sky


def _background(kind: Background, camera: Camera) -> Floats:
    """sRGB colour at sample resolution."""
    h, w = camera.height, camera.width
    if kind == "white":
        picture = np.ones((h, w, 3), np.float32)
    elif kind == "space":
        y, x = np.mgrid[-1.0 : 1.0 : h * 1j, -1.0 : 1.0 : w * 1j]
        glow = np.exp(-(((x - 0.55) / 1.1) ** 2) - ((y - 1.0) / 1.0) ** 2)[..., None]
        low, high = np.array([0.0008, 0.0011, 0.0024]), np.array([0.006, 0.011, 0.026])
        picture = (low + glow * high).astype(np.float32)
        if min(h, w) > 2:
            picture += _stars(np.random.default_rng(7), h, w)
    else:
        raise InputError(f"unknown background {kind!r}; allowed: space, white")
    return _srgb(picture).repeat(SUPERSAMPLE, axis=0).repeat(SUPERSAMPLE, axis=1)


def _srgb(linear: Floats) -> Floats:
    x = np.clip(linear, 0.0, 1.0)
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** np.float32(1 / 2.4) - 0.055).astype(np.float32)


def _develop(samples: Floats) -> Image:
    """Mean of the samples of each pixel, as bytes."""
    h, w = samples.shape[0] // SUPERSAMPLE, samples.shape[1] // SUPERSAMPLE
    mean = samples.reshape(h, SUPERSAMPLE, w, SUPERSAMPLE, 3).mean(axis=(1, 3))
    return np.rint(255.0 * mean).astype(np.uint8)


def _sun_direction(camera: Camera, sun: ArrayLike | None) -> Floats:
    """Unit vector to the sun in W; by default over the photographer's left shoulder."""
    direction = np.array([-0.45, 0.7, -0.95]) @ camera.axes() if sun is None else sun
    return unit(direction, "sun direction is zero").astype(np.float32)


def render(
    shapes: Shapes,
    poses: Poses,
    camera: Camera,
    background: Background = "space",
    sun: ArrayLike | None = None,
    pushes: Sequence[Push] = (),
    decade: float = DECADE,
) -> Image:
    """Picture (height, width, 3) of the links at `poses` (X_WL); links without a pose are left out.

    Forces of contacts (`pushes`) are arrows; `decade` [m] is by how much they grow with each factor of ten.
    """
    return render_sequence(shapes, [poses], camera, background, sun, pushes=pushes, decade=decade)


def render_sequence(
    shapes: Shapes,
    poses: Sequence[Poses],
    camera: Camera,
    background: Background = "space",
    sun: ArrayLike | None = None,
    ghost: float = 0.45,
    pushes: Sequence[Push] = (),
    decade: float = DECADE,
) -> Image:
    """The last poses solid, the earlier ones as ghosts that fade with age (`ghost`: opacity of the newest).

    `pushes` are forces of contacts at the last poses, drawn as arrows that nothing hides.
    """
    light = _sun_direction(camera, sun)
    origin = np.array(camera.target)
    picture = _background(background, camera)
    layers = [_cast(assemble(shapes, p, origin), camera, light) for p in poses]
    if layers:
        hit = np.isfinite(layers[-1].depth)
        picture[hit] = layers[-1].color[hit]
    for age, layer in enumerate(reversed(layers[:-1]), start=1):
        front = layer.depth < 0.995 * layers[-1].depth
        opacity = np.float32(ghost * 0.75 ** (age - 1))
        picture[front] += opacity * (layer.color[front] - picture[front])
    if pushes:
        arrows = _cast(arrows_of(pushes, origin, decade), camera, light)
        hit = np.isfinite(arrows.depth)
        picture[hit] = arrows.color[hit]
    return _develop(picture)


def save_png(path: str | PathLike[str], image: Image) -> Path:
    """Write an image from `render` as a PNG file."""
    from matplotlib.image import imsave

    imsave(path, image, format="png")
    return Path(path)
