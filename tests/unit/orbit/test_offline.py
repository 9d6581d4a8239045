"""The optional packages: missing, and used without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.orbit import offline

JOB = """
import socket

def refuse(*_, **__):
    raise AssertionError("a connection was opened")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse

import numpy as np
import freefloat as ff
from freefloat.orbit.atmosphere import air
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.lighting import sunlight
from freefloat.orbit.reference import ReferenceOrbit

e = Epoch("2026-03-20T12:00:00Z")
orbit = ReferenceOrbit.from_preset(e, "leo-400")
orbit.extend(100.0)
print(air(e, 0.0, orbit.position(0.0)).density > 0.0, sunlight(e, 0.0, orbit.position(0.0)).visible > 0.0)

frame = FallingFrame(ReferenceOrbit.from_preset(e, "sso-700"), reach=50.0)
bus = ff.RigidBody("bus", motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))
result = ff.Mission([frame, bus], integrator=ff.RK4(1.0), record_rate=0.1).run(100.0, strict=True)
print(bool(np.linalg.norm(result["orbit.p_IW"][-1]) > 7e6))

print(ff.run("leo-satellite", {"duration": 2.0}, strict=True).audit.passed)
"""


def _without_network() -> list[str]:
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True, check=False).returncode == 0:
        return [unshare, "-rn"]
    return []


def test_environment_mission_and_scenario_need_no_network_and_leave_no_files(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "BRAHE_CACHE": str(tmp_path), "BRAHE_NETWORK_MODE": "offline-strict"}
    command = [*_without_network(), sys.executable, "-c", JOB]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True"] * 4
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_importing_the_package_does_not_import_the_optional_ones() -> None:
    modules = "reference, heat, atmosphere, oem, lvlh, surface_force"
    code = f"import sys; from freefloat.orbit import {modules}; print(bool({{'brahe', 'erfa'}} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_a_missing_package_is_one_sentence_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "erfa", None)
    with pytest.raises(InputError, match=r"orbits need the package 'erfa', .*: pip install .*\[orbit\]'"):
        offline.erfa()
