"""Totals, caps and monitors of corrections."""

from __future__ import annotations

import math

import pytest

from freefloat.links.rsi_context import Corrector, Monitor, RsiContext
from freefloat.links.rsi_corrections import Corrections, rotation

CHANNELS = (1, 2, 3, 4, 5, 6)


def made(*monitors: Monitor, relative: bool, **limits: object) -> Corrections:
    return Corrections(RsiContext((Corrector("P", "POSCORR", CHANNELS, **limits),), monitors), relative)  # pyright: ignore[reportArgumentType]


def test_relative_values_add_up_and_absolute_ones_are_offsets() -> None:
    relative, absolute = made(relative=True), made(relative=False)
    for _ in range(3):
        relative.step({1: 2.0, 4: -1.0})
        absolute.step({1: 2.0, 4: -1.0})
    assert relative.total[:6] == [6.0, 0.0, 0.0, -3.0, 0.0, 0.0]
    assert absolute.total[:6] == [2.0, 0.0, 0.0, -1.0, 0.0, 0.0]
    absolute.step({})
    assert not any(absolute.total)


def test_a_total_is_capped_silently_and_comes_back_at_once() -> None:
    limited = made(relative=True, lower=(-1.0,) * 6, upper=(5.0,) * 6)
    said = [limited.step({1: 2.0, 2: -2.0}) for _ in range(10)]
    assert said == [""] * 10
    assert limited.total[:2] == [5.0, -1.0]
    limited.step({1: -0.5})
    assert limited.total[0] == 4.5


@pytest.mark.parametrize("angles", [(30.0, 0.0, 0.0), (10.0, 20.0, -15.0), (0.0, 0.0, -90.0)])
def test_a_rotation_is_capped_by_its_angle(angles: tuple[float, float, float]) -> None:
    limited = made(relative=False, rotation=8.0)
    limited.step(dict(zip((4, 5, 6), angles, strict=True)))
    found = limited.total[3:6]
    assert rotation(*found) == pytest.approx(8.0, abs=1e-12)
    shares = [f / a for f, a in zip(found, angles, strict=True) if a]
    assert max(shares) - min(shares) < 1e-15
    assert made(relative=False, rotation=8.0).step({4: 7.9}) == ""


def test_rotation_is_that_of_the_product() -> None:
    assert rotation(0.0, 0.0, 0.0) == 0.0
    assert rotation(90.0, 0.0, 0.0) == pytest.approx(90.0, abs=1e-12)
    assert rotation(90.0, 90.0, 90.0) == pytest.approx(90.0, abs=1e-12)  # Rz Ry Rx of 90 deg each is Ry(90 deg)
    assert rotation(90.0, 0.0, 90.0) == pytest.approx(120.0, abs=1e-12)  # a third of a turn about a diagonal
    assert rotation(1e-9, 0.0, 0.0) == pytest.approx(1e-9, rel=1e-12)


def test_monitors_stop_beyond_their_ceiling_and_not_at_it() -> None:
    watched = made(Monitor("M", "POSCORRMON", translation=5.0, rotation=math.inf), relative=True)
    assert watched.step({1: 3.0, 2: 4.0}) == ""
    said = watched.step({1: 0.01})
    assert said.startswith("M: overall correction of the tool 5.0")
    assert said.endswith("allowed: 5 mm")
    turned = made(Monitor("M", "POSCORRMON", translation=1.0, rotation=2.0), relative=True)
    assert turned.step({5: 2.5}).endswith("2.5 deg; allowed: 2 deg")


def test_several_objects_add_and_the_monitor_sees_the_sum() -> None:
    pair = tuple(Corrector(f"A{n}", "AXISCORR", (n, *(None,) * 5), upper=(4.0,) * 6) for n in (1, 2))
    watched = Corrections(RsiContext(pair, (Monitor("M", "AXISCORRMON", axes=(6.0,) * 12),)), relative=False)
    assert watched.step({1: 3.0, 2: 3.0}) == ""
    assert watched.total[6] == 6.0
    assert watched.step({1: 9.0, 2: 9.0}) == "M: overall correction A1 8 deg; allowed: 6 deg"


def test_external_axes_are_monitored_in_mm() -> None:
    rail = Corrector("E", "AXISCORREXT", CHANNELS)
    watched = Corrections(RsiContext((rail,), (Monitor("M", "AXISCORRMON", axes=(6.0,) * 12),)), relative=True)
    assert watched.step({1: -6.5}) == "M: overall correction E1 -6.5 mm; allowed: 6 mm"
    assert watched.total[12] == -6.5
