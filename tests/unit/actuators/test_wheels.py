"""Reaction wheels: limits, friction, imbalance, and what the audit sees of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import ReactionWheels
from freefloat.errors import InputError

INERTIA = (12.0, 10.0, 8.0)  # [kg m^2]
J = 0.005  # [kg m^2]


def spun(
    torque: float, duration: float, motion: ff.Motion | None = None, step: float = 1e-3, **wheel: Any
) -> ff.Result:
    """A bus with one wheel along z under a constant command."""
    parts = [ff.RigidBody("bus", 100.0, INERTIA, motion=motion or ff.Motion())]
    wheels = ReactionWheels("wheel", "bus", [[0.0, 0.0, 2.0]], inertia=J, **wheel)
    mission = ff.Mission([*parts, wheels], integrator=ff.RK4(step))
    session = mission.session()
    session.write("wheel.tau", [torque])
    return mission.complete(session, duration, strict=True)


def test_a_torque_spins_the_wheel_one_way_and_the_body_the_other() -> None:
    result = spun(0.02, 5.0)
    w = -0.02 * 5.0 / INERTIA[2]
    assert result["bus.w_WB_B"][-1, 2] == pytest.approx(w, rel=1e-11)
    assert result["wheel.h"][-1, 0] == pytest.approx(0.1, rel=1e-11)
    assert result["wheel.speed"][-1, 0] == pytest.approx(0.1 / J - w, rel=1e-11)


@pytest.mark.parametrize("command", [0.5, -0.5, 1e9])
def test_the_torque_is_limited(command: float) -> None:
    result = spun(command, 1.0, max_torque=0.1)
    assert np.all(result["wheel.tau_applied"] == np.sign(command) * 0.1)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_motor_drives_no_further_than_the_speed_limit_but_brakes(sign: float) -> None:
    mission = ff.Mission(
        [ff.RigidBody("bus", 100.0, INERTIA), ReactionWheels("wheel", "bus", [[0.0, 0.0, 1.0]], max_speed=50.0)]
    )
    session = mission.session()
    session.write("wheel.tau", [0.1 * sign])
    session.step(10.0)
    top = sign * session.read("wheel.speed")[0]
    assert 50.0 <= top < 50.0 + 0.1 / J * 1e-3 * 1.1, "one step of 1 ms past the limit at most"
    assert session.read("wheel.tau_applied")[0] == 0.0
    session.write("wheel.tau", [-0.1 * sign])
    session.step(1.0)
    assert sign * session.read("wheel.speed")[0] < 31.0


def test_friction_turns_into_heat_and_brings_wheel_and_body_to_one_rate() -> None:
    result = spun(0.0, 60.0, momentum=1.0, viscous=1e-3, dry=1e-4)
    rate = 1.0 / (INERTIA[2] + J)
    heat = 1.0 / (2.0 * J) - 0.5 * 1.0 * rate
    assert result["bus.w_WB_B"][-1, 2] == pytest.approx(rate, rel=1e-4)
    assert result.metrics["audit.heat_J"] == pytest.approx(heat, rel=1e-4)
    assert result.metrics["audit.energy_drift"] < 1e-11
    assert result.metrics["audit.angular_momentum_drift"] < 1e-12


def test_viscous_friction_alone_decays_as_its_closed_form() -> None:
    c = 1e-4
    result = spun(0.0, 20.0, momentum=1.0, viscous=c)
    t = result.time("wheel.speed")
    expected = 1.0 / J * np.exp(-c * (1.0 / J + 1.0 / INERTIA[2]) * t)
    np.testing.assert_allclose(result["wheel.speed"][:, 0], expected, rtol=1e-11)


def test_a_spinning_wheel_holds_a_tumbling_body_by_its_gyroscopic_torque() -> None:
    motion = ff.Motion(w_WL_L=(1e-4, 0.0, 0.0))
    result = spun(0.0, 10.0, motion, momentum=2.0)
    w = result["bus.w_WB_B"]
    # torque-free dual-spin rotor: transverse rates of small size turn at h sqrt(1 / (Ix Iy))
    n = 2.0 / np.sqrt(INERTIA[0] * INERTIA[1])
    np.testing.assert_allclose(w[:, 0], 1e-4 * np.cos(n * result.time("bus.w_WB_B")), atol=1e-9)


def test_an_unbalanced_rotor_shakes_its_body_and_the_books_still_balance() -> None:
    static, speed = 1e-5, 100.0
    result = spun(0.0, 1.0, step=1e-4, momentum=J * speed, static_imbalance=static, dynamic_imbalance=1e-6)
    assert np.abs(result["bus.v_WB"][:, :2]).max() == pytest.approx(2.0 * static * speed / 100.0, rel=0.02)
    assert np.abs(result["bus.w_WB_B"][:, :2]).max() > 1e-7
    assert max(result.audit.drifts.values()) < 1e-9


def test_wheels_work_in_the_axes_of_their_frame() -> None:
    mount = {"mount": ff.Pose.from_rpy((0.0, np.pi / 2.0, 0.0), (0.1, 0.2, 0.3))}  # its z is x of the body
    bus = ff.RigidBody("bus", 100.0, INERTIA, frames=mount)
    mission = ff.Mission([bus, ReactionWheels("wheel", "bus.mount", [[0.0, 0.0, 1.0]])])
    session = mission.session()
    session.write("wheel.tau", [0.05])
    session.step(1.0)
    np.testing.assert_allclose(session.read("bus.w_WB_B"), [-0.05 / INERTIA[0], 0.0, 0.0], atol=1e-15)


@pytest.mark.parametrize(
    ("wheel", "says"),
    [
        ({"axes": [[0.0, 0.0, 0.0]]}, "not all zero"),
        ({"axes": [[1.0, 0.0]]}, "allowed: 3 numbers"),
        ({"axes": [[1.0, float("nan"), 0.0]]}, "axes"),
        ({"inertia": 0.0}, "inertia 0.0 kg m.2; allowed: > 0"),
        ({"max_torque": -1.0}, "max_torque -1.0 N m; allowed: > 0"),
        ({"max_speed": float("nan")}, "max_speed nan; allowed: > 0"),
        ({"viscous": -1.0}, "viscous"),
        ({"dry": float("nan")}, "dry"),
        ({"momentum": [1.0, 2.0]}, "momentum"),
        ({"momentum": float("inf")}, "momentum"),
        ({"static_imbalance": float("nan")}, "imbalance"),
    ],
)
def test_a_wheel_that_cannot_be_is_one_clear_error(wheel: Any, says: str) -> None:
    given = {"axes": [[0.0, 0.0, 1.0]], **wheel}
    with pytest.raises(InputError, match=f"wheels 'wheel': .*{says}"):
        ff.Mission([ff.RigidBody("bus"), ReactionWheels("wheel", "bus", **given)])


def test_wheels_on_a_body_that_is_not_there_are_refused() -> None:
    with pytest.raises(InputError, match="Did you mean 'bus'"):
        ff.Mission([ff.RigidBody("bus"), ReactionWheels("wheel", "buss", np.eye(3))])


def test_a_wheel_at_its_speed_limit_holds_it_against_friction() -> None:
    wheels = ReactionWheels("w", "b", [[0, 0, 1]], inertia=0.01, max_torque=0.1, max_speed=100.0, viscous=1e-4)
    session = ff.Mission([ff.RigidBody("b"), wheels], integrator=ff.Dopri54()).session()
    session.write("w.tau", [0.1])
    session.step(30.0)
    assert session.read("w.speed") == pytest.approx([100.0], abs=0.1)
    assert session.world.steps < 2000
