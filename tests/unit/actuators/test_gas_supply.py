"""Bottles behind a regulator: gas drawn, pressure, and thrust once the bottles are nearly empty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import Thruster, Thrusters
from freefloat.actuators.gas_supply import AIR, GasSupply
from freefloat.errors import InputError
from freefloat.units import G0

THRUST, ISP = 10.0, 65.0  # [N, s]
SMALL: Any = {"volume": 1e-3, "pressure": 20e5, "regulator": 7e5}  # 24 g: empty after some 1.5 s of one open valve


def parts() -> list[Any]:
    two = [Thruster((-1.0, y, 0.0), (1.0, 0.0, 0.0), THRUST, ISP) for y in (0.5, -0.5)]
    ship = ff.RigidBody("ship", 50.0, (4.0, 4.0, 5.0), size=(0.5, 0.5, 0.5))
    return [ship, Thrusters("jets", "ship", two, manifolds=(0, 1))]


def mission(**supply: Any) -> ff.Mission:
    gas = GasSupply("gas", "jets", **supply)
    return ff.Mission([*parts(), gas], record_rate=100.0)


def test_the_bottles_of_the_platform_hold_4_9_kg() -> None:
    session = mission().session()
    assert float(session.read("gas.gas")[0]) == pytest.approx(300e5 * 13.6e-3 / (AIR * 293.0), rel=1e-12)
    assert float(session.read("gas.gas")[0]) == pytest.approx(4.85, abs=0.01)
    assert float(session.read("gas.pressure")[0]) == 300e5
    assert session.read("jets.loss").tolist() == [0.0, 0.0]


def test_pressure_falls_with_the_gas_that_is_drawn() -> None:
    m = mission()
    session = m.session()
    session.write("jets.open", [1.0, 0.0])
    result = m.complete(session, 10.0)
    t, drawn = result.time("gas.gas"), THRUST / (ISP * G0)
    assert result["jets.propellant"][-1].sum() == pytest.approx(10.0 * drawn, rel=1e-12)
    at = np.searchsorted(t, 9.5)  # the bottles are tended every second
    assert result["gas.gas"][0, 0] - result["gas.gas"][at, 0] == pytest.approx(9.0 * drawn, rel=1e-9)
    assert 300e5 - result["gas.pressure"][at, 0] == pytest.approx(9.0 * drawn * AIR * 293.0 / 13.6e-3, rel=1e-9)
    assert np.all(result["jets.thrust"][:, 0] == THRUST), "the regulator holds"


def test_below_the_regulators_pressure_the_thrust_falls_with_the_bottles() -> None:
    m = mission(**SMALL, period=0.01)
    session = m.session()
    session.write("jets.open", [1.0, 0.0])
    result = m.complete(session, 5.0)
    p, thrust = result["gas.pressure"][:, 0], result["jets.thrust"][:, 0]
    full = p > 7e5
    assert full[0]
    assert not full[-1]
    assert np.all(thrust[full] == THRUST)
    assert thrust[~full] == pytest.approx(THRUST * np.maximum(p[~full] - 1e5, 0.0) / 6e5, rel=1e-12)
    assert np.all(np.diff(p) <= 0.0)
    # below the regulator the pressure over the air's decays with tau = (regulator - air) / (thrust / (Isp g0) R T / V)
    t = result.time("gas.pressure")
    tau = 6e5 / (THRUST / (ISP * G0) * AIR * 293.0 / 1e-3)
    late = (t > t[~full][0] + 0.05) & (p > 1.02e5)
    rate = np.polyfit(t[late], np.log(p[late] - 1e5), 1)[0]
    assert rate == pytest.approx(-1.0 / tau, rel=0.02)


def test_no_more_gas_is_drawn_than_was_there() -> None:
    m = mission(**SMALL, period=0.01)
    session = m.session()
    session.write("jets.open", [1.0, 1.0])
    result = m.complete(session, 10.0)
    assert result["jets.propellant"][-1].sum() <= 20e5 * 1e-3 / (AIR * 293.0)
    assert result["jets.thrust"][-1].max() < 1e-3 * THRUST
    assert result["gas.pressure"].min() >= 0.0


def test_a_run_restored_with_half_empty_bottles_goes_on_to_the_byte(tmp_path: Path) -> None:
    whole = mission(**SMALL, period=0.1).session()
    whole.write("jets.open", [1.0, 0.0])
    whole.step(1.25)
    saved = whole.snapshot().save(tmp_path / "half")
    whole.step(1.0)
    other = mission(**SMALL, period=0.1).session()
    other.restore(ff.Snapshot.load(saved))
    other.step(1.0)
    for name in ("gas.pressure", "gas.gas", "jets.loss", "jets.impulse", "ship.v_WB"):
        assert other.read(name).tobytes() == whole.read(name).tobytes(), name
    assert float(other.read("jets.loss")[0]) > 0.0


@pytest.mark.parametrize("what", ["volume", "pressure", "regulator", "temperature", "period"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_supply_that_cannot_be_is_one_clear_error(what: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"gas supply 'gas': {what} .*; allowed: > 0"):
        GasSupply("gas", "jets", **{what: value})


def test_a_supply_of_thrusters_without_manifolds_is_refused() -> None:
    jet = Thrusters("jets", "ship", [Thruster((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))])
    with pytest.raises(InputError, match=r"gas supply 'gas': thrusters 'jets' have no manifolds"):
        ff.Mission([ff.RigidBody("ship", size=(0.5, 0.5, 0.5)), jet, GasSupply("gas", "jets")])


def test_two_supplies_of_the_same_thrusters_are_refused() -> None:
    two = [GasSupply("gas", "jets"), GasSupply("more", "jets")]
    with pytest.raises(InputError, match=r"'more' and 'gas' both look after the supply of 'jets'"):
        ff.Mission([*parts(), *two]).session()
