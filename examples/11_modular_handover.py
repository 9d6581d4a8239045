"""Modules on grids: a depot hands a module to a client while both tumble as one; masses change, momentum stays."""

import argparse

import numpy as np

import freefloat as ff
from freefloat.structure import Module, TensorBody, cubic, load_catalogue, total_mass
from freefloat.structure.module_transfer import move_module
from freefloat.structure.tensor_part import TensorPart

PITCH = 0.4  # [m]
RATE = (0.0, 0.05, 0.2)  # [rad/s] of both at the start, in their own axes


def stacks() -> tuple[TensorBody, TensorBody]:
    """Two places each, in a row along x; the client's empty place 0 is where the depot's place 1 is."""
    catalogue = load_catalogue("mosar")
    depot, client = (TensorBody(name, cubic(2, 1, 1, PITCH), catalogue) for name in ("depot", "client"))
    depot.insert(0, Module(1, catalogue.type("bus")))
    depot.insert(1, Module(2, catalogue.type("payload")))
    client.insert(1, Module(3, catalogue.type("bus")))
    return depot, client


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of both velocities")
    plot = parser.parse_args().plot

    depot, client = stacks()
    beside = ff.Pose.from_rpy((0, 0, 0), (PITCH, 0, 0))
    speed = tuple(np.cross(RATE, beside.p))
    parts = [
        TensorPart("depot", depot, motion=ff.Motion(w_WL_L=RATE), log=False),
        TensorPart("client", client, motion=ff.Motion(beside, RATE, speed), log=False),
    ]

    def hand_over(session: ff.Session) -> str:
        """The module keeps its place in the world; what it belongs to changes, and so do two bodies' masses."""
        world = session.world
        X_TM = world.pose("client").inverse() @ world.pose("depot") @ depot.X_TM(1)
        lost = move_module(world, depot, 1, client, 0, X_TM)
        return f"module {client.identity[0]} now belongs to the client, {lost:.1g} J lost"

    mission = ff.Mission(
        parts,
        connections=[ff.Connection("latch", "depot", "client", closed=True)],
        events=[
            ff.Event("handover", hand_over, at=10.0),
            ff.Event("part", lambda s: s.detach("latch"), at=20.0),
        ],
    )
    before = total_mass([depot, client])
    for body in (depot, client):
        own = body.mass_properties()
        print(f"{body.name}: {own.mass:.2f} kg, centre of mass at x = {own.p_TTcm[0]:+.4f} m")
    result = mission.run(40.0)

    for event in result.events:
        print(f"t = {event.t:4.1f} s  {event.name}: {event.result or 'released'}")
    for body in (depot, client):
        own = body.mass_properties()
        print(f"{body.name}: {own.mass:.2f} kg, centre of mass at x = {own.p_TTcm[0]:+.4f} m")
    print(f"mass of all modules: changed by {total_mass([depot, client]) - before} kg")
    for name in ("linear", "angular"):
        print(f"{name} momentum drift {result.metrics[f'audit.{name}_momentum_drift']:.0e}")
    if plot:
        result.plot("depot.v_WB", "client.v_WB", "client.w_WB_B", path=plot)


if __name__ == "__main__":
    main()
