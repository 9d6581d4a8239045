"""An orbit scenario runs with the network off."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

JOB = """
import socket

def refuse(*_, **__):
    raise AssertionError("the run opened a connection")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from freefloat.api import run

print(run("leo-satellite", {"duration": 2.0}, strict=True).audit.passed)
"""


def test_an_orbit_scenario_touches_no_network(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    alone: list[str] = []
    if unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True, check=False).returncode == 0:
        alone = [unshare, "-rn"]
    env = {**os.environ, "BRAHE_CACHE": str(tmp_path), "BRAHE_NETWORK_MODE": "offline-strict"}
    done = subprocess.run([*alone, sys.executable, "-c", JOB], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("True")
    assert list(tmp_path.rglob("*")) == []
