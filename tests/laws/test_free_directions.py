"""Connections that hold only some directions: sliding, hinges, sockets; friction, parting and plastic closing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.errors import InputError

G, TILT = 9.81, 0.3  # [m/s^2], [rad]
X_WP = ff.Pose.from_rpy((0.0, TILT, 0.0), (0.0, 0.0, 0.0))
SLIDE: Any = {"hold": "constraint", "free": ("x", "y", "rz"), "pushes": "+z", "closed": True}
FALL = ff.uniform_gravity((0.0, 0.0, -G))


@dataclass(frozen=True)
class Plate:
    """Stands still; its frame `top` has z along the normal."""

    name: str = "plate"
    X_WP: ff.Pose = X_WP

    def build(self, b: ff.Builder) -> None:
        b.body(Link("body", 1.0, np.zeros(3), np.eye(3)))
        b.anchor("body", self.X_WP)
        b.frame("top", b.full("body"), ff.Pose.identity())


def _block(v_P: Any = (0.0, 0.0, 0.0), spin: float = 0.0) -> ff.RigidBody:
    motion = ff.Motion(X_WP, (0.0, 0.0, spin), tuple(X_WP.R @ np.asarray(v_P)))
    return ff.RigidBody("block", 2.0, inertia=(0.1, 0.2, 0.3), motion=motion)


def _slide(v_P: Any, duration: float = 1.0, spin: float = 0.0, **changed: Any) -> ff.Result:
    slide = ff.Connection("slide", "plate.top", "block", **{**SLIDE, **changed})
    return ff.Mission([Plate(), _block(v_P, spin)], connections=[slide], rows=[FALL]).run(duration, strict=True)


def test_what_slides_on_a_slope_falls_along_it_and_spins_freely() -> None:
    result = _slide((0.1, 0.05, 0.0), spin=4.0)
    down = X_WP.R.T @ result["block.p_WB"][-1]
    assert down == pytest.approx([0.1 + 0.5 * G * np.sin(TILT), 0.05, 0.0], abs=1e-10)
    assert result["slide.push"] == pytest.approx(2.0 * G * np.cos(TILT), rel=1e-9)
    assert result["block.w_WB_B"][-1] == pytest.approx([0.0, 0.0, 4.0], abs=1e-9)  # more than half a turn
    assert np.abs(result["slide.error"]).max() < 1e-10


@pytest.mark.parametrize("mu", [0.1, 0.25])
def test_friction_takes_mu_times_the_push_and_its_work_becomes_heat(mu: float) -> None:
    result = _slide((1.0, 0.0, 0.0), friction=mu, slip_speed=1e-6)
    rate = G * (np.sin(TILT) - mu * np.cos(TILT))
    way = X_WP.R.T @ result["block.p_WB"][-1]
    assert way == pytest.approx([1.0 + 0.5 * rate, 0.0, 0.0], abs=1e-6)
    assert result.metrics["audit.heat_J"] == pytest.approx(mu * 2.0 * G * np.cos(TILT) * way[0], rel=1e-5)
    across = X_WP.R.T @ result["slide.load"][-1, :3]
    assert across == pytest.approx([-mu * across[2], 0.0, across[2]], abs=1e-5)


def test_what_pushes_is_found_together_with_its_friction() -> None:
    """A long rod that slides on its end: friction at the end lifts or presses it, so that N is not the weight."""
    height, inertia, mu, m, v = 0.5, 0.05, 0.3, 2.0, 1.0
    up = ff.Pose(np.eye(3), [0.0, 0.0, height])
    lean = ff.Motion(ff.Pose.from_rpy((0.0, 0.4, 0.0), (0.0, 0.0, 0.0)), v_WL=(v, 0.0, 0.0))
    rod = ff.RigidBody("rod", m, inertia=(inertia,) * 3, motion=lean, frames={"end": up.inverse()})
    free = ("x", "y", "rx", "ry", "rz")
    slide = ff.Connection(
        "slide", "plate.top", "rod.end", **{**SLIDE, "free": free, "friction": mu, "slip_speed": 1e-9}
    )
    flat = Plate(X_WP=ff.Pose(np.eye(3), [0.0, 0.0, 0.0]))
    session = ff.Mission([flat, rod], connections=[slide], rows=[FALL]).session()
    r = session.pose("rod.end").p - session.pose("rod").p  # from the centre of mass
    # the force (-mu N, 0, N) at r leaves the end without vertical acceleration
    torque = r[2] * -mu - r[0] * 1.0  # about y, per N
    push = G / (1.0 / m - torque * r[0] / inertia)
    assert session.read("slide.push") == pytest.approx(push, rel=1e-6)
    assert abs(push - m * G) > 1.0


def _pair(free: tuple[str, ...], hold: str = "constraint") -> Any:
    """Two free bodies, both turning, joined at a frame between them."""
    spin = (0.3, -0.4, 0.5)
    one = ff.RigidBody(
        "one",
        3.0,
        inertia=(1.0, 2.0, 2.5),
        motion=ff.Motion(w_WL_L=spin),
        frames={"out": ff.Pose.from_rpy((0.2, 0.1, 0.3), (0.5, 0.0, 0.0))},
    )
    X_W2 = ff.Pose.from_rpy((0.2, 0.1, 0.3), (1.0, 0.1, 0.0))
    two = ff.RigidBody(
        "two", 2.0, inertia=(0.4, 0.5, 0.6), motion=ff.Motion(X_W2, w_WL_L=(0.1, 0.2, 1.0), v_WL=(0.1, 0.4, 0.0))
    )
    joint = ff.Connection("joint", "one.out", "two", hold=hold, free=free, closed=True)
    return ff.Mission([one, two], connections=[joint])


@pytest.mark.parametrize("free", [("x", "y"), ("z",), ("rz",), ("rx", "ry", "rz"), ("x", "rx")])
def test_two_free_bodies_keep_momentum_and_energy_while_they_slide_and_turn(free: tuple[str, ...]) -> None:
    result = _pair(free).run(3.0, strict=True)
    assert result.metrics["audit.linear_momentum_drift"] < 1e-13
    assert result.metrics["audit.angular_momentum_drift"] < 1e-11
    assert result.metrics["audit.energy_drift"] < 1e-9
    assert np.nanmax(np.abs(result["joint.error"])) < 1e-9
    start, end = (_between(result, n) for n in (0, -1))
    assert np.abs(start - end).max() > 0.05  # it is not rigid


def _between(result: ff.Result, n: int) -> np.ndarray:
    """Pose of two in one, at a row."""
    one, two = (ff.Pose.from_quat(result[f"{of}.q_WB"][n], result[f"{of}.p_WB"][n]) for of in ("one", "two"))
    X = one.inverse() @ two
    return np.concatenate([X.p, X.R.ravel()])


def test_a_hinge_by_multipliers_moves_as_a_joint_of_the_tree(robot_part: Any) -> None:
    inertias = {"base": np.diag([1.0, 2.0, 2.5]), "link": np.diag([0.4, 0.5, 0.6])}
    links = [
        Link("base", 3.0, np.zeros(3), inertias["base"]),
        Link("link", 2.0, np.array([0.3, 0.0, 0.1]), inertias["link"]),
    ]
    X_BJ = ff.Pose.from_rpy((0.2, 0.1, 0.3), (0.5, 0.0, 0.0))
    hinge = Joint("hinge", "revolute", "base", "link", X_BJ, np.array([0.0, 0.0, 1.0]))
    start = ff.Motion(w_WL_L=(0.3, -0.4, 0.5))
    tree = robot_part("robot", LinkGraph(tuple(links), (hinge,), "base"), {"hinge": 0.0}, {"hinge": 2.0}, start)
    session = ff.Mission([tree]).session()
    X, w, v = session.motion("robot.link")
    base = ff.RigidBody("base", 3.0, inertia=inertias["base"], motion=start, frames={"out": X_BJ})
    link = ff.RigidBody(
        "link", 2.0, inertia=inertias["link"], p_BBcm=(0.3, 0.0, 0.1), motion=ff.Motion(X, tuple(w), tuple(v))
    )
    joint = ff.Connection("joint", "base.out", "link", hold="constraint", free=("rz",), closed=True)
    result = ff.Mission([base, link], connections=[joint]).run(3.0, strict=True)
    session.step(3.0)
    assert result["link.p_WB"][-1] == pytest.approx(session.pose("robot.link").p, abs=1e-9)
    assert result["base.q_WB"][-1] == pytest.approx(session.pose("robot.base").q, abs=1e-9)


def test_closing_takes_away_what_is_held_and_nothing_else() -> None:
    slide = ff.Connection("slide", "plate.top", "block", **{**SLIDE, "closed": False})
    session = ff.Mission([Plate(), _block((0.3, 0.2, -0.1), spin=1.0)], connections=[slide]).session()
    lost = session.attach("slide")
    assert lost == pytest.approx(0.5 * 2.0 * 0.1**2, rel=1e-12)
    _, w, v = session.motion("block")
    assert X_WP.R.T @ v == pytest.approx([0.3, 0.2, 0.0], abs=1e-14)
    assert w == pytest.approx([0.0, 0.0, 1.0], abs=1e-14)


def test_it_opens_at_the_instant_at_which_it_would_pull() -> None:
    class Lift:
        def update(self, t: float, meas: Any) -> Any:
            return {"wrench": [0.0, 0.0, 0.0, 0.0, 0.0, 40.0 * t]}

    flat = Plate(X_WP=ff.Pose.identity())
    block = ff.RigidBody("block", 2.0)
    slide = ff.Connection("slide", "plate.top", "block", **SLIDE)
    lift = ff.Task(Lift(), 0.001, writes={"wrench": "block.wrench"})
    result = ff.Mission([flat, block], [lift], connections=[slide], rows=[FALL]).run(0.8, strict=True)
    assert [event.name for event in result.events] == ["slide.parting"]
    assert result.events[0].t == pytest.approx(2.0 * G / 40.0, abs=1.1e-3)  # the force is held over 1 ms
    assert np.isnan(result["slide.push"][-1])
    assert result["block.p_WB"][-1, 2] > 0.01
    assert result["block.p_WB"][:, 2].min() > -1e-12


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"free": ("u",)}, "allowed: a list of x, y, z, rx, ry, rz, not all of them"),
        ({"free": ("x", "y", "z", "rx", "ry", "rz")}, "not all of them"),
        ({"free": ("rx", "ry")}, "turns about one axis, or about all three"),
        ({"hold": "tree"}, "free directions need hold='constraint'"),
        ({"pushes": "+x"}, "a direction that is held"),
        ({"pushes": "", "friction": 0.1}, "needs a direction that `pushes`"),
        ({"free": ()}, "needs free directions"),
        ({"friction": -0.1}, "friction -0.1; allowed: >= 0"),
    ],
)
def test_what_cannot_be_is_refused(changed: Any, told: str) -> None:
    with pytest.raises(InputError, match=r"connection 'slide'.*" + told.replace("+", r"\+")):
        ff.Connection("slide", "plate.top", "block", **{**SLIDE, **changed})
    if changed == {"hold": "tree"}:
        session = ff.Mission(
            [Plate(), _block()], connections=[ff.Connection("slide", "plate.top", "block", **SLIDE)]
        ).session()
        with pytest.raises(InputError, match="to hold it by a constraint"):
            session.hold("slide", "tree")
