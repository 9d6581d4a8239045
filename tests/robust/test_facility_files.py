"""Whatever is in a user tool or trajectory file: it is read, or refused in one line."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from freefloat.errors import InputError
from freefloat.facility.trajectory import read_trajectory
from freefloat.facility.user_tool import KEYS, read_user_tools

NUMBERS = st.one_of(st.floats().map(repr), st.sampled_from(["", "1e999", "0x10", "1_0", "--1", "=", "\u0663", "\x1c"]))
LINES = st.one_of(
    st.text(max_size=30),
    st.builds("{}={}".format, st.sampled_from(KEYS), NUMBERS),
    st.builds(lambda frame, rest: " ".join([frame, *rest]), NUMBERS, st.lists(NUMBERS, min_size=22, max_size=22)),
)
TEXTS = st.lists(LINES, max_size=14).map("\n".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.one_of(TEXTS.map(lambda text: text.encode("utf-8", "replace")), st.binary(max_size=60)))
def test_any_file_is_read_or_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    for read in (read_trajectory, read_user_tools):
        told = ""
        try:
            read(path)
        except InputError as error:
            told = str(error)
        assert len(told.splitlines()) <= 1
        assert not told or told.startswith(str(path))
