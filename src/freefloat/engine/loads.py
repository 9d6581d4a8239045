"""Which bodies or multipliers a load goes through, in the present tree (`kernels.loads`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from freefloat.engine.sources import InterfaceLoad, Load, MountLoad
from freefloat.errors import unknown_name
from freefloat.kernels import handle as H
from freefloat.kernels.loads import LOAD_COLUMNS, MOUNT, MOUNT_REVERSED, OPEN, WELD

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant


def bind_loads(memory: H.Memory, plant: Plant) -> None:
    """The table of the loads that signals tell."""
    frames = {name: f for f, name in enumerate(plant.blueprint.frames)}
    welds = {edge.name: w for w, edge in enumerate(plant.tree.loops)}
    table = memory.bind(H.LOADS, np.zeros((len(plant.blueprint.loads), LOAD_COLUMNS), dtype=np.int64))
    for row, load in zip(table, plant.blueprint.loads, strict=True):
        row[:3] = _row(plant, load, frames, welds)
        row[3] = isinstance(load, MountLoad) and load.turned
        row[4] = _limits(plant, load)


def _limits(plant: Plant, load: Load) -> int:
    """First entry of the commands at which the limits of a load stand, or -1."""
    if not isinstance(load, InterfaceLoad) or not load.limits:
        return -1
    if load.limits not in plant.command_at:
        raise unknown_name("command (limits of a load)", load.limits, plant.command_at)
    return plant.command_at[load.limits].start


def _row(plant: Plant, load: Load, frames: dict[str, int], welds: dict[str, int]) -> tuple[int, int, int]:
    """[how it is held, body or weld, frame of the torque's point]."""
    if load.about and load.about not in frames:
        raise unknown_name("frame (of a load)", load.about, frames)
    body, declared = plant.tree.body, plant.blueprint.connections
    if isinstance(load, InterfaceLoad) and load.connection not in plant.closed:
        load = MountLoad(load.link)
    if isinstance(load, MountLoad):
        if load.link not in body:
            raise unknown_name("link (of a load)", load.link, body)
        return MOUNT, body[load.link], frames[load.about or load.link]
    name = load.connection
    if name not in declared:
        raise unknown_name("connection (of a load)", name, declared)
    if name not in plant.closed:
        return OPEN, 0, -1
    if name in welds:
        return WELD, welds[name], frames.get(load.about, -1)
    edge, about = plant.closed[name].edge, frames[load.about or declared[name].a]
    if int(plant.tree.model.body_parentid[body[edge.child]]) == body[edge.parent]:
        return MOUNT, body[edge.child], about
    return MOUNT_REVERSED, body[edge.parent], about
