"""Records: what their numbers mean, and their mode."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.record import LABELS, UNITS, Frame, Record, frame_of, is_alive, is_moving, mode_of


def test_labels_and_units_are_those_of_tables_6_to_9() -> None:
    assert LABELS[Frame.IJT][:8] == ("rob1 A1", "rob1 A2", "rob1 A3", "rob1 A4", "rob1 A5", "rob1 A6", "", "rob2 A1")
    assert LABELS[Frame.CLW][13:] == (
        "rob2 qw",
        *(f"pov {c}" for c in ("x", "y", "z", "qx", "qy", "qz", "qw")),
        "data lin",
    )
    assert UNITS[Frame.GLC][:7] == ("m", "m", "m", "deg", "deg", "deg", "-")
    assert UNITS[Frame.IDC][:6] == ("mm", "mm", "mm", "deg", "deg", "deg")
    assert [(LABELS[f][21], UNITS[f][21]) for f in Frame] == [
        ("data lin", "m"),
        ("data lin", "m"),
        ("E1", "mm"),
        ("E1", "mm"),
    ]
    for frame in Frame:
        assert len(LABELS[frame]) == len(UNITS[frame]) == 22
        assert sum(map(bool, LABELS[frame])) == (22 if frame is Frame.CLW else 13)


@pytest.mark.parametrize("frame", Frame)
@pytest.mark.parametrize("alive", [False, True])
@pytest.mark.parametrize("moving", [False, True])
def test_a_mode_is_an_int16_and_comes_back(frame: Frame, alive: bool, moving: bool) -> None:
    mode = mode_of(frame, alive=alive, moving=moving)
    assert mode == np.int16(mode)
    assert (mode < 0) == moving
    assert (frame_of(float(mode)), is_alive(mode), is_moving(mode)) == (frame, alive, moving)
    assert frame_of(mode | 0b0011111111110000) == frame  # bits 4 to 13 are not used


@pytest.mark.parametrize("mode", [0, 5, 15, -1, 1.5, math.nan, math.inf])
def test_a_mode_without_a_frame_is_refused(mode: float) -> None:
    with pytest.raises(InputError, match=r"frame of mode .*; allowed in bits 0 to 3: 1 = CLW, 2 = GLC"):
        frame_of(mode)


def test_a_record_goes_through_a_row_of_24_numbers() -> None:
    record = Record(Frame.IDC, np.arange(22.0))
    row = record.row(7, alive=True)
    assert row.shape == (24,)
    assert row[:2].tolist() == [7.0, 4.0 + 2**14]
    assert Record.from_row(row) == record
    assert record != Record(Frame.GLC, record.values)


def test_a_record_keeps_numbers_of_its_own() -> None:
    values = np.zeros(22)
    record = Record(Frame.GLC, values)
    values[0] = 1.0
    assert record.values[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        record.values[0] = 1.0


@pytest.mark.parametrize("values", [np.zeros(21), np.zeros((1, 22)), "text"])
def test_a_record_of_another_size_is_refused(values: object) -> None:
    with pytest.raises(InputError, match="GLC record"):
        Record(Frame.GLC, values)  # pyright: ignore[reportArgumentType]
