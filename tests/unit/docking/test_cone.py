import math

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Ball, Contact, HuntCrossley
from freefloat.docking import DockingCone
from freefloat.errors import InputError

CONE = DockingCone("cone", "target.face")


def gaps(p_CH: tuple[float, float, float]) -> np.ndarray:
    """To the walls and to the floor, of a small ball at a place in the cone's frame."""
    target = ff.RigidBody("target", frames={"face": ff.Pose.identity()})
    ball = ff.RigidBody("ball", 1.0, size=(0.01, 0.01, 0.01), motion=ff.Motion(ff.Pose(np.eye(3), p_CH)))
    contact = Contact("touch", "cone", "ball", HuntCrossley(1e3), surfaces=CONE.walls, balls=[Ball((0, 0, 0), 0.005)])
    return ff.Mission([target, CONE, ball, contact]).session().read("touch.gap")


def test_the_mouth_is_where_the_generator_ends():
    radius, height = CONE.mouth
    assert radius == pytest.approx(0.36 * math.sin(math.radians(35.0)))
    apex = CONE.socket_depth - CONE.socket_radius / math.tan(CONE.half_angle)
    assert height == pytest.approx(apex + 0.36 * math.cos(math.radians(35.0)))


def test_gaps_are_those_of_a_socket_with_a_floor_and_of_a_cone_above_it():
    assert gaps((0.0, 0.0, 0.015))[1] == pytest.approx(0.01)
    assert gaps((0.01, 0.0, 0.012))[0] == pytest.approx(0.03 - 0.01 - 0.005)
    apex = CONE.socket_depth - CONE.socket_radius / math.tan(CONE.half_angle)
    inside = (0.15 - apex) * math.sin(CONE.half_angle) - 0.05 * math.cos(CONE.half_angle)
    assert gaps((0.0, 0.05, 0.15))[0] == pytest.approx(inside - 0.005)


def test_what_is_drawn_lies_on_the_outside_of_the_walls():
    for shape in CONE._shapes()[:-1]:
        inner = shape.X_LG.apply([-shape.size[0], 0.0, 0.0])
        r, z = float(np.hypot(inner[0], inner[1])), float(inner[2])
        over = z - (CONE.socket_depth - CONE.socket_radius / math.tan(CONE.half_angle))
        wall = CONE.socket_radius if z < CONE.socket_depth else over * math.tan(CONE.half_angle)
        assert r == pytest.approx(wall, abs=1e-9)


@pytest.mark.parametrize("wrong", [{"mass": 0.0}, {"socket_depth": 0.0}, {"socket_radius": 0.5}, {"thickness": 0.0}])
def test_sizes_that_make_no_cone_are_refused(wrong):
    with pytest.raises(InputError, match="allowed"):
        DockingCone("cone", "target.face", **wrong)
