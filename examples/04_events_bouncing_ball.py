"""Events: a ball's touch-down is located to a fraction of a nanosecond, and a Python action makes it bounce."""

import argparse
import math

import freefloat as ff

G, HEIGHT, RADIUS, RESTITUTION = 9.81, 2.0, 0.1, 0.8  # [m/s^2], [m], [m], [-]


def bounce(session: ff.Session) -> str:
    """Reverse and reduce the vertical velocity; what an action returns stands in the event log."""
    v = session.read("ball.v_WB")
    session.set_velocity("ball", session.read("ball.w_WB_B"), (v[0], v[1], -RESTITUTION * v[2]))
    return f"{-v[2]:.3f} m/s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of height and velocity")
    plot = parser.parse_args().plot

    start = ff.Motion(ff.Pose.from_rpy((0, 0, 0), (0, 0, HEIGHT)))
    ball = ff.RigidBody("ball", mass=0.5, size=(2 * RADIUS,) * 3, motion=start)
    touch = ff.Event("touch", bounce, signal="ball.p_WB", component=2, level=RADIUS, direction="falling")
    for integrator in (ff.RK4(step=1e-3), ff.Dopri54()):
        mission = ff.Mission([ball], events=[touch], rows=[ff.uniform_gravity((0, 0, -G))], integrator=integrator)
        result = mission.run(4.0)
        print(f"{type(integrator).__name__}, {result.metrics['steps']:.0f} steps:")

        fall = math.sqrt(2.0 * (HEIGHT - RADIUS) / G)
        exact, speed = fall, G * fall
        for event in result.events:
            print(f"  touch at {event.t:.9f} s with {event.result}, closed form {exact - event.t:+.0e} s")
            speed *= RESTITUTION
            exact += 2.0 * speed / G
        print(f"  audit: {'passed' if result.audit.passed else 'failed'} (the floor's impulses are booked)")
    if plot:
        result.plot("ball.p_WB[2]", "ball.v_WB[2]", path=plot)


if __name__ == "__main__":
    main()
