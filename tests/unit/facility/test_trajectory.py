"""Trajectory files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.record import Frame, Record
from freefloat.facility.trajectory import Trajectory, read_trajectory, write_trajectory

ROW = "2 " + " ".join(["0.5"] * 22)


def random(rows: int) -> Trajectory:
    rng = np.random.default_rng(7)
    values = rng.normal(size=(rows, 22)) * 10.0 ** rng.integers(-300, 300, (rows, 22))
    return Trajectory(rng.integers(1, 5, rows).astype(np.int16), values)


def test_every_bit_comes_back_also_with_frames_mixed(tmp_path: Path) -> None:
    written = random(200)
    write_trajectory(tmp_path / "a.txt", written)
    read = read_trajectory(tmp_path / "a.txt")
    assert read.frames.tolist() == written.frames.tolist()
    assert read.values.tobytes() == written.values.tobytes()
    assert len(read) == 200
    assert read.duration == pytest.approx(199 * 0.004)
    assert read.record(3) == Record(Frame(int(written.frames[3])), written.values[3])


def test_a_file_has_a_line_of_23_columns_for_each_cycle(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_trajectory(path, Trajectory.of([Record(Frame.IJT, np.full(22, 0.1)), Record(Frame.GLC, np.zeros(22))]))
    lines = path.read_text().splitlines()
    assert [len(line.split()) for line in lines] == [23, 23]
    assert lines[0].startswith("3 0.10000000000000001 ")


def test_numbers_as_other_programs_write_them_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"  2.0000000e+00" + b"\t 5.0e-01" * 22 + b"\r\n" + ROW.encode() + b"\r\n\r\n\n")
    assert read_trajectory(path).values.tolist() == [[0.5] * 22] * 2


def _with(column: int, text: str) -> str:
    row = ROW.split()
    row[column] = text
    return f"{ROW}\n{ROW}\n{' '.join(row)}\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{ROW}\n{ROW.rsplit(' ', 1)[0]}\n", r"a.txt:2: 22 columns; allowed: 23, a frame and 22 numbers"),
        (f"{ROW} 1\n", r"a.txt:1: 24 columns; allowed: 23"),
        (f"{ROW}\n\n{ROW}\n", r"a.txt:2: 0 columns; allowed: 23"),
        (_with(0, "5"), r"a.txt:3: frame '5'; allowed: 1 = CLW, 2 = GLC, 3 = IJT, 4 = IDC"),
        (_with(0, "1.5"), r"a.txt:3: frame '1.5'; allowed"),
        (_with(0, "GLC"), r"a.txt:3: frame 'GLC'; allowed"),
        (_with(4, "nan"), r"a.txt:3: column 5 \(rob1 A\) 'nan'; allowed: a finite number"),
        (_with(22, "inf"), r"a.txt:3: column 23 \(data lin\) 'inf'; allowed: a finite number"),
        (_with(7, "0,5"), r"a.txt:3: column 8 \(not used\) '0,5'; allowed: a finite number"),
        (_with(9, "1_0"), r"a.txt:3: column 10 \(rob2 y\) '1_0'; allowed: a finite number"),
        ("", r"a.txt: no line; allowed: one or more, of 23 columns"),
        (" \n\n", r"a.txt: no line"),
    ],
)
def test_a_bad_file_is_told_with_line_value_and_what_is_allowed(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_trajectory(path)


def test_files_that_are_none_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="trajectory cannot be read: No such file"):
        read_trajectory(tmp_path / "none.txt")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="trajectory cannot be read: not a text"):
        read_trajectory(tmp_path / "binary")
    with pytest.raises(InputError, match="trajectory cannot be written"):
        write_trajectory(tmp_path / "no" / "folder.txt", random(1))


@pytest.mark.parametrize(
    ("frames", "values", "told"),
    [
        ([1, 2], np.zeros((1, 22)), "frames .* allowed"),
        ([], np.zeros((0, 22)), "allowed: .* n > 0"),
        ([1, 7], np.zeros((2, 22)), "row 1: frame 7; allowed: 1 = CLW"),
        ([2.5], np.zeros((1, 22)), "row 0: frame 2.5; allowed"),
        ([3], np.full((1, 22), np.nan), "row 0: rob1 A1 nan; allowed: a finite number"),
    ],
)
def test_a_trajectory_that_no_file_could_hold_is_refused(frames: list, values: np.ndarray, told: str) -> None:
    with pytest.raises(InputError, match=told):
        Trajectory(np.array(frames), values)
