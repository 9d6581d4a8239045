"""Contact: a ball drops on a free plate, and what comes back of its speed is compared with a table of the law."""

import argparse

import numpy as np

import freefloat as ff
from freefloat.contact import Ball, Contact, HuntCrossley, RegularisedFriction

RADIUS, SPEED = 0.1, 0.2  # [m], [m/s] of approach
TABLE = {0.25: 0.952370, 0.5: 0.909016, 1.0: 0.832870, 1.5: 0.768000}  # c [s/m] -> restitution, Hunt and Crossley


def meeting(law: HuntCrossley, friction: RegularisedFriction | None = None, across: float = 0.0) -> ff.Mission:
    """A ball flies towards a plate in free fall."""
    start = ff.Motion(ff.Pose(np.eye(3), (0.0, 0.0, 0.06 + RADIUS)), v_WL=(across, 0.0, -SPEED))
    plate = ff.RigidBody("plate", 20.0, size=(1.0, 1.0, 0.1))
    inertia = np.full(3, 0.4 * 2.0 * RADIUS**2)
    ball = ff.RigidBody("ball", 2.0, inertia, size=(2 * RADIUS,) * 3, motion=start)
    touch = Contact("touch", "plate", "ball", law, friction, balls=[Ball((0.0, 0.0, 0.0), RADIUS)])
    return ff.Mission([plate, ball, touch], integrator=ff.RK4("auto"), record_rate=1000.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the force and the gap")
    plot = parser.parse_args().plot

    for c, published in TABLE.items():
        result = meeting(HuntCrossley(1e6, damping=c)).run(0.2, strict=True)
        parted = result["ball.v_WB"][-1, 2] - result["plate.v_WB"][-1, 2]
        touch = result.touches[0]
        print(f"c = {c:4} s/m: restitution {parted / SPEED:.6f}, table {published:.6f}, peak {touch.peak_force:.1f} N")

    result = meeting(HuntCrossley(1e6, damping=0.5), RegularisedFriction(0.3, 0.001), across=0.1).run(0.2, strict=True)
    (touch,) = result.touches
    print(f"oblique, with friction: the ball leaves with {result['ball.w_WB_B'][-1, 1]:.3f} rad/s")
    print(f"  touched at {touch.t:.6f} s for {1e3 * touch.duration:.2f} ms, {1e3 * touch.penetration:.2f} mm deep")
    print(f"  {touch.impulse:.4f} N s, {1e3 * touch.energy_lost:.3f} mJ turned into heat")
    drift = result.metrics["audit.energy_drift"]
    print(f"  audit {'passed' if result.audit.passed else 'failed'}, energy drift {drift:.0e}, step {result.step} s")
    if plot:
        result.plot("touch.force", "touch.friction_force", "touch.gap", path=plot)


if __name__ == "__main__":
    main()
