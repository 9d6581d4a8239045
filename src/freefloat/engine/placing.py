"""A robot's graph in a world: on a frame, on the world, or floating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from freefloat.engine.coupling import couple
from freefloat.engine.graph import WORLD, Link, LinkGraph, Motion
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape

if TYPE_CHECKING:
    from freefloat.engine.blueprint import Builder


def place_robot(b: Builder, graph: LinkGraph, q: Sequence[float], on: str | None, motion: Motion) -> list[str]:
    """Add links, joints and couplings; see `Builder.graph`."""
    moving = graph.moving
    if len(q) != len(moving):
        raise InputError(f"part {b.part!r}: {len(q)} start positions for {len(moving)} joints")
    start = {j.name: float(v) for j, v in zip(moving, q, strict=True)}
    stands = on is not None or graph.root == WORLD
    base, X_PB = (WORLD, motion.X_WL) if on is None or on == WORLD else b.blueprint.frame(on)
    for link in graph.links:
        if link.name in graph.floating:
            b.body(link, Motion(X_PB @ graph.floating[link.name]))
        else:
            b.body(link, motion if link.name == graph.root and not stands else None)
    for joint in graph.joints:
        if joint.parent == WORLD:
            first = not joint.series
            b.joint(replace(joint, X_PJ=X_PB @ joint.X_PJ) if first else joint, start.get(joint.name, 0.0), parent=base)
        else:
            b.joint(joint, start.get(joint.name, 0.0))
    if stands and graph.root != WORLD:
        b.fix("mount", graph.root, base, X_PB)
    if stands and graph.ground:
        _give_ground(b, graph.ground, base, X_PB)
    for coupling in graph.couplings:
        couple(b, coupling)
    b.blueprint.notes += [f"{b.part}: left out: {what}" for what in graph.skipped]
    b.blueprint.notes += [f"{b.part}: {note}" for note in graph.notes]
    return [b.full(j.name) for j in moving]


def _give_ground(b: Builder, shapes: Sequence[Shape], base: str, X_PB: Pose) -> None:
    """Give shapes to the link that a robot stands on, or to one of their own where that is the world."""
    placed = tuple(replace(s, X_LG=X_PB @ s.X_LG) for s in shapes)
    if base == WORLD:
        name = "ground"
        while b.full(name) in {*b.blueprint.links, *b.blueprint.joints, *b.blueprint.frames}:
            name += "_"
        b.body(Link(name, 1.0, np.zeros(3), np.eye(3), placed))
        b.fix(name, name, WORLD, Pose.identity())
        return
    link = b.blueprint.links[base]
    touching = None if link.touching is None else (*link.touching, *placed)
    b.blueprint.links[base] = replace(link, shapes=(*link.shapes, *placed), touching=touching)
