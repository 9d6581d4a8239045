"""Orbit ephemeris messages: written, read back, and read by brahe."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.oem import Ephemeris, format_oem, parse_oem, read_oem, write_oem


def ephemeris(name: str = "CHASER", start: str = "2026-03-20T12:00:00.5Z") -> Ephemeris:
    rng = np.random.default_rng(4)
    t = np.array([0.0, 10.0, 20.25, 86400.0])
    return Ephemeris(name, Epoch(start), t, rng.uniform(-7e6, 7e6, (4, 3)), rng.uniform(-7e3, 7e3, (4, 3)))


def test_segments_survive_the_way_to_a_file_and_back(tmp_path: Path) -> None:
    wanted = [ephemeris(), ephemeris("TARGET", "2016-12-31T23:59:50Z")]
    write_oem(tmp_path / "a.oem", wanted, created="2026-03-21T00:00:00")
    read = read_oem(tmp_path / "a.oem")
    assert [s.name for s in read] == ["CHASER", "TARGET"]
    for ours, theirs in zip(wanted, read, strict=True):
        np.testing.assert_allclose(theirs.t, ours.t, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(theirs.p_I, ours.p_I, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(theirs.v_I, ours.v_I, rtol=0.0, atol=1e-11)
        assert theirs.epoch.seconds_since(ours.epoch) == pytest.approx(0.0, abs=1e-6)
        assert (theirs.frame, theirs.center) == ("GCRF", "EARTH")


def test_brahe_reads_the_message(tmp_path: Path) -> None:
    from brahe import ccsds

    ours = ephemeris()
    write_oem(tmp_path / "a.oem", [ours])
    segment = ccsds.OEM.from_file(str(tmp_path / "a.oem")).segments[0]
    assert segment.object_name == "CHASER"
    state = segment.states[2]
    np.testing.assert_allclose(state.position, ours.p_I[2], rtol=0.0, atol=1e-6)
    np.testing.assert_allclose(state.velocity, ours.v_I[2], rtol=0.0, atol=1e-9)


def test_accelerations_comments_and_covariances_are_skipped() -> None:
    lines = format_oem([ephemeris()], created="2026-03-21T00:00:00").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("2026-03-20T12"))
    lines[first] += " 0.1 0.2 0.3"
    lines.insert(first, "COMMENT states")
    lines += ["COVARIANCE_START", "EPOCH = 2026-03-20T12:00:00", "1.0", "COVARIANCE_STOP"]
    assert len(parse_oem("\n".join(lines))[0].t) == 4


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("CCSDS_OEM_VERS = 2.0", "CCSDS_OPM_VERS = 2.0", "not a CCSDS OEM file"),
        ("REF_FRAME = GCRF\n", "", "line 14: metadata without REF_FRAME"),
        ("TIME_SYSTEM = UTC", "TIME_SYSTEM = TDB", "'TDB' is not supported"),
        ("2026-03-20T12:00:10.500000000 ", "2026-03-40T12:00:10 ", "line 18: epoch"),
        ("2026-03-20T12:00:10.500000000 ", "2026-03-20T12:00:10.5 x ", "line 18: expected an epoch and six numbers"),
        ("2026-03-20T12:00:10.500000000 ", "2026-03-20T12:00:10.5 nan ", "line 18: expected an epoch and six finite"),
        ("META_START\n", "META_START\nhello\n", "line 6: expected KEY = value"),
        ("2026-03-20T12:00:10.500000000 ", "2026-03-20T12:00:00.5 ", "increasing times"),
    ],
)
def test_a_broken_message_is_refused_with_its_place(old: str, new: str, reason: str) -> None:
    text = format_oem([ephemeris()], created="2026-03-21T00:00:00")
    assert old in text
    with pytest.raises(InputError, match=reason):
        parse_oem(text.replace(old, new))


def test_an_unreadable_file_and_one_without_segments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_oem(tmp_path / "missing.oem")
    with pytest.raises(InputError, match="no ephemeris segment"):
        parse_oem("CCSDS_OEM_VERS = 2.0\n")
    with pytest.raises(InputError, match="two or more states"):
        Ephemeris("X", Epoch("2026-03-20"), np.zeros(1), np.zeros((1, 3)), np.zeros((1, 3)))
