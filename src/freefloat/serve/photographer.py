"""Pictures of the lab as its robots stand: what an observation camera sees, as a PNG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from freefloat.amounts import Count
from freefloat.errors import unknown_name
from freefloat.facility.cameras import CAMERAS, HALL
from freefloat.facility.hall import draw_hall
from freefloat.facility.part import DockingFacility
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.six_axis_arms import AXES

if TYPE_CHECKING:
    from freefloat.engine.session import Session

SIZES = Count(16, 1920)  # [pixel]
NEEDED = ("rail.act", "rob1.act.axes", "rob2.act.axes")  # variables of the data pool that say where the robots are


class Photographer:
    """Takes pictures of a lab; its world is built with the first one."""

    def __init__(self, lab: DockingFacility | None = None) -> None:
        self._lab = replace(lab or DockingFacility(), joints="rigid")
        self._session: Session | None = None

    def check(self, camera: str, width: object, height: object) -> tuple[int, int]:
        """Refuse what there is no picture of; the size [pixel]."""
        if camera not in CAMERAS:
            raise unknown_name("camera", camera, CAMERAS)
        return SIZES.number(width, "picture: width"), SIZES.number(height, "picture: height")

    def take(self, camera: str, where: Mapping[str, Array], width: int, height: int) -> bytes:
        """A PNG; `where` are the variables `NEEDED`."""
        from freefloat.view.raycast import render  # heavy, and only needed here

        session, name = self._built(), self._lab.name
        joints = [f"{name}.rail.E1", *(f"{name}.rob{n}.{axis}" for n in (1, 2) for axis in AXES)]
        axes = np.concatenate([np.atleast_1d(np.asarray(where[key], np.float64)) for key in NEEDED])
        for joint, q in zip(joints, axes.tolist(), strict=True):
            session.set_joint(joint, q, 0.0)
        scene = session.scene()
        hall = tuple(s for s in draw_hall(self._lab.geometry).drawings if isinstance(s, Shape))
        shapes, poses = {**scene.shapes, HALL: hall}, {**scene.poses, HALL: Pose.identity()}
        return _png(render(shapes, poses, CAMERAS[camera].camera(width, height), "white"))

    def _built(self) -> Session:
        from freefloat.engine.mission import Mission

        if self._session is None:
            self._session = Mission([self._lab]).session()
        return self._session


def _png(image: np.ndarray) -> bytes:
    import io

    from matplotlib.image import imsave

    file = io.BytesIO()
    imsave(file, image, format="png")
    return file.getvalue()
