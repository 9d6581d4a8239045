"""The facility's computer: zero of the wrists, set-points, arms."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.gnc.control.rendering.carrier import Carrier
from freefloat.gnc.control.rendering.controller import QUIET, SETTLE, Tare
from freefloat.gnc.control.rendering.sender import Sender
from freefloat.gnc.estimation.wrist import WristCompensation
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.gnc.planning.arm.six_axis_statics import Statics

Q = np.radians([5.0, -75.0, 112.0, 3.0, -37.0, 2.0])
GEARS = (4e5, 4e5, 4e5, 4e4, 4e4, 4e4)


def test_the_zero_of_the_wrists_is_the_mean_in_free_flight_without_the_first_samples_of_a_contact() -> None:
    tare, bias = Tare(), np.arange(12.0)
    for _ in range(SETTLE):
        assert not tare.update(bias, False).any()  # nothing is known yet
    for n in range(20):
        assert tare.update(bias, False) == pytest.approx(np.zeros(12), abs=1e-12), n
    for small in range(1, QUIET):  # a contact that begins below the threshold
        assert tare.update(bias + small, False) == pytest.approx(np.full(12, small))
    assert tare.update(bias + 50.0, True) == pytest.approx(np.full(12, 50.0))
    assert tare.mean == pytest.approx(bias)


def test_a_set_point_has_pose_and_twist_of_the_satellite_in_the_world() -> None:
    turned = ff.Pose.from_rpy([0.0, 0.0, 0.5 * np.pi], [1.0, 2.0, 3.0])
    meas = {f"{name}{k}": np.zeros(3) for name in "pvw" for k in (1, 2)}
    meas |= {"q1": turned.q, "q2": np.array([1.0, 0.0, 0.0, 0.0]), "p1": turned.p, "w1": np.array([0.1, 0.0, 0.0])}
    sent = Sender().update(0.0, meas)["setpoint1"]
    assert sent[:3] == pytest.approx(turned.p)
    assert sent[3:7] == pytest.approx(turned.q)
    assert sent[10:13] == pytest.approx([0.0, 0.1, 0.0], abs=1e-12)
    assert sent.shape == (19,)


def test_links_are_found_from_motors_that_lead_by_weight_and_acceleration() -> None:
    arm = SixAxis.of("kr16-2")
    statics = Statics(arm, [(20.0, (0.2, 0.0, 0.0))] * 6, (5.0, (0.0, 0.0, 0.1)), GEARS)
    rest = np.full(6, 1e-4)
    carrier = Carrier(arm, WristCompensation(arm, 5.0, (0.0, 0.0, 0.1), np.diag([0.1] * 3)), statics, rest)
    turns = np.array([0.0, 0.5, -0.5, 0.0, 0.2, 0.0])
    motors = Q + statics.sag(Q, turns) + rest
    assert carrier.links(motors, turns) == pytest.approx(Q, abs=1e-7)
    assert np.abs(motors - Q).max() > 1e-4


def test_a_point_gives_way_as_far_as_the_gears_let_it() -> None:
    arm = SixAxis.of("kr16-2")
    wrist = WristCompensation(arm, 5.0, (0.0, 0.0, 0.1), np.diag([0.1] * 3))
    statics = Statics(arm, [(20.0, (0.2, 0.0, 0.0))] * 6, stiffness=GEARS)
    p = arm.forward(Q).apply(np.array([0.0, 0.0, 0.25]))
    C = Carrier(arm, wrist, statics).compliance_at(p, Q)
    force = np.array([100.0, -50.0, 20.0])
    tip = SixAxis.of("kr16-2", X_FT=ff.Pose(np.eye(3), [0.0, 0.0, 0.25]))
    bent = Q + tip.jacobian(Q)[3:].T @ force / np.array(GEARS)
    assert tip.forward(bent).p - p == pytest.approx(C @ force, abs=1e-6)
    assert not Carrier(arm, wrist).compliance_at(p, Q).any()
