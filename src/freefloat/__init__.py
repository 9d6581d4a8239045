"""Freefloat: a simulator for on-orbit servicing and assembly robotics.

`freefloat.run("free-floating-arm")` runs a shipped scenario; `freefloat.Mission` builds your own. Names are imported
when first used, so that `import freefloat` and the command line's help stay fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freefloat.api import run
    from freefloat.campaign.start import campaign
    from freefloat.engine.blueprint import Builder, Motion, Part
    from freefloat.engine.connection import Connection
    from freefloat.engine.event import Event
    from freefloat.engine.graph import Joint, Link, LinkGraph
    from freefloat.engine.integrator import RK4, Dopri5, Dopri54
    from freefloat.engine.mailbox import Mailbox, Replay
    from freefloat.engine.mission import Mission, WorldSetup
    from freefloat.engine.pace import Free, Lockstep, RealTime
    from freefloat.engine.rehearsal import Ahead, Rehearsal
    from freefloat.engine.result import Result
    from freefloat.engine.rows import point_mass_gravity, uniform_gravity
    from freefloat.engine.sensing import Sensor
    from freefloat.engine.session import Session
    from freefloat.engine.signals import Signal
    from freefloat.engine.snapshot import Snapshot
    from freefloat.engine.taps import Record
    from freefloat.engine.task import Controller, Task
    from freefloat.engine.world import World
    from freefloat.frames import Pose
    from freefloat.geometry.shape import Shape
    from freefloat.kernels.bank import Body, Column, Command, Coordinate, Effect, Rate, Row, State
    from freefloat.robots import load_mjcf, load_robot, load_urdf
    from freefloat.robots.arm import Arm
    from freefloat.robots.imposed_motion import ImposedMotion
    from freefloat.structure import RigidBody

__version__ = "0.1.0"

_HOMES = {
    "run": "freefloat.api",
    "campaign": "freefloat.campaign.start",
    "Builder": "freefloat.engine.blueprint",
    "Connection": "freefloat.engine.connection",
    "Motion": "freefloat.engine.blueprint",
    "Part": "freefloat.engine.blueprint",
    "Event": "freefloat.engine.event",
    "Joint": "freefloat.engine.graph",
    "Link": "freefloat.engine.graph",
    "LinkGraph": "freefloat.engine.graph",
    "Shape": "freefloat.geometry.shape",
    "RK4": "freefloat.engine.integrator",
    "Dopri5": "freefloat.engine.integrator",
    "Dopri54": "freefloat.engine.integrator",
    "Mailbox": "freefloat.engine.mailbox",
    "Replay": "freefloat.engine.mailbox",
    "Mission": "freefloat.engine.mission",
    "WorldSetup": "freefloat.engine.mission",
    "Free": "freefloat.engine.pace",
    "Lockstep": "freefloat.engine.pace",
    "RealTime": "freefloat.engine.pace",
    "Ahead": "freefloat.engine.rehearsal",
    "Rehearsal": "freefloat.engine.rehearsal",
    "Result": "freefloat.engine.result",
    "point_mass_gravity": "freefloat.engine.rows",
    "uniform_gravity": "freefloat.engine.rows",
    "Sensor": "freefloat.engine.sensing",
    "Session": "freefloat.engine.session",
    "Signal": "freefloat.engine.signals",
    "Snapshot": "freefloat.engine.snapshot",
    "Record": "freefloat.engine.taps",
    "Controller": "freefloat.engine.task",
    "Task": "freefloat.engine.task",
    "World": "freefloat.engine.world",
    "Pose": "freefloat.frames",
    "Body": "freefloat.kernels.bank",
    "Column": "freefloat.kernels.bank",
    "Command": "freefloat.kernels.bank",
    "Coordinate": "freefloat.kernels.bank",
    "Effect": "freefloat.kernels.bank",
    "Rate": "freefloat.kernels.bank",
    "Row": "freefloat.kernels.bank",
    "State": "freefloat.kernels.bank",
    "load_mjcf": "freefloat.robots",
    "load_robot": "freefloat.robots",
    "load_urdf": "freefloat.robots",
    "Arm": "freefloat.robots.arm",
    "ImposedMotion": "freefloat.robots.imposed_motion",
    "RigidBody": "freefloat.structure",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'freefloat' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
