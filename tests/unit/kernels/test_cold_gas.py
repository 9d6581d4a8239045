"""The bank of cold-gas thrusters against its equations integrated by SciPy, and against the plain thrusters' bank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import freefloat as ff
from freefloat.actuators import Thruster, Thrusters
from freefloat.actuators.thrusters import Feed
from freefloat.units import G0

THRUST, ISP = 10.0, 65.0  # [N, s]
CORNERS = ((0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0))
BANKS = (0, 0, 0, 1)


def jets(opening: float = 0.0, closing: float = 0.0, **options: Any) -> Thrusters:
    """Four thrusters outside a small body, three of them on one manifold."""
    four = [Thruster((*p, 0.0), (-p[0], -p[1], 0.0), THRUST, ISP, opening, closing) for p in CORNERS]
    return Thrusters("jets", "ship", four, **options)


def mission(part: Thrusters, step: float = 1e-3) -> ff.Mission:
    ship = ff.RigidBody("ship", 50.0, (4.0, 4.0, 5.0), size=(0.5, 0.5, 0.5))
    return ff.Mission([ship, part], integrator=ff.Dopri5(step), record_rate=100.0)


PATTERN = ((0.25, (1, 0, 0, 0)), (0.4, (1, 1, 0, 1)), (0.3, (1, 1, 1, 0)), (0.2, (0, 0, 1, 0)), (0.6, (0, 0, 0, 0)))


def scipys(opening: float, closing: float, feed: Feed) -> np.ndarray:
    """(phases, 4, 5): opening, propellant, impulse, sag and commanded time of each after each phase."""
    same = np.equal.outer(BANKS, BANKS).astype(float)

    def rates(x: np.ndarray, command: np.ndarray) -> np.ndarray:
        valve, sag = x[:4], x[12:16]
        if opening > 0.0:
            d_valve = (command - valve) / np.where(command > valve, opening, closing)
        else:
            valve, d_valve = command, np.zeros(4)
        n = same @ valve
        force = THRUST * valve * np.maximum(1.0 - feed.drop * np.maximum(n - 1.0, 0.0) - sag, 0.0)
        return np.concatenate(
            [d_valve, force / (ISP * G0), force, (1.0 - (1.0 - feed.sag) ** n - sag) / feed.sag_lag, command]
        )

    x, found = np.zeros(20), []
    for lasts, command in PATTERN:
        given = np.array(command, float)
        solved = solve_ivp(
            lambda _, x, u=given: rates(x, u), (0.0, lasts), x, method="DOP853", rtol=1e-11, atol=1e-13, max_step=0.01
        )
        x = solved.y[:, -1]
        found.append(x.reshape(5, 4).T)
    return np.array(found)


@pytest.mark.parametrize("lags", [(0.0, 0.0), (0.02, 0.03)], ids=["ideal", "lagging"])
@pytest.mark.parametrize("feed", [Feed(0.11, 0.0), Feed(0.0, 0.3, 0.2), Feed(0.11, 0.2, 0.5), Feed(0.6, 0.5, 0.1)])
def test_valves_impulse_propellant_and_sag_follow_scipys_integration(lags: tuple[float, float], feed: Feed) -> None:
    session = mission(jets(*lags, manifolds=BANKS, feed=feed)).session()
    for (lasts, command), expected in zip(PATTERN, scipys(*lags, feed), strict=True):
        session.write("jets.open", command)
        session.step(lasts)
        assert session.read("jets.propellant") == pytest.approx(expected[:, 1], abs=3e-9)
        assert session.read("jets.impulse") == pytest.approx(expected[:, 2], abs=2e-6)
        assert session.read("jets.on_time") == pytest.approx(expected[:, 4], abs=1e-12)


def test_without_drop_sag_and_loss_it_is_the_plain_thruster_to_the_byte() -> None:
    plain, fed = mission(jets(0.02, 0.03)).session(), mission(jets(0.02, 0.03, manifolds=BANKS)).session()
    for lasts, command in PATTERN:
        for session in (plain, fed):
            session.write("jets.open", command)
            session.step(lasts)
        for name in ("ship.p_WB", "ship.v_WB", "ship.w_WB_B", "jets.thrust", "jets.impulse", "jets.propellant"):
            assert fed.read(name).tolist() == plain.read(name).tolist(), name


def test_a_starved_manifold_gives_no_thrust_and_never_a_pull() -> None:
    session = mission(jets(manifolds=BANKS, feed=Feed(0.6))).session()
    session.write("jets.open", [1, 1, 1, 1])
    assert session.read("jets.thrust").tolist() == [0.0, 0.0, 0.0, THRUST], "1 - 0.6 x 2 is below zero"
    session.step(0.5)
    assert session.read("jets.impulse") == pytest.approx([0.0, 0.0, 0.0, 5.0])


def test_a_command_beyond_open_or_shut_counts_as_open_or_shut() -> None:
    session = mission(jets(manifolds=BANKS, feed=Feed(0.1))).session()
    session.write("jets.open", [7.0, -3.0, 0.5, 0.0])
    assert session.read("jets.thrust") == pytest.approx([9.5, 0.0, 4.75, 0.0])
    session.step(0.1)
    assert session.read("jets.on_time") == pytest.approx([0.1, 0.0, 0.05, 0.0])


def test_a_pressure_loss_takes_its_share_of_every_thrust_of_its_manifold() -> None:
    session = mission(jets(manifolds=BANKS)).session()
    session.write("jets.open", [1, 1, 0, 1])
    session.world.write("jets.loss", [0.25, 0.5])
    assert session.read("jets.thrust") == pytest.approx([7.5, 7.5, 0.0, 5.0])
