"""Drives on a test bench, for the cases of their components: parts that are absent, and motions that are imposed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from freefloat.drives import Brake, Driver, Friction, Gear, Motor, Resolver
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.session import Session
from freefloat.robots.drive_bench import DriveBench

BENCH = "bench"
SUBSTEPS = 10  # of a step of 1 ms
IDEAL = Motor(kind="ideal")
NO_LIMIT = Driver(max_current=1e9)
NO_FRICTION = Friction(coulomb=0.0, viscous=0.0)
NO_BRAKE = Brake(0.0)
EXACT = Resolver(bits=0)
PLAIN_GEAR = Gear(hysteresis=0.0, kinematic_error=0.0, torque_loss=0.0)
OPEN_GEAR = Gear(1.0, 1.0, damping=0.0, backlash=1e9, hysteresis=0.0, kinematic_error=0.0, torque_loss=0.0)

Act = Callable[[Session], None]


def bench_run(bench: DriveBench, duration: float, act: Act | None = None, step: float = 1e-3) -> Result:
    """A run recorded at 1 kHz; `act` leads the session through its first part."""
    mission = Mission([bench], integrator=RK4(step), record_rate=1000.0)
    session = mission.session()
    if act is not None:
        act(session)
    return mission.complete(session, duration, strict=True)


def sweep(session: Session, angles: Sequence[float], period: float) -> None:
    """Lead an imposed rotor from one angle [rad] to the next in `period` [s] each, at rest in each of them.

    x = x0 + (x1 - x0)(10 s^3 - 15 s^4 + 6 s^5), s = t / period.
    """
    here = float(session.read(f"{BENCH}.motor_q")[0])
    for there in angles:
        far = there - here
        terms = (10.0 * far / period**3, -15.0 * far / period**4, 6.0 * far / period**5)
        session.write(f"{BENCH}.course", [session.time, here, 0.0, 0.0, *terms])
        session.step(period)
        here = there
    session.write(f"{BENCH}.course", [session.time, here, 0.0, 0.0, 0.0, 0.0, 0.0])
