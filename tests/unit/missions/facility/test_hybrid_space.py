import numpy as np
import pytest

from freefloat.facility.axes import CYCLE
from freefloat.facility.record import ROW, Frame, mode_of
from freefloat.frames import Array
from freefloat.gnc.control.rendering.cycle import Satellite
from freefloat.missions.facility.hybrid_space import BACK, Departure, Flight, Pairing
from freefloat.missions.impacts.settings import ToolSettings

BODIES = Satellite(80.0, np.diag([8.0, 9.0, 10.0])), Satellite(100.0, np.diag([10.0, 14.0, 17.0]))
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
FLIGHT = Flight(2.0, 0.05, 1.0, np.array([0.0, 0.002, -0.003]), np.array([0.04, 0.01, 0.006]))


def state(alive: bool) -> Array:
    row = np.zeros(ROW)
    row[1] = mode_of(Frame.CLW, alive=alive)
    return row


def test_nothing_acts_before_bit_14_and_after_the_ramp() -> None:
    departure = Departure(FLIGHT, BODIES)
    meas = {"q_1": UPRIGHT, "q_2": UPRIGHT}
    assert not departure.update(3.0, {"state": state(False), **meas})["wrench_1"].any()
    assert departure.update(3.004, {"state": state(True), **meas})["wrench_1"].any()
    assert not departure.update(4.1, {"state": state(True), **meas})["wrench_2"].any()


def test_the_departure_ends_at_the_speed_and_rates_that_are_asked_for() -> None:
    departure, meas = Departure(FLIGHT, BODIES), {"state": state(True), "q_1": UPRIGHT, "q_2": UPRIGHT}
    v, w = 0.0, np.zeros(3)
    inertia = BODIES[1].inertia
    for n in range(252):
        found = departure.update(n * CYCLE, meas)
        v += CYCLE * found["wrench_1"][3] / BODIES[0].mass
        for _ in range(8):  # Euler's equations in short steps
            w = w + CYCLE / 8 * np.linalg.solve(inertia, found["wrench_2"][:3] - np.cross(w, inertia @ w))
    assert v == pytest.approx(0.05, rel=1e-5)
    assert w == pytest.approx(FLIGHT.client_rate, abs=2e-6)


def test_docking_frames_face_each_other_so_far_apart() -> None:
    pairing = Pairing(BODIES, ToolSettings())
    first, second = (m.X_W @ X for m, X in zip(pairing.at_rest(0.7), pairing.ports, strict=True))
    assert first.p - second.p == pytest.approx(np.array([-0.7, 0.0, 0.0]), abs=1e-15)
    assert np.array_equal(first.R, BACK)
    assert np.array_equal(second.R, BACK)
