"""Sizes of errors: units, and what is refused."""

from __future__ import annotations

import pytest

from freefloat.errors import InputError
from freefloat.facility.error_sizes import ErrorSizes


def test_sizes_take_units() -> None:
    sizes = ErrorSizes(shift="0.5 mm", gear=("1 mrad",) * 6)
    assert sizes.shift == pytest.approx(5e-4)
    assert sizes.gear == pytest.approx((1e-3,) * 6)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"shift": -1e-3}, "shift"),
        ({"gear": (1e-3,) * 5}, "gear"),
        ({"stiffness": 1.5}, "stiffness"),
        ({"gear_waves": (1.0, 2.0)}, "one for each of gear_waves"),
    ],
)
def test_wrong_sizes_are_refused(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        ErrorSizes(**wrong)  # pyright: ignore[reportArgumentType]
