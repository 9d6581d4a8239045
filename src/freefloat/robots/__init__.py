"""Robots from URDF and MJCF files, and the files that come with Freefloat."""

from freefloat.robots.mjcf import load_mjcf
from freefloat.robots.shipped import asset, asset_names, load_robot
from freefloat.robots.urdf import load_urdf

__all__ = ["asset", "asset_names", "load_mjcf", "load_robot", "load_urdf"]
