"""A platform on its floor: energy is exchanged, never made; walls only push; angles and places have no preference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators.wheels import ReactionWheels
from freefloat.platforms.height_map import HeightMap, flat, synthetic
from freefloat.platforms.platform import Body, FloatingPlatform, Floor
from freefloat.units import G0

SIZE = (4.8, 9.0)  # [m]
BODY = Body(221.67, 12.129, radius=0.35, height=1.0)
UNEVEN = synthetic(1, SIZE)
STORED, HEAT = "audit.energy_stored", "audit.heat"


def glide(
    ground: Floor,
    pose: Any = (0.0, 0.0, 0.0),
    rate: Any = (0.0, 0.0, 0.0),
    duration: float = 60.0,
    *,
    single: bool = False,
    step: float = 0.01,
    rate_hz: float = 100.0,
) -> ff.Result:
    platform = FloatingPlatform("body", BODY, ground, pose, rate, single)
    return ff.Mission([platform], integrator=ff.Dopri5(step), record_rate=rate_hz).run(duration, strict=True)


def kinetic(result: ff.Result) -> np.ndarray:
    v = result["body.rate"]
    return 0.5 * BODY.mass * (v[:, 0] ** 2 + v[:, 1] ** 2) + 0.5 * BODY.inertia * v[:, 2] ** 2


@pytest.mark.parametrize("single", [True, False], ids=["single", "three"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_uncontrolled_glide_keeps_kinetic_and_potential_energy(seed: int, single: bool) -> None:
    elastic = Floor(SIZE, synthetic(seed, SIZE), damping=0.0)
    result = glide(elastic, (0.1, -0.3, 0.2), (0.01, -0.02, 0.03), 60.0, single=single)
    T, V = kinetic(result), result["body.floor"][:, 0]
    assert np.ptp(T) > 0.05, "the slopes work on it"
    assert np.ptp(T + V) < 1e-7 * np.ptp(T)
    assert np.abs(result[STORED] - (V - V[0])).max() < 1e-7 * np.ptp(T)
    assert np.abs(result[HEAT]).max() == 0.0


@pytest.mark.parametrize("damping", [0.0, 0.5, 2.0, 8.0])
def test_a_platform_bounces_off_a_wall_and_is_never_pulled(damping: float) -> None:
    ground = Floor(SIZE, flat(SIZE), damping=damping)
    result = glide(ground, (1.8, 0.0, 0.0), (0.3, 0.1, 0.0), 3.0, step=1e-4, rate_hz=1000.0)
    x, v, force = result["body.pose"][:, 0], result["body.rate"][:, 0], result["body.floor"][:, 1]
    touching = x + 0.35 > 2.4
    assert touching.any()
    assert np.all(force <= 0.0)
    assert np.all(force[touching & (x + 0.35 > 2.4 + 1e-6)] < 0.0)
    assert not force[~touching].any()
    restitution = -v[-1] / 0.3
    assert restitution == pytest.approx(1.0, abs=1e-7) if damping == 0.0 else 0.0 < restitution < 1.0
    # first order of Hunt and Crossley's restitution: e = 1 - 2/3 damping v for a spring of exponent 1
    if 0.0 < damping * 0.3 < 0.2:
        assert restitution == pytest.approx(1.0 - 2.0 / 3.0 * damping * 0.3, abs=0.02)
    assert result["body.rate"][-1, 1:] == pytest.approx([0.1, 0.0], abs=1e-12), "along the wall it glides on"
    energy = kinetic(result) + result["body.floor"][:, 0]
    assert np.diff(energy).max() < 1e-6
    assert np.all(np.diff(result[HEAT]) >= -1e-12)
    assert energy[0] - energy[-1] == pytest.approx(result[HEAT][-1], abs=1e-6)


@pytest.mark.parametrize("wall", [(0, 1), (0, -1), (1, 1), (1, -1)])
def test_all_four_walls_are_the_same_wall(wall: tuple[int, int]) -> None:
    axis, side = wall
    start, going = np.zeros(3), np.zeros(3)
    limit = 0.5 * SIZE[axis] - 0.35
    start[axis], going[axis] = side * (limit - 0.1), side * 0.2
    result = glide(Floor(SIZE, flat(SIZE)), tuple(start), tuple(going), 2.0)
    ours = side * result["body.rate"][:, axis]
    theirs = glide(Floor(SIZE, flat(SIZE)), (2.05 - 0.1, 0.0, 0.0), (0.2, 0.0, 0.0), 2.0)["body.rate"][:, 0]
    assert ours[-1] < 0.0
    assert ours == pytest.approx(theirs, abs=1e-7)


def test_energy_of_a_platform_that_rattles_about_never_grows() -> None:
    ground = Floor((1.5, 1.7), HeightMap(5e-3 * np.random.default_rng(2).normal(size=(8, 8)), 0.25))
    result = glide(ground, (0.1, 0.2, 0.0), (0.4, 0.3, 1.0), 20.0, step=2e-4, rate_hz=500.0)
    energy = kinetic(result) + result["body.floor"][:, 0]
    pose = result["body.pose"]
    assert np.abs(pose[:, 0]).max() < 0.75 - 0.35 + 0.03
    assert np.abs(pose[:, 1]).max() < 0.85 - 0.35 + 0.03
    assert energy[0] - energy[-1] > 1.0, "the walls take some"
    assert np.diff(energy).max() < 1e-6
    assert energy[0] - energy[-1] == pytest.approx(result[HEAT][-1], abs=1e-5)


def bowl(k: float, spacing: float = 3.0) -> HeightMap:
    """h = k r^2 / 2 within the middle cell, of a spline that is exact there."""
    x = spacing * (np.arange(40) - 19.5)
    return HeightMap(0.5 * k * (x[:, None] ** 2 + x[None, :] ** 2), spacing)


def test_in_a_bowl_it_swings_as_the_closed_form_says() -> None:
    k = 0.02  # [1/m] h'': w^2 = g k
    w = np.sqrt(G0 * k)
    ground = Floor((50.0, 50.0), bowl(k))
    result = glide(ground, (0.5, 0.0, 0.3), (0.0, 0.1, 0.0), 30.0, single=True)
    t, pose = result.time("body.pose"), result["body.pose"]
    assert pose[:, 0] == pytest.approx(0.5 * np.cos(w * t), abs=1e-8)
    assert pose[:, 1] == pytest.approx(0.1 / w * np.sin(w * t), abs=1e-8)
    # three bearings on a paraboloid: the same force, no torque
    three = glide(ground, (0.5, 0.0, 0.3), (0.0, 0.1, 0.0), 30.0)["body.pose"]
    assert three == pytest.approx(pose, abs=1e-8)


@pytest.mark.parametrize(("method", "order"), [(ff.RK4, 4), (ff.Dopri5, 5)])
def test_the_error_of_a_glide_falls_with_the_order_of_the_integrator(method: Any, order: int) -> None:
    k = 0.2
    w = np.sqrt(G0 * k)
    ground = Floor((50.0, 50.0), bowl(k))
    platform = FloatingPlatform("body", BODY, ground, (0.5, 0.0, 0.0), (0.0, 0.1, 0.0), single_contact=True)
    steps, errors = [0.2, 0.1, 0.05], []
    for step in steps:
        session = ff.Mission([platform], integrator=method(step), record_rate=5.0).session()
        session.step(8.0)
        x, v = session.read("body.pose")[0], session.read("body.rate")[0] / w
        errors.append(np.hypot(x - 0.5 * np.cos(8.0 * w), v + 0.5 * np.sin(8.0 * w)))
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.4)


def test_a_turned_floor_gives_the_turned_motion() -> None:
    heights = 1e-3 * np.random.default_rng(5).normal(size=(13, 13))
    turned = np.rot90(heights)  # by +90 deg: h'(x, y) = h(y, -x)
    grounds = [Floor((6.0, 6.0), HeightMap(h, 0.5)) for h in (heights, turned)]
    a = glide(grounds[0], (0.3, -0.2, 0.1), (0.02, 0.01, 0.1), 20.0)["body.pose"]
    # np.rot90 turns rows into columns: a value at index (i, j) goes to (n - 1 - j, i): (x, y) to (-y, x)
    b = glide(grounds[1], (0.2, 0.3, 0.1 + np.pi / 2.0), (-0.01, 0.02, 0.1), 20.0)["body.pose"]
    assert b[:, 0] == pytest.approx(-a[:, 1], abs=1e-10)
    assert b[:, 1] == pytest.approx(a[:, 0], abs=1e-10)
    assert b[:, 2] - np.pi / 2.0 == pytest.approx(a[:, 2], abs=1e-10)


def test_a_third_of_a_turn_of_three_bearings_changes_nothing() -> None:
    third = 2.0 * np.pi / 3.0
    a, b = (glide(Floor(SIZE, UNEVEN), (0.1, 0.2, th), (0.0, 0.0, 0.05), 20.0)["body.pose"] for th in (0.0, third))
    assert b[:, :2] == pytest.approx(a[:, :2], abs=1e-10)
    assert b[:, 2] - third == pytest.approx(a[:, 2], abs=1e-9)


def test_the_heights_datum_does_not_matter() -> None:
    raised = HeightMap(UNEVEN.heights + 0.01, UNEVEN.spacing)
    a, b = (glide(Floor(SIZE, m), (0.1, 0.2, 0.3), (0.0, 0.01, 0.0), 20.0)["body.pose"] for m in (UNEVEN, raised))
    assert a == pytest.approx(b, abs=1e-9)


def wheel(**options: Any) -> ReactionWheels:
    return ReactionWheels("wheel", "body", [[0.0, 0.0, 1.0]], 0.047, 1.7, 52.36, **options)


def spun(part: ReactionWheels, command: str, value: float, duration: float, rate: float = 0.0) -> ff.Result:
    platform = FloatingPlatform("body", BODY, Floor(SIZE, flat(SIZE)), rate=(0.0, 0.0, rate))
    m = ff.Mission([platform, part], integrator=ff.Dopri5(1e-3), record_rate=1000.0)
    session = m.session()
    session.write(command, [value])
    return m.complete(session, duration, strict=True)


def test_wheel_and_platform_keep_their_angular_momentum() -> None:
    result = spun(wheel(speed_lag=0.05, viscous=1e-3, dry=0.01), "wheel.speed_command", 30.0, 2.0, rate=0.1)
    total = result["wheel.h"][:, 0] + BODY.inertia * result["body.rate"][:, 2]
    assert np.ptp(result["wheel.h"][:, 0]) > 1.0
    assert np.ptp(total) < 1e-12


def test_the_speed_loop_closes_with_its_lag() -> None:
    lag = 0.05
    result = spun(wheel(speed_lag=lag), "wheel.speed_command", 1.0, 0.5)
    t, speed = result.time("wheel.speed"), result["wheel.speed"][:, 0]
    quick = lag / (1.0 + 0.047 / BODY.inertia)  # the body turns the other way
    assert speed == pytest.approx(1.0 - np.exp(-t / quick), abs=1e-9)
    assert result["wheel.tau_applied"][:, 0] == pytest.approx(0.047 * (1.0 - speed) / lag, abs=1e-9)


def test_friction_leaves_a_speed_loop_short_of_its_command() -> None:
    result = spun(wheel(speed_lag=0.05, viscous=0.01), "wheel.speed_command", 10.0, 2.0)
    # at rest: J (c - s) / lag = b s
    expected = 10.0 / (1.0 + 0.01 * 0.05 / 0.047)
    assert result["wheel.speed"][-1, 0] == pytest.approx(expected, rel=1e-6)


def test_dry_friction_matters_most_at_low_speed() -> None:
    def lost(command: float) -> float:
        return (
            1.0
            - spun(wheel(speed_lag=0.05, dry=0.05), "wheel.speed_command", command, 1.5)["wheel.speed"][-1, 0] / command
        )

    assert lost(0.5) > 5.0 * lost(20.0) > 0.0


def test_without_a_speed_lag_the_command_is_a_torque() -> None:
    result = spun(wheel(), "wheel.tau", 0.5, 1.0)
    assert result["body.rate"][-1, 2] == pytest.approx(-0.5 / BODY.inertia, rel=1e-12)
    assert result["wheel.h"][-1, 0] == pytest.approx(0.5, rel=1e-12)
