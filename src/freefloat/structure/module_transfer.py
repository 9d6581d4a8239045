"""A module changes sides between two tensor parts of a world: contents, mass with its momentum, and shape."""

from __future__ import annotations

import numpy as np

from freefloat.engine.graph import Lump
from freefloat.engine.world import World
from freefloat.frames import Pose
from freefloat.structure.module import ModuleType
from freefloat.structure.outside import hidden_features
from freefloat.structure.tensor_body import TensorBody, transfer
from freefloat.structure.tensor_part import link_mass, module_shape, with_dummy


def lump_of(kind: ModuleType, X_TM: Pose, source: str, target: str) -> Lump:
    """A module at X_TM as mass that changes sides."""
    R, inertia = X_TM.R, np.array(kind.I_MMcm_M)
    return Lump(source, target, kind.mass, X_TM.apply(np.array(kind.p_MMcm)), R @ inertia @ R.T)


def move_module(
    world: World, source: TensorBody, place: int, target: TensorBody, target_place: int, X_TM: Pose
) -> float:
    """Transfer a module between the tensor parts of these names, where it is; returns the energy lost [J].

    The dummy mass of a free body without modules comes and goes with its motion, booked by the audit.
    """
    free = {body.name: world.is_free(body.name) for body in (source, target)}
    filled = free[target.name] and not len(target.occupied)
    lump = lump_of(source.module(place).type, source.X_TM(place), source.name, target.name)
    orientation, offset = target.offset_of(target_place, X_TM)
    rank = int(np.searchsorted(source.occupied, place))
    transfer(source, place, target, target_place, orientation, offset)
    after = {body.name: link_mass(body, free[body.name]) for body in (source, target)}
    if free[source.name] and not len(source.occupied):
        link = world.links[source.name]
        world.set_mass(source.name, *with_dummy((link.mass, link.p_LLcm, link.I_LLcm_L)))
    loaded = {target.name: with_dummy(after[target.name])} if filled else {}
    lost = world.move_mass([lump], {**after, **loaded})
    if filled:
        world.set_mass(target.name, *after[target.name])
    _move_shape(world, source, rank, target, target_place)
    for body in (source, target):
        if world.has(f"{body.name}.hidden"):  # it touches others
            world.write(f"{body.name}.hidden", hidden_features(body))
    return lost


def _move_shape(world: World, source: TensorBody, rank: int, target: TensorBody, place: int) -> None:
    """A link has one shape per module in the order of places: take that of a rank, and make one at the new place."""
    shapes = world.links[source.name].shapes
    world.set_shapes(source.name, shapes[:rank] + shapes[rank + 1 :])
    shapes = world.links[target.name].shapes
    rank = int(np.searchsorted(target.occupied, place))
    world.set_shapes(target.name, (*shapes[:rank], module_shape(target, place), *shapes[rank:]))
