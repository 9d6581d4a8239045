"""Power of an assembly: who has a path to a source, through hands too, and charge that goes with its module."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.structure import Module, TensorBody
from freefloat.structure.latches import Latches
from freefloat.structure.power.supply import Supply, Wire
from freefloat.structure.tensor_part import empty_hand
from freefloat.verify.handling_rig import CATALOGUE, stack


def wired(
    body: TensorBody, robots: tuple[float, ...] = (), wires: tuple[Wire, ...] = ()
) -> tuple[Supply, TensorBody, Latches]:
    tool = empty_hand("tool", CATALOGUE)
    latches = Latches()
    for b in (body, tool):
        latches.close_all(b)
    supply = Supply(robots)
    supply.rewire([body, tool], latches, wires)
    return supply, tool, latches


def test_modules_with_a_path_to_a_source_are_powered() -> None:
    body = stack()
    supply, *_ = wired(body)
    assert supply.powered[: body.grid.n].tolist() == (body.shape > 0).tolist()
    assert not supply.powered[body.grid.n :].any(), "nothing is in the hand"


def test_an_open_interface_cuts_the_path() -> None:
    body = stack()
    latches = Latches()
    latches.close_all(body)
    end = body.grid.index((2, 0, 0))
    latches.cleared(body, end)
    supply = Supply()
    supply.rewire([body], latches, [])
    dark = np.flatnonzero((body.shape > 0) & ~supply.powered[: body.grid.n])
    assert dark.tolist() == [end]


def test_a_module_in_the_hand_is_powered_through_the_robot_that_stands_on_a_powered_one() -> None:
    body = stack()
    tool_node, robot = body.grid.n, body.grid.n + 1
    foot = body.grid.index((1, 0, 1))
    supply, tool, latches = wired(body, (20.0,))
    tool.insert(0, Module(9, CATALOGUE.type("box")))
    latches.close_all(tool)
    for wires, lit in (
        ([], (False, False)),
        ([Wire(robot, foot, 0.01)], (True, False)),
        ([Wire(robot, foot, 0.01), Wire(robot, tool_node, 0.01)], (True, True)),
        ([Wire(robot, tool_node, 0.01)], (False, False)),
    ):
        supply.rewire([body, tool], latches, wires)
        assert (bool(supply.powered[robot]), bool(supply.powered[tool_node])) == lit


def test_loads_and_losses_are_what_sources_and_batteries_give() -> None:
    body = stack()
    supply, *_ = wired(body)
    assert supply.advance(10.0, sunlit=1.0) == ()
    assert supply.flow is not None
    flow = supply.flow
    assert float(np.sum(flow.load_power)) == pytest.approx(3 * 5.0, rel=1e-12)
    given = float(np.sum(flow.source_power) + np.sum(flow.battery_power))
    # what sources and batteries deliver goes to loads, lines and their own inner resistance
    lost = float(np.sum(flow.line_loss))
    assert given == pytest.approx(15.0 + lost, abs=0.05)
    assert abs(supply.imbalance) <= 1e-9 * supply.turnover


def test_in_the_dark_the_battery_alone_carries_the_load() -> None:
    body = stack()
    supply, *_ = wired(body)
    before = supply.charge.copy()
    supply.advance(100.0, sunlit=0.0)
    node = int(np.flatnonzero(before > 0.0)[0])
    assert node == body.grid.index((0, 0, 1))
    taken = (before[node] - supply.charge[node]) * 1e5
    assert taken == pytest.approx(100.0 * 15.0, rel=0.01)
    assert taken > 100.0 * 15.0, "lines and the battery itself lose some"


def test_charge_goes_with_its_module() -> None:
    body = stack()
    supply, tool, latches = wired(body)
    supply.advance(50.0, sunlit=0.0)
    node, hand = body.grid.index((0, 0, 1)), body.grid.n
    charge = supply.charge[node]
    assert 0.0 < charge < 0.6
    supply.move(node, hand)
    assert supply.charge[hand] == charge
    assert supply.charge[node] == 0.0
    tool.insert(0, body.remove(node))
    supply.rewire([body, tool], latches, [])
    assert supply.charge[hand] == charge, "rewiring keeps what is there"
    assert supply.powered[hand], "a charged battery is a source"


def test_an_empty_battery_powers_nobody() -> None:
    body = stack({(0, 0, 0): "battery", (1, 0, 0): "box"})
    supply, tool, latches = wired(body)
    assert supply.powered.sum() == 2
    supply.charge[:] = 0.0
    supply.rewire([body, tool], latches, [])
    assert not supply.powered.any()
