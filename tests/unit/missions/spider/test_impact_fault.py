"""SPIDER against an obstacle, with and without the fault of its control."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.missions.spider import tables
from freefloat.missions.spider.arm import Spider
from freefloat.missions.spider.impact_fault import effective_mass
from freefloat.scenario.files import load


def test_a_fault_at_the_touch_multiplies_the_force_and_a_lower_supply_lessens_it() -> None:
    force = {}
    for supply, fault in ((48.0, False), (12.0, True), (48.0, True)):
        result = ff.run("spider-impact-fault", {"fault": fault, "supply": supply, "duration": 1.64}, strict=True)
        m = result.metrics
        assert m["impact_speed_m_s"] == pytest.approx(0.1, rel=0.03)
        assert m["impact_energy_J"] <= m["kinetic_energy_J"] + m["electric_energy_J"]
        force[supply, fault] = m["peak_contact_force_N"]
        if fault:
            assert [e.name for e in result.events if e.name == "control fails"] == ["control fails"]
    assert force[48.0, False] < 0.5 * force[12.0, True] < 0.5 * force[48.0, True]


def test_the_effective_mass_lies_between_that_of_the_hand_and_that_of_the_arm(spider: Spider) -> None:
    q = np.array([-0.3, 0.4, 0.0, 1.2, 0.0, 0.8, 0.0])
    R = spider.arm.chain.pose(q).R
    masses = [effective_mass(spider.arm, q, R[:, k]) for k in range(3)]
    assert all(1.0 < m < 58.0 for m in masses)
    assert masses[2] > 2.0 * masses[1]  # along the forearm more of the arm must give way


def test_the_table_has_a_cell_for_each_supply_and_stiffness_whose_audit_passes() -> None:
    told: list[tuple[int, int]] = []
    cells = tables.make((1e5,), (12.0, 48.0), lambda done, of: told.append((done, of)))
    assert [(c.supply_V, c.audit_passed) for c in cells] == [(12.0, True), (48.0, True)]
    assert told == [(1, 2), (2, 2)]
    assert len(cells[0].row()) == len(tables.HEAD)


def test_an_obstacle_that_the_arm_cannot_get_to_is_refused() -> None:
    with pytest.raises(InputError, match="obstacle: operation 0"):
        load("spider-impact-fault", {"obstacle.direction": [1, 0, 0], "obstacle.distance": 0.5}).build()
    with pytest.raises(InputError, match="not zero"):
        load("spider-impact-fault", {"obstacle.direction": [0, 0, 0]}).build()
