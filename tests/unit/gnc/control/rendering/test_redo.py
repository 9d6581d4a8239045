"""Contacts by their force, and the instant at which a redo begins."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import RenderingWarning
from freefloat.gnc.control.rendering.redo import Redo
from freefloat.gnc.control.rendering.touch import Touch


def height(tips: np.ndarray) -> np.ndarray:
    """Gap over the plane x = 0."""
    return tips[:, 0]


def test_a_contact_begins_and_ends_once_in_spite_of_noise() -> None:
    touch = Touch(5.0, 2.0)
    forces = [0.0, 1.0, 6.0, 4.0, 6.0, 100.0, 4.0, 1.9, 3.0, 0.0, 7.0]
    seen = [touch.update(0.1 * k, f) for k, f in enumerate(forces)]
    assert seen == [False, False, True, True, True, True, True, False, False, False, True]
    assert touch.count == 2
    assert touch.ended == pytest.approx(0.7)


def approach(redo: Redo, speed: float = 0.1) -> None:
    """Towards the plane at 0.1 m/s in 10 ms cycles, through it at 0.5 s, for 0.55 s."""
    for k in range(56):
        assert (
            redo.update(0.01 * k, np.array([0.0501 - speed * 0.01 * k, 0.0, 0.0]), False, False, False, height) is None
        )


@pytest.mark.parametrize("kind", ["onset", "contact"])
def test_a_redo_begins_just_before_the_satellites_touched(kind: str) -> None:
    redo = Redo(kind, 1.0)  # type: ignore[arg-type]
    approach(redo)
    assert redo.update(0.56, np.array([-0.005, 0.0, 0.0]), False, True, True, height) == pytest.approx(0.50)
    moved = redo.update(0.57, np.array([-0.005, 0.0, 0.0]), False, True, True, lambda tips: tips[:, 0] - 0.002)
    assert moved == (pytest.approx(0.48) if kind == "contact" else None)
    if kind == "contact":  # the surface lies farther away again: later cannot be known, earlier is right
        assert redo.update(0.58, np.array([0.0, 0.0, 0.0]), False, True, True, height) == pytest.approx(0.48)


def test_nothing_is_redone_without_news_nor_when_it_is_off_nor_before_the_satellites_meet() -> None:
    for redo in (Redo("off", 1.0), Redo("contact", 1.0)):
        approach(redo)
        news = redo.kind == "off"
        assert redo.update(0.56, np.array([0.001, 0.0, 0.0]), False, news, news, height) is None
    early = Redo("contact", 1.0)
    assert early.update(0.0, np.array([0.01, 0.0, 0.0]), False, True, True, height) is None


def test_after_a_contact_a_redo_does_not_go_back_before_its_end() -> None:
    redo = Redo("contact", 1.0)
    approach(redo)
    assert redo.update(0.56, np.array([-0.005, 0.0, 0.0]), False, True, True, height) is not None
    assert redo.update(0.60, np.array([0.001, 0.0, 0.0]), False, False, False, height) is None
    assert redo.update(0.61, np.array([0.002, 0.0, 0.0]), False, False, False, height) is None
    assert redo.update(0.62, np.array([-0.001, 0.0, 0.0]), False, True, True, height) == pytest.approx(0.61)


def test_satellites_that_meet_elsewhere_while_the_robots_touch_are_told() -> None:
    redo = Redo("contact", 1.0)
    for k, gap in enumerate([0.001, -0.001, 0.001]):
        redo.update(0.01 * k, np.array([gap, 0.0, 0.0]), False, True, False, height)
    with pytest.warns(RenderingWarning, match=r"at 0.030 s the satellites meet elsewhere"):
        redo.update(0.03, np.array([-0.001, 0.0, 0.0]), False, True, False, height)


def test_a_contact_longer_than_the_horizon_is_told_once_and_not_redone() -> None:
    redo = Redo("contact", 1.0)
    approach(redo)
    inside = np.array([-0.005, 0.0, 0.0])
    assert redo.update(0.56, inside, True, True, True, height) == pytest.approx(0.50)
    with pytest.warns(RenderingWarning, match=r"at 1\.600 s .* longer than the 1 s"):
        assert redo.update(1.60, inside, True, True, True, height) is None
    assert redo.update(1.61, inside, True, True, True, height) is None


def test_a_surface_that_was_met_too_early_is_redone_from_before_that() -> None:
    redo = Redo("contact", 1.0)
    for k in range(5):
        tip = np.array([0.002 - 0.001 * k, 0.0, 0.0])
        assert redo.update(0.01 * k, tip, k >= 2, False, False, height) is None
    farther = redo.update(0.05, np.array([-0.003, 0.0, 0.0]), True, False, True, lambda tips: tips[:, 0] + 0.02)
    assert farther == pytest.approx(0.01)
