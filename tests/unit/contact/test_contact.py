"""Balls against surfaces: onset and release are located, friction sticks and slips, and the books close."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import (
    Ball,
    Contact,
    HuntCrossley,
    Impulse,
    LankaraniNikravesh,
    Plane,
    RegularisedFriction,
    SpringDamper,
    StickingFriction,
)
from freefloat.errors import InputError
from freefloat.verify.parts import FreeBall

MASS, K, V = 100.0, 5e4, 0.1  # [kg] of each of two bodies, [N/m], [m/s]
OMEGA = math.sqrt(K / (0.5 * MASS))  # [rad/s] of the reduced mass on the spring
G = 9.81  # [m/s^2]


def meeting(
    law: Any,
    friction: Any = None,
    integrator: Any = None,
    across: float = 0.0,
    swap: bool = False,
    rate: float = 1000.0,
) -> ff.Result:
    """Two balls of radius 0.1 m, 10 mm apart, that meet at 0.1 m/s."""
    away = ff.Motion(ff.Pose.from_rpy((0, 0, 0), (0.21, 0.0, 0.0)), v_WL=(-V, across, 0.0))
    bodies = [FreeBall("left", MASS), FreeBall("right", MASS, motion=away)]
    a, b = ("right", "left") if swap else ("left", "right")
    touch = Contact("touch", a, b, law, friction)
    mission = ff.Mission([*bodies, touch], integrator=integrator or ff.RK4(1e-3), record_rate=rate)
    return mission.run(0.4, strict=True)


def restitution(result: ff.Result) -> float:
    return float(result["right.v_WB"][-1, 0] - result["left.v_WB"][-1, 0]) / V


def test_two_equal_balls_exchange_their_speeds_and_part_after_half_a_period() -> None:
    result = meeting(SpringDamper(K))
    assert result["left.v_WB"][-1] == pytest.approx([-V, 0.0, 0.0], abs=1e-9)
    assert result["right.v_WB"][-1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    touching = result["touch.mode"][:, 0] == 1.0
    assert touching.sum() * 1e-3 == pytest.approx(math.pi / OMEGA, abs=2e-3)
    assert result["touch.force"].max() == pytest.approx(OMEGA * 0.5 * MASS * V, rel=2e-4)


@pytest.mark.parametrize(("ratio", "expected"), [(0.1, 0.74408), (0.3, 0.45098)])
def test_a_damped_spring_parts_where_its_force_falls_to_zero(ratio: float, expected: float) -> None:
    result = meeting(SpringDamper(K, 2.0 * ratio * math.sqrt(K * 0.5 * MASS)))
    root = math.sqrt(1.0 - ratio**2)
    closed = math.exp(-ratio / root * (math.pi - math.atan2(2.0 * ratio * root, 1.0 - 2.0 * ratio**2)))
    assert closed == pytest.approx(expected, abs=1e-5)
    assert restitution(result) == pytest.approx(closed, abs=1e-7)


@pytest.mark.parametrize("exponent", [1.0, 1.5])
@pytest.mark.parametrize(("cv", "expected"), [(0.05, 0.952370), (0.2, 0.832870), (0.5, 0.662962)])
def test_hunt_and_crossleys_restitution_is_that_of_every_exponent(cv: float, expected: float, exponent: float) -> None:
    stiffness = K if exponent == 1.0 else 1e6
    assert restitution(meeting(HuntCrossley(stiffness, cv / V, exponent))) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("asked", "expected"), [(0.9, 0.913177), (0.7, 0.795973), (0.5, 0.725241)])
def test_lankarani_and_nikravesh_give_more_than_they_are_asked_for(asked: float, expected: float) -> None:
    assert restitution(meeting(LankaraniNikravesh(K, asked, 1.0))) == pytest.approx(expected, abs=1e-6)


def test_the_order_of_the_bodies_and_the_integrator_change_nothing() -> None:
    law, friction = HuntCrossley(K, 1.0, 1.0), RegularisedFriction(0.3, 0.01)
    first = meeting(law, friction, across=0.03)
    for other in (
        meeting(law, friction, across=0.03, swap=True),
        meeting(law, friction, ff.Dopri5(1e-3), across=0.03),
    ):
        assert other["right.v_WB"][-1] == pytest.approx(first["right.v_WB"][-1], abs=1e-8)
        assert other["right.w_WB_B"][-1] == pytest.approx(first["right.w_WB_B"][-1], abs=1e-7)


def test_convergence_through_a_contact_is_of_fourth_order() -> None:
    law = HuntCrossley(K, 2.0, 1.0)
    ends = [meeting(law, integrator=ff.RK4(h), rate=5.0)["right.v_WB"][-1, 0] for h in (1e-3, 2.5e-4, 5e-5)]
    assert math.log2(abs(ends[0] - ends[2]) / abs(ends[1] - ends[2])) / 2.0 > 3.7


# friction on a slope


FEET = tuple(Ball((0.3 * math.cos(w), 0.3 * math.sin(w), -0.05), 0.02) for w in (0.0, 2.1, 4.2))


def slope(tan: float, friction: Any, duration: float, push: Any = None) -> ff.Result:
    """A tripod of 1 kg on the plane z = 0, with gravity turned by the slope's angle, from just above its feet."""
    angle = math.atan(tan)
    start = ff.Motion(ff.Pose.from_rpy((0, 0, 0), (0.0, 0.0, 0.07)))
    tripod = ff.RigidBody("tripod", 1.0, (0.1, 0.1, 0.1), motion=start)
    contact = Contact("feet", "world", "tripod", SpringDamper(3e3, 50.0), friction, balls=FEET)
    rows = [ff.uniform_gravity((G * math.sin(angle), 0.0, -G * math.cos(angle)))]
    mission = ff.Mission([tripod, contact], rows=rows, integrator=ff.RK4(5e-4), record_rate=100.0)
    return mission.run(duration, strict=True)


def test_below_the_angle_of_friction_nothing_creeps() -> None:
    result = slope(0.3, StickingFriction(0.5, 3e3, 30.0), 30.0)
    x = result["tripod.p_WB"][:, 0]
    assert np.ptp(x[-2500:]) < 1e-9
    assert (result["feet.slip"][-1] == 0.0).all()


def test_above_it_the_acceleration_is_coulombs() -> None:
    result = slope(0.8, StickingFriction(0.5, 3e3, 30.0), 2.0)
    v, t = result["tripod.v_WB"][:, 0], result.time("tripod.v_WB")
    angle = math.atan(0.8)
    wanted = G * (math.sin(angle) - 0.5 * math.cos(angle))
    assert (v[-1] - v[100]) / (t[-1] - t[100]) == pytest.approx(wanted, rel=1e-6)


def test_regularised_friction_creeps_at_its_speed() -> None:
    result = slope(0.3, RegularisedFriction(0.5, 0.05), 10.0)
    share = 0.3 / 0.5
    assert result["tripod.v_WB"][-1, 0] == pytest.approx(0.05 * share / math.sqrt(1.0 - share**2), rel=1e-6)


def test_a_ball_that_slides_comes_to_roll() -> None:
    R, k = 0.1, 1e5
    rolling = FreeBall("ball", 1.0, R, ff.Motion(ff.Pose.from_rpy((0, 0, 0), (0, 0, R)), v_WL=(1.0, 0.0, 0.0)))
    touch = Contact("touch", "world", "ball", SpringDamper(k, 200.0), StickingFriction(0.2, k / 10.0, 50.0))
    rows = [ff.uniform_gravity((0.0, 0.0, -G))]
    result = ff.Mission([rolling, touch], rows=rows, integrator=ff.RK4(2e-4)).run(2.0, strict=True)
    r = R - 0.5 * G / k  # half the penetration: where the forces meet
    assert result["ball.v_WB"][-1, 0] == pytest.approx(1.0 / (1.0 + 0.4 * (R / r) ** 2), rel=1e-6)
    assert result["ball.v_WB"][-1, 0] == pytest.approx(5.0 / 7.0, rel=1e-3)


# surfaces


SOLIDS = {
    "sphere": (0.3,),
    "capsule": (0.2, 0.3),
    "box": (0.3, 0.2, 0.25),
    "cylinder": (0.25, 0.3),
}


@pytest.mark.parametrize("kind", SOLIDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_frictionless_oblique_bounce_keeps_energy_and_momenta(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)

    class Solid:
        name = "solid"

        def build(self, b: ff.Builder) -> None:
            X = ff.Pose.from_rpy((0.3, -0.2, 0.5), (0.02, 0.01, -0.03))
            shape = ff.Shape(kind, SOLIDS[kind], X)
            motion = ff.Motion(w_WL_L=(0.05, -0.03, 0.04))
            b.body(ff.Link("", 50.0, np.array([0.01, 0.0, 0.02]), np.diag([2.0, 2.5, 3.0]), (shape,)), motion)

    v = -0.3 * direction + 0.02 * rng.normal(size=3)
    ball = FreeBall("ball", 5.0, 0.05, ff.Motion(ff.Pose(np.eye(3), 0.6 * direction), v_WL=tuple(v.tolist())))
    touch = Contact("touch", "solid", "ball", SpringDamper(2e4))
    result = ff.Mission([Solid(), ball, touch], integrator=ff.RK4(2e-4), record_rate=100.0).run(3.0, strict=True)
    assert (result["touch.mode"] == 1.0).any()
    energy = result.of("audit")["audit.kinetic_energy"]
    assert energy[-1] == pytest.approx(energy[0], rel=1e-6)


ROBOT = """<robot name="r">
  <link name="hand">
    <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><box size="2 2 2"/></geometry></visual>
    <collision name="tip"><origin xyz="0.1 0 0"/><geometry><sphere radius="0.25"/></geometry></collision>
  </link>
  <link name="bar">
    <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><sphere radius="0.1"/></geometry></visual>
  </link>
  <joint name="j" type="continuous"><parent link="hand"/><child link="bar"/></joint>
</robot>"""


def test_a_robot_touches_with_its_collisions_and_not_with_what_is_seen() -> None:
    arm = ff.Arm("arm", ff.load_urdf(ROBOT))
    ball = FreeBall("ball", 1.0, 0.1, ff.Motion(ff.Pose(np.eye(3), np.array([2.0, 0.0, 0.0]))))
    touch = Contact("touch", "arm.hand", "ball", SpringDamper(1e3))
    result = ff.Mission([arm, ball, touch]).run(0.01)
    assert result["touch.gap"][0] == pytest.approx(2.0 - 0.1 - 0.25 - 0.1, abs=1e-12)
    with pytest.raises(InputError, match=r"contact 'touch': 'arm\.bar' has no shape to touch"):
        ff.Mission([arm, ball, Contact("touch", "arm.bar", "ball", SpringDamper(1e3))]).session(1)


def test_a_pair_that_is_found_inside_pushes_from_the_start() -> None:
    inside = FreeBall("ball", 1.0, 0.1, ff.Motion(ff.Pose.from_rpy((0, 0, 0), (0.0, 0.0, 0.09))))
    result = ff.Mission([inside, Contact("touch", "world", "ball", SpringDamper(1e3))]).run(1.0)
    assert result["ball.v_WB"][-1, 2] == pytest.approx(0.01 * math.sqrt(1e3), rel=5e-3)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: SpringDamper(-1.0), "stiffness -1.0 N/m; allowed"),
        (lambda: SpringDamper(0.0), "stiffness 0.0 N/m; allowed"),
        (lambda: HuntCrossley(1e4, math.nan), "damping nan; allowed"),
        (lambda: LankaraniNikravesh(1e4, 1.2), "restitution 1.2; allowed: >= 0 and <= 1"),
        (lambda: StickingFriction(-0.1, 1e4), "mu -0.1; allowed"),
        (lambda: RegularisedFriction(0.1, 0.0), "slip_speed 0.0 m/s; allowed"),
        (lambda: Ball((0.0, 0.0, 0.0), -1.0), "radius -1.0 m; allowed: >= 0 m"),
    ],
)
def test_numbers_that_cannot_be_are_refused(make: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        make()


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ("bus", "bus", "makes no pair; allowed: two links"),
        ("bus", "nobody", "nobody"),
        ("nobody", "ball", "nobody"),
        ((), "ball", "a is an empty group"),
        ("bus:lid", "ball", "lid"),
    ],
)
def test_links_without_a_pair_are_refused_by_name(a: str, b: str, told: str) -> None:
    parts = [ff.RigidBody("bus"), FreeBall("ball")]
    with pytest.raises(InputError, match=told):
        ff.Mission([*parts, Contact("touch", a, b, SpringDamper(1e4))])


# what jumps


def resting(law: Any) -> ff.Session:
    """A ball of 1 kg that has come to rest on the ground."""
    start = ff.Motion(ff.Pose(np.eye(3), [0.0, 0.0, 0.1]))
    parts = [FreeBall("ball", 1.0, motion=start), Contact("touch", "world", "ball", law)]
    session = ff.Mission(parts, rows=[ff.uniform_gravity((0.0, 0.0, -G))], integrator=ff.RK4(2e-4)).session()
    session.step(2.0)
    assert session.read("touch.force")[0] == pytest.approx(G, rel=1e-3)
    return session


LAWS = [SpringDamper(1e4, 100.0), HuntCrossley(1e4, 5.0, 1.0), Impulse(0.5, 1e4, 100.0)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_what_is_thrown_or_put_away_from_a_contact_is_not_pulled_back(law: Any) -> None:
    for pose, v in ((None, 3.0), (ff.Pose(np.eye(3), [0.0, 0.0, 1.1]), 0.0)):
        session = resting(law)
        X, w, _ = session.motion("ball")
        session.set_motion("ball", pose or X, w, [0.0, 0.0, v])
        z, t = session.motion("ball")[0].p[2], session.time
        for _ in range(20):
            session.step(1e-3)
            assert session.read("touch.force")[0] >= 0.0
        fallen = z + v * (session.time - t) - 0.5 * G * (session.time - t) ** 2
        assert session.motion("ball")[0].p[2] == pytest.approx(fallen, abs=1e-5)


@pytest.mark.parametrize("above", [0.0, 1e-7])
def test_a_ball_that_starts_just_at_the_ground_rebounds_as_fast_as_it_came(above: float) -> None:
    start = ff.Motion(ff.Pose(np.eye(3), [0.0, 0.0, 0.1 + above]), v_WL=(0.0, 0.0, -1.0))
    parts = [FreeBall("ball", 1.0, motion=start), Contact("touch", "world", "ball", SpringDamper(1e5))]
    result = ff.Mission(parts, integrator=ff.RK4(2e-4), record_rate=1000.0).run(0.05, strict=True)
    assert result["ball.v_WB"][-1, 2] == pytest.approx(1.0, abs=1e-6)


def test_what_is_put_inside_another_brings_the_springs_energy_as_work() -> None:
    parts = [FreeBall("ball", 1.0), Contact("touch", "world", "ball", SpringDamper(1e4))]
    session = ff.Mission(parts, integrator=ff.RK4(2e-4)).session()
    session.set_motion("ball", ff.Pose(np.eye(3), [0.0, 0.0, 0.5]), np.zeros(3), np.zeros(3))
    session.step(0.01)
    before = session.world.audit()
    session.set_motion("ball", ff.Pose(np.eye(3), [0.0, 0.0, 0.09]), np.zeros(3), np.zeros(3))
    session.step(0.1)
    after = session.world.audit()
    assert after["work_supplied"] - before["work_supplied"] == pytest.approx([0.5 * 1e4 * 0.01**2])
    assert after["energy_stored"] - before["energy_stored"] == pytest.approx([0.0], abs=1e-6)
    assert after["kinetic_energy"] == pytest.approx([0.5 * 1e4 * 0.01**2], rel=1e-6)


def test_links_on_both_sides_make_each_pair_once() -> None:
    balls = [
        FreeBall(name, motion=ff.Motion(ff.Pose(np.eye(3), [x, 0.0, 0.0]))) for name, x in (("p", 0.0), ("q", 0.5))
    ]
    both = Contact("all", ("p", "q"), ("p", "q"), SpringDamper(1e4))
    assert ff.Mission([*balls, both]).session().read("all.gap").shape == (1,)


def test_an_impulse_with_friction_never_gains_energy() -> None:
    """A rod that strikes the ground obliquely, where Newton's restitution alone would."""
    start = ff.Motion(ff.Pose.from_rpy((0.0, math.radians(35.0), 0.0), (0.0, 0.0, 0.4)), v_WL=(1.0, 0.0, -1.0))
    rod = ff.RigidBody("rod", 1.0, (1e-3, 1.0 / 12.0, 1.0 / 12.0), motion=start)
    ends = (Ball((0.5, 0.0, 0.0)), Ball((-0.5, 0.0, 0.0)))
    touch = Contact("touch", "world", "rod", Impulse(0.9, 1e5), RegularisedFriction(0.8), balls=ends)
    result = ff.Mission([rod, touch], integrator=ff.RK4(5e-4)).run(0.3, strict=True)
    assert result.touches
    assert min(t.energy_lost for t in result.touches) >= -1e-12


def test_a_thousand_points_may_land_at_once() -> None:
    start = ff.Motion(ff.Pose(np.eye(3), [0.0, 0.0, 0.06]), v_WL=(0.0, 0.0, -0.1))
    plate = ff.RigidBody("plate", 1.0, (0.1, 0.1, 0.1), motion=start)
    points = [Ball((0.01 * i, 0.01 * j, -0.05)) for i in range(34) for j in range(34)]
    touch = Contact("touch", "world", "plate", SpringDamper(2.0), balls=points)
    result = ff.Mission([plate, touch], record_rate=10.0).run(0.2)
    assert len(result.touches) == len(points)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"surfaces": ["x"]}, "surfaces .* allowed: a list of surfaces"),
        ({"surfaces": Plane()}, "(?s)surfaces .* allowed: a list of surfaces"),
        ({"balls": [(0.0, 0.0, 0.0)]}, "balls .* allowed: a list of balls"),
        ({"a": "world:floor"}, "which has no shapes with names"),
        ({"law": None}, "law None; allowed"),
    ],
)
def test_what_is_no_contact_is_refused(settings: Any, told: str) -> None:
    given = {"a": "world", "b": "ball", "law": SpringDamper(1e4), **settings}
    with pytest.raises(InputError, match=told):
        ff.Mission([FreeBall("ball"), Contact("touch", **given)])
