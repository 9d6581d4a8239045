"""The package as a program."""

from __future__ import annotations

import runpy
import sys

import pytest

import freefloat as ff


def test_the_package_runs_as_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["freefloat", "--version"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("freefloat", run_name="__main__")
    assert not end.value.code
    assert capsys.readouterr().out == f"freefloat {ff.__version__}\n"
