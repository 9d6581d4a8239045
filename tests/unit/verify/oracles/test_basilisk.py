import numpy as np
from scipy.integrate import solve_ivp

from freefloat.frames import mrp_from_quat
from freefloat.verify.oracles.basilisk import RIGID_BODY_IN_ORBIT as TRUTH
from freefloat.verify.oracles.torque_free import TorqueFreeBody


def test_final_attitude_and_rates_are_those_of_the_closed_form():
    body = TorqueFreeBody(TRUTH.moments, TRUTH.w0_WB_B)
    np.testing.assert_allclose(mrp_from_quat(body.attitudes(TRUTH.duration)[0]), TRUTH.mrp1_WB, atol=5e-10)
    np.testing.assert_allclose(body.rates(TRUTH.duration)[0], TRUTH.w1_WB_B, atol=1e-10)


def test_final_position_is_that_of_the_two_body_orbit():
    def rhs(_, y):
        return np.concatenate([y[3:], -TRUTH.mu * y[:3] / np.linalg.norm(y[:3]) ** 3])

    start = [*TRUTH.p0_WB, *TRUTH.v0_WB]
    end = solve_ivp(rhs, (0.0, TRUTH.duration), start, method="DOP853", rtol=1e-13, atol=1e-9).y[:3, -1]
    np.testing.assert_allclose(end, TRUTH.p1_WB, atol=1e-3)
