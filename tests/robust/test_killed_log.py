"""kill -9 in the middle of a run leaves a log that opens and lacks at most the last second."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from freefloat.engine.log.writer import read_log

# Announces a number of rows once they are written, then goes on writing (busy) or falls silent (idle) until killed.
WRITER = """
import itertools, sys, time
import numpy as np
from freefloat.engine.log.writer import LogWriter
from freefloat.engine.signals import Signal

path, mode = sys.argv[1:]
log = LogWriter(path, {"plant": [Signal("arm.q", "rad", (7,)), Signal("bus.p_WB", "m", (3,))]})
for k in itertools.count():
    t = np.arange(10 * k, 10 * k + 10) * 1e-3
    log.write("plant", t, t[:, None] * np.arange(1, 11))
    time.sleep(0.002)
    if k == 99:
        print(1000, flush=True)
    if k >= 99 and mode == "idle":
        time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("mode", ["busy", "idle"])
def test_a_killed_writer_loses_at_most_the_last_second(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "log.mcap"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path), mode], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        announced = int(writer.stdout.readline())
        time.sleep(1.0)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
    log = read_log(path)
    frame = log.frames["plant"]
    assert not log.complete
    assert frame.height >= announced
    t = np.arange(frame.height) * 1e-3
    assert np.array_equal(frame["t"], t)
    assert np.array_equal(frame["arm.q"].to_numpy(), t[:, None] * np.arange(1, 8))
    assert np.array_equal(frame["bus.p_WB"].to_numpy(), t[:, None] * np.arange(8, 11))
