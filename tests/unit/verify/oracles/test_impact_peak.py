from __future__ import annotations

import numpy as np
import pytest

from freefloat.verify.oracles.impact_peak import first_peak

ONE = np.ones(1)


def test_without_a_gear_the_peak_is_v_sqrt_k_m() -> None:
    peak = first_peak(4.0 * np.eye(1), ONE, 1e-9 * ONE, 0.0 * ONE, ONE, 1e6, 0.1 * ONE, 0.0 * ONE)
    assert peak == pytest.approx(0.1 * np.sqrt(4e6), rel=1e-5)


def test_with_a_rigid_gear_the_rotor_counts() -> None:
    peak = first_peak(4.0 * np.eye(1), 5.0 * ONE, 1e10 * ONE, 1e4 * ONE, ONE, 1e4, 0.1 * ONE, 0.1 * ONE)
    assert peak == pytest.approx(0.1 * np.sqrt(9e4), rel=1e-3)
