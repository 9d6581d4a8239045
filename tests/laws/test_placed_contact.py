"""Surfaces that commands put elsewhere: the books close, and a gate lets bodies pass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Ball, Contact, Plane, SpringDamper
from freefloat.errors import InputError

MASS, K, V = 100.0, 5e4, 0.1  # [kg] of each of two bodies, [N/m], [m/s]
FACING = ff.Pose(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), [-0.45, 0.0, 0.0])  # z along -x
TOUCH = 0.5  # [s] the tip meets the plate at its declared place


class Law:
    """A controller made of one function."""

    def __init__(self, update: Any) -> None:
        self.update = update


def _mission(law: Any, **named: str) -> ff.Mission:
    client = ff.RigidBody("client", MASS, motion=ff.Motion(ff.Pose(np.eye(3), [1.0, 0.0, 0.0])))
    servicer = ff.RigidBody("servicer", MASS, motion=ff.Motion(v_WL=(V, 0.0, 0.0)))
    plate, tip = [Plane(FACING)], [Ball((0.5, 0.0, 0.0))]
    touch = Contact("touch", "client", "servicer", SpringDamper(K), surfaces=plate, balls=tip, placed=True)
    task = ff.Task(Law(law), 0.004, reads={"place": "touch.place"}, writes=named)
    return ff.Mission([client, servicer, touch], [task], record_rate=1000.0)


def _moved(by: float, since: float) -> Any:
    start = np.array([*FACING.p, *FACING.q])

    def law(t: float, meas: Any) -> Any:
        moved = start.copy()
        moved[0] -= by if t >= since else 0.0
        return {"place": moved[None]}

    return law


def test_a_surface_that_is_nearer_is_met_earlier_and_gives_nothing() -> None:
    result = _mission(_moved(1e-3, 0.0), place="touch.place").run(0.8, strict=True)
    began = result.time("touch.mode")[np.argmax(result["touch.mode"][:, 0] == 1.0)]
    assert began == pytest.approx(TOUCH - 1e-3 / V, abs=1.1e-3)
    assert result["client.v_WB"][-1, 0] == pytest.approx(V, abs=1e-9)
    assert result.metrics["audit.work_supplied_J"] == pytest.approx(0.0, abs=1e-15)


def test_a_surface_that_moves_while_it_is_touched_supplies_the_energy_of_its_spring() -> None:
    result = _mission(_moved(1e-3, 0.548), place="touch.place").run(0.8, strict=True)
    omega = math.sqrt(K / (0.5 * MASS))
    depth = V / omega * math.sin(omega * (0.548 - TOUCH))
    supplied = 0.5 * K * ((depth + 1e-3) ** 2 - depth**2)
    assert result.metrics["audit.work_supplied_J"] == pytest.approx(supplied, rel=1e-6)
    gained = 0.5 * MASS * sum(result[f"{of}.v_WB"][-1, 0] ** 2 for of in ("client", "servicer")) - 0.5 * MASS * V**2
    assert gained == pytest.approx(supplied, rel=1e-6)
    assert result.metrics["peak_contact_force_N"] == pytest.approx(result["touch.force"].max(), rel=1e-3)


def test_a_closed_gate_lets_bodies_pass_and_an_opened_one_pushes_what_is_inside() -> None:
    closed = _mission(lambda t, meas: {"gate": 0.0}, gate="touch.gate").run(0.6, strict=True)
    assert closed["servicer.v_WB"][-1, 0] == V
    assert closed.metrics["contacts"] == 0.0
    late = 0.024  # [s] after the touch
    opened = _mission(lambda t, meas: {"gate": float(t >= TOUCH + late)}, gate="touch.gate").run(0.8, strict=True)
    assert opened.metrics["audit.work_supplied_J"] == pytest.approx(0.5 * K * (V * late) ** 2, rel=1e-9)
    grown = math.sqrt(1.0 + K / (0.5 * MASS) * late**2)  # of the speed at which they part
    parted = opened["client.v_WB"][-1, 0] - opened["servicer.v_WB"][-1, 0]
    assert parted == pytest.approx(grown * V, rel=1e-6)


def test_only_surfaces_can_be_placed() -> None:
    bodies = [
        ff.RigidBody(name, 1.0, motion=ff.Motion(ff.Pose(np.eye(3), [x, 0, 0]))) for name, x in (("a", 0), ("b", 5))
    ]
    touch = Contact("touch", "a", "b", SpringDamper(K), placed=True)
    with pytest.raises(InputError, match=r"'touch': placed pairs are balls of b on surfaces of a"):
        ff.Mission([*bodies, touch])
