"""Heat of an assembly: what falls on it, what its modules release, and heat that goes with a module."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freefloat.frames import Pose
from freefloat.structure import TensorBody
from freefloat.structure.heat.climate import Climate, Light, dark
from freefloat.structure.heat.network import HeatNetwork
from freefloat.structure.latches import Latches
from freefloat.structure.tensor_part import empty_hand
from freefloat.verify.handling_rig import CATALOGUE, stack

FLUX = 1361.0  # [W/m^2]
BOX = CATALOGUE.type("box")


def sunny(t: float, normals_W: Any) -> Light:
    """The Sun along +z of W, nothing else."""
    none = np.zeros(len(normals_W))
    return Light(np.array([0.0, 0.0, 1.0]), FLUX, 1.0, none, none)


def warmed(surroundings: Any, body: TensorBody | None = None) -> tuple[Climate, list[TensorBody], Latches, list[Pose]]:
    bodies = [body or stack(), empty_hand("tool", CATALOGUE)]
    latches = Latches()
    for b in bodies:
        latches.close_all(b)
    poses = [Pose.identity(), Pose(np.eye(3), (0.0, 0.0, 5.0))]
    climate = Climate(surroundings)
    climate.rewire(bodies, latches, poses)
    return climate, bodies, latches, poses


def net(climate: Climate) -> HeatNetwork:
    assert climate.network is not None
    return climate.network


def go_on(
    climate: Climate, dt: float, bodies: list[TensorBody], poses: list[Pose], R: Any = None, on: float = 0.0
) -> None:
    nodes = sum(b.grid.n for b in bodies)
    climate.advance(0.0, dt, bodies, poses, np.eye(3) if R is None else R, np.full(nodes, on))


def test_in_the_dark_modules_cool_by_what_they_radiate() -> None:
    climate, bodies, _, poses = warmed(dark)
    stored = net(climate).ledger.stored
    go_on(climate, 10.0, bodies, poses)
    ledger = net(climate).ledger
    assert ledger.absorbed == ledger.dissipated == 0.0
    assert ledger.radiated > 0.0
    assert stored - ledger.stored == pytest.approx(ledger.radiated, rel=1e-9)


def test_only_powered_modules_release_heat() -> None:
    for on, released in ((0.0, 0.0), (1.0, 3 * 5.0 * 10.0)):
        climate, bodies, _, poses = warmed(dark)
        go_on(climate, 10.0, bodies, poses, on=on)
        assert net(climate).ledger.dissipated == pytest.approx(released, abs=1e-9)


@pytest.mark.parametrize(("axis", "columns"), [("z", 3), ("x", 2)])
def test_faces_towards_the_sun_take_in_its_light_and_no_others(axis: str, columns: int) -> None:
    """Three columns are seen from above; from the end of the row, two faces, one over the other."""
    climate, bodies, _, poses = warmed(sunny)
    R_WB = np.eye(3) if axis == "z" else np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])  # x of B along z of W
    go_on(climate, 10.0, bodies, poses, R_WB)
    expected = BOX.absorptivity * FLUX * 0.16 * columns * 10.0
    assert net(climate).ledger.absorbed == pytest.approx(expected, rel=1e-9)
    assert climate.sunlit == 1.0


def test_heat_goes_with_its_module() -> None:
    climate, bodies, latches, poses = warmed(dark)
    body, tool = bodies
    go_on(climate, 500.0, bodies, poses, on=1.0)
    place, hand = body.grid.index((1, 0, 1)), body.grid.n
    T, stored = net(climate).T[place], net(climate).ledger.stored
    assert abs(T - 293.15) > 0.1
    climate.move(place, hand)
    tool.insert(0, body.remove(place))
    latches.close_all(body)
    climate.rewire(bodies, latches, poses)
    assert net(climate).T[hand] == T
    assert net(climate).n == body.grid.n + 1, "one node per place, whatever is there"
    assert net(climate).ledger.stored == pytest.approx(stored, rel=1e-14)


def test_an_interface_that_opens_lets_less_heat_through() -> None:
    flows = []
    for opened in (False, True):
        body = stack({(0, 0, 0): "box", (1, 0, 0): "box"})
        climate, bodies, latches, poses = warmed(dark, body)
        hot, cold = body.grid.index((0, 0, 0)), body.grid.index((1, 0, 0))
        if opened:
            latches.cleared(body, hot)
            climate.rewire(bodies, latches, poses)
        nodes = sum(b.grid.n for b in bodies)
        powered = np.zeros(nodes)
        powered[hot] = 1.0
        before = net(climate).T[cold]
        for _ in range(20):
            climate.advance(0.0, 100.0, bodies, poses, np.eye(3), powered)
        alone = net(climate).T[hot] - net(climate).T[cold]
        assert net(climate).T[cold] < before
        flows.append(alone)
    assert flows[1] > 1.05 * flows[0] > 0.0, "the heated module stays warmer alone"
