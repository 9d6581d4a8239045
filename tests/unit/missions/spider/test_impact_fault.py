"""SPIDER against an obstacle, with and without the fault of its control."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.missions.spider import tables
from freefloat.missions.spider.arm import Spider
from freefloat.missions.spider.impact_fault import driving_directions, effective_mass
from freefloat.scenario.files import load

ACROSS = {"obstacle.direction": [0.0, 1.0, 0.0]}
POSTURE = np.array([-0.3, 0.5455, 0.0, 1.1303, 0.0, 0.7239, 0.0])  # [rad] at the touch along the tool


def test_the_shipped_direction_at_1e7_without_fault_peaks_at_v_sqrt_K_m_within_a_hundredth() -> None:
    changes = {"fault": False, "obstacle.stiffness": 1e7, "duration": 1.6}
    m = ff.run("spider-impact-fault", changes, strict=True).metrics
    assert m["first_peak_N"] == pytest.approx(m["first_peak_expected_N"], rel=0.01)
    assert m["first_peak_expected_N"] == pytest.approx(m["impact_speed_m_s"] * (1e7 * m["effective_mass_kg"]) ** 0.5)
    assert m["impact_energy_J"] <= m["kinetic_energy_J"] + m["electric_energy_J"]


def test_along_the_tool_too_the_fault_makes_the_first_peak_larger() -> None:
    force = {}
    for fault in (False, True):
        m = ff.run("spider-impact-fault", {"fault": fault, "duration": 1.64}, strict=True).metrics
        assert m["impact_energy_J"] <= m["kinetic_energy_J"] + m["electric_energy_J"]
        force[fault] = m["first_peak_N"]
    assert force[True] > 1.5 * force[False]


def test_no_other_directions_of_the_motors_accelerate_the_tip_more(spider: Spider) -> None:
    normal = spider.arm.chain.pose(POSTURE).R[:, 2]
    row = normal @ spider.arm.chain.pose_and_jacobian(POSTURE)[1][3:]
    M = spider.arm.inertia(POSTURE) + np.diag([d.gear.ratio**2 * d.motor.inertia for d in spider.drives])
    torque = np.array([d.gear.ratio * d.motor.torque_constant * d.driver.max_current for d in spider.drives])
    reached = [row @ np.linalg.solve(M, torque * signs) for signs in product((-1.0, 1.0), repeat=7)]
    ways = driving_directions(spider, POSTURE, normal)
    assert row @ np.linalg.solve(M, torque * ways) == pytest.approx(max(reached), rel=0.02)
    other = ways * [1, 1, 1, 1, 1, -1, 1]  # the wrist's pitch has no lever along the tool, and yet most of the push
    assert abs(row[5]) < 1e-9
    assert row @ np.linalg.solve(M, torque * other) < 0.2 * max(reached)


def test_motors_that_do_not_move_the_tip_along_the_normal_turn_forward_whatever_the_noise(spider: Spider) -> None:
    normal = spider.arm.chain.pose(POSTURE).R[:, 2]
    for noise in (-1e-4, 1e-4):
        ways = driving_directions(spider, POSTURE + noise * np.array([1, 0, 1, 0, 1, 0, 1]), normal)
        assert ways.tolist() == [1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0]


def test_what_a_drive_gives_back_lessens_the_electric_energy() -> None:
    changes = {**ACROSS, "fault": False, "duration": 1.64}
    result = ff.run("spider-impact-fault", changes)
    record, touch = result.of("impact_energy"), result.touches[0]
    before = int(np.searchsorted(record.t, touch.t, side="right")) - 1
    after = int(np.argmax(record["impact.force"][:, 0])) + 1
    taken = record["arm.drive_energy"][after] - record["arm.drive_energy"][before]
    assert taken.min() < -1e-3
    assert result.metrics["electric_energy_J"] == pytest.approx(taken.sum(), rel=1e-12)


def test_a_fault_at_the_touch_multiplies_the_force_and_a_lower_supply_lessens_it() -> None:
    force = {}
    for supply, fault in ((48.0, False), (12.0, True), (48.0, True)):
        changes = {**ACROSS, "fault": fault, "supply": supply, "duration": 1.64}
        result = ff.run("spider-impact-fault", changes, strict=True)
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


def test_the_table_has_a_cell_for_each_direction_supply_and_stiffness_whose_audit_passes() -> None:
    told: list[tuple[int, int]] = []
    cells = tables.make((1e5,), (48.0,), lambda done, of: told.append((done, of)))
    assert [(c.direction, c.supply_V, c.audit_passed) for c in cells] == [("along", 48.0, True), ("across", 48.0, True)]
    assert told == [(1, 2), (2, 2)]
    assert len(cells[0].row()) == len(tables.HEAD)


def test_an_obstacle_that_the_arm_cannot_get_to_is_refused() -> None:
    with pytest.raises(InputError, match="obstacle: operation 0"):
        load("spider-impact-fault", {"obstacle.direction": [1, 0, 0], "obstacle.distance": 0.5}).build()
    with pytest.raises(InputError, match="not zero"):
        load("spider-impact-fault", {"obstacle.direction": [0, 0, 0]}).build()
