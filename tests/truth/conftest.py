"""Packages from the index that slow tests compare with, in folders of their own."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

WHEELS = ("pybullet", "example-robot-data", "robosuite", "dm_control", "gymnasium-robotics", "metaworld")

Pip = Callable[..., None]


@pytest.fixture(scope="session")
def pip_or_skip() -> Pip:
    """Runs pip, and skips the test where it cannot."""

    def run(*arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *arguments],
            capture_output=True,
            check=False,
            text=True,
        )
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
            pytest.skip(f"pip {' '.join(arguments)} ended with {done.returncode}: {reason}")

    return run


@pytest.fixture(scope="session")
def real_robots(tmp_path_factory: pytest.TempPathFactory, pip_or_skip: Pip) -> Path:
    """A folder with the files of six packages that hold robots."""
    wheels, folder = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("robots")
    pip_or_skip("download", "--no-deps", "--only-binary", ":all:", "-d", str(wheels), *WHEELS)
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / wheel.name.split("-")[0])
    return folder
