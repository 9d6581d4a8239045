"""194 bytes, as the protocol says."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freefloat.errors import InputError
from freefloat.links.record_codec import FRAMES, SIZE, DatagramError, frame_number, pack, unpack

VALUES = np.arange(22.0)


def test_the_bytes_are_those_of_the_protocol() -> None:
    sent = pack(7, 1_400_000_000_123_456_789, 1 | 1 << 14, VALUES)
    assert len(sent) == SIZE == 194
    assert sent[:4] == b"EPOS"
    assert sent[4:8] == (7).to_bytes(4, "little")
    assert sent[8:16] == (1_400_000_000_123_456_789).to_bytes(8, "little")
    assert sent[16:18] == b"\x01\x40"
    assert sent[18:] == struct.pack("<22d", *VALUES)


def test_bit_15_is_the_sign() -> None:
    record = unpack(pack(1, 0, 2 - (1 << 15), VALUES))
    assert (record.mode, record.frame, record.moving, record.alive) == (-32766, 2, True, False)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from(sorted(FRAMES.values())),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=22, max_size=22),
)
def test_what_is_packed_comes_back_to_the_bit(cycle: int, gps_ns: int, mode: int, values: list[float]) -> None:
    sent = pack(cycle, gps_ns, mode, values)
    record = unpack(sent)
    assert (record.cycle, record.gps_ns, record.mode) == (cycle, gps_ns, mode)
    assert record.pack() == sent


@pytest.mark.parametrize(
    ("cause", "data"),
    [
        ("size", b""),
        ("size", pack(1, 0, 1, VALUES) + b"\0"),
        ("mark", b"epos" + pack(1, 0, 1, VALUES)[4:]),
        ("frame", pack(1, 0, 0, VALUES)),
        ("frame", pack(1, 0, 5 | 1 << 14, VALUES)),
        ("number", pack(1, 0, 1, np.where(VALUES == 3.0, np.nan, VALUES))),
        ("number", pack(1, 0, 1, np.where(VALUES == 21.0, -np.inf, VALUES))),
    ],
)
def test_what_is_no_record_is_refused_with_its_cause(cause: str, data: bytes) -> None:
    with pytest.raises(DatagramError, match="allowed") as refused:
        unpack(data)
    assert refused.value.cause == cause


@given(st.binary(max_size=400))
def test_no_bytes_at_all_do_anything_else(data: bytes) -> None:
    with pytest.raises(DatagramError):
        unpack(data)


def test_wrong_sizes_and_names_are_refused() -> None:
    with pytest.raises(InputError, match="22 numbers"):
        pack(1, 0, 1, VALUES[:21])
    with pytest.raises(InputError, match="CLW, GLC, IJT, IDC"):
        frame_number("LAB")
    assert frame_number("clw") == 1
