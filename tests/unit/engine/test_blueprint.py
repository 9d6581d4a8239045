"""The planar joint: two slides and a hinge on the world, and `Builder.glide` that starts it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Joint, Link
from freefloat.engine.rows import body_wrench
from freefloat.engine.tree import WORLD, compile_tree, coordinates_of
from freefloat.errors import FreefloatError, InputError, ModelError

NAN = float("nan")
MASS, INERTIA = 20.0, 3.0  # [kg, kg m^2 about z]


@dataclass(frozen=True)
class Puck:
    """A body on the plane with its centre of mass at `p_cm`, pushed by `puck.push` in the world's axes."""

    pose: Any = (0.0, 0.0, 0.0)
    rate: Any = (0.0, 0.0, 0.0)
    p_cm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    name: str = "puck"

    def build(self, b: Any) -> None:
        b.body(Link("body", MASS, np.array(self.p_cm), np.diag([2.0, 2.5, INERTIA])))
        b.frame("tip", b.full("body"), ff.Pose(np.eye(3), [0.5, 0.0, 0.2]))
        b.glide("body", self.pose, self.rate)
        b.add(body_wrench(b.full("body"), b.command("push", (6,), "N m, N"), ff.Pose.identity(), "world"))


def session(*args: Any, **options: Any) -> ff.Session:
    return ff.Mission([Puck(*args, **options)], integrator=ff.Dopri5(0.01)).session()


def test_a_puck_starts_where_and_as_it_is_told() -> None:
    s = session((1.0, -2.0, 7.0), (0.3, 0.2, -0.5))
    assert s.read("puck.pose").tolist() == [1.0, -2.0, 7.0]
    assert s.read("puck.rate").tolist() == [0.3, 0.2, -0.5]
    X_WL, w, v = s.world.motion("puck.body")
    assert X_WL.p == pytest.approx([1.0, -2.0, 0.0])
    assert X_WL.R[:2, 0] == pytest.approx([math.cos(7.0), math.sin(7.0)])
    assert w == pytest.approx([0.0, 0.0, -0.5])
    assert v == pytest.approx([0.3, 0.2, 0.0])


def test_it_glides_straight_and_counts_its_turns() -> None:
    s = session((1.0, -2.0, 0.5), (0.3, 0.2, -2.0))
    s.step(10.0)
    assert s.read("puck.pose") == pytest.approx([4.0, 0.0, -19.5], abs=1e-10)
    assert s.read("puck.rate") == pytest.approx([0.3, 0.2, -2.0], abs=1e-13)


def test_its_coordinates_are_along_the_worlds_axes_whatever_its_angle() -> None:
    s = session((0.0, 0.0, 1.0))
    s.write("puck.push", [0.0, 0.0, 0.6, 4.0, -2.0, 0.0])
    s.step(2.0)
    assert s.read("puck.rate") == pytest.approx([2.0 * 4.0 / MASS, -2.0 * 2.0 / MASS, 2.0 * 0.6 / INERTIA], abs=1e-12)
    assert s.read("puck.pose") == pytest.approx([0.4, -0.2, 1.0 + 0.4], abs=1e-12)


def test_what_pushes_out_of_the_plane_moves_nothing() -> None:
    s = session()
    s.write("puck.push", [5.0, -7.0, 0.0, 0.0, 0.0, 100.0])
    s.step(1.0)
    assert np.abs(s.read("puck.pose")).max() < 1e-15
    X_WL, w, v = s.world.motion("puck.body")
    assert X_WL.p[2] == 0.0
    assert (w[0], w[1], v[2]) == (0.0, 0.0, 0.0)


def test_a_body_with_its_mass_off_the_frame_swings_about_its_centre_of_mass() -> None:
    r, turn = np.array([0.3, -0.1]), 0.8
    s = session((0.0, 0.0, 0.4), (0.1, 0.0, turn), (0.3, -0.1, 0.0))

    def centre(pose: np.ndarray) -> np.ndarray:
        c, n = math.cos(pose[2]), math.sin(pose[2])
        return pose[:2] + np.array([[c, -n], [n, c]]) @ r

    start = centre(s.read("puck.pose"))
    c, n = math.cos(0.4), math.sin(0.4)
    arm = np.array([[c, -n], [n, c]]) @ r
    going = np.array([0.1, 0.0]) + turn * np.array([-arm[1], arm[0]])
    s.step(5.0)
    assert centre(s.read("puck.pose")) == pytest.approx(start + 5.0 * going, abs=1e-8)
    assert s.read("puck.rate")[2] == pytest.approx(turn, abs=1e-9)


def test_a_run_passes_its_audit_and_frames_ride_along() -> None:
    m = ff.Mission([Puck((0.0, 0.0, 0.0), (0.1, 0.0, math.pi / 2.0))], integrator=ff.Dopri5(0.01))
    result = m.run(1.0, strict=True)
    assert result["puck.tip.p_WF"][-1] == pytest.approx([0.1, 0.5, 0.2], abs=1e-9)


def test_a_planar_joint_has_three_named_coordinates() -> None:
    edge = Joint("glide", "planar", WORLD, "body", ff.Pose.identity())
    assert coordinates_of(edge) == ("glide.x", "glide.y", "glide.theta")
    link = Link("body", 1.0, np.zeros(3), np.eye(3))
    tree = compile_tree([link], [edge], [], [])
    assert tree.model.nv == 3
    assert sorted(tree.coordinate) == ["glide.theta", "glide.x", "glide.y"]
    assert not tree.floating


def test_the_joints_frames_place_the_plane_and_the_body() -> None:
    """X_WC = X_WJ (x, y, theta) X_JC, here on a plane that stands upright."""
    X_PJ = ff.Pose.from_rpy((math.pi / 2.0, 0.0, 0.3), (1.0, 2.0, 3.0))
    X_JC = ff.Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))

    @dataclass(frozen=True)
    class Part:
        name: str = "puck"

        def build(self, b: Any) -> None:
            b.body(Link("body", 1.0, np.zeros(3), np.eye(3)))
            edge = Joint("puck.glide", "planar", WORLD, "puck.body", X_PJ, X_JC=X_JC)
            b.blueprint.joints[edge.name] = edge

    s = ff.Mission([Part()]).session()
    for name, q in (("x", 0.7), ("y", -0.4), ("theta", 1.1)):
        s.set_joint(f"puck.glide.{name}", q, 0.0)
    X = X_PJ @ ff.Pose.from_rpy((0.0, 0.0, 1.1), (0.7, -0.4, 0.0)) @ X_JC
    found = s.world.motion("puck.body")[0]
    assert found.p == pytest.approx(X.p, abs=1e-12)
    np.testing.assert_allclose(found.R, X.R, rtol=0.0, atol=1e-12)


def test_a_planar_joint_off_the_world_is_refused() -> None:
    links = [Link(n, 1.0, np.zeros(3), np.eye(3)) for n in "ab"]
    edge = Joint("glide", "planar", "a", "b", ff.Pose.identity())
    with pytest.raises(ModelError, match=r"joint 'glide': a planar joint stands on 'world', not on 'a'"):
        compile_tree(links, [edge], [], [])


@pytest.mark.parametrize(
    ("pose", "rate"),
    [((0.0, 0.0), (0.0, 0.0, 0.0)), ((0.0, NAN, 0.0), (0.0, 0.0, 0.0)), ((0.0, 0.0, 0.0), (math.inf, 0.0, 0.0))],
)
def test_a_start_that_is_no_three_finite_numbers_is_refused(pose: Any, rate: Any) -> None:
    with pytest.raises(InputError, match=r"part 'puck': glides from .* at .*; allowed: 3 finite numbers each"):
        session(pose, rate)


def test_a_link_glides_once() -> None:
    @dataclass(frozen=True)
    class Twice(Puck):
        def build(self, b: Any) -> None:
            super().build(b)
            b.glide("body", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))

    with pytest.raises(FreefloatError, match=r"puck\.glide"):
        ff.Mission([Twice()])


def test_a_snapshot_of_a_glide_goes_on_to_the_byte() -> None:
    s = session((1.0, -2.0, 0.5), (0.3, 0.2, -2.0))
    s.write("puck.push", [0.0, 0.0, 0.6, 4.0, -2.0, 0.0])
    s.step(0.333)
    saved = s.snapshot()
    s.step(1.0)
    end = s.read("puck.pose").tobytes()
    s.restore(saved)
    s.step(1.0)
    assert s.read("puck.pose").tobytes() == end
