"""Wheels and thrusters: what they exchange with their body, and what they draw."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from freefloat.actuators import ReactionWheels, Thruster, Thrusters
from freefloat.engine.blueprint import Motion
from freefloat.engine.mission import Mission
from freefloat.frames import quat_to_matrix
from freefloat.structure import RigidBody
from freefloat.units import G0
from freefloat.verify.case import Comparison, at_most, case
from freefloat.verify.drawing import curves_over_time, errors_over_time

INERTIA = (12.0, 10.0, 8.0)  # [kg m^2] of the bus
AXES = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [0.0, -1.0, 1.0]]) / math.sqrt(2.0)
TORQUES = np.array([0.05, -0.02, 0.03, -0.04])  # [N m]
PULSES = ((1.0, 0.3), (0.0, 0.2), (1.0, 2.0), (0.0, 0.5), (0.4, 1.0), (0.0, 2.0))  # valve [-], duration [s]
ISP = 220.0  # [s]
LAGS = (0.05, 0.08)  # [s] opening, closing


@case("wheel-momentum", source="conservation of angular momentum: R_WB (I w + sum of h_k a_k) stays without torque")
def wheel_momentum() -> Iterator[Comparison]:
    """Four wheels spun up on a tumbling bus, with friction; and one wheel about a main axis in closed form."""
    bus = RigidBody("bus", 100.0, INERTIA, motion=Motion(w_WL_L=(0.05, 0.02, -0.03)))
    wheels = ReactionWheels("wheels", "bus", AXES, viscous=1e-5, dry=1e-4, momentum=(0.1, -0.2, 0.05, 0.0))
    mission = Mission([bus, wheels])
    session = mission.session()
    session.write("wheels.tau", TORQUES)
    result = mission.complete(session, 60.0)
    times = result.time("wheels.h")
    stored = result["wheels.h"] @ AXES
    total = np.array(
        [
            quat_to_matrix(q) @ (np.array(INERTIA) * w + h)
            for q, w, h in zip(result["bus.q_WB"], result["bus.w_WB_B"], stored, strict=True)
        ]
    )
    moved = float(np.linalg.norm(stored - stored[0], axis=1).max())
    change = np.linalg.norm(total - total[0], axis=1) / moved
    yield at_most(
        "change of the total angular momentum over that exchanged, four wheels in 60 s",
        "-",
        ours=float(change.max()),
        tolerance=1e-12,
        plot=errors_over_time(times, {"change of the total": change}, 1e-12, f"{moved:.2f} N m s exchanged"),
    )
    yield at_most(
        "angular-momentum drift in the run's own audit",
        "-",
        ours=result.metrics["audit.angular_momentum_drift"],
        tolerance=1e-12,
    )
    yield from _one_axis()


def _one_axis() -> Iterator[Comparison]:
    torque, duration = 0.05, 40.0
    mission = Mission([RigidBody("bus", 100.0, INERTIA), ReactionWheels("wheel", "bus", [[0.0, 0.0, 1.0]])])
    session = mission.session()
    session.write("wheel.tau", [torque])
    result = mission.complete(session, duration)
    times = result.time("bus.w_WB_B")
    rate = result["bus.w_WB_B"][:, 2]
    given, taken = result["wheel.h"][:, 0], INERTIA[2] * rate
    yield at_most(
        "momentum of the bus and of one wheel about its axis, sum over the largest",
        "-",
        ours=float(np.abs(given + taken).max() / np.abs(given).max()),
        tolerance=1e-12,
        plot=curves_over_time(times, {"bus": taken, "wheel": given}, "[N m s]", "one wheel about a main axis"),
    )
    yield at_most(
        "error of the bus rate -T t / Iz under one wheel, over its largest value",
        "-",
        ours=float(np.abs(rate + torque * times / INERTIA[2]).max() / (torque * duration / INERTIA[2])),
        tolerance=1e-11,  # 40000 steps are summed
    )


@case("propellant", source="Tsiolkovsky's definition of specific impulse: m = J / (Isp g0); first-order valve lag")
def propellant() -> Iterator[Comparison]:
    """A thruster pulsed with valve lags: what it draws, what it gives, and what the body gets."""
    mass = 100.0
    bus = RigidBody("bus", mass, INERTIA, size=(1.0, 1.0, 1.0))
    jets = Thrusters("jets", "bus", [Thruster((-0.5, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0, ISP, *LAGS)])
    mission = Mission([bus, jets])
    session = mission.session()
    for valve, duration in PULSES:
        session.write("jets.open", [valve])
        session.step(duration)
    result = mission.complete(session, session.time)
    impulse, drawn = result["jets.impulse"][-1, 0], result["jets.propellant"][-1, 0]
    expected = impulse / (ISP * G0)
    thrust = result["jets.thrust"][:, 0]
    yield at_most(
        "propellant drawn against impulse / (Isp g0), relative",
        "-",
        ours=abs(drawn / expected - 1.0),
        tolerance=1e-12,
        plot=curves_over_time(result.time("jets.thrust"), {"thrust": thrust}, "[N]", "pulses with valve lags"),
    )
    yield at_most(
        "momentum of the body against the impulse, relative",
        "-",
        ours=abs(mass * result["bus.v_WB"][-1, 0] / impulse - 1.0),
        tolerance=1e-12,
    )
    yield at_most(
        "impulse of the pulses against the valves' closed form, relative",
        "-",
        ours=abs(impulse / _impulse() - 1.0),
        tolerance=1e-6,
    )


def _impulse() -> float:
    """Integral of the opening x' = (u - x) / lag over the same pulses [N s at 1 N]."""
    x, total = 0.0, 0.0
    for u, duration in PULSES:
        lag = LAGS[0] if u > x else LAGS[1]
        end = u + (x - u) * math.exp(-duration / lag)
        total += u * duration - lag * (end - x)
        x = end
    return total
