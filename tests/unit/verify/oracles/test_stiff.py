import sys

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.verify.oracles.stiff import solve


@pytest.mark.parametrize("method", ["BDF", "Adams"])
@pytest.mark.parametrize("times", [np.linspace(0.0, 1.0, 11), np.array([0.0, 0.033, 0.1, 0.25, 1.0])])
def test_a_lag_behind_held_steps_follows_its_exponentials(method, times):
    held = [0.0]

    def hold(k: int, t: float, x: np.ndarray) -> None:
        assert t == pytest.approx(0.1 * k, abs=1e-12)
        held[0] = float(k**2)

    found = solve(lambda t, x: held[0] - x, [1.0], times, atol=1e-13, method=method, period=0.1, hold=hold)
    expected = []
    for t in times:
        x = 1.0
        for k in range(10):
            x = k**2 + (x - k**2) * np.exp(-np.clip(t - 0.1 * k, 0.0, 0.1))
        expected.append(x)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-8)


def test_a_stiff_linear_system_with_its_jacobian_follows_its_eigenvectors():
    A = np.array([[-1.0, 0.0], [1e6 - 1.0, -1e6]])  # rates 1 and 1e6; the slow eigenvector is (1, 1)
    t = np.linspace(0.0, 2.0, 5)
    found = solve(lambda t, x: A @ x, [1.0, 2.0], t, atol=1e-13, jacobian=lambda t, x: A)
    np.testing.assert_allclose(found[1:], np.exp(-t[1:, None]) * np.ones(2), rtol=1e-8)


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.0], [1.0, 0.0], [[0.0, 1.0]]])
def test_times_that_do_not_increase_are_refused(times):
    with pytest.raises(InputError, match="times must increase"):
        solve(lambda t, x: -x, [1.0], times, atol=1e-9)


def test_without_the_package_one_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sksundae", None)
    with pytest.raises(InputError, match=r"stiff references need the package 'sksundae'.*\[verify\]"):
        solve(lambda t, x: -x, [1.0], [0.0, 1.0], atol=1e-9)
