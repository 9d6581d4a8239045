"""Rows of imposed motions in the solver: what they answer to banks, and how they share loads with welds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Joint, Link
from freefloat.kernels.bank import Effect, Rate, State
from freefloat.robots import load_robot

START = (0.3, -0.5)


def _stage(t, p, x, u, view, dx, tau, wrench, y, power):
    pass


def _advance(t, h, p, x, u, view, answer, new, impulse, moment, booked):
    for r in range(p.i.shape[0]):
        new[r] = answer.minv[r, p.i[r, 0]]


LOOK = Effect(
    "imposed_look",
    _stage,
    references={"rate": Rate},
    states=(State("minv", kind="fast"),),
    advance=_advance,
    answers=("rate",),
)


@dataclass(frozen=True)
class Looking:
    """Tells the acceleration that a unit effort on a joint makes, as `advance` is told."""

    name: str
    joint: str

    def build(self, b: Any) -> None:
        b.signal_of("minv", [b.add(LOOK.row(b.full("row"), rate=self.joint))], "minv")


def test_a_bank_is_told_what_an_effort_does_while_another_joint_is_imposed() -> None:
    parts = [ff.Arm("arm", load_robot("planar_two_link"), q=START), ff.ImposedMotion("drive", "arm.shoulder")]
    looks = [Looking("on_elbow", "arm.elbow"), Looking("on_shoulder", "arm.shoulder")]
    session = ff.Mission([*parts, *looks]).session()
    before = session.read("arm.qdd").copy()
    session.write("arm.tau", [0.0, 1.0])
    after = session.read("arm.qdd")
    session.step(1e-3)
    assert session.read("on_elbow.minv")[0] == pytest.approx(after[1] - before[1], rel=1e-9)
    assert session.read("on_shoulder.minv")[0] == pytest.approx(0.0, abs=1e-12), "an imposed joint does not give way"


class Bench:
    """A turntable and a slide on the ground."""

    name = "bench"

    def build(self, b: Any) -> None:
        b.body(Link("foot", 1.0, np.zeros(3), np.eye(3)))
        b.anchor("foot", ff.Pose.identity())
        b.body(Link("plate", 1.0, np.zeros(3), np.eye(3)))
        b.joint(Joint("turn", "revolute", "foot", "plate", ff.Pose.identity()))
        b.body(Link("sled", 1.0, np.zeros(3), np.eye(3)))
        b.joint(Joint("slide", "prismatic", "foot", "sled", ff.Pose.identity(), np.array([1.0, 0.0, 0.0])))


@pytest.mark.parametrize(("joint", "link", "entry"), [("turn", "plate", 5), ("slide", "sled", 0)])
def test_what_is_held_by_a_weld_and_by_a_course_shares_its_load_equally(joint: str, link: str, entry: int) -> None:
    """A torque weighs as 1 / l = 10 forces on both sides; the two rows are the same, and so are their multipliers."""
    weld = ff.Connection("weld", "bench.foot", f"bench.{link}", hold="constraint", closed=True)
    torque = ff.ImposedMotion("drive", f"bench.{joint}")

    class Push:
        name = "push"

        def build(self, b: Any) -> None:
            from freefloat.engine.rows import joint_torque

            b.add(joint_torque(f"bench.{joint}", b.command("effort", (1,), "N m or N"), 0))

    session = ff.Mission([Bench(), torque, Push()], connections=[weld]).session()
    session.write("push.effort", [3.0])
    assert session.read("drive.effort")[0] == pytest.approx(-1.5, rel=1e-9)
    assert session.read("weld.load")[entry] == pytest.approx(-1.5, rel=1e-9)
    session.step(0.1)
    assert session.world.joint(f"bench.{joint}") == pytest.approx((0.0, 0.0), abs=1e-12)
