"""What a run has left behind: its folder, its log, and pictures of it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from freefloat.engine.log.reader import LogData, read_log
from freefloat.engine.log.shapes import read_looks
from freefloat.engine.plot import values_of
from freefloat.engine.scene import Looks, Scene, shapes_at
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.view.picture import Instant, chosen_instants, draw_picture

LOG = "log.mcap"


def log_of(place: str | PathLike[str]) -> Path:
    """The log that is meant by a file, or by the folder of a run."""
    path = Path(place)
    if not path.is_dir():
        return path
    if not (path / LOG).is_file():
        raise InputError(f"{path} has no {LOG}; allowed: the folder of a run, or its log")
    return path / LOG


def picture_log(
    log: str | PathLike[str], times: Sequence[float] = (), path: str | PathLike[str] | None = None, **look: Any
) -> Path:
    """A picture of the world at some times [s] of a log, by default start, middle and end: `picture.png` beside it."""
    source = log_of(log)
    data = read_log(source)
    ends = [frame["t"][-1] for frame in data.frames.values() if frame.height]
    chosen = chosen_instants(times, max(ends, default=0.0))
    file = Path(path) if path is not None else source.parent / "picture.png"
    with tempfile.TemporaryDirectory() as meshes:
        looks = read_looks(source, meshes)
        draw_picture([Instant(t, scene_of_log(data, looks, t)) for t in chosen], file, **look)
    return file


def scene_of_log(data: LogData, looks: Looks, t: float) -> Scene:
    """What was where at t [s], as `Result.scene_at` tells it; forces of contacts are left out."""
    if not looks:
        return Scene({}, {}, {})
    shapes, poses, worlds = dict(shapes_at(looks, t)), dict[str, Pose](), dict[str, str]()
    for link in list(shapes):
        if f"{link}.p_WB" not in data.signals or f"{link}.q_WB" not in data.signals:
            del shapes[link]  # not a link, such as what stands on the ground
            continue
        poses[link] = Pose.from_quat(_at(data, f"{link}.q_WB", t), _at(data, f"{link}.p_WB", t))
        worlds[link] = _world(data.frames, f"{link}.p_WB")
    return Scene(shapes, poses, worlds)


def _at(data: LogData, name: str, t: float) -> Array:
    times, values = values_of(data.frames, data.signals[name])
    return values[max(0, int(np.searchsorted(times, t, side="right")) - 1)]


def _world(frames: Mapping[str, Any], name: str) -> str:
    group = next(group for group, frame in frames.items() if name in frame.columns)
    return group.removesuffix("plant").removesuffix(".")
