"""The ways to render, on made cycles."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import freefloat as ff
from freefloat.gnc.control.rendering.belief import SurfaceBelief
from freefloat.gnc.control.rendering.cycle import Moving, Satellite, Sensed
from freefloat.gnc.control.rendering.force import Hybrid, Naive, Passivity
from freefloat.gnc.control.rendering.observer import Observer
from freefloat.gnc.control.rendering.paper import Paper, contact_point
from freefloat.gnc.control.rendering.redo import Redo
from freefloat.gnc.control.rendering.shapes import HollowCone, Tools
from freefloat.gnc.control.rendering.touch import Touch

R_CS = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
TOOLS = Tools((0.5, 0.0, 0.0), 0.01, HollowCone(ff.Pose(R_CS, [-0.5, 0.0, 0.0]), math.radians(35.0), 0.25))
STIFFNESS = 5e4  # [N/m]
BODIES = (Satellite(100.0, 10.0 * np.eye(3)), Satellite(1000.0, 300.0 * np.eye(3)))


def touch() -> Touch:
    return Touch(5.0, 2.0)


def cycle(deep: float, off: float = 0.0, simulated: float = 0.0) -> Sensed:
    """Mock-ups `deep` [m] in contact in a turned cone, whose motor angles say `off` [m] more; satellites `simulated`
    [m] deep."""
    X_2 = ff.Pose.from_rpy([0.1, -0.05, 0.2], [0.9, 0.1, 1.2])
    surface = TOOLS.surface
    normal_C = TOOLS.meet(surface.X_CS.apply(np.array([0.05, 0.02, 0.12])))[1]
    s, c = math.sin(math.radians(35.0)), math.cos(math.radians(35.0))
    around = np.array([0.05, 0.02]) / math.hypot(0.05, 0.02)
    on_C = surface.X_CS.apply(0.15 * np.array([s * around[0], s * around[1], c]))

    def servicer(depth: float) -> ff.Pose:
        return ff.Pose(np.eye(3), X_2.apply(on_C + (0.01 - depth) * normal_C) - np.array(TOOLS.p_ST))

    f = STIFFNESS * deep * (X_2.R @ normal_C)
    at = X_2.apply(on_C)
    X_1, still = servicer(deep + off), Moving(X_2, np.zeros(3), np.zeros(3))
    F_1, F_2 = (np.concatenate([np.cross(at - X.p, w * f), w * f]) for X, w in ((X_1, 1.0), (X_2, -1.0)))
    moving = Moving(servicer(simulated), np.array([0.05, 0.0, 0.0]), np.zeros(3))
    return Sensed(0.0, X_1, X_2, F_1, F_2, np.zeros(3), np.zeros((3, 3)), moving, still)


def penetration(order: ff.Pose, s: Sensed) -> float:
    """Of the simulated tip in the ordered plane [m]."""
    tip = TOOLS.tip_in_client(s.servicer.X_W, s.client.X_W)
    return TOOLS.radius - float(order.R[:, 2] @ (tip - order.p))


def test_the_point_of_a_frictionless_contact_in_a_cone_is_found_from_force_and_torque() -> None:
    s = cycle(0.002)
    apex = s.X_2.apply(TOOLS.surface.X_CS.p)
    at = contact_point(apex, s.X_2, s.F_2)
    tip = s.X_1.apply(np.array(TOOLS.p_ST))
    n = s.force / np.linalg.norm(s.force)
    assert at == pytest.approx(tip - (TOOLS.radius - 0.002) * n, abs=1e-12)


def test_friction_moves_the_point_that_the_torque_tells() -> None:
    s = cycle(0.002)
    n = s.force / np.linalg.norm(s.force)
    rubbing = 0.3 * np.linalg.norm(s.force) * np.cross(n, [0.0, 0.0, 1.0])
    at = s.X_1.apply(np.array(TOOLS.p_ST)) - 0.008 * n
    F_2 = s.F_2 + np.concatenate([np.cross(at - s.X_2.p, rubbing), rubbing])
    assert np.linalg.norm(contact_point(s.X_2.apply(TOOLS.surface.X_CS.p), s.X_2, F_2) - at) > 0.005


@pytest.mark.parametrize("off", [0.0, 1e-3, -1e-3])
def test_the_papers_plane_leaves_out_what_positions_are_off(off: float) -> None:
    s = cycle(0.003, off, simulated=0.001 + off)
    order = Paper(TOOLS, STIFFNESS, touch(), Redo("off", 1.0)).update(s)
    assert order.gate == 1.0
    assert penetration(order.place, s) == pytest.approx(0.001, abs=1e-9)


def test_a_stiffness_that_is_a_tenth_too_high_puts_the_papers_plane_a_tenth_of_the_penetration_away() -> None:
    s = cycle(0.003, simulated=0.003)
    order = Paper(TOOLS, 1.1 * STIFFNESS, touch(), Redo("off", 1.0)).update(s)
    assert penetration(order.place, s) == pytest.approx(0.003 / 1.1, abs=1e-9)


def test_without_a_measured_force_the_paper_has_no_contact() -> None:
    assert Paper(TOOLS, STIFFNESS, touch(), Redo("off", 1.0)).update(cycle(0.0, simulated=0.002)).gate == 0.0


def test_the_observer_leaves_a_surface_that_is_where_it_should_be() -> None:
    order = Observer(TOOLS, SurfaceBelief(STIFFNESS), touch(), Redo("contact", 1.0)).update(cycle(0.003))
    assert order.place.p == pytest.approx(TOOLS.surface.X_CS.p, abs=1e-12)
    assert (order.gate, order.since) == (1.0, None)


def test_the_observer_moves_the_surface_by_what_positions_are_off() -> None:
    observer, s = Observer(TOOLS, SurfaceBelief(STIFFNESS), touch(), Redo("contact", 1.0)), cycle(0.001, 1e-3)
    for k in range(30):
        s = replace(cycle(0.001 + 1e-4 * k, 1e-3), t=0.004 * k)
        order = observer.update(s)
    normal = TOOLS.meet(TOOLS.tip_in_client(s.X_1, s.X_2))[1]
    assert normal @ (order.place.p - TOOLS.surface.X_CS.p) == pytest.approx(-1e-3, abs=2e-5)


def test_the_observer_moves_the_surface_away_where_the_robots_feel_nothing() -> None:
    for kind, least in (("contact", 1e-3), ("onset", 0.0)):
        observer = Observer(TOOLS, SurfaceBelief(STIFFNESS), touch(), Redo(kind, 1.0))  # type: ignore[arg-type]
        order = observer.update(cycle(0.0, 2e-3))
        assert np.linalg.norm(order.place.p - TOOLS.surface.X_CS.p) >= least


def test_naive_hands_both_wrenches_on_in_the_satellites_axes() -> None:
    s = cycle(0.002)
    order = Naive(TOOLS.surface.X_CS, touch()).update(s)
    assert order.gate == 0.0
    assert s.X_2.R @ order.wrench_2[3:] == pytest.approx(s.F_2[3:])
    assert order.wrench_1 == pytest.approx(s.F_1)  # the servicer is not turned
    assert np.abs(Naive(TOOLS.surface.X_CS, touch()).update(cycle(0.0)).wrench_1).max() == 0.0


def test_passivity_gives_back_to_the_joule_what_the_contact_took_and_lets_through_what_brakes() -> None:
    h, s = 0.012, cycle(0.002)
    n = s.force / np.linalg.norm(s.force)
    toward, leaving = (replace(s.servicer, v_W=speed * n) for speed in (-0.05, 0.0495))
    way = Passivity(TOOLS.surface.X_CS, touch(), BODIES, h)
    assert way.update(replace(s, servicer=toward)).wrench_1 == pytest.approx(s.F_1)
    order = way.update(replace(s, servicer=leaving))
    v_1 = leaving.v_W + h * order.wrench_1[3:] / 100.0  # the servicer is not turned
    v_2 = h * order.wrench_2[3:] / 1000.0
    F_d = order.wrench_1, order.wrench_2
    turning = sum(h**2 * F[:3] @ F[:3] / b.inertia[0, 0] for F, b in zip(F_d, BODIES, strict=True))
    after = 0.5 * (100.0 * v_1 @ v_1 + 1000.0 * v_2 @ v_2 + turning)
    assert after == pytest.approx(0.5 * 100.0 * 0.05**2, rel=1e-8)
    assert 0.0 < np.linalg.norm(order.wrench_1) < 0.2 * np.linalg.norm(s.F_1)


def test_hybrid_adds_a_spring_and_a_damper_and_never_pulls() -> None:
    s = cycle(0.002)
    n = s.force / np.linalg.norm(s.force)
    nearing = replace(s, v_tip=-0.05 * n)
    stiff = Hybrid(TOOLS, touch(), 1e4, 1e3).update(nearing)
    assert stiff.wrench_1[3:] == pytest.approx(s.force + (1e4 * 0.002 + 1e3 * 0.05) * n, rel=1e-9)
    leaving = Hybrid(TOOLS, touch(), 0.0, 1e6).update(replace(s, v_tip=0.05 * n))
    assert leaving.wrench_1[3:] == pytest.approx(np.zeros(3), abs=1e-9)
