"""Files of user tools."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.user_tool import FIG24, KEYS, UserTools, read_user_tools, user_tool, write_user_tools
from freefloat.frames import Pose

FIGURE = """USER_ROB1_TOOL_X=0.0
USER_ROB1_TOOL_Y=140.0
USER_ROB1_TOOL_Z=50.0
USER_ROB1_TOOL_A=0.0
USER_ROB1_TOOL_B=90.0
USER_ROB1_TOOL_C=-90.0
USER_ROB2_TOOL_X=0.0
USER_ROB2_TOOL_Y=0.0
USER_ROB2_TOOL_Z=480.0
USER_ROB2_TOOL_A=0.0
USER_ROB2_TOOL_B=-90.0
USER_ROB2_TOOL_C=-90.0


"""


def file(folder: Path, text: str) -> Path:
    path = folder / "user_tool.val"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_file_of_figure_24_is_the_default(tmp_path: Path) -> None:
    tools = read_user_tools(file(tmp_path, FIGURE))
    assert tools == FIG24
    assert tools.rob1.p == pytest.approx((0.0, 0.14, 0.05), abs=1e-15)
    assert np.allclose(tools.rob1.R @ [1.0, 0.0, 0.0], [0.0, 0.0, -1.0], atol=1e-15)  # x into plate 1,
    assert np.allclose(tools.rob2.R @ [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], atol=1e-15)  # out of plate 2


def test_tools_written_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "tools.val"
    write_user_tools(path, FIG24)
    assert path.read_text() == FIGURE.rstrip() + "\n"
    odd = UserTools(user_tool(1.25, -3e2, 1 / 3, 170.0, -33.0, 5e-3), Pose.from_rpy((0.1, 0.2, 0.3), (1.0, 2.0, 3.0)))
    write_user_tools(path, odd)
    back = read_user_tools(path)
    assert back.rob1.is_close(odd.rob1, 1e-14)
    assert back.rob2.is_close(odd.rob2, 1e-14)


def test_order_blanks_and_windows_line_ends_do_not_matter(tmp_path: Path) -> None:
    lines = [f"  {line.replace('=', ' = ')} \r\n" for line in reversed(FIGURE.split())]
    assert read_user_tools(file(tmp_path, "\n".join(lines))) == FIG24


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (FIGURE.replace("USER_ROB2_TOOL_B=-90.0\n", ""), r"user_tool.val: missing USER_ROB2_TOOL_B; allowed: all of"),
        (FIGURE + "USER_ROB1_TOOL_X=1\n", r"user_tool.val:15: USER_ROB1_TOOL_X again; allowed: once \(first in line 1"),
        (FIGURE.replace("ROB2_TOOL_X", "ROB3_TOOL_X"), r"user_tool.val:7: key 'USER_ROB3_TOOL_X'; allowed: USER_ROB1"),
        (FIGURE.replace("=140.0", "=14o.0"), r"user_tool.val:2: USER_ROB1_TOOL_Y '14o.0'; allowed: a finite .* \[mm\]"),
        (FIGURE.replace("=90.0", "=nan"), r"user_tool.val:5: USER_ROB1_TOOL_B 'nan'; allowed: a finite .* \[deg\]"),
        (FIGURE.replace("=90.0", " 90.0"), r"user_tool.val:5: 'USER_ROB1_TOOL_B 90.0'; allowed: KEY=NUMBER"),
        ("", "missing USER_ROB1_TOOL_X, "),
    ],
)
def test_a_bad_file_is_told_with_place_value_and_what_is_allowed(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_user_tools(file(tmp_path, text))


def test_a_file_that_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.val: user tools cannot be read: No such file"):
        read_user_tools(tmp_path / "none.val")
    (tmp_path / "binary.val").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"binary.val: user tools cannot be read: not a text"):
        read_user_tools(tmp_path / "binary.val")
    with pytest.raises(InputError, match="cannot be written: "):
        write_user_tools(tmp_path / "no" / "folder.val", FIG24)


def test_there_are_twelve_keys() -> None:
    assert len(set(KEYS)) == 12
