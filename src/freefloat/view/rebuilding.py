"""Picture sequences of a run in which a modular spacecraft is rebuilt, from its recorded signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path

import numpy as np

from freefloat.engine.result import Result
from freefloat.frames import Pose
from freefloat.structure.tensor_body import TensorBody
from freefloat.view.configuration import picture_sequence
from freefloat.view.configuration_colours import Colour
from freefloat.view.configuration_scene import Contents, Frame

PICTURES = 8
LONG = 20.0  # [s] between two events that show something in between
TOLD = (".picked", ".placed", ".latch", ".place", ".opened", ".overload", ".trip", ".closed")


TITLES: dict[Colour, str] = {
    "type": "Types of the modules",
    "temperature": "Temperature of the modules",
    "power": "Power state of the modules",
}


def draw_rebuilding(
    result: Result,
    bodies: Mapping[str, TensorBody],
    folder: str | PathLike[str],
    colours: Sequence[Colour] = ("temperature", "power"),
    count: int = PICTURES,
) -> list[Path]:
    """Sheets `configuration_by_COLOUR.png` of at most `count` instants in a folder; returns their paths."""
    frames = frames_of(result, bodies, count)
    made = []
    for colour in colours:
        path = Path(folder) / f"configuration_by_{colour}.png"
        picture_sequence(frames, path, colour=colour, title=TITLES[colour])
        made.append(path)
    return made


def frames_of(result: Result, bodies: Mapping[str, TensorBody], count: int = PICTURES) -> list[Frame]:
    """The start, some of the events and the end, seen from the first body; names are those of the tensor parts."""
    t = result.time(f"{next(iter(bodies))}.identity")
    told: list[tuple[float, str]] = [(0.0, "start")]
    told += [(e.t, e.name.replace(".", " ")) for e in result.events if e.name.endswith(TOLD)]
    told.append((float(t[-1]), "end"))
    told += [(0.5 * (a + b), "under way") for (a, _), (b, _) in pairwise(told) if b - a > LONG]
    told.sort()
    chosen = np.unique(np.linspace(0, len(told) - 1, min(count, len(told))).round().astype(int))
    frames = []
    for instant, name in (told[i] for i in chosen):
        row = min(int(np.searchsorted(t, instant)) + 1, len(t) - 1)  # what an event changed is recorded after it
        frames.append(_frame(result, bodies, row, f"{instant:.0f} s: {name}"))
    return frames


def _frame(result: Result, bodies: Mapping[str, TensorBody], row: int, caption: str) -> Frame:
    first = next(iter(bodies))
    X_TW = _pose(result, first, row).inverse()
    others = {link: shapes for link, shapes in result.scene.items() if link not in bodies}
    contents = [
        Contents(
            body.grid,
            body.catalogue,
            result[f"{name}.type"][row].astype(np.int64),
            result[f"{name}.identity"][row].astype(np.int64),
            result[f"{name}.orientation"][row].astype(np.int64),
            X_TW @ _pose(result, name, row),
            result[f"{name}.temperature"][row],
            result[f"{name}.powered"][row] > 0.5,
        )
        for name, body in bodies.items()
    ]
    poses = {link: X_TW @ _pose(result, link, row) for link in others}
    return Frame(contents, caption=caption, shapes=others, poses=poses)


def _pose(result: Result, link: str, row: int) -> Pose:
    return Pose.from_quat(result[f"{link}.q_WB"][row], result[f"{link}.p_WB"][row])
