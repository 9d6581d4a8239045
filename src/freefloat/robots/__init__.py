"""Robots from URDF and MJCF files, and the files that come with Freefloat; industrial robots as parts."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from freefloat.robots.mjcf import load_mjcf
from freefloat.robots.shipped import asset, asset_names, load_robot
from freefloat.robots.urdf import load_urdf

if TYPE_CHECKING:
    from freefloat.robots.industrial import IndustrialRobot, Mockup

__all__ = ["IndustrialRobot", "Mockup", "asset", "asset_names", "load_mjcf", "load_robot", "load_urdf"]


def __getattr__(name: str) -> Any:
    if name not in ("IndustrialRobot", "Mockup"):
        raise AttributeError(f"module 'freefloat.robots' has no attribute {name!r}")
    return getattr(importlib.import_module("freefloat.robots.industrial"), name)
