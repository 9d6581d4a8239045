"""Structural change: two satellites meet, latch, tumble as one body, and part again; momentum is kept throughout."""

import argparse

import numpy as np

import freefloat as ff

SPEED = 0.1  # [m/s]
OFFSET = 0.3  # [m] the chaser arrives beside the target's centre


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of both bodies' velocities")
    plot = parser.parse_args().plot

    chaser = ff.RigidBody(
        "chaser",
        mass=300.0,
        size=(1.0, 1.0, 1.0),
        frames={"port": ff.Pose.from_rpy((0, 0, 0), (0.5, 0, 0))},
        motion=ff.Motion(ff.Pose.from_rpy((0, 0, 0), (-3.0, OFFSET, 0)), v_WL=(SPEED, 0, 0)),
    )
    target = ff.RigidBody(
        "target", mass=900.0, size=(1.5, 2.0, 1.5), frames={"port": ff.Pose.from_rpy((0, 0, 0), (-0.75, OFFSET, 0))}
    )
    latch = ff.Connection("latch", "chaser.port", "target.port")
    meet = ff.Event(
        "meet",
        lambda s: f"latched, {s.attach('latch'):.4f} J lost",
        signal="chaser.port.p_WF",
        level=-0.75,
        direction="rising",
        times=1,
    )
    part = ff.Event("part", lambda s: s.detach("latch"), at=60.0)
    result = ff.Mission([chaser, target], events=[meet, part], connections=[latch]).run(90.0)

    for event in result.events:
        print(f"t = {event.t:7.3f} s  {event.name}: {event.result or 'released'}")
    m = 300.0 * 900.0 / 1200.0  # [kg] reduced mass
    r = np.array([-1.25, OFFSET])  # chaser's centre seen from the target's when they touch
    inertia = 300.0 * (1.0 + 1.0) / 12.0 + 900.0 * (1.5**2 + 2.0**2) / 12.0 + m * (r @ r)
    lost = 0.5 * m * SPEED**2 - 0.5 * (m * OFFSET * SPEED) ** 2 / inertia
    print(f"closed form of the energy lost: {lost:.4f} J")

    t, w = result.time("target.w_WB_B"), result["target.w_WB_B"][:, 2]
    print(f"the pair turns at {np.rad2deg(w[np.searchsorted(t, 40.0)]):.4f} deg/s about z after latching")
    for name in ("linear", "angular"):
        print(f"{name} momentum drift {result.metrics[f'audit.{name}_momentum_drift']:.0e}")
    if plot:
        result.plot("chaser.v_WB", "target.v_WB", "target.w_WB_B", path=plot)


if __name__ == "__main__":
    main()
