"""The log of a run from the command line: its folder does as well as the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import freefloat as ff
from freefloat.cli import main


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder with a log."""
    folder = tmp_path_factory.mktemp("run")
    ff.Mission([ff.RigidBody("bus")]).run(0.1, log=folder / "log.mcap")
    return folder


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    found = capsys.readouterr()
    return int(end.value.code or 0), found.out, found.err


def test_every_log_command_takes_the_folder_of_a_run(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    of_file = printed(capsys, "log", "info", str(run / "log.mcap"))
    assert printed(capsys, "log", "info", str(run)) == of_file
    assert of_file[0] == 0
    code, out, _ = printed(capsys, "log", "export", str(run), "--format", "csv")
    assert (code, {Path(line).parent for line in out.split()}) == (0, {run / "tables"})
    picture = tmp_path / "p.png"
    assert printed(capsys, "log", "plot", str(run), "bus.p_WB", "--out", str(picture))[0] == 0
    assert picture.exists()


def test_a_folder_without_a_log_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    told = f"error: {tmp_path} has no log.mcap; allowed: the folder of a run, or its log\n"
    assert printed(capsys, "log", "info", str(tmp_path)) == (2, "", told)
