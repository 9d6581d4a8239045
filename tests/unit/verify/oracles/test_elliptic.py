import mpmath
import numpy as np
import pytest

from freefloat.verify.oracles import elliptic

PARAMETERS = [1.0, 0.9, 0.5, 1e-3, 1e-12, 1e-20]


@pytest.mark.parametrize("m1", PARAMETERS)
def test_jacobi_functions_match_mpmath_to_the_last_digits_up_to_the_separatrix(m1):
    K = elliptic.quarter_period(m1)
    u = np.linspace(-K, K, 21)
    with mpmath.workdps(40):
        for name, ours in zip(("sn", "cn", "dn"), elliptic.jacobi(u, m1), strict=True):
            exact = [float(mpmath.ellipfun(name, mpmath.mpf(x), m=1 - mpmath.mpf(m1))) for x in u]
            np.testing.assert_allclose(ours, exact, atol=5e-16, rtol=0)


def test_jacobi_functions_are_hyperbolic_on_the_separatrix():
    u = np.linspace(-30.0, 30.0, 13)
    sn, cn, dn = elliptic.jacobi(u, 0.0)
    np.testing.assert_allclose(sn, np.tanh(u))
    np.testing.assert_allclose(cn, 1.0 / np.cosh(u))
    np.testing.assert_allclose(dn, cn)


@pytest.mark.parametrize("m1", PARAMETERS)
def test_first_kind_inverts_the_jacobi_functions(m1):
    K = elliptic.quarter_period(m1)
    for u in np.linspace(-0.9 * K, 0.9 * K, 7):
        sn, cn, _ = elliptic.jacobi(np.array([u]), m1)
        assert elliptic.first_kind(float(sn[0]), float(cn[0]), m1) == pytest.approx(u, abs=1e-12)


def test_quarter_period_is_infinite_on_the_separatrix():
    assert elliptic.quarter_period(0.0) == np.inf
    assert elliptic.quarter_period(1.0) == pytest.approx(np.pi / 2, abs=1e-15)
