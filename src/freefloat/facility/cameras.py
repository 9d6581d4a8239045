"""The four observation cameras of the lab, and what they see of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, positive, take, take_rows
from freefloat.errors import InputError, unknown_name
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.hall import draw_hall
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from freefloat.engine.result import Result
    from freefloat.view.camera import Camera
    from freefloat.view.picture import Instant

WIDTH, HEIGHT = 640, 400  # [pixel] of one view
SMALL = (320, 200)  # [pixel] of one view of a whole run
HALL = "hall"  # as a link of what cameras see


@dataclass(frozen=True)
class ObservationCamera:
    """Where one hangs in the lab frame G = W, and where it looks."""

    eye: Measures  # [m]
    target: Measures  # [m]
    fov: Measure = 0.7  # [rad] vertical

    def __post_init__(self) -> None:
        take_rows(self, "observation camera", 3, eye=Amount("m"), target=Amount("m"))
        take(self, "observation camera", fov=positive("rad", lt=np.pi))

    def camera(self, width: int = WIDTH, height: int = HEIGHT) -> Camera:
        """For pictures of this size [pixel]."""
        from freefloat.view.camera import Camera  # heavy, and only needed here

        return Camera(self.eye, self.target, fov=self.fov, width=width, height=height)


CAMERAS: dict[str, ObservationCamera] = {  # places and directions assumed
    "overview": ObservationCamera((8.5, -8.5, 5.5), (4.2, 0.8, -0.8), 0.66),
    "rail": ObservationCamera((-3.5, -3.2, 3.0), (6.0, 0.7, -1.0), 0.75),
    "docking": ObservationCamera((3.4, -3.9, 0.9), (3.4, 0.2, -0.3), 0.95),
    "client": ObservationCamera((6.5, 3.6, 1.5), (1.0, 0.6, -0.5), 0.6),
}


def draw_observation(
    taken: Sequence[Instant],
    path: str | PathLike[str] | None = None,
    cameras: Sequence[str] = tuple(CAMERAS),
    lab: LabGeometry | None = None,
    width: int = WIDTH,
    height: int = HEIGHT,
) -> Figure:
    """A sheet of what cameras see, a column for each, a row for each instant; saved as a PNG where a path is given."""
    from freefloat.charts import STYLE
    from freefloat.view.configuration import new_figure, save  # heavy, and only needed here
    from freefloat.view.raycast import render

    for name in cameras:
        if name not in CAMERAS:
            raise unknown_name("observation camera", name, CAMERAS)
    if not taken or not cameras:
        raise InputError("what cameras see needs at least one instant and one camera")
    hall = tuple(s for s in draw_hall(lab or LabGeometry()).drawings if isinstance(s, Shape))
    across = len(cameras) if len(taken) > 1 else min(2, len(cameras))
    down = len(taken) if len(taken) > 1 else -(-len(cameras) // across)
    figure = new_figure(across * width / 200.0, down * (height + 30) / 200.0)
    views = [(instant, name) for instant in taken for name in cameras]
    for n, ((t, scene), name) in enumerate(views):
        shapes, poses = {**scene.shapes, HALL: hall}, {**scene.poses, HALL: Pose.identity()}
        ax = figure.add_subplot(down, across, n + 1)
        ax.imshow(render(shapes, poses, CAMERAS[name].camera(width, height), "white", pushes=scene.pushes))
        ax.axis("off")
        ax.set_title(
            f"{name}, {t:.4g} s", loc="left", color=STYLE["ink"], fontsize=min(STYLE["font"], width / 50.0), pad=3
        )
    save(figure, path)
    return figure


def write_observation(
    result: Result,
    out: Path,
    world: str = "",
    cameras: Sequence[str] = tuple(CAMERAS),
    width: int = SMALL[0],
    height: int = SMALL[1],
) -> None:
    """`plots/observation.png` of a finished run: what cameras see at its start, middle and end. A writer of missions.

    `world` is the name of the lab's world, where a mission has several.
    """
    from freefloat.view.picture import Instant, instants

    scenes = [Instant(t, result.scene_at(t).of(world)) for t in instants(result.duration)]
    draw_observation(scenes, out / "plots" / "observation.png", cameras, width=width, height=height)
