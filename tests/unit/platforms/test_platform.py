"""Platforms as parts: REACSA and ATMOS on the world, their nozzles and wheels, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators.wheels import ReactionWheels
from freefloat.errors import InputError
from freefloat.missions.platform.control import onboard_model
from freefloat.missions.platform.settings import ThrusterSettings, WheelSettings
from freefloat.platforms.catalogue import ATMOS, PLATFORMS, REACSA, Platform
from freefloat.platforms.height_map import flat, synthetic
from freefloat.platforms.platform import Body, FloatingPlatform, Floor
from freefloat.units import RPM

SIZE = (4.8, 9.0)  # [m]
LEVEL = Floor(SIZE, flat(SIZE))


def mission(platform: Platform, **options: Any) -> ff.Mission:
    body = FloatingPlatform("body", platform.body, LEVEL, **options)
    parts: list[Any] = [body, ThrusterSettings().part("jets", "body", platform, 0)]
    if platform.wheel is not None:
        parts.append(WheelSettings().part("wheel", "body", platform.wheel.inertia, 0.0))
    return ff.Mission(parts, integrator=ff.Dopri5(0.01), record_rate=100.0)


def wrenches(platform: Platform) -> np.ndarray:
    """(3, n) force and torque per newton, from positions and directions."""
    return np.array(
        [(*n.direction, n.position[0] * n.direction[1] - n.position[1] * n.direction[0]) for n in platform.nozzles]
    ).T


@pytest.mark.parametrize("name", sorted(PLATFORMS))
def test_every_platform_builds_with_free_plumes_and_eight_nozzles(name: str) -> None:
    platform = PLATFORMS[name]
    session = mission(platform).session()
    assert session.read("jets.thrust").shape == (8,)
    for nozzle in platform.nozzles:
        p, exhaust = np.array(nozzle.position), -np.array(nozzle.direction)
        ahead = p + np.linspace(1e-3, 1.0, 500)[:, None] * exhaust
        assert np.all(np.hypot(*ahead.T) >= platform.body.radius - 1e-9), "the plume leaves the round body"


@pytest.mark.parametrize("name", sorted(PLATFORMS))
def test_the_nozzles_reach_every_force_and_torque_in_the_plane(name: str) -> None:
    W = wrenches(PLATFORMS[name])
    assert np.linalg.matrix_rank(W) == 3
    # with valves that only push: the origin is inside the hull, so some positive mix gives each wanted wrench
    from scipy.optimize import nnls

    for wanted in (*np.eye(3), *-np.eye(3)):
        _, rest = nnls(W, wanted)
        assert rest < 1e-12, wanted


@pytest.mark.parametrize("name", sorted(PLATFORMS))
def test_the_onboard_model_has_the_wrenches_of_the_plant(name: str) -> None:
    platform = PLATFORMS[name]
    model = onboard_model(platform)
    for k in range(8):
        session = mission(replace(platform, wheel=None)).session()
        session.write("jets.open", np.eye(8)[k])
        session.step(0.01)
        rate = session.read("body.rate")
        pushed = np.array([platform.body.mass, platform.body.mass, platform.body.inertia]) * rate / 0.01
        assert pushed == pytest.approx(platform.thrust * model.thrusters[:, k], rel=1e-3, abs=1e-3), k


@pytest.mark.parametrize("name", sorted(PLATFORMS))
def test_pairs_of_nozzles_give_pure_forces_along_both_axes_and_pure_turns(name: str) -> None:
    W = wrenches(PLATFORMS[name])
    found = set()
    for i in range(8):
        for j in range(i):
            w = W[:, i] + W[:, j]
            if abs(w[2]) < 1e-12 and np.hypot(w[0], w[1]) > 1.9:
                found.add((round(w[0]), round(w[1])))
            if np.hypot(w[0], w[1]) < 1e-12 and abs(w[2]) > 1e-3:
                found.add(("turn", float(np.sign(w[2]))))
    assert found >= {(2, 0), (-2, 0), (0, 2), (0, -2), ("turn", 1.0), ("turn", -1.0)}


def test_a_pair_of_atmos_pushes_it_straight() -> None:
    W = wrenches(ATMOS)
    pair = next(
        (i, j) for i in range(8) for j in range(i) if np.allclose(W[:, i] + W[:, j], [2.0, 0.0, 0.0], atol=1e-12)
    )
    session = mission(ATMOS).session()
    session.write("jets.open", np.isin(np.arange(8), pair).astype(float))
    session.step(1.0)
    assert session.read("body.rate") == pytest.approx([2.0 * 1.5 / 16.8, 0.0, 0.0], abs=1e-12)
    assert session.read("body.pose") == pytest.approx([1.5 / 16.8, 0.0, 0.0], abs=1e-12)


def test_atmos_glides_on_the_uneven_floor_with_its_own_weight() -> None:
    ground = Floor(SIZE, synthetic(1, SIZE))
    light, heavy = (
        ff.Mission([FloatingPlatform("body", body, ground, (0.2, 0.3, 0.4), single_contact=True)]).session()
        for body in (ATMOS.body, REACSA.body)
    )
    a, b = light.read("body.floor"), heavy.read("body.floor")
    assert a == pytest.approx(b * 16.8 / 221.67, rel=1e-12)


def test_numbers_of_the_platforms_are_those_of_their_sources() -> None:
    assert (REACSA.body.mass, REACSA.thrust) == (221.67, 10.36)
    assert REACSA.wheel is not None
    assert (REACSA.wheel.inertia, REACSA.wheel.max_torque) == (0.047, 1.7)
    assert REACSA.wheel.max_speed == pytest.approx(500.0 * 2.0 * math.pi / 60.0)
    assert (ATMOS.body.mass, ATMOS.body.inertia, ATMOS.thrust, ATMOS.wheel) == (16.8, 0.30, 1.5, None)
    assert {(abs(n.position[0]), abs(n.position[1])) for n in ATMOS.nozzles} == {(0.12, 0.12)}
    assert {round(math.hypot(*n.position), 12) for n in REACSA.nozzles} == {0.35}
    assert abs(RPM - math.pi / 30.0) < 1e-15


def test_two_sets_of_four_share_a_bank_each() -> None:
    banks = [n.manifold for n in REACSA.nozzles]
    assert sorted(banks) == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("lag", [-0.1, math.nan, math.inf])
def test_a_wheel_whose_speed_loop_cannot_be_is_refused(lag: float) -> None:
    with pytest.raises(InputError, match=r"wheels 'wheel': speed_lag .*; allowed: >= 0 s"):
        ReactionWheels("wheel", "body", [[0.0, 0.0, 1.0]], speed_lag=lag)


def test_a_wheel_takes_a_speed_or_a_torque_never_both() -> None:
    for lag, command in ((0.05, "wheel.speed_command"), (0.0, "wheel.tau")):
        wheel = ReactionWheels("wheel", "body", [[0.0, 0.0, 1.0]], speed_lag=lag)
        commands = ff.Mission([FloatingPlatform("body", REACSA.body, LEVEL), wheel]).blueprint.commands
        assert [name for name in commands if name.startswith("wheel.")] == [command]


def test_the_first_bearing_stands_on_the_x_axis() -> None:
    c = REACSA.body.contacts(single=False)
    assert c[0] == pytest.approx([0.25, 0.0])
    assert np.hypot(*c.T) == pytest.approx([0.25] * 3)
    assert c.sum(axis=0) == pytest.approx([0.0, 0.0], abs=1e-16)


def test_a_push_from_outside_acts_in_the_worlds_axes() -> None:
    session = ff.Mission([FloatingPlatform("body", REACSA.body, LEVEL, (0.0, 0.0, 1.0))]).session()
    session.write("body.push", [0.0, 0.0, 1000.0, 5000.0, -2000.0, 0.0])
    session.step(1e-3)
    expected = [5.0 / 221.67, -2.0 / 221.67, 1.0 / 12.129]
    assert session.read("body.rate") == pytest.approx(expected, rel=1e-12)


def test_signals_say_pose_rate_and_floor() -> None:
    session = ff.Mission([FloatingPlatform("body", REACSA.body, LEVEL, (0.5, -1.0, 9.0), (0.1, 0.2, 0.3))]).session()
    assert session.read("body.pose").tolist() == [0.5, -1.0, 9.0]
    assert session.read("body.rate").tolist() == [0.1, 0.2, 0.3]
    assert session.read("body.floor").tolist() == [0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("pose", [(2.1, 0.0, 0.0), (0.0, -4.2, 0.0)])
def test_a_start_in_a_wall_is_refused(pose: Any) -> None:
    with pytest.raises(
        InputError, match=r"platform 'body': starts at \(.*\) m; allowed: \|x\| <= 2.05 m, \|y\| <= 4.15"
    ):
        ff.Mission([FloatingPlatform("body", REACSA.body, LEVEL, pose)])


@pytest.mark.parametrize("what", ["mass", "inertia", "radius", "height", "bearing_radius"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_body_that_cannot_be_is_one_clear_error(what: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"platform body: {what} .*; allowed: > 0"):
        replace(REACSA.body, **{what: value})


@pytest.mark.parametrize("bearings", [0, 4])
def test_a_platform_has_one_to_three_bearings(bearings: int) -> None:
    with pytest.raises(InputError, match=rf"platform body: bearings {bearings}; allowed: a whole number from 1 to 3"):
        Body(1.0, 1.0, 0.3, 1.0, bearings)


@pytest.mark.parametrize(
    "given",
    [
        {"size": (math.nan, 9.0)},
        *({n: x} for n, x in (("stiffness", -1.0), ("stiffness", math.nan), ("damping", -1.0))),
    ],
    ids=str,
)
def test_a_floor_that_cannot_be_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=rf"floor: {next(iter(given))}.*; allowed: >=? 0"):
        replace(LEVEL, **given)
