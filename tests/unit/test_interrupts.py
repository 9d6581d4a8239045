"""Ctrl-C where nothing is there to be kept ends the process at once with 130."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from freefloat.interrupts import at_once, gently

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of another kind")

SCRIPT = """
import signal
from freefloat.interrupts import at_once, gently
with at_once(lambda: print("cleaned", flush=True)):
    try:
        {first}
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("closed", flush=True)
"""


def ended(script: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_an_interrupt_cleans_up_and_ends_with_130_whatever_would_catch_it():
    assert ended(SCRIPT.format(first="pass")) == (130, "cleaned\n", "interrupted\n")


def test_once_something_has_to_be_closed_an_interrupt_is_pythons_again():
    assert ended(SCRIPT.format(first="gently()")) == (0, "closed\n", "")


NOTED = """
import signal
from freefloat.interrupts import Noted, at_once
noted = Noted()
with at_once(lambda: print("cleaned", flush=True)):
    noted.begin()
    for _ in range({times}):
        signal.raise_signal(signal.SIGINT)
    print(noted.given, flush=True)
"""


def test_an_interrupt_of_work_that_keeps_what_it_has_is_noted_and_a_second_ends_it():
    assert ended(NOTED.format(times=0)) == (0, "False\n", "")
    assert ended(NOTED.format(times=1)) == (0, "True\n", "")
    assert ended(NOTED.format(times=2)) == (130, "cleaned\n", "interrupted\n")


def test_the_handler_is_put_back_and_one_of_another_program_stays():
    before = signal.getsignal(signal.SIGINT)
    with at_once():
        assert signal.getsignal(signal.SIGINT) is not before
        gently()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is before
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with at_once():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("after", [0.1, 0.4])
def test_ctrl_c_in_the_first_half_second_of_a_run_ends_with_130_and_leaves_nothing(tmp_path: Path, after: float):
    """From when the command line is there: what comes before is the start of Python itself."""
    script = (
        "import sys; from freefloat.cli import main; print('ready', flush=True); main(['run', 'free-floating-arm'])"
    )
    command = [sys.executable, "-c", script]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, "interrupted\n")
    assert not list(tmp_path.glob("runs/*"))
