"""REACSA's plant against SciPy's DOP853 on eq. 3.11 with the floor's potential, and against published numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import RectBivariateSpline

import freefloat as ff
from freefloat.actuators.gas_supply import GasSupply
from freefloat.missions.platform.control import onboard_model
from freefloat.missions.platform.settings import ThrusterSettings, WheelSettings
from freefloat.platforms.catalogue import REACSA
from freefloat.platforms.height_map import HeightMap, flat, synthetic
from freefloat.platforms.platform import FloatingPlatform, Floor
from freefloat.units import G0, RPM

SIZE = (4.8, 9.0)  # [m]
M, I_B, I_W, F = 221.67, 12.129, 0.047, 10.36  # [kg, kg m^2, kg m^2, N] Tables 3.1 to 3.4
ARM = 0.35  # [m]
LAG, TORQUE = 0.05, 1.7  # [s, N m]
STEPS = ff.Dopri5(0.01)  # as the scenarios step
FINE = ff.Dopri54(1e-12, 1e-15, max_step=0.02)

# eq. 3.11, written out: columns are thrusters 0 to 7, rows the body's x, y and turn
FORCES = np.array([[0, 0, -1, 1, 0, 0, 1, -1], [1, -1, 0, 0, -1, 1, 0, 0]], dtype=float)
TORQUES = ARM * np.array([1, -1, 1, -1, 1, -1, 1, -1], dtype=float)


@dataclass(frozen=True)
class Phase:
    """What is commanded for a while."""

    lasts: float  # [s]
    open: tuple[int, ...] = ()  # thrusters
    wheel: float = 0.0  # [rad/s] commanded


class Oracle:
    """[x, y, theta, x', y', theta', Omega] of the platform: nothing of the repository but the map's heights."""

    def __init__(self, floor: HeightMap | None, single: bool, strength: Sequence[float] = (1.0,) * 8) -> None:
        angles = 2.0 * math.pi * np.arange(3) / 3.0
        self.contacts = np.zeros((1, 2)) if single else 0.25 * np.column_stack([np.cos(angles), np.sin(angles)])
        self.strength = np.array(strength)
        self.spline = None
        if floor is not None:
            nx, ny = floor.heights.shape
            x, y = (floor.spacing * (np.arange(-24, n + 24) - 0.5 * (n - 1)) for n in (nx, ny))
            self.spline = RectBivariateSpline(x, y, np.pad(floor.heights, 24, mode="reflect"), s=0)

    def arms(self, x: np.ndarray) -> np.ndarray:
        c, s = math.cos(x[2]), math.sin(x[2])
        return self.contacts @ np.array([[c, s], [-s, c]])

    def potential(self, x: np.ndarray) -> float:
        """[J]."""
        assert self.spline is not None
        return M * G0 * float(np.mean(self.spline.ev(*(x[:2] + self.arms(x)).T)))

    def floor(self, x: np.ndarray) -> np.ndarray:
        """Force x, y [N] and torque [N m] of the floor."""
        if self.spline is None:
            return np.zeros(3)
        r = self.arms(x)
        p = x[:2] + r
        f = -M * G0 / len(r) * np.column_stack([self.spline.ev(*p.T, dx=1), self.spline.ev(*p.T, dy=1)])
        return np.array([*f.sum(axis=0), float((r[:, 0] * f[:, 1] - r[:, 1] * f[:, 0]).sum())])

    def derivative(self, x: np.ndarray, phase: Phase) -> np.ndarray:
        thrust = np.zeros(8)
        thrust[list(phase.open)] = F
        thrust *= self.strength
        c, s = math.cos(x[2]), math.sin(x[2])
        push = np.array([[c, -s], [s, c]]) @ (FORCES @ thrust)
        slope = self.floor(x)
        motor = min(max(I_W * (phase.wheel - x[6]) / LAG, -TORQUE), TORQUE)
        turn = (TORQUES @ thrust + slope[2] - motor) / I_B
        return np.array([*x[3:6], *(push + slope[:2]) / M, turn, motor / I_W - turn])

    def run(self, start: np.ndarray, phases: Sequence[Phase]) -> list[np.ndarray]:
        """The state after every phase."""
        found, x = [], start
        for phase in phases:
            span = (0.0, phase.lasts)
            done = solve_ivp(
                lambda _, x, phase=phase: self.derivative(x, phase),
                span,
                x,
                method="DOP853",
                rtol=1e-12,
                atol=1e-13,
                max_step=0.05 if self.spline is not None else 1.0,  # it must not step over a cell
            )
            x = done.y[:, -1]
            found.append(x)
        return found


def platform(
    floor: HeightMap | None,
    start: Any,
    single: bool = False,
    seed: int = 0,
    integrator: Any = STEPS,
    **thrusters: Any,
) -> ff.Mission:
    """REACSA with ideal thrusters and its wheel at rest relative to the body."""
    ground = Floor(SIZE, floor or flat(SIZE))
    pose, rate = ((float(a), float(b), float(c)) for a, b, c in (start[:3], start[3:6]))
    body = FloatingPlatform("reacsa", REACSA.body, ground, pose, rate, single)
    assert REACSA.wheel is not None
    wheel = WheelSettings(lag=LAG).part("wheel", "reacsa", REACSA.wheel.inertia, rate[2])
    gas = GasSupply("gas", "jets")
    jets = ThrusterSettings(**thrusters).part("jets", "reacsa", REACSA, seed)
    return ff.Mission([body, jets, wheel, gas], integrator=integrator, record_rate=100.0)


def flown(mission: ff.Mission, phases: Sequence[Phase]) -> list[np.ndarray]:
    """The world's state after every phase."""
    session = mission.session()
    found = []
    for phase in phases:
        session.write("jets.open", np.isin(np.arange(8), phase.open).astype(float))
        session.write("wheel.speed_command", [phase.wheel])
        session.step(phase.lasts)
        found.append(np.concatenate([session.read(f"{n}") for n in ("reacsa.pose", "reacsa.rate", "wheel.speed")]))
    return found


FLOOR = synthetic(1, SIZE)
PHASES = (
    Phase(2.0),
    Phase(0.1, (0,)),
    Phase(3.0, (), 5.0),
    Phase(0.3, (2, 7), 5.0),
    Phase(1.5, (), -2.0),
    Phase(0.1, (0, 2, 4, 6), -2.0),
    Phase(4.0, (), -2.0),
    Phase(0.2, (5,), 40.0),  # the motor at its limit
    Phase(5.0, (), 40.0),
    Phase(0.5, (1, 3), 0.0),
    Phase(6.0),
)
START = np.array([0.2, -1.0, 0.7, 0.02, 0.05, -0.01, 0.0])


@pytest.mark.parametrize("single", [True, False], ids=["single", "three"])
@pytest.mark.parametrize("uneven", [True, False], ids=["uneven", "flat"])
def test_pulses_wheel_and_floor_move_the_platform_as_scipy_integrates_it(single: bool, uneven: bool) -> None:
    floor = FLOOR if uneven else None
    theirs = Oracle(floor, single).run(START, PHASES)
    for a, b in zip(flown(platform(floor, START, single, integrator=FINE), PHASES), theirs, strict=True):
        assert a == pytest.approx(b, abs=1e-10)
    for a, b in zip(flown(platform(floor, START, single), PHASES), theirs, strict=True):
        assert a[:2] == pytest.approx(b[:2], abs=3e-7)
        assert a[2] == pytest.approx(b[2], abs=2e-6), "the motor reaches its limit within a step"


def test_a_glide_over_the_uneven_floor_is_scipys() -> None:
    start = np.array([-0.6, 0.4, 1.0, 0.0, 0.0, 0.02, 0.0])
    glide = [Phase(10.0)] * 4
    ours = flown(platform(FLOOR, start), glide)
    theirs = Oracle(FLOOR, single=False).run(start, glide)
    for a, b in zip(ours, theirs, strict=True):
        assert a[:6] == pytest.approx(b[:6], abs=1e-10)
    assert np.hypot(*(ours[-1][:2] - start[:2])) > 0.2, "the slope moves it"


def test_true_strengths_push_as_the_oracle_with_the_same_strengths() -> None:
    settings = ThrusterSettings(strength_sigma=0.1)
    strength = settings.strengths(5, 8)
    assert np.ptp(strength) > 0.1
    phases = [Phase(0.3, (k,)) for k in range(8)] + [Phase(2.0)]
    ours = flown(platform(None, START, seed=5, strength_sigma=0.1), phases)
    theirs = Oracle(None, True, tuple(strength)).run(START, phases)
    assert ours[-1][:6] == pytest.approx(theirs[-1][:6], abs=1e-10)


@pytest.mark.parametrize("single", [True, False], ids=["single", "three"])
def test_the_floors_reading_is_the_oracles_potential_force_and_torque(single: bool) -> None:
    session = platform(FLOOR, START, single).session()
    oracle = Oracle(FLOOR, single)
    for _ in range(5):
        x = np.concatenate([session.read("reacsa.pose"), session.read("reacsa.rate"), [0.0]])
        expected = [oracle.potential(x), *oracle.floor(x)]
        assert session.read("reacsa.floor") == pytest.approx(expected, abs=1e-10)
        session.step(3.0)


def test_the_nozzles_are_those_of_eq_3_11() -> None:
    model = onboard_model(REACSA)
    assert model.thrusters == pytest.approx(np.vstack([FORCES, TORQUES]), abs=1e-15)
    assert (model.mass, model.inertia, model.wheel_inertia, model.thrust) == (M, I_B, I_W, F)


def test_the_inertia_is_that_of_table_3_4_without_the_wheel() -> None:
    assert pytest.approx(11.506 + 0.67 - 0.047, abs=1e-12) == REACSA.body.inertia


@pytest.mark.parametrize("k", range(8))
def test_one_pulse_of_one_thruster_gives_4_67_mm_per_s_along_its_direction(k: int) -> None:
    x = flown(platform(None, np.zeros(7)), [Phase(0.1, (k,))])[-1]
    assert np.hypot(*x[3:5]) == pytest.approx(0.1 * F / M, rel=1e-5), "it turns by 1.5 mrad while it pushes"
    assert np.hypot(*x[3:5]) == pytest.approx(4.67e-3, abs=5e-6)
    assert x[3:5] == pytest.approx(0.1 * F / M * FORCES[:, k], abs=3e-6)
    # the wheel's loop holds its speed relative to the body and so takes some of the turn
    assert np.sign(x[5]) == np.sign(TORQUES[k])


def test_a_pair_of_thrusters_pushes_without_a_turn() -> None:
    for pair in [(0, 5), (1, 4), (2, 7), (3, 6)]:
        x = flown(platform(None, np.zeros(7)), [Phase(0.5, pair)])[-1]
        assert np.hypot(*x[3:5]) == pytest.approx(2.0 * 0.5 * F / M, rel=1e-12)
        assert abs(x[5]) < 1e-15


def test_wheel_and_body_exchange_momentum_as_eq_3_6_says() -> None:
    x = flown(platform(None, np.zeros(7)), [Phase(3.0, (), 400.0 * RPM)])[-1]
    turn, speed = x[5], x[6]
    assert speed == pytest.approx(400.0 * RPM, abs=1e-6)
    assert I_W * (speed + turn) == pytest.approx(-I_B * turn, rel=1e-10), "the rotor's absolute speed"
    assert I_W * speed == pytest.approx(-(I_B + I_W) * turn, rel=1e-10), "its speed relative to the body"
    assert pytest.approx(11.506 + 0.67) == I_B + I_W


def test_the_wheel_never_passes_its_torque_and_speed() -> None:
    mission = platform(None, np.zeros(7))
    session = mission.session()
    session.write("wheel.speed_command", [1e3])
    result = mission.complete(session, 4.0)
    torque, speed = result["wheel.tau_applied"][:, 0], result["wheel.speed"][:, 0]
    assert np.abs(torque).max() == 1.7
    assert speed.max() == pytest.approx(500.0 * RPM, rel=2e-2)
    # a step of full torque may end beyond the limit, not more
    assert speed.max() <= 500.0 * RPM + 0.01 * 1.7 / I_W * (1.0 + I_W / I_B)
    assert np.all(np.diff(speed) >= -1e-12)


def test_a_glide_over_a_level_floor_is_straight() -> None:
    start = np.array([-2.0, -4.0, 0.3, 0.03, 0.06, 0.2, 0.0])
    for n, x in enumerate(flown(platform(None, start), [Phase(20.0)] * 3), 1):
        assert x[:3] == pytest.approx(start[:3] + 20.0 * n * start[3:6], abs=1e-10)
        assert x[3:6] == pytest.approx(start[3:6], abs=1e-13)


def test_a_long_pulse_loses_4_5_newtons_within_three_seconds() -> None:
    mission = platform(None, np.zeros(7), sag=0.434)
    session = mission.session()
    session.write("jets.open", [1, 0, 0, 0, 0, 0, 0, 0])
    result = mission.complete(session, 3.0)
    t, thrust = result.time("jets.thrust"), result["jets.thrust"][:, 0]
    assert thrust[0] == F
    assert F - thrust[-1] == pytest.approx(4.5, abs=0.15), "sec. 3.1.3"
    assert thrust == pytest.approx(F * (1.0 - 0.434 * (1.0 - np.exp(-t / 0.8))), abs=1e-8)


def test_two_valves_of_one_bank_lose_a_newton_each_and_of_two_banks_nothing() -> None:
    mission = platform(None, np.zeros(7), drop=0.11)
    session = mission.session()
    for pair, lost in [((0, 5), 1.14), ((0, 2), 0.0), ((2, 7), 1.14), ((1, 6), 0.0)]:
        session.write("jets.open", np.isin(np.arange(8), pair).astype(float))
        thrust = session.read("jets.thrust")
        assert thrust[list(pair)] == pytest.approx([F - lost] * 2, abs=1e-3), pair
        assert thrust.sum() == pytest.approx(2.0 * (F - lost), abs=2e-3)
