"""Posts of robots stand on the faces that are told, in a colour of each robot's own."""

from __future__ import annotations

import numpy as np

from freefloat.structure.design.check import check_design
from freefloat.structure.design.file import load_design
from freefloat.view.configuration_scene import SHRINK, Contents
from freefloat.view.stances import stance_colours, stance_marks


def test_a_post_rises_from_its_face_also_where_layers_are_drawn_apart() -> None:
    body = check_design(load_design("slab-20")).body
    contents = Contents.of(body)
    for spread in ((1.0, 1.0, 1.0), (1.0, 1.0, 3.0)):
        place = body.grid.index((2, 1, 1))
        shapes, poses = stance_marks(contents, {"wm": (place, 4)}, spread)
        X = poses["stance wm"]
        np.testing.assert_allclose(X.R[:, 2], [0.0, 0.0, 1.0], atol=1e-12)
        centre = contents.spread(spread)[place]
        np.testing.assert_allclose(X.p, centre + np.array([0.0, 0.0, SHRINK * 0.2]), atol=1e-12)
        assert len(shapes["stance wm"]) == 3


def test_each_robot_has_a_colour_of_its_own() -> None:
    colours = stance_colours(["left", "right"])
    assert list(colours) == ["robot left", "robot right"]
    assert len(set(colours.values())) == 2
