import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.sensors import Gnss


def readings(model: Gnss, n: int, dt: float, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = np.array([10.0, -20.0, 30.0])
    return np.array([model.measure(k * dt, truth, rng) - truth for k in range(n)])


def test_the_error_of_a_reading_has_the_variance_of_its_two_parts():
    error = readings(Gnss(noise=1.0, slow=2.0, time_constant=5.0), 40000, 1.0)
    assert np.std(error, axis=0) == pytest.approx(np.sqrt(5.0), rel=0.05)


def test_the_slow_error_forgets_with_its_time_constant():
    error = readings(Gnss(noise=0.0, slow=2.0, time_constant=10.0), 40000, 1.0)
    lagged = np.mean(error[10:] * error[:-10]) / np.mean(error**2)
    assert lagged == pytest.approx(np.exp(-1.0), abs=0.03)


def test_the_spread_at_the_first_reading_is_the_one_of_all_later_readings():
    first = np.array([readings(Gnss(0.0, 2.0, 300.0), 1, 1.0, seed)[0] for seed in range(2000)])
    assert np.std(first) == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize("bad", [{"noise": -1.0}, {"slow": -1.0}, {"time_constant": 0.0}])
def test_a_receiver_that_cannot_be_is_refused(bad):
    with pytest.raises(InputError, match="GNSS"):
        Gnss(**bad)
