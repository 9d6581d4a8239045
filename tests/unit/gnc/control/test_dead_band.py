import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.dead_band import DeadBand


def rests(band: DeadBand, e: float, w: float = 0.0) -> bool:
    return bool(band.resting(np.array([e, 0.0, 0.0]), np.array([w, 0.0, 0.0]), 5.0)[0])


def test_feedback_rests_inside_wakes_at_the_edge_and_works_on_until_the_release():
    band = DeadBand(1e-3, release=0.5)
    assert [rests(band, 1e-3 * e) for e in (0.9, 1.1, 0.9, 0.6, 0.4, 0.9, -1.1)] == [
        True, False, False, False, True, True, False,
    ]  # fmt: skip


def test_where_the_error_drifts_to_counts_and_not_only_the_error():
    assert not rests(DeadBand(1e-3), 0.9e-3, 0.1e-3)
    assert rests(DeadBand(1e-3), 1.4e-3, -0.1e-3)


def test_each_axis_has_its_own():
    band = DeadBand(1e-3)
    np.testing.assert_array_equal(band.resting(np.array([2e-3, 0.0, -2e-3]), np.zeros(3), 1.0), [False, True, False])


@pytest.mark.parametrize(("width", "release"), [(0.0, 0.5), (-1.0, 0.5), (np.nan, 0.5), (1e-3, 1.5)])
def test_bands_without_sense_are_refused(width: float, release: float):
    with pytest.raises(InputError, match="dead band"):
        DeadBand(width, release)
