"""Whether an arm can go along a line, and where it cannot."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.control.operational_model import ArmModel
from freefloat.gnc.planning.arm.chain import Chain
from freefloat.gnc.planning.arm.line_check import LineLimits, check_line, check_speed, joint_line
from freefloat.gnc.planning.arm.paced_line import JointLine, Pace, TipLine

Q = np.array([-0.3, 0.4, 0.0, 1.2, 0.0, 0.8, 0.0])
LIMITS = LineLimits(np.full(7, 0.175), Q)
PLACE = re.compile(r"move, (\d+) % of the way, at \((.+), (.+), (.+)\) m: (.*)")


@pytest.fixture
def chain(spider_on: Callable[..., ArmModel]) -> Chain:
    return spider_on().chain


def straight(chain: Chain, by: tuple[float, float, float], speed: float = 0.1) -> TipLine:
    X = chain.pose(Q)
    return TipLine.at(X, Pose(X.R, X.p + np.array(by)), speed, 0.1)


def refusal(chain: Chain, line: TipLine | JointLine, limits: LineLimits = LIMITS) -> tuple[float, Array, str]:
    """Share of the way, place and reason of a refused line."""
    with pytest.raises(InputError) as told:
        check_line(chain, Q, line, limits, "move")
    found = PLACE.fullmatch(str(told.value))
    assert found is not None, told.value
    percent, *place, why = found.groups()
    return 0.01 * float(percent), np.array(place, np.float64), why


def test_a_line_within_reach_ends_in_joints_that_put_the_tip_there(chain: Chain) -> None:
    line = straight(chain, (0.1, 0.2, -0.1))
    q = check_line(chain, Q, line, LIMITS, "move")
    assert chain.pose(q).is_close(line.end, 1e-6)
    assert ((chain.lower <= q) & (q <= chain.upper)).all()
    assert np.abs(q - Q).max() > 0.05


def test_a_line_beyond_reach_is_refused_where_the_arm_is_stretched_out(chain: Chain) -> None:
    line = straight(chain, (1.5, 0.0, 0.0))
    share, place, why = refusal(chain, line)
    assert why.startswith("beyond reach by")
    assert place == pytest.approx(line.start.p + share * (line.end.p - line.start.p), abs=0.01)
    assert 0.1 < share < 0.9
    shorter = line.start.p + 0.5 * share * (line.end.p - line.start.p)
    check_line(chain, Q, TipLine.at(line.start, Pose(line.start.R, shorter), 0.02, 0.1), LIMITS, "move")


def test_reach_is_told_before_speed_where_a_line_has_neither(chain: Chain) -> None:
    slow = replace(LIMITS, speed=np.full(7, 1e-3))
    assert refusal(chain, straight(chain, (1.5, 0.0, 0.0)), slow)[2].startswith("beyond reach")
    share, _, why = refusal(chain, straight(chain, (0.1, 0.1, 0.0)), slow)
    assert re.fullmatch(r"joint 'arm\.\w+' at .* rad/s; allowed: up to 0\.001 rad/s", why)
    assert share < 0.1  # the first of them


def test_a_joint_beyond_its_limit_is_refused_at_the_first_sample_behind_it(chain: Chain) -> None:
    q1 = Q.copy()
    q1[3] = chain.upper[3] + 0.4
    share, place, why = refusal(chain, JointLine(Q, q1, Pace.of(0.05, 0.1)))
    assert why.startswith(f"joint {chain.joints[3]!r} at")
    passed = (chain.upper[3] - Q[3]) / (q1[3] - Q[3])
    assert passed <= share + 0.005
    assert share - 0.005 <= passed + 1.0 / 40.0
    assert place == pytest.approx(chain.pose(Q + share * (q1 - Q)).p, abs=0.01)


def test_lines_that_are_too_fast_for_the_tip_or_a_joint_are_refused(chain: Chain) -> None:
    X = chain.pose(Q)
    fast = TipLine(X, Pose(X.R, np.add(X.p, [0.0, 0.1, 0.0])), Pace.of(2.0, 100.0))
    with pytest.raises(InputError, match=r"move: the tip at 0\.2 m/s; allowed: up to 0\.1 m/s"):
        check_line(chain, Q, fast, LIMITS, "move")
    q1 = np.add(Q, [0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert refusal(chain, JointLine(Q, q1, Pace.of(0.6, 10.0)))[2].startswith("the tip at")
    alone = np.add(Q, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5])  # the hand about its own axis: the tip stays
    assert refusal(chain, JointLine(Q, alone, Pace.of(0.6, 10.0)))[2].startswith("joint 'arm.hand_roll' at 0.3 rad/s")


def test_a_line_of_joints_takes_the_speed_that_tip_and_joints_allow(chain: Chain) -> None:
    q1 = np.add(Q, [0.4, 0.2, 0.0, -0.3, 0.0, 0.1, 0.0])
    line = joint_line(chain, Q, q1, 0.05, 0.05, LIMITS)
    x = np.linspace(0.0, 1.0, 2001)
    p = np.array([chain.pose(Q + s * (q1 - Q)).p for s in x])
    fastest = line.pace.rate * np.linalg.norm(np.diff(p, axis=0), axis=1).max() / (x[1] - x[0])
    assert fastest == pytest.approx(0.05, rel=1e-3)
    assert check_line(chain, Q, line, LIMITS, "move") == pytest.approx(q1, abs=0.0)
    alone = np.add(Q, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0])
    assert 2.0 * joint_line(chain, Q, alone, 0.05, 10.0, LIMITS).pace.rate == pytest.approx(0.175, rel=1e-12)


def test_speeds_and_joints_that_cannot_be_are_refused(chain: Chain) -> None:
    assert check_speed(0.1, 0.1, "here") == 0.1
    for speed in (0.0, -0.1, 0.11, float("nan")):
        with pytest.raises(InputError, match=r"here: speed .* m/s; allowed: above 0, up to 0\.1 m/s"):
            check_speed(speed, 0.1, "here")
    for wrong in (Q[:6], np.full(7, np.nan)):
        with pytest.raises(InputError, match="allowed: 7 finite numbers"):
            joint_line(chain, Q, wrong, 0.05, 0.05, LIMITS)
