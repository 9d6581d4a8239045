"""The advised step: closed forms, masses of bodies and arms, and an audit that passes at it and fails far beyond."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Ball, Contact, HuntCrossley, LankaraniNikravesh, SpringDamper, StickingFriction
from freefloat.contact.step import MOST, advised_step, peak_penetration, slope_at_peak
from freefloat.engine.blueprint import Blueprint, draw
from freefloat.errors import AuditError, StepWarning
from freefloat.verify.parts import FreeBall

MASS, K, V = 100.0, 5e4, 0.1  # [kg] of each of two balls, [N/m], [m/s]


def parts(law: Any) -> list[Any]:
    coming = ff.Motion(ff.Pose.from_rpy((0, 0, 0), (0.21, 0.0, 0.0)), v_WL=(-V, 0.0, 0.0))
    return [FreeBall("left", MASS), FreeBall("right", MASS, motion=coming), Contact("touch", "left", "right", law)]


def meeting(law: Any, step: Any) -> ff.Result:
    return ff.Mission(parts(law), integrator=ff.RK4(step), record_rate=100.0).run(0.4, strict=True)


def advised(bp: Blueprint) -> float:
    return bp.advices[0].longest_step(ff.Mission(bp, integrator=ff.RK4("auto")).session().world).step


def test_a_linear_spring_and_a_damper_have_closed_forms() -> None:
    assert advised_step(K, 1.0, V, 50.0) == pytest.approx(MOST * math.sqrt(50.0 / K))
    assert advised_step(K, 1.0, V, 50.0, damping=1e6) == pytest.approx(MOST * 50.0 / 1e6)


def test_a_stiffening_spring_counts_with_its_slope_where_it_stops_the_mass() -> None:
    k, n, m = 1e6, 1.5, 5.0
    x = peak_penetration(k, n, V, m)
    assert k * x ** (n + 1.0) / (n + 1.0) == pytest.approx(0.5 * m * V * V)
    assert slope_at_peak(k, n, V, m) == pytest.approx(k * ((x + 1e-7) ** n - (x - 1e-7) ** n) / 2e-7, rel=1e-6)
    assert advised_step(k, n, 2.0 * V, m) < advised_step(k, n, V, m)  # faster, deeper, stiffer


@pytest.mark.parametrize(
    "law",
    [
        SpringDamper(K),
        SpringDamper(K, 2.0 * math.sqrt(50.0 * K)),
        SpringDamper(K, 10.0 * math.sqrt(50.0 * K)),
        HuntCrossley(K, 5.0, 1.0),
        HuntCrossley(1e6, 1.0),
        LankaraniNikravesh(K, 0.5, 1.0),
    ],
    ids=["spring", "critical", "overdamped", "hunt-crossley", "hertz", "lankarani-nikravesh"],
)
def test_the_audit_passes_at_the_advised_step_itself(law: Any) -> None:
    numbers, longest = law.columns(), advised(draw(parts(law)))
    assert longest <= advised_step(numbers["stiffness"], numbers["exponent"], V, 50.0) * (1.0 + 1e-8)
    meeting(law, math.floor(longest * 1e9) * 1e-9)


def test_far_beyond_it_a_run_warns_and_its_audit_fails() -> None:
    with (
        pytest.warns(
            StepWarning, match=r"contact 'touch': a step of 8 ms is too long; 2 ms would do \(5e\+04 N/m on 50"
        ),
        pytest.raises(AuditError, match="energy_drift"),
    ):
        meeting(SpringDamper(K), 8e-3)


def test_a_fast_approach_counts_with_its_own_speed() -> None:
    def longest(v: float) -> float:
        ball = FreeBall("ball", 1.0, motion=ff.Motion(ff.Pose.from_rpy((0, 0, 0), (0, 0, 1)), v_WL=(0.0, 0.0, -v)))
        return advised(draw([ball, Contact("touch", "world", "ball", HuntCrossley(1e6))]))

    assert longest(0.01) == longest(0.1) == pytest.approx(advised_step(1e6, 1.5, 0.1, 1.0))
    assert longest(3.0) == pytest.approx(advised_step(1e6, 1.5, 3.0, 1.0))


def test_sticking_friction_swings_the_mass_that_the_rim_of_a_ball_feels() -> None:
    ball = FreeBall("ball", 7.0, 0.1, ff.Motion(ff.Pose.from_rpy((0, 0, 0), (0.0, 0.0, 0.2))))
    touch = Contact("touch", "world", "ball", SpringDamper(1.0), StickingFriction(0.5, 4e3))
    assert advised(draw([ball, touch])) == pytest.approx(
        MOST * math.sqrt(2.0 / 4e3)
    )  # 1 / (1 / m + r^2 / (2/5 m r^2)) = 2/7 m


def test_a_foot_beside_the_centre_of_mass_feels_less_of_it() -> None:
    def mass(*at: float) -> float:
        body = ff.RigidBody("body", 12.0, size=(1.0, 1.0, 1.0))  # 2 kg m^2 about every axis
        bp = draw([body, Contact("feet", "world", "body", SpringDamper(1e4), balls=[Ball(at, 0.1)])])  # type: ignore[arg-type]
        return 1e4 * (advised(bp) / MOST) ** 2

    assert mass(0.0, 0.0, -0.5) == pytest.approx(12.0)
    assert mass(0.3, 0.4, -0.5) == pytest.approx(1.0 / (1.0 / 12.0 + 0.125))


def test_links_that_cannot_move_against_each_other_need_no_step() -> None:
    other = FreeBall("other", 1.0, motion=ff.Motion(ff.Pose.from_rpy((0, 0, 0), (3, 0, 0))))
    touch = Contact("touch", "body", "other", SpringDamper(1e4), StickingFriction(0.1, 1e4))
    assert (
        advised(draw([FreeBall("body"), other, touch], [ff.Connection("weld", "body", "other", closed=True)]))
        == math.inf
    )


def test_auto_makes_a_stiff_contact_pass_its_audit() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = meeting(SpringDamper(5e6), "auto")
    assert result.step == 2e-4  # 0.07 sqrt(50 / 5e6) = 0.22 ms
    assert result["right.v_WB"][-1] == pytest.approx(np.zeros(3), abs=1e-7)


def test_a_contact_gives_its_balls_to_the_advice() -> None:
    feet = [Ball((0.1, 0.0, -0.1), 0.02), Ball((-0.1, 0.0, -0.1), 0.02)]
    bp = draw([ff.RigidBody("box", 2.0), Contact("feet", "world", "box", SpringDamper(1e4), balls=feet)])
    assert [ball.p_BC for ball in bp.advices[0].pairs] == [ball.p_BC for ball in feet]  # type: ignore[attr-defined]
