"""Gaps and normals of the tools, against the plant's own surfaces."""

from __future__ import annotations

import math

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Ball, Contact, SpringDamper, cone
from freefloat.errors import InputError
from freefloat.gnc.control.rendering.shapes import HollowCone, Plate, Tools, plane_place

R_CS = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # opens against x of the client
X_CS = ff.Pose(R_CS, [-0.5, 0.0, 0.0])
CONE = HollowCone(X_CS, math.radians(35.0), 0.25)


def test_the_gap_in_a_cone_is_that_of_the_plants_wall() -> None:
    rng = np.random.default_rng(1)
    tools = Tools((0.5, 0.0, 0.0), 0.01, CONE)
    for _ in range(10):
        X_WC = ff.Pose.from_rpy(rng.uniform(-0.2, 0.2, 3), rng.uniform(-0.1, 0.1, 3))
        depth, turn = rng.uniform(0.03, 0.18), rng.uniform(0.0, 2.0 * math.pi)
        beside = rng.uniform(0.0, 0.9) * depth * math.tan(CONE.half_angle)
        tip = X_WC.apply(X_CS.apply(np.array([beside * math.cos(turn), beside * math.sin(turn), depth])))
        R_WS = ff.Pose.from_rpy(rng.uniform(-0.2, 0.2, 3)).R
        X_WS = ff.Pose(R_WS, tip - R_WS @ np.array(tools.p_ST))
        bodies = [
            ff.RigidBody("client", motion=ff.Motion(X_WC)),
            ff.RigidBody("servicer", motion=ff.Motion(X_WS)),
        ]
        walls = cone(CONE.half_angle, CONE.generator, 0.01, X_LS=X_CS)
        ball = Ball(tools.p_ST, tools.radius)
        touch = Contact("touch", "client", "servicer", SpringDamper(1e4), surfaces=walls, balls=[ball])
        plant = ff.Mission([*bodies, touch]).session().read("touch.gap")[0]
        p_CT = tools.tip_in_client(X_WS, X_WC)
        assert tools.gaps(p_CT[None, :])[0] == pytest.approx(plant, abs=1e-12)


@pytest.mark.parametrize("point", [[0.03, 0.02, 0.15], [0.0, -0.05, 0.1], [0.16, 0.02, 0.3], [0.1, 0.1, 0.25]])
def test_the_normal_is_the_gradient_of_the_distance(point: list[float]) -> None:
    p, step = np.array([point]), 1e-6
    distance, normal = CONE.distance(p)
    gradient = [(CONE.distance(p + step * e)[0] - CONE.distance(p - step * e)[0])[0] / (2 * step) for e in np.eye(3)]
    assert normal[0] == pytest.approx(gradient, abs=1e-8)
    assert np.isfinite(distance).all()


def test_a_surface_displaced_along_its_normal_takes_that_from_the_gap() -> None:
    tools = Tools((0.5, 0.0, 0.0), 0.01, Plate(X_CS))
    p_CT = np.array([-0.52, 0.03, 0.0])
    normal = tools.meet(p_CT)[1]
    assert normal == pytest.approx([-1.0, 0.0, 0.0])
    assert tools.gaps(p_CT[None, :])[0] == pytest.approx(0.01)
    assert tools.gaps(p_CT[None, :], 0.002 * normal)[0] == pytest.approx(0.008)
    assert tools.displaced(0.002 * normal).p == pytest.approx([-0.502, 0.0, 0.0])


def test_a_plane_goes_through_its_point_along_its_normal() -> None:
    for normal in (*np.eye(3), np.array([-0.6, 0.0, 0.8])):
        place = plane_place(np.array([1.0, 2.0, 3.0]), normal)
        assert place.R[:, 2] == pytest.approx(normal)
        assert place.p == pytest.approx([1.0, 2.0, 3.0])


def test_a_cone_that_does_not_open_is_refused() -> None:
    with pytest.raises(InputError, match=r"half angle 2\.0 rad"):
        HollowCone(X_CS, 2.0, 0.25)
